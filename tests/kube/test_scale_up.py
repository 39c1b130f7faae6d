"""What a cluster autoscaler sees of work that does not fit. By hand: test_scale_up.py [Class[.test]]."""
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import ApiError, wait_until
from test_serve import KubeTest, shipped_token
from workloads import POD_GROUPS, PODS, QUEUES, queue, sharing_pod

SCALING = "/api/v1/namespaces/kai-scale-adjust/pods"
EVENTS = "/api/v1/namespaces/default/events"


class ScaleUpTest(KubeTest):
    """With the shipped rights."""

    def serve(self, *flags, **options):
        options.setdefault("kubeconfig", self.plane.write_kubeconfig("muster.kubeconfig", shipped_token(self.api)))
        return super().serve(*flags, **options)

    def condition(self, name):
        conditions = self.api.get(f"{PODS}/{name}")["status"].get("conditions", [])
        return next((c for c in conditions if c["type"] == "PodScheduled"), {})


class ScaleUp(ScaleUpTest):
    def is_for_autoscalers(self, name):
        """As Cluster Autoscaler and Karpenter choose the pods to create nodes for."""
        found, made = self.condition(name), self.api.get(f"{PODS}/{name}")
        return ((found.get("status"), found.get("reason")) == ("False", "Unschedulable")
                and "nodeName" not in made["spec"] and "nominatedNodeName" not in made["status"]
                and "schedulingGates" not in made["spec"])

    def remove_node(self, name):
        try:
            self.api.delete(f"/api/v1/nodes/{name}")
        except ApiError as error:
            if error.status != 404:
                raise

    def test_every_pod_of_a_gang_is_called_unschedulable_and_runs_when_nodes_come(self):
        self.serve()
        self.submit_gang("large", 6, gpus=8)  # four nodes have room for four
        names = [f"large-{i}" for i in range(6)]
        wait_until(lambda: all(map(self.is_for_autoscalers, names)), 20, "the conditions")
        time.sleep(7)  # until every report is repeated
        self.assertTrue(all(map(self.is_for_autoscalers, names)))
        self.plane.add_nodes(2, prefix="new")
        for i in range(2):
            self.addCleanup(self.remove_node, f"new-00{i}")
        self.wait_running(6, "large")
        wait_until(lambda: not self.api.get(f"{POD_GROUPS}/large").get("status", {}).get("schedulingConditions"), 20,
                   "the condition of the job to go")

    def test_new_nodes_come_without_taints_for_the_scheduler_to_lift(self):
        """Waits for a node that is not ready yet."""
        self.serve()
        self.submit_gang("early", 5, gpus=8)
        self.api.post("/api/v1/nodes", {"metadata": {"name": "late-000", "labels": {"kubernetes.io/hostname": "late-000"},
                                                     "annotations": {"kwok.x-k8s.io/node": "fake"}},
                                        "spec": {"taints": [{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]},
                                        "status": {"allocatable": {"cpu": "64", "memory": "512Gi", "pods": "250",
                                                                   "nvidia.com/gpu": "8"}}})
        self.addCleanup(self.remove_node, "late-000")
        self.api.patch("/api/v1/nodes/late-000", {"spec": {"taints": None}})
        self.wait_running(5, "early", 40)

    def test_a_job_may_ask_not_to_be_marked(self):
        self.serve()
        self.submit_gang("quiet", 5, gpus=8, markUnschedulable=False)
        wait_until(lambda: self.api.get(f"{POD_GROUPS}/quiet").get("status", {}).get("schedulingConditions"), 20,
                   "the condition of the job")
        time.sleep(1)
        self.assertEqual([self.condition(f"quiet-{i}") for i in range(5)], [{}] * 5)


class SharesScaleUp(ScaleUpTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/kai-scale-adjust"
        cls.api.post("/api/v1/namespaces", {"metadata": {"name": "kai-scale-adjust"}})
        cls.api.post(f"{rbac}/roles", {"metadata": {"name": "muster"}, "rules": [
            {"apiGroups": [""], "resources": ["pods"], "verbs": ["create"]}]})
        cls.api.post(f"{rbac}/rolebindings", {
            "metadata": {"name": "muster"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "muster"},
            "subjects": [{"kind": "ServiceAccount", "name": "muster", "namespace": "kai-scheduler"}]})

    def share(self, name, fraction="0.5", **more):
        self.api.post(PODS, sharing_pod(name, fraction, **more))

    def test_whole_gpus_are_asked_for_in_their_place(self):
        m = self.serve("--gpu-reservation-image", "none", "--gpu-scaling-pods")
        for name in ("first", "second"):
            self.share(name, nodeSelector={"zone": "a"}, tolerations=[{"key": "gpu", "operator": "Exists"}])
        asking = wait_until(lambda: self.api.items(SCALING), 30, "the scaling pod")
        time.sleep(6)
        self.assertEqual(len(self.api.items(SCALING)), 1, "two halves fit one GPU")
        spec = asking[0]["spec"]
        self.assertEqual(spec["containers"][0]["resources"]["limits"]["nvidia.com/gpu"], "1")
        self.assertEqual(spec["nodeSelector"], {"zone": "a"})
        self.assertIn("gpu", [t.get("key") for t in spec["tolerations"]])
        self.assertNotEqual(spec["schedulerName"], "kai-scheduler")
        self.assertEqual(asking[0]["metadata"]["labels"]["app"], "scaling-pod")
        self.share("third", nodeSelector={"zone": "a"})
        wait_until(lambda: len(self.api.items(SCALING)) == 2, 30, "another one")
        for name in ("first", "second", "third"):
            self.api.request("DELETE", f"{PODS}/{name}", {"gracePeriodSeconds": 0})
        wait_until(lambda: not self.api.items(SCALING), 30, "the scaling pods to go")
        self.assertNotIn(": 403", m.log())

    def test_none_for_shares_that_a_limit_keeps_waiting(self):
        self.api.post(QUEUES, queue("small", 0, limit=0))
        self.addCleanup(self.plane.delete_queue, "small")
        self.serve("--gpu-reservation-image", "none", "--gpu-scaling-pods")
        self.api.post(PODS, sharing_pod("limited", queue="small"))
        wait_until(lambda: self.condition("limited"), 20, "the condition")
        time.sleep(8)
        self.assertEqual(self.api.items(SCALING), [])


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
