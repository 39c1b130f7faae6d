"""The image: unpacked and run as a container would be, read-only and without rights. Run by ctest.

MUSTER_BUILD names the build directory that has muster_image.
"""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/kube"), str(ROOT / "deploy/image")]
from cluster import ControlPlane, Muster, is_running, wait_until
from unpack import Image
from version import VERSION
from workloads import PODS, pod

BUILD = os.environ.get("MUSTER_BUILD", str(ROOT / "build/release"))
COMMIT = "0123456789abcdef0123456789abcdef01234567"
MOST_BYTES = 60_000_000
LIBRARIES = {"ld-linux-x86-64.so.2", "libc.so.6", "libcrypto.so.3", "libfmt.so.9", "libgcc_s.so.1", "libm.so.6",
             "libprometheus-cpp-core.so.1.0", "libsimdjson.so.14", "libssl.so.3", "libstdc++.so.6", "libz.so.1"}


def assemble(directory):
    subprocess.run([sys.executable, "-B", ROOT / "deploy/image/assemble.py", "--build-directory", BUILD, "--version",
                    VERSION, "--commit", COMMIT, "--epoch", "1750000000", "--output", directory], check=True,
                   stdout=subprocess.DEVNULL)
    return pathlib.Path(directory) / f"muster-{VERSION}.tar"


class ImageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="muster-image-")
        cls.addClassCleanup(scratch.cleanup)
        cls.directory = pathlib.Path(scratch.name)
        cls.path = assemble(cls.directory / "first")
        cls.image = Image(cls.path)
        cls.root = cls.directory / "root"
        cls.image.unpack(cls.root)

    def files(self):
        return {str(p.relative_to(self.root)) for p in self.root.rglob("*") if p.is_file()}

    @classmethod
    def mount(cls, source, place):
        """Like the kubelet, creates nothing but mount points in the root."""
        (cls.root / place.lstrip("/")).mkdir(parents=True, exist_ok=True)
        return ["--ro-bind", source, place]

    @classmethod
    def jail(cls, *command, options=()):
        """How a container would run the command: without rights, writable files or access to this machine."""
        return ["bwrap", "--unshare-all", "--share-net", "--die-with-parent", "--new-session", "--clearenv",
                "--uid", "65532", "--gid", "65532", "--cap-drop", "ALL", "--ro-bind", cls.root, "/", *options, *command]

    @classmethod
    def entry_point(cls):
        return cls.image.config["config"]["Entrypoint"]

    def run_in_jail(self, *command, options=()):
        return subprocess.run(self.jail(*command, options=options), capture_output=True, text=True, timeout=60)


class Form(ImageTest):
    def test_same_input_gives_the_same_bytes(self):
        again = assemble(self.directory / "second")
        self.assertEqual(again.read_bytes(), self.path.read_bytes())
        for said in self.path.parent.glob("*.json"):
            if not said.name.endswith(".dsse.json"):
                self.assertEqual(said.read_bytes(), (again.parent / said.name).read_bytes(), said.name)

    def test_digests_are_those_of_the_contents(self):
        for name, data in self.image.files.items():
            if name.startswith("blobs/sha256/"):
                self.assertEqual(hashlib.sha256(data).hexdigest(), name.removeprefix("blobs/sha256/"))
        layers = ["sha256:" + hashlib.sha256(layer).hexdigest() for layer in self.image.layers()]
        self.assertEqual(self.image.config["rootfs"]["diff_ids"], layers)
        self.assertEqual((self.directory / f"first/muster-{VERSION}.digest").read_text(), self.image.digest + "\n")

    def test_is_small_and_says_what_it_is(self):
        self.assertLess(sum((self.root / f).stat().st_size for f in self.files()), MOST_BYTES)
        config = self.image.config["config"]
        self.assertEqual(config["User"], "65532:65532")
        self.assertEqual(config["Labels"]["org.opencontainers.image.version"], VERSION)
        self.assertEqual(config["Labels"]["org.opencontainers.image.revision"], COMMIT)

    def test_has_nothing_but_the_program_and_what_it_needs(self):
        others = {f for f in self.files() if not f.startswith("usr/share/doc/") and ".so" not in f}
        self.assertEqual(others, {"usr/bin/muster", "etc/ssl/certs/ca-certificates.crt", "etc/nsswitch.conf",
                                  "etc/passwd", "etc/group"})
        self.assertEqual({pathlib.Path(f).name for f in self.files() if ".so" in f}, LIBRARIES)

    def test_bill_of_materials_names_what_is_inside(self):
        bill = json.loads((self.directory / f"first/muster-{VERSION}.spdx.json").read_text())
        names = {package["name"] for package in bill["packages"]}
        self.assertLessEqual({"muster", "curl", "libssl3", "libc6", "libre2-dev", "nlohmann-json3-dev",
                              "ca-certificates"}, names)
        self.assertEqual([p for p in bill["packages"] if not p["versionInfo"]], [])
        known = {package["SPDXID"] for package in bill["packages"]} | {"SPDXRef-DOCUMENT"}
        for relation in bill["relationships"]:
            self.assertLessEqual({relation["spdxElementId"], relation["relatedSpdxElement"]}, known)


    def test_is_signed_and_verified(self):
        directory, key, public = self.directory / "first", self.directory / "key.pem", self.directory / "key.pub"
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True, capture_output=True)
        subprocess.run(["openssl", "pkey", "-in", key, "-pubout", "-out", public], check=True, capture_output=True)
        run = lambda *command: subprocess.run([sys.executable, "-B", *command], capture_output=True, text=True)
        signed = run(ROOT / "deploy/image/sign", key, directory)
        self.assertEqual(signed.returncode, 0, signed.stderr)
        verified = run(ROOT / "deploy/image/verify", public, directory, self.image.digest)
        self.assertEqual(verified.returncode, 0, verified.stderr)
        self.assertIn(f"commit {COMMIT}", verified.stdout)
        provenance = json.loads((directory / f"muster-{VERSION}.provenance.intoto.json").read_text())
        materials = {m["name"] for m in provenance["predicate"]["buildDefinition"]["resolvedDependencies"]}
        bill = json.loads((directory / f"muster-{VERSION}.spdx.json").read_text())
        self.assertLessEqual({package["name"] for package in bill["packages"]} - {"muster"}, materials)
        packages = {known["package"] for known in json.loads((ROOT / "deploy/image/vulnerabilities.json").read_text())}
        self.assertLessEqual(packages, materials)


class Runs(ImageTest):
    def test_version(self):
        self.assertEqual(self.run_in_jail(*self.entry_point(), "version").stdout, f"muster {VERSION}\n")

    def test_simulate(self):
        done = self.run_in_jail(*self.entry_point(), "simulate", "/data", "--now", "2025-06-01T12:00:00Z",
                                options=self.mount(ROOT / "examples/tour", "/data"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("bound  llm-pretrain", done.stdout)

    def test_has_no_shell(self):
        self.assertIn("No such file", self.run_in_jail("/bin/sh", "-c", "true").stderr)


class MusterInJail(Muster):
    """Like a pod: a ServiceAccount's token, and the API server's address in the environment."""

    def start(self):
        options = [*Serves.mount(self.plane.directory / "account", "/var/run/secrets/kubernetes.io/serviceaccount"),
                   "--setenv", "KUBERNETES_SERVICE_HOST", "127.0.0.1",
                   "--setenv", "KUBERNETES_SERVICE_PORT", str(self.plane.port)]
        self.log_path = self.plane.directory / "image.log"
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                Serves.jail(*Serves.entry_point(), "serve", "--leader-elect", "--namespace=kai-scheduler",
                            "--listen-address", f"127.0.0.1:{self.listen}", options=options), stdout=log, stderr=log)


class Serves(ImageTest):
    def test_places_a_pod_of_a_real_cluster_with_its_service_account(self):
        with ControlPlane() as plane:
            plane.install(ROOT / "deploy")
            plane.add_nodes(1)
            account = plane.directory / "account"
            account.mkdir(mode=0o755)
            token = plane.api.post("/api/v1/namespaces/kai-scheduler/serviceaccounts/muster/token", {
                "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})["status"]["token"]
            (account / "token").write_text(token)
            (account / "namespace").write_text("kai-scheduler")
            (account / "ca.crt").write_bytes((plane.directory / "ca.crt").read_bytes())
            with MusterInJail(plane, binary=None) as muster:
                muster.wait_ready()
                plane.api.post(PODS, pod("first"))
                wait_until(lambda: is_running(plane.api.get(f"{PODS}/first")), 30, "the pod to run")
                self.assertNotIn(": 403", muster.log())


if __name__ == "__main__":
    unittest.main(verbosity=2)
