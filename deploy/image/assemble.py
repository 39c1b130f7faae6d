#!/usr/bin/env python3
"""Assembles the image: an archive in OCI layout, which `docker load`, `podman load` and `skopeo` can also read.

The same program, Debian packages, commit and time give the same bytes. Nothing depends on a daemon, the clock or this
machine.
"""
import argparse
import datetime
import gzip
import hashlib
import io
import json
import pathlib
import platform
import tarfile

import contents
import sbom
import statements

USER = 65532
NAMES = "org.opencontainers.image"
DIRECTORY, FILE, PROGRAM = 0o755, 0o644, 0o755


def to_json(value):
    return json.dumps(value, sort_keys=True, indent=1).encode() + b"\n"


def utc(epoch):
    return datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Tar:
    """Sets the owner to root and the same time for every entry."""

    def __init__(self, epoch):
        self.epoch, self.bytes = epoch, io.BytesIO()
        self.tar = tarfile.open(fileobj=self.bytes, mode="w", format=tarfile.USTAR_FORMAT)

    def add(self, name, mode, data=None):
        entry = tarfile.TarInfo(name)
        entry.mtime, entry.mode = self.epoch, mode
        entry.type = tarfile.DIRTYPE if data is None else tarfile.REGTYPE
        entry.size = len(data or b"")
        self.tar.addfile(entry, io.BytesIO(data or b""))

    def finish(self):
        self.tar.close()
        return self.bytes.getvalue()


def make_layer(files, epoch):
    """`files` maps path → (mode, bytes)."""
    tar = Tar(epoch)
    directories = sorted({str(parent) for path in files for parent in pathlib.PurePath(path).parents} - {"."})
    for name in directories:
        tar.add(name, DIRECTORY)
    for name, (mode, data) in sorted(files.items()):
        tar.add(name, mode, data)
    return tar.finish()


class Layout:
    """The blobs of an image, each named after the hash of its contents."""

    def __init__(self):
        self.blobs = {}

    def add(self, data, media_type):
        digest = hashlib.sha256(data).hexdigest()
        self.blobs[digest] = data
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(data)}

    def archive(self, index, docker, epoch):
        tar = Tar(epoch)
        tar.add("blobs", DIRECTORY)
        tar.add("blobs/sha256", DIRECTORY)
        for digest, data in sorted(self.blobs.items()):
            tar.add(f"blobs/sha256/{digest}", FILE, data)
        tar.add("index.json", FILE, to_json(index))
        tar.add("manifest.json", FILE, to_json(docker))
        tar.add("oci-layout", FILE, to_json({"imageLayoutVersion": "1.0.0"}))
        return tar.finish()


def make_config(layer, options):
    labels = {f"{NAMES}.title": "muster", f"{NAMES}.description": "A Kubernetes scheduler for AI clusters",
              f"{NAMES}.version": options.version, f"{NAMES}.revision": options.commit,
              f"{NAMES}.created": utc(options.epoch), f"{NAMES}.licenses": "Apache-2.0"}
    architecture = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
    return {"created": utc(options.epoch), "architecture": architecture, "os": "linux",
            "config": {"User": f"{USER}:{USER}", "Entrypoint": ["/usr/bin/muster"], "WorkingDir": "/", "Labels": labels},
            "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
            "history": [{"created": utc(options.epoch), "created_by": "deploy/image/build"}]}


def make_image(files, options):
    """Returns the archive, and the digest that the image will have in a registry."""
    layout, types = Layout(), "application/vnd.oci.image"
    layer = make_layer(files, options.epoch)
    packed = layout.add(gzip.compress(layer, 9, mtime=0), f"{types}.layer.v1.tar+gzip")
    config = layout.add(to_json(make_config(layer, options)), f"{types}.config.v1+json")
    manifest = layout.add(to_json({"schemaVersion": 2, "mediaType": f"{types}.manifest.v1+json", "config": config,
                                   "layers": [packed]}), f"{types}.manifest.v1+json")
    named = {**manifest, "annotations": {f"{NAMES}.ref.name": options.version}}
    index = {"schemaVersion": 2, "mediaType": f"{types}.index.v1+json", "manifests": [named]}
    blob = lambda descriptor: "blobs/" + descriptor["digest"].replace(":", "/")
    docker = [{"Config": blob(config), "Layers": [blob(packed)], "RepoTags": [f"muster:{options.version}"]}]
    return layout.archive(index, docker, options.epoch), manifest["digest"]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build-directory", type=pathlib.Path, required=True, help="where muster_image was built")
    parser.add_argument("--version", required=True)
    parser.add_argument("--commit", required=True)
    parser.add_argument("--epoch", type=int, required=True, help="timestamp of all files, in seconds since 1970")
    parser.add_argument("--output", type=pathlib.Path, required=True, help="directory for the image and its SBOM")
    return parser.parse_args()


def describe(program, files, digest, archive, options):
    """Returns the statements about the image: file name → content."""
    created = utc(options.epoch)
    bill = sbom.describe(program, files, options.version, options.commit, created)
    subjects = {"muster": digest.removeprefix("sha256:"),
                f"muster-{options.version}.tar": hashlib.sha256(archive).hexdigest()}
    said = {"provenance": statements.provenance(program, options, bill), "spdx": bill,
            "openvex": statements.exploitability(digest, options, bill, created)}
    plain = {f"muster-{options.version}.{kind}.json": said[kind] for kind in ("spdx", "openvex")}
    return plain | {f"muster-{options.version}.{kind}.intoto.json": statements.statement(kind, subjects, predicate)
                    for kind, predicate in said.items()}


def main():
    options = parse_arguments()
    program = contents.Program(options.build_directory)
    files = contents.files_of(program, USER)
    archive, digest = make_image(files, options)
    options.output.mkdir(parents=True, exist_ok=True)
    image = options.output / f"muster-{options.version}.tar"
    image.write_bytes(archive)
    for name, value in describe(program, files, digest, archive, options).items():
        (options.output / name).write_bytes(to_json(value))
    (options.output / f"muster-{options.version}.digest").write_text(digest + "\n")
    print(f"{image}  {len(archive) / 1e6:.1f} MB, unpacked {sum(len(d) for _, d in files.values()) / 1e6:.1f} MB\n"
          f"SBOM, VEX and in-toto statements are in the same directory; deploy/image/sign signs them\n{digest}")


if __name__ == "__main__":
    main()
