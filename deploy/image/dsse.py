"""Signed envelopes (DSSE) around in-toto statements, made with openssl. Keys are Ed25519 or ECDSA over P-256."""
import base64
import hashlib
import json
import pathlib
import subprocess
import tempfile

PAYLOAD = "application/vnd.in-toto+json"


class Refused(Exception):
    """Signing or verification failed; the text is the reason."""


def openssl(*arguments):
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True)
    if done.returncode != 0:
        raise Refused(f"openssl {arguments[0]}: {(done.stderr or done.stdout).decode(errors='replace').strip()}")
    return done.stdout


class Key:
    """A private or public key in a PEM file."""

    def __init__(self, path, is_private):
        self.path, self.way = path, [] if is_private else ["-pubin"]
        self.public = openssl("pkey", *self.way, "-in", path, "-pubout", "-outform", "DER")
        text = openssl("pkey", *self.way, "-in", path, "-noout", "-text_pub").decode()
        self.is_edwards = "ED25519" in text
        if not self.is_edwards and "prime256v1" not in text:
            raise Refused(f"{path}: the key is neither Ed25519 nor ECDSA over P-256")

    @property
    def id(self):
        """Returns the SHA-256 of the public key."""
        return hashlib.sha256(self.public).hexdigest()

    def sign(self, data):
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            if self.is_edwards:
                return openssl("pkeyutl", "-sign", "-rawin", "-inkey", self.path, "-in", file.name)
            return openssl("dgst", "-sha256", "-sign", self.path, file.name)

    def verifies(self, data, signature):
        with tempfile.TemporaryDirectory() as directory:
            text, sign = pathlib.Path(directory) / "data", pathlib.Path(directory) / "signature"
            text.write_bytes(data)
            sign.write_bytes(signature)
            try:
                if self.is_edwards:
                    openssl("pkeyutl", "-verify", "-rawin", *self.way, "-inkey", self.path, "-in", text, "-sigfile", sign)
                else:
                    openssl("dgst", "-sha256", "-verify", self.path, "-signature", sign, text)
            except Refused:
                return False
        return True


def encoded(payload):
    """Returns the bytes to sign: type and payload, each with its length."""
    return b"DSSEv1 %d %s %d %s" % (len(PAYLOAD), PAYLOAD.encode(), len(payload), payload)


def seal(payload, key):
    """Returns the envelope around the bytes of a statement."""
    signature = {"keyid": key.id, "sig": base64.b64encode(key.sign(encoded(payload))).decode()}
    return {"payloadType": PAYLOAD, "payload": base64.b64encode(payload).decode(), "signatures": [signature]}


def unseal(envelope, key):
    """Returns the bytes of the statement if the key signed them. REQUIRES: a public key."""
    if envelope.get("payloadType") != PAYLOAD:
        raise Refused(f"the payload is not {PAYLOAD}")
    payload = base64.b64decode(envelope["payload"], validate=True)
    for signature in envelope["signatures"]:
        if key.verifies(encoded(payload), base64.b64decode(signature["sig"], validate=True)):
            return payload
    raise Refused("not signed with this key")


def read(path):
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise Refused(f"{path}: {error}") from error
