"""The signed statements about an image, and the packages that it is built from. Run by ctest; the image here is a small
one."""
import base64
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGE = ROOT / "deploy/image"
sys.path.insert(0, str(IMAGE))
import assemble
import dsse
import packages_lock
import statements

OPTIONS = types.SimpleNamespace(version="9.9.9", commit="0123456789abcdef0123456789abcdef01234567", epoch=1750000000)
NAMES = {f"muster-9.9.9.{kind}" for kind in ("provenance", "spdx", "openvex")}


class Program:
    """As deploy/image/contents.py reads one from a build directory."""
    libraries = {"libz.so.1": pathlib.Path("/lib/x86_64-linux-gnu/libz.so.1")}
    archives = ["/usr/lib/x86_64-linux-gnu/libminizip.a"]
    headers = []
    curl_version, curl_digest = "7.88.1-10+deb12u15", "c" * 64


def make(directory):
    """The output directory of deploy/image/build, with other contents in the image."""
    files = {"usr/bin/muster": (0o755, b"program"), "etc/passwd": (0o644, b"muster:x:1:1::/:/none\n")}
    archive, digest = assemble.make_image(files, OPTIONS)
    (directory / "muster-9.9.9.tar").write_bytes(archive)
    (directory / "muster-9.9.9.digest").write_text(digest + "\n")
    for name, value in assemble.describe(Program, files, digest, archive, OPTIONS).items():
        (directory / name).write_bytes(assemble.to_json(value))
    return digest


def make_key(directory, name, algorithm="ed25519"):
    more = ["-pkeyopt", "ec_paramgen_curve:P-256"] if algorithm == "EC" else []
    private, public = directory / f"{name}.pem", directory / f"{name}.pub"
    subprocess.run(["openssl", "genpkey", "-algorithm", algorithm, *more, "-out", private], check=True, capture_output=True)
    subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", public], check=True, capture_output=True)
    return private, public


def run(program, *arguments):
    done = subprocess.run([sys.executable, "-B", IMAGE / program, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class ScratchTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.keys = pathlib.Path(scratch.name) / "keys"
        self.directory = pathlib.Path(scratch.name) / "image"
        for directory in (self.keys, self.directory):
            directory.mkdir()
        self.digest = make(self.directory)

    def statement(self, kind):
        return json.loads((self.directory / f"muster-9.9.9.{kind}.intoto.json").read_text())


class Statements(ScratchTest):
    def test_all_speak_of_this_image(self):
        wanted = {"muster": self.digest.removeprefix("sha256:"),
                  "muster-9.9.9.tar": hashlib.sha256((self.directory / "muster-9.9.9.tar").read_bytes()).hexdigest()}
        for kind, predicate in statements.PREDICATES.items():
            said = self.statement(kind)
            self.assertEqual((said["_type"], said["predicateType"]), ("https://in-toto.io/Statement/v1", predicate))
            self.assertEqual({s["name"]: s["digest"]["sha256"] for s in said["subject"]}, wanted)

    def test_provenance_is_slsa_v1(self):
        said = self.statement("provenance")["predicate"]
        build = said["buildDefinition"]
        self.assertEqual(set(said), {"buildDefinition", "runDetails"})
        self.assertTrue(build["buildType"] and said["runDetails"]["builder"]["id"])
        self.assertEqual(build["externalParameters"]["commit"], OPTIONS.commit)
        materials = {m["name"]: m for m in build["resolvedDependencies"]}
        self.assertEqual(materials["sources"]["digest"], {"gitCommit": OPTIONS.commit})
        self.assertEqual(materials["curl"]["digest"], {"sha256": "c" * 64})
        here, locked = packages_lock.installed(), packages_lock.read()[1]
        self.assertLessEqual({"zlib1g", "libminizip-dev", "g++", "cmake", "libc6-dev"}, set(materials))
        for name in set(materials) - {"sources", "curl"}:
            self.assertEqual(materials[name]["uri"], statements.package_url(name, here[name]))
            same = name in locked and locked[name][0] == here[name]
            self.assertEqual(materials[name].get("digest"), {"sha256": locked[name][1]} if same else None, name)

    def test_changed_sources_have_no_digest(self):
        self.assertNotIn("digest", statements.commit_material(OPTIONS.commit + "-dirty"))

    def test_vulnerabilities_are_those_of_packages_inside(self):
        said = self.statement("openvex")["predicate"]
        self.assertEqual(said["@context"], "https://openvex.dev/ns/v0.2.0")
        self.assertLessEqual({"@id", "author", "timestamp", "version", "statements"}, set(said))
        inside = {p["name"]: p["versionInfo"] for p in self.statement("spdx")["predicate"]["packages"]}
        known = {e["package"] for e in json.loads(statements.VULNERABILITIES.read_text())}
        self.assertLessEqual(known, set(inside), "of a package that is not in the image")
        for entry in said["statements"]:
            self.assertEqual(entry["status"], "not_affected")
            self.assertIn(entry["justification"], (
                "component_not_present", "vulnerable_code_not_present", "vulnerable_code_not_in_execute_path",
                "vulnerable_code_cannot_be_controlled_by_adversary", "inline_mitigations_already_exist"))
            self.assertIn(self.digest.removeprefix("sha256:"), entry["products"][0]["@id"])
        self.assertEqual(len(said["statements"]), 2)

    def test_archives_are_only_read(self):
        """The statement about MiniZip."""
        included = set()
        for path in (ROOT / "src").rglob("*.[ch]pp"):
            included |= set(re.findall(r"#include <minizip/(\w+\.h)>", path.read_text()))
        self.assertEqual(included, {"unzip.h"})


class Signatures(ScratchTest):
    def sign(self, algorithm="ed25519"):
        self.private, self.public = make_key(self.keys, "own", algorithm)
        code, said = run("sign", self.private, self.directory)
        self.assertEqual(code, 0, said)

    def verify(self, *more, public=None):
        return run("verify", public or self.public, self.directory, *more)

    def refused(self, why, *more, public=None):
        code, said = self.verify(*more, public=public)
        self.assertEqual(code, 1, said)
        self.assertIn("not verified: ", said)
        self.assertIn(why, said)

    def path(self, kind, form="dsse.json"):
        return self.directory / f"muster-9.9.9.{kind}.{form}"

    def change_envelope(self, kind, change):
        envelope = json.loads(self.path(kind).read_text())
        change(envelope)
        self.path(kind).write_text(json.dumps(envelope))

    def test_what_is_signed_is_verified(self):
        for algorithm in ("ed25519", "EC"):
            self.sign(algorithm)
            code, said = self.verify(self.digest)
            self.assertEqual(code, 0, said)
            self.assertIn(f"commit {OPTIONS.commit}", said)
            self.assertEqual({p.name.removesuffix(".dsse.json") for p in self.directory.glob("*.dsse.json")}, NAMES)

    def test_another_key(self):
        self.sign()
        for algorithm in ("ed25519", "EC"):
            self.refused("not signed with this key", public=make_key(self.keys, "other", algorithm)[1])

    def test_another_image(self):
        self.sign()
        path = self.directory / "muster-9.9.9.tar"
        original = path.read_bytes()
        path.write_bytes(original + b"\0" * 512)
        self.refused("is about another image")
        changed = bytearray(original)
        at = original.index(b"org.opencontainers.image.version")
        changed[at] = ord("O")
        path.write_bytes(changed)
        self.refused("does not match the hash in its name")
        path.write_bytes(b"no archive")
        self.refused("is not an image")
        path.unlink()
        self.refused("has 0 images")

    def test_another_digest(self):
        self.sign()
        self.refused("has the digest", "sha256:" + "0" * 64)

    def test_a_changed_statement(self):
        self.sign()
        original = self.path("provenance").read_text()
        other = base64.b64encode(self.path("provenance", "intoto.json").read_bytes().replace(b"0123456789", b"9876543210"))
        for change, why in ((lambda e: e.update(payload=other.decode()), "not signed with this key"),
                            (lambda e: e.update(payloadType="text/plain"), "the payload is not"),
                            (lambda e: e.update(signatures=[]), "not signed with this key"),
                            (lambda e: e["signatures"][0].update(sig="AAAA"), "not signed with this key"),
                            (lambda e: e["signatures"][0].update(sig="?"), "provenance.dsse.json"),
                            (lambda e: e.pop("payload"), "provenance.dsse.json")):
            self.path("provenance").write_text(original)
            self.change_envelope("provenance", change)
            self.refused(why)

    def test_a_statement_of_another_kind(self):
        self.sign()
        self.path("provenance").write_text(self.path("spdx").read_text())
        self.refused("a statement of another kind")

    def test_a_missing_statement(self):
        self.sign()
        self.path("openvex").unlink()
        self.refused("openvex.dsse.json")

    def test_a_changed_bill_of_materials(self):
        self.sign()
        plain = self.path("spdx", "json")
        plain.write_text(plain.read_text().replace("zlib1g", "zlib2g"))
        self.refused("spdx.json differs from what was signed")

    def test_keys_that_are_refused(self):
        weak = self.keys / "rsa.pem"
        subprocess.run(["openssl", "genpkey", "-algorithm", "RSA", "-out", weak], check=True, capture_output=True)
        code, said = run("sign", weak, self.directory)
        self.assertEqual(code, 1)
        self.assertIn("neither Ed25519 nor ECDSA", said)
        self.assertEqual(run("sign", self.keys / "none.pem", self.directory)[0], 1)

    def test_repository_has_no_private_key(self):
        words = b"-----BEGIN " + b"(RSA |EC |ENCRYPTED )?PRIVATE KEY"
        found = [path for path in ROOT.rglob("*") if path.is_file() and not {"build", ".git"} & set(path.relative_to(ROOT).parts)
                 and path.stat().st_size < 1_000_000 and re.search(words, path.read_bytes())]
        self.assertEqual(found, [])


class Packages(unittest.TestCase):
    def test_lock_is_complete_and_sorted(self):
        text = packages_lock.LOCK.read_text()
        snapshot, locked = packages_lock.read()
        self.assertRegex(snapshot, r"^\d{8}T\d{6}Z$")
        self.assertEqual(len(locked), sum("=" in line and line[0] != "#" for line in text.splitlines()))
        self.assertEqual(list(locked), sorted(locked))
        script = 'root=$(mktemp -d); source "$1"; printf "%s\\n" "${packages[@]}"; rm -r "$root"'
        wanted = subprocess.run(["bash", "-c", script, "bash", ROOT / "cmake/setup.sh"], capture_output=True, text=True,
                                check=True).stdout.split()
        self.assertEqual(set(wanted) - set(locked), set(), "in cmake/setup.sh and not in the lock: run deploy/image/lock")

    def test_lock_is_not_ahead_of_what_can_be_had(self):
        """A locked version may be older than the installed one; a version that Debian does not have yet could not be
        installed."""
        here = packages_lock.installed()
        is_newer = lambda a, b: subprocess.run(["dpkg", "--compare-versions", a, "gt", b]).returncode == 0
        shown = subprocess.run(["apt-cache", "policy", *packages_lock.read()[1]], capture_output=True, text=True).stdout
        candidates = dict(re.findall(r"^(\S+):\n(?:  Installed: .*\n)  Candidate: (\S+)$", shown, re.M))
        ahead = {}
        for name, (version, _) in packages_lock.read()[1].items():
            best = [v for v in (here.get(name), candidates.get(name)) if v and v != "(none)"]
            if best and all(is_newer(version, v) for v in best):
                ahead[name] = (version, best)
        lists = any(pathlib.Path("/var/lib/apt/lists").glob("*_Packages*"))
        self.assertEqual(ahead if lists else {}, {})

    def test_dockerfile_names_the_day_of_the_lock(self):
        self.assertIn(packages_lock.read()[0], (IMAGE / "Dockerfile").read_text())

    def install(self, **environment):
        """The packages that the script for the Dockerfile requests from apt-get, and the sources that it leaves."""
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        base = pathlib.Path(scratch.name)
        (base / "bin").mkdir()
        (base / "apt").mkdir()
        (base / "apt/sources.list").write_text("deb http://mirror.example.com/debian bookworm main\n")
        (base / "bin/apt-get").write_text(f'#!/bin/sh\necho "$*" >>{base}/asked\n')
        (base / "bin/apt-get").chmod(0o755)
        subprocess.run(["bash", IMAGE / "install-packages"], check=True, env={
            "PATH": f"{base}/bin:{os.environ['PATH']}", "APT_DIRECTORY": str(base / "apt"), **environment})
        sources = "".join(p.read_text() for p in (base / "apt").rglob("*") if p.is_file())
        return (base / "asked").read_text(), sources

    def test_packages_come_from_the_snapshot_in_these_versions(self):
        day, locked = packages_lock.read()
        asked, sources = self.install(SNAPSHOT="http://archive.example.com")
        self.assertIn(f"URIs: http://archive.example.com/debian/{day}\n", sources)
        self.assertIn(f"URIs: http://archive.example.com/debian-security/{day}\n", sources)
        self.assertNotIn("mirror.example.com", sources)
        for name, (version, _) in locked.items():
            self.assertIn(f" {name}={version}", asked)
        self.assertIn("/20990101T000000Z\n", self.install(SNAPSHOT="http://a.example.com", SNAPSHOT_DATE="20990101T000000Z")[1])

    def test_without_a_snapshot_packages_are_those_of_the_machine(self):
        asked, sources = self.install(SNAPSHOT="")
        self.assertIn("mirror.example.com", sources)
        self.assertIn(" cmake ", asked)
        self.assertNotIn("=", asked)


if __name__ == "__main__":
    unittest.main(verbosity=2)
