"""The chart with the real Helm, and what a release of it runs."""
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/kube"))
import yaml
from cluster import Muster
import programs
from version import VERSION

CHART = ROOT / "deploy/chart"
NAMESPACE = "kai-scheduler"
BINARY = os.environ.get("MUSTER", str(ROOT / "build/release/src/muster"))


class HelmFailed(Exception):
    pass


def helm(*arguments, home="/nonexistent"):
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "HELM_CACHE_HOME": f"{home}/cache",
                   "HELM_CONFIG_HOME": f"{home}/config", "HELM_DATA_HOME": f"{home}/data"}
    done = subprocess.run([programs.provide_helm(), *map(str, arguments)], capture_output=True, text=True,
                          env=environment)
    if done.returncode != 0:
        raise HelmFailed(f"helm {' '.join(map(str, arguments))}: {done.stdout}{done.stderr}")
    return done.stdout


def render(*flags, name="muster", chart=CHART):
    """The objects, as (kind, name) → object."""
    text = helm("template", name, chart, "--namespace", NAMESPACE, *flags)
    objects = [o for o in yaml.safe_load_all(text) if o]
    return {(o["kind"], o["metadata"]["name"]): o for o in objects}


class Helm:
    """Bound to the control plane of a test."""

    def __init__(self, plane):
        self.plane = plane

    def __call__(self, *arguments):
        return helm(*arguments, "--kubeconfig", self.plane.kubeconfig, "--namespace", NAMESPACE, home=self.plane.directory)

    def install(self, name, *flags, chart=CHART):
        return self("install", name, chart, "--create-namespace", *flags)

    def upgrade(self, name, *flags, chart=CHART):
        return self("upgrade", name, chart, *flags)


def older_chart(directory):
    """A variant of the chart, as an older release: another version, one printer column less, no budget."""
    chart = directory / "older-chart"
    shutil.copytree(CHART, chart)
    replace(chart / "Chart.yaml", f"ersion: {VERSION}", "ersion: 0.1.9")
    replace(chart / "files/crds/10-crd-queue.yaml", "        - {name: Priority, type: integer, jsonPath: .spec.priority}\n", "")
    (chart / "templates/availability.yaml").unlink()
    return chart


def replace(path, old, new):
    text = path.read_text()
    assert old in text, f"{path} has no {old}"
    path.write_text(text.replace(old, new))


class Replica(Muster):
    """One replica of a release's Deployment, run outside of a container: its arguments, configuration and
    ServiceAccount."""

    def __init__(self, plane, release, name=None):
        self.deployment = plane.api.get(f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/{release}")
        pod = self.deployment["spec"]["template"]["spec"]
        account = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/{pod['serviceAccountName']}/token"
        token = plane.api.post(account, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
                                         "spec": {"expirationSeconds": 3600}})["status"]["token"]
        kubeconfig = plane.write_kubeconfig(f"{release}.kubeconfig", token)
        mounted = plane.directory / f"{release}-etc"
        mounted.mkdir(exist_ok=True)
        for name, text in plane.api.get(f"/api/v1/namespaces/{NAMESPACE}/configmaps/{release}")["data"].items():
            (mounted / name).write_text(text)
        flags = [flag.replace("/etc/muster", str(mounted)) for flag in pod["containers"][0]["args"][1:]]
        super().__init__(plane, BINARY, *flags, kubeconfig=kubeconfig, name=name or release)
