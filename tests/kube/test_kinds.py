"""Workloads of other operators in the form in which these leave them: CRDs, objects, and pods with owners and labels.
By hand: test_kinds.py [Class[.test]]."""
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import is_bound, wait_until
from test_serve import KubeTest, shipped_token
from workloads import POD_GROUPS, PODS, pod

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def crd(group, version, kind, plural):
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {"type": "object", "properties": {"spec": anything, "status": anything}}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {"group": group, "scope": "Namespaced",
                     "names": {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()},
                     "versions": [{"name": version, "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": schema}}]}}


KINDS = {"RayCluster": ("ray.io", "v1", "rayclusters"), "RayJob": ("ray.io", "v1", "rayjobs"),
         "MPIJob": ("kubeflow.org", "v2beta1", "mpijobs"),
         "LeaderWorkerSet": ("leaderworkerset.x-k8s.io", "v1", "leaderworkersets"),
         "PodCliqueSet": ("grove.io", "v1alpha1", "podcliquesets"),
         "PodGang": ("scheduler.grove.io", "v1alpha1", "podgangs")}


class Kinds(KubeTest):
    """With the rights of the chart."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for kind, (group, version, plural) in KINDS.items():
            cls.api.post(CRDS, crd(group, version, kind, plural))
            cls.plane.wait_established(f"{plural}.{group}")

    def setUp(self):
        super().setUp()
        self.serve(kubeconfig=self.plane.write_kubeconfig("shipped.kubeconfig", shipped_token(self.api)))

    def make(self, kind, name, spec, owner=None, labels=None):
        group, version, plural = KINDS[kind]
        metadata = {"name": name, "labels": {"kai.scheduler/queue": "team-a", **(labels or {})}}
        if owner:
            metadata["ownerReferences"] = [self.reference(owner)]
        path = f"/apis/{group}/{version}/namespaces/default/{plural}"
        made = self.api.post(path, {"apiVersion": f"{group}/{version}", "kind": kind, "metadata": metadata, "spec": spec})
        self.addCleanup(self.api.delete, f"{path}/{name}")
        return made

    @staticmethod
    def reference(owner):
        return {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": owner["metadata"]["name"],
                "uid": owner["metadata"]["uid"], "controller": True}

    def make_pod(self, name, owner, labels):
        made = pod(name, labels=labels)
        made["metadata"]["ownerReferences"] = [self.reference(owner)]
        return self.api.post(PODS, made)

    def group_of(self, prefix):
        found = lambda: [g for g in self.api.items(POD_GROUPS) if g["metadata"]["name"].startswith(prefix)]
        return wait_until(found, 20, f"the PodGroup {prefix}*")[0]

    def assert_waits(self, count):
        """Nothing is bound while only this many pods exist."""
        wait_until(lambda: len(self.plane.pods()) == count, 10, "the pods")
        time.sleep(2)
        self.assertEqual([p["metadata"]["name"] for p in self.plane.pods() if is_bound(p)], [])

    def test_ray_job(self):
        workers = [{"groupName": "gpu", "replicas": 3, "minReplicas": 2, "template": {}}]
        spec = {"rayClusterSpec": {"headGroupSpec": {"template": {}}, "workerGroupSpecs": workers}}
        job = self.make("RayJob", "study", spec)
        cluster = self.make("RayCluster", "study-abcde", spec["rayClusterSpec"], owner=job)
        labels = lambda group: {"ray.io/cluster": "study-abcde", "ray.io/group": group}
        self.make_pod("study-head", cluster, labels("headgroup"))
        self.make_pod("study-gpu-0", cluster, labels("gpu"))
        self.assert_waits(2)
        self.make_pod("study-gpu-1", cluster, labels("gpu"))
        self.wait_running(3, "study-")
        made = self.group_of("pg-study-")
        self.assertEqual(made["spec"]["subGroups"], [{"name": "headgroup", "minMember": 1}, {"name": "gpu", "minMember": 2},
                                                     {"name": "submitter", "minMember": 0}])
        self.assertEqual(made["spec"]["queue"], "team-a")
        self.make_pod("study-submit", job, {"job-name": "study"})
        self.make_pod("study-gpu-2", cluster, labels("gpu"))
        self.wait_running(5, "study-")

    def test_mpi_job_whose_launcher_comes_last(self):
        job = self.make("MPIJob", "ring", {"launcherCreationPolicy": "WaitForWorkersReady", "mpiReplicaSpecs": {
            "Launcher": {"replicas": 1}, "Worker": {"replicas": 2}}})
        labels = lambda role: {"training.kubeflow.org/job-name": "ring", "training.kubeflow.org/job-role": role}
        self.make_pod("ring-worker-0", job, labels("worker"))
        self.assert_waits(1)
        self.make_pod("ring-worker-1", job, labels("worker"))
        self.wait_running(2, "ring-")
        self.make_pod("ring-launcher", job, labels("launcher"))
        self.wait_running(3, "ring-")
        wait_until(lambda: self.group_of("pg-ring-")["spec"]["minMember"] == 3, 20, "the launcher to count")

    def test_leader_worker_set(self):
        lws = self.make("LeaderWorkerSet", "serve", {"replicas": 2, "leaderWorkerTemplate": {"size": 2}})
        labels = lambda replica, worker: {"leaderworkerset.sigs.k8s.io/name": "serve",
                                          "leaderworkerset.sigs.k8s.io/group-index": str(replica),
                                          "leaderworkerset.sigs.k8s.io/worker-index": str(worker)}
        leaders = [self.make_pod(f"serve-{i}", lws, labels(i, 0)) for i in range(2)]
        self.assert_waits(2)
        # Workers belong to their leader, which belongs to the set.
        self.make_pod("serve-1-1", dict(leaders[1], apiVersion="v1", kind="Pod"), labels(1, 1))
        self.wait_running(2, "serve-1")
        self.assertEqual(len(self.running("serve-0")), 0)
        self.assertTrue(self.group_of("pg-serve-")["metadata"]["name"].endswith(("-group-0", "-group-1")))

    def test_grove_gang_that_comes_after_its_pods(self):
        cliques = self.make("PodCliqueSet", "chat", {})
        labels = lambda clique: {"grove.io/podgang": "chat-0", "grove.io/podclique": clique}
        self.make_pod("chat-prefill-0", cliques, labels("prefill"))
        self.make_pod("chat-decode-0", cliques, labels("decode"))
        self.assert_waits(2)
        self.make("PodGang", "chat-0", {"podgroups": [{"name": "prefill", "minReplicas": 1, "podReferences": []},
                                                      {"name": "decode", "minReplicas": 1, "podReferences": []}]})
        self.wait_running(2, "chat-", 40)
        self.assertEqual([g["name"] for g in self.group_of("pg-chat-0-")["spec"]["subGroups"]], ["prefill", "decode"])


if __name__ == "__main__":
    unittest.main()
