"""The admission policies that are shipped: what they refuse a tenant, and what they let pass. Run by ctest; by hand:
test_policies.py [Policies[.test]]."""
import copy
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import Api, ApiError, ControlPlane, wait_until
from test_serve import ROOT, shipped_token
from workloads import DEPLOYMENTS, JOBS, POD_GROUPS, PODS, QUEUES, deployment, group, job, pod, queue

START = "kai.scheduler/last-start-timestamp"
EVICTION = "kai.scheduler/last-eviction-timestamp"


def annotated(made, **annotations):
    made = copy.deepcopy(made)
    made["metadata"].setdefault("annotations", {}).update(annotations)
    return made


class Policies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane(kwok=False, controllers=False).__enter__()
        cls.addClassCleanup(cls.plane.__exit__)
        cls.plane.install(ROOT / "deploy")
        cls.api = cls.plane.api
        cls.tenant = cls.plane.tenant("tenant", "default")
        cls.muster = Api(cls.plane.port, cls.plane.directory / "ca.crt", shipped_token(cls.api))
        cls.api.post(QUEUES, queue("department", -1, parent=""))
        cls.api.post(QUEUES, queue("open", 4))
        cls.api.post(QUEUES, annotated(queue("closed", 4), **{"muster.dev/namespaces": "team-a, team-b-*"}))
        by_hand = pod("probe", nodeName="n")
        wait_until(lambda: cls.answer(cls.tenant, "POST", f"{PODS}?dryRun=All", by_hand) != "", 30, "the policies", 0.3)
        elsewhere = group("probe", "closed", 1)
        wait_until(lambda: cls.answer(cls.tenant, "POST", f"{POD_GROUPS}?dryRun=All", elsewhere) != "", 30,
                   "the policies with queues", 0.3)

    @staticmethod
    def answer(api, method, path, body=None):
        """ "" where it is accepted."""
        try:
            api.request(method, path, body,
                        "application/merge-patch+json" if method == "PATCH" else "application/json")
        except ApiError as error:
            return str(error)
        return ""

    def accepted(self, path, body, api=None):
        self.assertEqual(self.answer(api or self.tenant, "POST", f"{path}?dryRun=All", body), "")

    def refused(self, path, body, why, api=None):
        self.assertIn(why, self.answer(api or self.tenant, "POST", f"{path}?dryRun=All", body))

    def make(self, path, body):
        self.api.post(path, body)
        self.addCleanup(self.api.request, "DELETE", f"{path}/{body['metadata']['name']}", {"gracePeriodSeconds": 0})

    def change(self, path, body, api=None):
        return self.answer(api or self.tenant, "PATCH", f"{path}?dryRun=All", body)

    # ---- pods

    def test_no_node_by_hand(self):
        self.refused(PODS, pod("p", nodeName="n"), "spec.nodeName is for the scheduler to set")
        self.accepted(PODS, pod("p"))
        self.accepted(PODS, {**pod("p"), "spec": {**pod("p")["spec"], "schedulerName": "other", "nodeName": "n"}})
        self.accepted(PODS, pod("p", nodeName="n"), self.api)

    def test_no_annotations_of_the_scheduler(self):
        for key in (START, EVICTION, "kai.scheduler/stale-podgroup-timestamp", "kai.scheduler/requeue-not-before",
                    "muster.dev/requeued-at", "muster.dev/queue", "muster.dev/preemptibility"):
            for path, made in ((PODS, pod("p")), (POD_GROUPS, group("g", "open", 1))):
                self.refused(path, annotated(made, **{key: "2999-01-01T00:00:00Z"}), "only the scheduler writes")
                self.accepted(path, annotated(made, **{key: "2999-01-01T00:00:00Z"}), self.api)
        self.accepted(PODS, annotated(pod("p"), **{"kai.scheduler/expected-runtime": "1h", "pod-group-name": "g"}))

    def test_no_labels_of_the_scheduler(self):
        self.refused(PODS, pod("p", labels={"runai-gpu-group": "x"}), "name the shared GPU")
        self.refused(PODS, pod("p", labels={"runai-gpu-group/x": "x"}), "name the shared GPU")
        self.refused(PODS, pod("p", labels={"app": "kai-resource-reservation"}), "reserve shared GPUs")
        self.accepted(PODS, pod("p", labels={"app": "web"}))

    def test_what_a_running_pod_keeps(self):
        waits, runs = pod("waits", group="g", queue="open"), pod("runs", group="g", queue="open", nodeName="n")
        for made in (waits, runs):
            self.make(PODS, made)
        moves = [{"metadata": {"annotations": {"pod-group-name": "other"}}},
                 {"metadata": {"annotations": {"pod-group-name": None}}},
                 {"metadata": {"labels": {"kai.scheduler/queue": "department"}}},
                 {"metadata": {"labels": {"kai.scheduler/subgroup-name": "s"}}},
                 {"metadata": {"labels": {"kai.scheduler/preemptibility": "non-preemptible"}}},
                 {"metadata": {"labels": {"kai.scheduler/node-pool": "other"}}}]
        for body in moves:
            self.assertEqual(self.change(f"{PODS}/waits", body), "")
            self.assertIn("are fixed while it runs", self.change(f"{PODS}/runs", body))
            self.assertEqual(self.change(f"{PODS}/runs", body, self.muster), "")
        self.assertEqual(self.change(f"{PODS}/runs", {"metadata": {"labels": {"mine": "kept"}}}), "")

    def test_gpus_of_a_namespace_that_asks_for_it(self):
        other = {**pod("p"), "spec": {**pod("p")["spec"], "schedulerName": "default-scheduler"}}
        without = {**other, "spec": {**other["spec"], "containers": [{"name": "main", "image": "none"}]}}
        share = annotated(without, **{"gpu-fraction": "0.5"})
        self.accepted(PODS, other)
        self.api.patch("/api/v1/namespaces/default", {"metadata": {"labels": {"muster.dev/gpu-pods": "scheduled"}}})
        self.addCleanup(self.api.patch, "/api/v1/namespaces/default", {"metadata": {"labels": {"muster.dev/gpu-pods": None}}})
        wait_until(lambda: self.answer(self.tenant, "POST", f"{PODS}?dryRun=All", other) != "", 20, "the label to count", 0.2)
        self.refused(PODS, other, "need spec.schedulerName: kai-scheduler")
        self.refused(PODS, share, "need spec.schedulerName: kai-scheduler")
        self.accepted(PODS, without)
        self.accepted(PODS, pod("p"))

    # ---- PodGroups

    def test_what_a_running_group_keeps(self):
        since = "2025-06-01T12:00:00Z"
        self.make(POD_GROUPS, group("waits", "open", 1))
        self.make(POD_GROUPS, annotated(group("runs", "open", 1), **{START: since}))
        self.make(POD_GROUPS, annotated(group("ran", "open", 1), **{START: since, EVICTION: "2025-06-01T13:00:00Z"}))
        for what, body in (("queue", {"spec": {"queue": "department"}}),
                           ("preemptibility", {"spec": {"preemptibility": "non-preemptible"}}),
                           ("preemptibility", {"spec": {"priorityClassName": "inference"}}),
                           ("sub groups", {"spec": {"subGroups": [{"name": "s", "minMember": 1}]}})):
            self.assertEqual(self.change(f"{POD_GROUPS}/waits", body), "")
            self.assertEqual(self.change(f"{POD_GROUPS}/ran", body), "")
            self.assertIn(what, self.change(f"{POD_GROUPS}/runs", body))
            self.assertEqual(self.change(f"{POD_GROUPS}/runs", body, self.muster), "")
            self.assertEqual(self.change(f"{POD_GROUPS}/runs", body, self.api), "")
        self.assertEqual(self.change(f"{POD_GROUPS}/runs", {"spec": {"minMember": 2}}), "")
        self.assertIn("only the scheduler writes",
                      self.change(f"{POD_GROUPS}/runs", {"metadata": {"annotations": {START: None}}}))

    # ---- who may use which queue

    def test_queues_of_namespaces(self):
        self.api.post("/api/v1/namespaces", {"metadata": {"name": "team-b-x"}})
        member = self.plane.tenant("neighbour", "team-b-x")
        theirs = lambda path: path.replace("/default/", "/team-b-x/")
        for path, made in ((PODS, pod("p", queue="closed")), (POD_GROUPS, group("g", "closed", 1)),
                           (JOBS, job("j", 1, queue="closed")), (DEPLOYMENTS, deployment("d", 1, queue="closed"))):
            self.refused(path, made, "queue closed is not for namespace default")
            self.accepted(theirs(path), made, member)
            self.accepted(path, made, self.api)
        for path, made in ((PODS, pod("p", queue="open")), (POD_GROUPS, group("g", "open", 1)),
                           (POD_GROUPS, group("g", "nowhere", 1)), (JOBS, job("j", 1, queue="open")), (JOBS, job("j", 1))):
            self.accepted(path, made)

    # ---- queues

    def test_quota_and_limit(self):
        self.refused(QUEUES, queue("q", 4, limit=2), "a quota above the limit can never be used", self.api)
        self.refused(QUEUES, queue("q", -1, limit=2), "a quota above the limit can never be used", self.api)
        for quota, limit in ((4, 4), (0, 0), (4, -1), (-1, -1), (0.5, 1)):
            self.accepted(QUEUES, queue("q", quota, limit), self.api)

    def test_durations(self):
        for wrong in ("10", "soon", "-5m"):
            self.refused(QUEUES, queue("q", 4, preemptMinRuntime=wrong), "preemptMinRuntime", self.api)
        self.accepted(QUEUES, queue("q", 4, preemptMinRuntime="2d", reclaimMinRuntime="1h30m"), self.api)

    def test_the_tree(self):
        self.refused(QUEUES, queue("q", 4, parent="q"), "can not be below itself", self.api)
        self.assertIn("is below it, so it can not be its parent",
                      self.change(f"{QUEUES}/department", {"spec": {"parentQueue": "open"}}, self.api))
        self.assertIn("is below it: delete or move that one first",
                      self.answer(self.api, "DELETE", f"{QUEUES}/department?dryRun=All"))
        self.assertEqual(self.answer(self.api, "DELETE", f"{QUEUES}/open?dryRun=All"), "")
        self.api.patch(f"{QUEUES}/open/status", {"status": {"allocated": {"nvidia.com/gpu": "2"}}})
        self.addCleanup(self.api.patch, f"{QUEUES}/open/status", {"status": {"allocated": {"nvidia.com/gpu": "0"}}})
        wait_until(lambda: "is in use" in self.answer(self.api, "DELETE", f"{QUEUES}/open?dryRun=All"), 10, "the status", 0.2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
