#!/usr/bin/env python3
"""Unpacks an image that deploy/image/build made: unpack.py IMAGE.tar DIRECTORY."""
import gzip
import io
import json
import sys
import tarfile


class Image:
    def __init__(self, path):
        with tarfile.open(path) as tar:
            self.files = {entry.name: tar.extractfile(entry).read() for entry in tar if entry.isfile()}
        self.digest = json.loads(self.files["index.json"])["manifests"][0]["digest"]
        self.manifest = self.json_of(self.digest)
        self.config = self.json_of(self.manifest["config"]["digest"])

    def blob(self, digest):
        return self.files["blobs/" + digest.replace(":", "/")]

    def json_of(self, digest):
        return json.loads(self.blob(digest))

    def layers(self):
        return [gzip.decompress(self.blob(layer["digest"])) for layer in self.manifest["layers"]]

    def unpack(self, directory):
        for layer in self.layers():
            with tarfile.open(fileobj=io.BytesIO(layer)) as tar:
                tar.extractall(directory)


if __name__ == "__main__":
    Image(sys.argv[1]).unpack(sys.argv[2])
