"""`muster simulate` on files reports what `muster serve` does with the same objects.

Applies the manifests of tests/front-door to a real control plane with its controllers, and with KWOK in place of the
kubelets. Compares groups, nodes and reasons. Run by ctest; by hand:
test_files_and_live.py [FilesAndLive[.test_quickstart]].
"""
import collections
import copy
import fnmatch
import json
import pathlib
import re
import subprocess
import sys
import time
import unittest

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import ControlPlane, Muster, is_running, wait_until
from test_serve import BINARY, ROOT
from workloads import POD_GROUPS, PODS

CASES = ROOT / "tests/front-door"
# Left out are cases about the past (minimum runtime, time-based fair share) and about files as such (output of kubectl,
# duplicate objects, nothing to schedule, misspelt fields).
NAMES = ("batch", "cron-job", "defaults", "device-claims", "elastic", "fractions", "limits-only", "mig", "podgroups-by-hand",
         "preemptibility-labels", "preemption-delay", "priorities", "quickstart", "runtime-class", "topology")
FIRST = ("Namespace", "PriorityClass", "RuntimeClass", "LimitRange", "Topology", "Queue", "DeviceClass", "ResourceSlice",
         "ResourceClaim", "ResourceClaimTemplate", "PodGroup")  # before the pods that need them; nodes before all
WORKLOADS = ("Job", "Deployment", "StatefulSet", "CronJob", "PyTorchJob")
PYTORCH_JOBS = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs"
PYTORCH_CRD = {
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "pytorchjobs.kubeflow.org"},
    "spec": {"group": "kubeflow.org", "scope": "Namespaced",
             "names": {"kind": "PyTorchJob", "plural": "pytorchjobs", "singular": "pytorchjob"},
             "versions": [{"name": "v1", "served": True, "storage": True, "schema": {
                 "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}


def documents(name):
    return [d for d in yaml.safe_load_all((CASES / f"{name}.yaml").read_text()) if d]


def options(name):
    lines = (CASES / f"{name}.yaml").read_text().splitlines()
    return [word for line in lines if line.startswith("#: with ") for word in line[8:].split()]


# ---- nodes and reasons by workload, because pods of controllers have other names in files than live

def workload(kind, name):
    return f"{kind}/{name}"


class View:
    def __init__(self):
        self.nodes = collections.defaultdict(collections.Counter)  # workload → node → pods
        self.groups = collections.defaultdict(list)                # workload → facts of its PodGroups
        self.reasons = collections.defaultdict(set)                # workload → why it waits, where nothing of it runs

    def text(self):
        lines = []
        for name in sorted(set(self.nodes) | set(self.groups)):
            places = ", ".join(f"{count} on {node or 'no node'}" for node, count in sorted(self.nodes[name].items()))
            lines.append(f"{name}: {places}; groups {sorted(self.groups[name])}; waits {sorted(self.reasons[name])}")
        return "\n".join(lines)


class FilesView(View):
    def __init__(self, name):
        super().__init__()
        self.documents = documents(name)
        ran = subprocess.run([BINARY, "simulate", str(CASES / f"{name}.yaml"), "--now", "2025-06-01T12:00:00Z",
                              *options(name), "-o", "json"], capture_output=True, text=True, check=True)
        output = json.loads(ran.stdout)
        self.take(output)

    def take(self, output):
        jobs = {job["name"].split("/")[1]: job for job in output["jobs"]}
        evicted = {e["pod"] for r in output["rounds"] for e in r["evictions"]}
        planned = {p["pod"]: p["node"] for r in output["rounds"] for p in r["pipelined"]}
        for pod in output["pods"]:
            name = pod["name"].split("/")[1]
            if pod["name"] in evicted and self.document("Pod", name):
                continue  # no controller creates it again
            owner = self.workload_of(name)
            self.nodes[owner][pod.get("node") or planned.get(pod["name"], "")] += 1
            if job := jobs.pop(pod.get("podGroup", "").split("/")[-1], None):
                self.take_group(owner, job, name, is_placed=pod["name"] in planned)

    def take_group(self, owner, job, pod, is_placed):
        name = job["name"].split("/")[1]
        group = workload("PodGroup", name) if self.document("PodGroup", name) else owner
        # Live, muster does not report the preemptibility of a group if it places no pod of it.
        stood_there = "nodeName" in (self.document("Pod", pod) or {}).get("spec", {})
        preemptibility = "" if stood_there else f"{job['preemptibility']} ({job['preemptibilitySource']})"
        parts = [(part["name"], part["minPods"]) for part in job.get("subGroups", [])]
        self.groups[group].append((job["queue"], sorted(parts) or job["minPods"], job.get("priorityClassName", ""),
                                   preemptibility))
        if job["podsRunning"] == 0 and not is_placed:
            self.reasons[group] |= {reason["reason"] for reason in job["reasons"]}

    def document(self, kind, name):
        return next((d for d in self.documents if d["kind"] == kind and d["metadata"].get("name") == name), None)

    def workload_of(self, pod):
        for document in self.documents:
            metadata, kind = document["metadata"], document["kind"]
            name = metadata.get("name", "")
            if kind == "Pod" and "generateName" in metadata and fnmatch.fnmatch(pod, metadata["generateName"] + "?????"):
                return workload("Pod", metadata["generateName"])
            part = {"CronJob": "-run", "PyTorchJob": "-(master|worker)"}.get(kind, "")
            if kind in WORKLOADS and re.fullmatch(re.escape(name) + part + r"-\d+", pod):
                return workload(kind, name)
        return workload("Pod", pod)


class LiveView(View):
    def __init__(self, api):
        super().__init__()
        self.owners = {}  # by uid
        for kind, path in (("Job", "/apis/batch/v1/namespaces/default/jobs"), ("PyTorchJob", PYTORCH_JOBS),
                           ("ReplicaSet", "/apis/apps/v1/namespaces/default/replicasets")):
            for item in api.items(path):
                self.owners[item["metadata"]["uid"]] = kind, item["metadata"]
        pods = [p for p in api.items(PODS) if "deletionTimestamp" not in p["metadata"]]
        by_uid = {p["metadata"]["uid"]: p["metadata"] for p in pods}
        in_group = collections.defaultdict(list)
        for pod in pods:
            self.nodes[self.workload_of(pod["metadata"])][pod["spec"].get("nodeName", "")] += 1
            in_group[pod["metadata"].get("annotations", {}).get("pod-group-name")].append(pod)
        for group in api.items(POD_GROUPS):
            name = group["metadata"]["name"]
            owner = next((o["uid"] for o in group["metadata"].get("ownerReferences", [])), None)
            runs = any("nodeName" in p["spec"] for p in in_group[name])
            if owner in by_uid:
                self.note_group(api, group, self.workload_of(by_uid[owner]), runs)
            elif owner in self.owners:
                self.note_group(api, group, self.workload_of_owner(*self.owners[owner]), runs)
            elif in_group[name]:
                self.note_group(api, group, workload("PodGroup", name), runs)

    def note_group(self, api, group, owner, runs):
        spec, annotations = group["spec"], group["metadata"].get("annotations", {})
        parts = [(part["name"], part["minMember"]) for part in spec.get("subGroups", [])]
        self.groups[owner].append((spec["queue"], sorted(parts) or spec.get("minMember", 1),
                                   spec.get("priorityClassName", ""),
                                   annotations.get("muster.dev/preemptibility", "")))
        conditions = group.get("status", {}).get("schedulingConditions", [])
        if runs:
            return
        self.reasons[owner] |= {reason["reason"] for reason in (conditions[-1]["reasons"] if conditions else [])}
        events = api.items("/api/v1/namespaces/default/events")
        if any(e["reason"] == "NotReady" and e["involvedObject"]["uid"] == group["metadata"]["uid"] for e in events):
            self.reasons[owner].add("NotReady")

    def workload_of(self, metadata):
        for owner in metadata.get("ownerReferences", []):
            if owner["uid"] in self.owners:
                return self.workload_of_owner(*self.owners[owner["uid"]])
        return workload("Pod", metadata.get("generateName") or metadata["name"])

    def workload_of_owner(self, kind, metadata):
        for above in metadata.get("ownerReferences", []):
            return workload(above["kind"], above["name"])
        return workload(kind, metadata["name"])


# ---- objects for the API server

def complete(document):
    """Adds what only a real API server requires."""
    made = copy.deepcopy(document)
    made["metadata"].pop("creationTimestamp", None)
    template = made.get("spec", {}).get("jobTemplate", made).get("spec", {}).get("template", made)
    spec = template.get("spec", {})
    for container in spec.get("containers", []):
        container.setdefault("image", "none")
    if made["kind"] in ("Job", "CronJob"):
        spec.setdefault("restartPolicy", "Never")
    if made["kind"] in ("Deployment", "StatefulSet"):
        template.setdefault("metadata", {}).setdefault("labels", {"of": made["metadata"]["name"]})
        made["spec"].setdefault("selector", {"matchLabels": template["metadata"]["labels"]})
    if made["kind"] == "Node":
        made["metadata"].setdefault("annotations", {})["kwok.x-k8s.io/node"] = "fake"
        made["status"].setdefault("capacity", made["status"]["allocatable"])
    return made


def pods_of(document):
    spec = document.get("spec", {})
    if document["kind"] == "CronJob":
        spec = spec["jobTemplate"]["spec"]
    counts = {"Pod": 1, "Deployment": spec.get("replicas", 1), "Job": spec.get("parallelism", 1),
              "CronJob": spec.get("parallelism", 1), "StatefulSet": spec.get("replicas", 1)}
    return counts.get(document["kind"], 0)


def pods_of_pytorch_job(job):
    """As its operator would create them."""
    owner = {"apiVersion": job["apiVersion"], "kind": job["kind"], "controller": True,
             "name": job["metadata"]["name"], "uid": job["metadata"]["uid"]}
    for role, part in job["spec"]["pytorchReplicaSpecs"].items():
        for i in range(part["replicas"]):
            labels = {"training.kubeflow.org/job-name": owner["name"], "training.kubeflow.org/replica-type": role.lower(),
                      "training.kubeflow.org/replica-index": str(i)}
            yield {"apiVersion": "v1", "kind": "Pod", "spec": part["template"]["spec"],
                   "metadata": {"name": f"{owner['name']}-{role.lower()}-{i}", "labels": labels, "ownerReferences": [owner]}}


def waves(name):
    """Nodes first, then what pods need and running pods, then pods and workloads by age."""
    nodes, first, later = [], [], collections.defaultdict(list)
    for document in documents(name):
        if document["kind"] == "Node":
            nodes.append(document)
        elif document["kind"] in FIRST or "nodeName" in document.get("spec", {}):
            first.append(document)
        else:
            created = document["metadata"].get("creationTimestamp", "9999")
            later[str(created)].append(document)
    first.sort(key=lambda d: FIRST.index(d["kind"]) if d["kind"] in FIRST else len(FIRST))
    return [nodes, first] + [later[created] for created in sorted(later)]


class FilesAndLive(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane().__enter__()
        cls.addClassCleanup(cls.plane.__exit__)
        cls.plane.install(ROOT / "deploy")
        cls.plane.kubectl("delete", "deployment", "muster", "-n", "kai-scheduler")
        cls.plane.remove_policies()  # they would prevent the deletion of queues with jobs
        cls.api = cls.plane.api
        cls.api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", PYTORCH_CRD)
        cls.plane.wait_established("pytorchjobs.kubeflow.org")

    def create(self, made):
        path = self.plane.directory / "objects.json"
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": made}))
        self.plane.kubectl("create", "-f", path)
        for document in made:
            if document["kind"] == "CronJob":
                name = document["metadata"]["name"]
                self.plane.kubectl("create", "job", f"{name}-run", f"--from=cronjob/{name}")
            if document["kind"] == "PyTorchJob":
                for pod in pods_of_pytorch_job(self.api.get(f"{PYTORCH_JOBS}/{document['metadata']['name']}")):
                    self.api.post(PODS, pod)

    def create_wave(self, wave):
        made = [complete(d) for d in wave]
        before = len(self.api.items(PODS))
        self.create(made)
        if any(d["kind"] == "Node" for d in made):
            wait_until(self.has_ready_nodes, 60, "the nodes", 0.2)
        wanted = before + sum(map(pods_of, made))
        wait_until(lambda: len(self.api.items(PODS)) >= wanted, 30, "the pods of all workloads", 0.2)
        wait_until(lambda: all(map(is_running, self.bound_pods())), 30, "pods with a node to run", 0.2)

    def bound_pods(self):
        return [p for p in self.api.items(PODS) if "nodeName" in p["spec"]]

    def has_ready_nodes(self):
        def is_ready(node):
            taints = {t["key"] for t in node["spec"].get("taints", [])}
            conditions = {c["type"]: c["status"] for c in node["status"].get("conditions", [])}
            return conditions.get("Ready") == "True" and "node.kubernetes.io/not-ready" not in taints
        return all(map(is_ready, self.api.items("/api/v1/nodes")))

    def is_settled(self):
        """Every pod has a node, or a condition that says why not."""
        def is_told(pod):
            conditions = pod["status"].get("conditions", [])
            return any(c["type"] == "PodScheduled" and c["status"] == "False" for c in conditions)
        return all("nodeName" in p["spec"] or is_told(p) for p in self.api.items(PODS))

    def clean_up(self):
        for kind in ("cronjobs", "jobs", "deployments", "pytorchjobs.kubeflow.org", "pods", "podgroups", "resourceclaims", "resourceclaimtemplates",
                     "limitranges"):
            self.plane.kubectl("delete", kind, "--all", "--now", "--ignore-not-found", check=False)
        for kind in ("queues.scheduling.run.ai", "nodes", "resourceslices", "deviceclasses", "runtimeclasses",
                     "topologies.kai.scheduler"):
            self.plane.kubectl("delete", kind, "--all", "--ignore-not-found", check=False)
        shipped = {"train", "build", "build-preemptible", "inference"}
        for item in self.api.items("/apis/scheduling.k8s.io/v1/priorityclasses"):
            name = item["metadata"]["name"]
            if name not in shipped and not name.startswith("system-"):
                self.api.delete(f"/apis/scheduling.k8s.io/v1/priorityclasses/{name}")
        wait_until(lambda: not self.api.items(PODS), 60, "all pods to be gone", 0.2)
        self.api.delete("/api/v1/namespaces/default/events")

    def serve(self, name):
        muster = Muster(self.plane, BINARY, name=f"muster-{name}")
        muster.start()
        self.addCleanup(muster.stop)
        muster.wait_ready()
        return muster

    def compare(self, name):
        """Older pods come first, because older jobs are placed first."""
        self.addCleanup(self.clean_up)
        expected = FilesView(name).text()
        *older, newest = [wave for wave in waves(name) if wave]
        for wave in older:
            self.create_wave(wave)
            if any(d["kind"] in (*WORKLOADS, "Pod") and "nodeName" not in d["spec"] for d in wave):
                muster = self.serve(name)
                wait_until(self.is_settled, 20, "the older pods", 0.2)
                muster.stop()
        self.create_wave(newest)
        muster = self.serve(name)
        try:
            wait_until(lambda: LiveView(self.api).text() == expected, 20, "the same as in files", 0.5)
            time.sleep(2)  # and it stays that way
        except AssertionError:
            pass  # the difference says more
        live = LiveView(self.api).text()
        self.assertEqual(live, expected, muster.log()[-3000:])


for case in NAMES:
    setattr(FilesAndLive, "test_" + case.replace("-", "_"), lambda self, case=case: self.compare(case))

if __name__ == "__main__":
    unittest.main()
