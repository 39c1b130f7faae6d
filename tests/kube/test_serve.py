"""muster serve against a real API server. Run by ctest; by hand: test_serve.py [Class[.test]]."""
import json
import os
import pathlib
import random
import signal
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import ADMIN_TOKEN, Api, ApiError, ControlPlane, Muster, is_bound, is_running, wait_until
from proxy import FaultyProxy
from workloads import DEPLOYMENTS, JOBS, POD_GROUPS, PODS, QUEUES, deployment, group, job, pod, queue

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("MUSTER", str(ROOT / "build/release/src/muster"))


def token_of(api, service_account):
    path = f"/api/v1/namespaces/kai-scheduler/serviceaccounts/{service_account}/token"
    return api.post(path, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
                           "spec": {"expirationSeconds": 3600}})["status"]["token"]


def shipped_token(api):
    """Of the ServiceAccount in deploy/."""
    return token_of(api, "muster")


class KubeTest(unittest.TestCase):
    """One control plane per class. Namespaces cannot separate the tests, so each test cleans up."""
    NODES = 4
    AUDIT = False
    API_FLAGS = ()

    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane(audit=cls.AUDIT, api_flags=cls.API_FLAGS).__enter__()
        cls.addClassCleanup(cls.plane.__exit__)
        cls.plane.install(ROOT / "deploy")
        cls.plane.kubectl("delete", "deployment", "muster", "-n", "kai-scheduler")
        cls.plane.add_nodes(cls.NODES)
        cls.api = cls.plane.api
        cls.make_queues(cls.api)

    @classmethod
    def make_queues(cls, api):
        total = 8 * cls.NODES
        api.post(QUEUES, queue("department", total, parent=""))
        api.post(QUEUES, queue("team-a", total // 2))
        api.post(QUEUES, queue("team-b", total // 2))

    def setUp(self):
        self.musters = []

    def tearDown(self):
        for m in self.musters:
            code = m.stop()
            self.assertIn(code, (0, None), m.log()[-3000:])
        failed = self._outcome is not None and not self._outcome.success
        if failed and self.musters:
            print(self.musters[-1].log()[-8000:], file=sys.stderr)
        for path in (JOBS, DEPLOYMENTS):
            for item in self.api.items(path):
                self.api.request("DELETE", f"{path}/{item['metadata']['name']}", {"propagationPolicy": "Background"})
        wait_until(self.remove_pods, 60, "all pods to be gone", 0.2)
        self.api.delete(POD_GROUPS)
        self.empty_queues()

    def empty_queues(self):
        """The last status that muster wrote prevents their deletion, and muster no longer runs to change it."""
        for item in self.api.items(QUEUES):
            self.api.patch(f"{QUEUES}/{item['metadata']['name']}/status", {"status": {"allocated": None}})

    def remove_pods(self):
        pods = self.plane.pods()
        if pods:
            self.api.request("DELETE", PODS, {"gracePeriodSeconds": 0})
        return not pods

    def serve(self, *flags, **options):
        m = Muster(self.plane, BINARY, *flags, **options)
        m.start()
        self.musters.append(m)
        m.wait_ready()
        return m

    def running(self, prefix=""):
        return [p for p in self.plane.pods() if is_running(p) and p["metadata"]["name"].startswith(prefix)]

    def wait_running(self, count, prefix="", seconds=20):
        wait_until(lambda: len(self.running(prefix)) == count, seconds, f"{count} running pods {prefix}*")

    def submit_gang(self, name, count, queue_name="team-a", gpus=1, priority_class="train", **spec):
        self.api.post(POD_GROUPS, group(name, queue_name, count, priority_class, **spec))
        for i in range(count):
            self.api.post(PODS, pod(f"{name}-{i}", gpus, group=name))

    def annotations(self, name):
        return self.api.get(f"{POD_GROUPS}/{name}")["metadata"].get("annotations", {})


class PlacesPods(KubeTest):
    def test_job_deployment_and_gang_run(self):
        self.serve()
        self.api.post(JOBS, job("train", 8, queue="team-a"))
        self.api.post(DEPLOYMENTS, deployment("web", 3, queue="team-b"))
        self.submit_gang("gang", 4, "team-a")
        self.api.post(PODS, pod("alone", queue="team-b"))
        self.wait_running(16)
        wait_until(lambda: len(self.api.items(POD_GROUPS)) == 1 + 3 + 1 + 1, 10, "the PodGroups")
        groups = self.api.items(POD_GROUPS)
        train = next(g for g in groups if g["metadata"]["name"].startswith("pg-train-"))
        self.assertEqual(train["spec"]["queue"], "team-a")
        self.assertEqual(train["metadata"]["ownerReferences"][0]["kind"], "Job")
        self.assertIn("kai.scheduler/last-start-timestamp", self.annotations("gang"))
        self.assertEqual(self.annotations("gang")["muster.dev/preemptibility"], "preemptible (priority)")
        for p in self.running():
            self.assertIn("pod-group-name", p["metadata"]["annotations"])

    def test_deleted_pods_successor_is_placed(self):
        self.serve()
        self.api.post(DEPLOYMENTS, deployment("web", 2, queue="team-a"))
        self.wait_running(2)
        victim = self.running()[0]["metadata"]["name"]
        self.api.delete(f"{PODS}/{victim}")
        wait_until(lambda: len(self.running()) == 2 and victim not in {p["metadata"]["name"] for p in self.running()},
                   20, "the successor")

    def test_gang_waits_until_it_is_whole(self):
        m = self.serve()
        self.api.post(POD_GROUPS, group("late", "team-a", 3))
        for i in range(2):
            self.api.post(PODS, pod(f"late-{i}", group="late"))
        cycles = m.metric("kai_muster_cycles_total")
        wait_until(lambda: m.metric("kai_muster_cycles_total") > cycles + 1, 10, "two more cycles")
        self.assertFalse(any(map(is_bound, self.plane.pods())))
        self.api.post(PODS, pod("late-2", group="late"))
        self.wait_running(3)

    def test_quota_holds_and_is_explained(self):
        self.serve()
        self.api.post(QUEUES, queue("small", 2, limit=2))
        self.addCleanup(self.plane.delete_queue, "small")
        for i in range(3):
            self.api.post(PODS, pod(f"small-{i}", queue="small"))
        self.wait_running(2)
        waiting = next(p for p in self.plane.pods() if not is_bound(p))
        name = waiting["metadata"]["name"]

        def condition():
            status = self.api.get(f"{PODS}/{name}")["status"]
            return next((c for c in status.get("conditions", []) if c["type"] == "PodScheduled"), None)
        found = wait_until(condition, 10, "the condition PodScheduled")
        self.assertEqual((found["status"], found["reason"]), ("False", "Unschedulable"))
        self.assertIn("a limit of 2 GPUs", found["message"])
        groups = {g["metadata"]["name"]: g for g in self.api.items(POD_GROUPS)}
        mine = next(g for n, g in groups.items() if n.startswith(f"pg-{name}-"))
        condition = wait_until(lambda: self.api.get(f"{POD_GROUPS}/{mine['metadata']['name']}").get("status", {}).get(
            "schedulingConditions"), 10, "the PodGroup's condition")[-1]
        self.assertEqual(condition["type"], "UnschedulableOnNodePool")
        self.assertEqual(condition["reasons"][0]["reason"], "OverLimit")
        events = self.api.items(f"/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3D{name}")
        self.assertIn("Unschedulable", {e["reason"] for e in events})

    def test_reclaim_evicts_and_places(self):
        self.serve()
        for i in range(32):
            self.api.post(PODS, pod(f"greedy-{i}", queue="team-b"))
        self.wait_running(32, "greedy")
        self.submit_gang("owed", 8, "team-a")
        self.wait_running(8, "owed")
        self.assertEqual(len(self.running("greedy")), 24)
        evictions = [e for e in self.api.items("/api/v1/namespaces/default/events") if e["reason"] == "Evict"]
        self.assertTrue(evictions)
        self.assertEqual(evictions[0]["metadata"]["annotations"]["evictor-pod-group-name"], "owed")

    def test_minimum_runtime_protects_across_a_restart(self):
        self.api.post(QUEUES, queue("patient", 0, reclaimMinRuntime="1h"))
        self.addCleanup(self.plane.delete_queue, "patient")
        m = self.serve()
        for i in range(4):
            self.submit_gang(f"long-{i}", 8, "patient")
        self.wait_running(32, "long")
        self.assertEqual(m.stop(), 0)
        m = self.serve()
        self.submit_gang("owed", 8, "team-a")
        cycles = m.metric("kai_muster_cycles_total")
        wait_until(lambda: m.metric("kai_muster_cycles_total") > cycles + 2, 15, "three more cycles")
        self.assertEqual(len(self.running("long")), 32)
        self.api.patch(f"{QUEUES}/patient", {"spec": {"reclaimMinRuntime": "0s"}})
        self.wait_running(8, "owed")

    def test_requeue_evicts_and_says_until_when(self):
        self.serve()
        for i in range(4):
            annotated = group(f"overdue-{i}", "team-b", 8)
            annotated["metadata"]["annotations"] = {"kai.scheduler/expected-runtime": "1s",
                                                    "kai.scheduler/requeue-delay": "10m"}
            self.api.post(POD_GROUPS, annotated)
            for k in range(8):
                self.api.post(PODS, pod(f"overdue-{i}-{k}", group=f"overdue-{i}"))
        self.wait_running(32, "overdue")
        time.sleep(2)  # the expected runtime, in whole seconds
        self.submit_gang("next", 8, "team-a")
        self.wait_running(8, "next")
        moved = [i for i in range(4) if "kai.scheduler/requeue-not-before" in self.annotations(f"overdue-{i}")]
        self.assertEqual(len(moved), 1)
        events = [e for e in self.api.items("/api/v1/namespaces/default/events") if e["reason"] == "Evict"]
        self.assertIn("requeue", {e["metadata"]["annotations"]["evictor-action-type"] for e in events})

    def test_bad_object_costs_only_itself(self):
        m = self.serve()
        self.api.post(POD_GROUPS, group("odd", "team-a", 1, preemptionDelay="10m"))
        self.api.post(PODS, pod("odd-0", group="odd"))
        self.wait_running(1)
        self.assertEqual(m.metric("kai_muster_unusable_objects"), 0)
        with self.assertRaises(ApiError) as refused:
            self.api.post(POD_GROUPS, group("bad", "team-a", 1, preemptionDelay="soon"))
        self.assertEqual(refused.exception.status, 422)

    def test_probes_metrics_and_clean_end(self):
        m = self.serve("--log-json")
        self.assertEqual(m.page("/healthz")[0], 200)
        self.api.post(PODS, pod("one", queue="team-a"))
        self.wait_running(1)
        text = m.page("/metrics")[1]
        for name in ("kai_e2e_scheduling_latency_milliseconds", "kai_queue_fair_share_gpu", "kai_muster_leader 1",
                     "kai_task_scheduling_latency_milliseconds_count 1"):
            self.assertIn(name, text)
        self.assertEqual(m.stop(), 0)
        lines = [json.loads(line) for line in m.log().splitlines() if line.startswith("{")]
        self.assertEqual(lines[-1]["message"], "stopped")
        self.assertNotIn(ADMIN_TOKEN, m.log())


class OtherWaysToWrite(KubeTest):
    def test_bind_requests(self):
        self.serve("--binding", "bindrequest", "--pod-grouper", "on")
        self.submit_gang("gang", 2)
        path = "/apis/scheduling.run.ai/v1alpha2/namespaces/default/bindrequests"
        wait_until(lambda: len(self.api.items(path)) == 2, 20, "two BindRequests")
        request = self.api.get(f"{path}/gang-0")
        self.assertEqual(request["spec"]["podName"], "gang-0")
        self.assertEqual(request["spec"]["receivedResourceType"], "Regular")
        self.assertEqual(request["metadata"]["labels"]["selected-node"], request["spec"]["selectedNode"])
        owner = request["metadata"]["ownerReferences"][0]
        self.assertEqual(owner["uid"], self.api.get(f"{PODS}/gang-0")["metadata"]["uid"])
        # The binder gives up on one: the decision is undone and made again.
        self.api.patch(f"{path}/gang-0/status", {"status": {"phase": "Failed", "failedAttempts": 1}})
        wait_until(lambda: any(r["metadata"]["name"] == "gang-0" and r["metadata"]["uid"] != request["metadata"]["uid"]
                               for r in self.api.items(path)), 20, "another BindRequest")

    def test_eviction_api_heeds_budgets(self):
        m = self.serve("--eviction", "api")
        for i in range(4):
            self.submit_gang(f"batch-{i}", 8, "team-b")
            time.sleep(1.1)  # creation times have a resolution of one second
        self.wait_running(32, "batch")
        # Whichever victim is tried first, a protected one comes first.
        self.api.post("/apis/policy/v1/namespaces/default/poddisruptionbudgets", {
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "keep"},
            "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"keep": "yes"}}}})
        self.addCleanup(self.api.delete, "/apis/policy/v1/namespaces/default/poddisruptionbudgets/keep")
        for name in (f"batch-{j}-{i}" for j in (0, 1, 3) for i in range(8)):
            self.api.patch(f"{PODS}/{name}", {"metadata": {"labels": {"keep": "yes"}}})
        wait_until(lambda: self.api.get("/apis/policy/v1/namespaces/default/poddisruptionbudgets/keep").get(
            "status", {}).get("currentHealthy") == 24, 20, "the budget to count its pods")
        self.submit_gang("owed", 8, "team-a")
        self.wait_running(8, "owed", 30)
        for j in (0, 1, 3):
            self.assertEqual(len(self.running(f"batch-{j}")), 8)
        self.assertIn("a disruption budget protects a victim", m.log())


class LeastPrivilege(KubeTest):
    def test_runs_under_the_shipped_rights(self):
        kubeconfig = self.plane.write_kubeconfig("muster.kubeconfig", shipped_token(self.api))
        m = self.serve("--leader-elect", "--update-pod-eviction-condition", kubeconfig=kubeconfig)
        for i in range(32):
            self.api.post(PODS, pod(f"greedy-{i}", queue="team-b"))
        self.wait_running(32, "greedy")
        self.api.post(JOBS, job("owed", 8, queue="team-a"))
        self.wait_running(8, "owed", 30)
        self.api.post(DEPLOYMENTS, deployment("web", 1, queue="team-a"))
        self.wait_running(1, "web", 30)
        self.submit_gang("stuck", 9, "team-a", gpus=8)
        wait_until(lambda: self.api.get(f"{POD_GROUPS}/stuck").get("status", {}).get("schedulingConditions"), 20,
                   "a condition")
        self.assertNotIn(": 403", m.log())


class Install(unittest.TestCase):
    """As in docs/kubernetes.md: one command, and muster with the rights that it grants."""

    def test_one_command_is_enough(self):
        with ControlPlane() as plane:
            plane.kubectl("apply", "-f", ROOT / "deploy")
            plane.kubectl("delete", "deployment", "muster", "-n", "kai-scheduler")
            plane.add_nodes(1)
            kubeconfig = plane.write_kubeconfig("muster.kubeconfig", shipped_token(plane.api))
            with Muster(plane, BINARY, "--leader-elect", kubeconfig=kubeconfig) as m:
                m.wait_ready()
                plane.api.post(PODS, pod("no-queue-named"))
                wait_until(lambda: all(map(is_running, plane.pods())), 20, "the pod to run")
                queues = {q["metadata"]["name"]: q["spec"] for q in plane.api.items(QUEUES)}
                self.assertEqual(queues["default-queue"]["parentQueue"], "default-parent-queue")
                groups = wait_until(lambda: plane.api.items(POD_GROUPS), 10, "the PodGroup")
                self.assertEqual(groups[0]["spec"]["queue"], "default-queue")
                self.assertNotIn(": 403", m.log())


class Manifests(KubeTest):
    """Well-known examples, unchanged."""

    def apply(self, name):
        path = ROOT / "tests/kube/manifests" / name
        self.plane.kubectl("apply", "-f", path)
        self.addCleanup(self.plane.kubectl, "delete", "--ignore-not-found", "-f", path)

    def preemptibility_of(self, name):
        return wait_until(lambda: self.annotations(name).get("muster.dev/preemptibility"), 10, "the annotation")

    def setUp(self):
        super().setUp()
        self.api.post(QUEUES, queue("training", 32))
        self.addCleanup(self.plane.delete_queue, "training")

    def test_preemptibility(self):
        self.serve()
        self.apply("preemptibility.yaml")
        names = ("high-priority-training", "data-processing", "default-behavior-workload")
        for name in names:
            self.api.post(PODS, pod(f"{name}-0", group=name))
        self.wait_running(4)
        self.assertEqual([self.preemptibility_of(name) for name in names],
                         ["preemptible (spec)", "non-preemptible (spec)", "non-preemptible (priority)"])
        external = wait_until(lambda: next((g for g in self.api.items(POD_GROUPS)
                                            if "external-workload" in g["metadata"]["name"]), None), 10, "its group")
        self.assertEqual(external["spec"]["priorityClassName"], "train")
        self.assertEqual(self.preemptibility_of(external["metadata"]["name"]), "non-preemptible (spec)")

    def test_owners_label_counts_for_a_group_made_by_hand(self):
        self.serve()
        self.api.post(POD_GROUPS, group("by-hand", "training", 2))
        owner = job("owner", 1, labels={"kai.scheduler/preemptibility": "non-preemptible"})
        owner["spec"]["template"]["metadata"]["annotations"] = {"pod-group-name": "by-hand"}
        self.api.post(JOBS, owner)
        self.assertEqual(self.preemptibility_of("by-hand"), "non-preemptible (owner label)")

    def test_durations_are_taken_as_the_parser_takes_them(self):
        good = ("10m", "1h30m", "1d", "1w", ".5h", "1.5d", "5.s", "0", "0s", "+1h", "100\u00b5s", "100\u03bcs")
        bad = ("soon", "5", "1", "", "1y", "d", "1d 2h", ".h", "1h-5m")
        for i, text in enumerate(good):
            self.try_durations(f"good-{i}", text)
        for text in bad:
            for part in ("queue", "preemptionDelay", "stalenessGracePeriod"):
                with self.assertRaises(ApiError, msg=f"{part}: {text}") as refused:
                    self.try_durations("bad", text, part)
                self.assertEqual(refused.exception.status, 422)
        self.try_durations("negative", "-1d", "stalenessGracePeriod")
        with self.assertRaises(ApiError):
            self.try_durations("negative", "-1d", "queue")
        m = self.serve(name="durations")
        self.assertNotIn("not a duration", m.log())

    def try_durations(self, name, text, only=None):
        if only in (None, "queue"):
            self.api.post(QUEUES, queue(name, 1, preemptMinRuntime=text, reclaimMinRuntime=text))
            self.addCleanup(self.plane.delete_queue, name)
        fields = {only: text} if only else {"preemptionDelay": text, "stalenessGracePeriod": text}
        if only != "queue":
            self.api.post(POD_GROUPS, group(name, "training", 1, **fields))

    def test_bad_default_of_a_queue_is_reported_on_the_queue(self):
        self.api.patch(f"{QUEUES}/training", {"metadata": {"annotations": {"kai.scheduler/expected-runtime": "soon"}}})
        m = self.serve("--v", "4", name="defaults")
        self.submit_gang("first", 1, "training")
        self.submit_gang("second", 1, "training")
        self.wait_running(2)
        wait_until(lambda: self.queue_events("training"), 15, "the event")
        self.assertEqual([e["message"] for e in self.queue_events("training")],
                         ['annotation kai.scheduler/expected-runtime: "soon" is not a duration of zero or more; '
                          'jobs of the queue get no expected runtime'])
        self.assertEqual(self.queue_events("team-a"), [])
        self.assertEqual(m.log().count("Requeue setting ignored"), 1)

    def queue_events(self, name):
        return [e for e in self.api.items("/api/v1/namespaces/default/events")
                if e["reason"] == "SettingIgnored" and e["involvedObject"]["name"] == name]

    def test_expected_runtime_and_queue(self):
        self.serve()
        self.apply("queue.yaml")
        self.apply("expected-runtime.yaml")
        for name in ("my-job", "training-job", "long-running-job"):
            self.api.post(PODS, pod(f"{name}-0", group=name))
        self.wait_running(2)
        # The queue of the example names no resources, so it allows none.
        reasons = wait_until(lambda: self.api.get(f"{POD_GROUPS}/long-running-job").get("status", {}).get(
            "schedulingConditions"), 10, "the reason")[-1]["reasons"]
        self.assertEqual(reasons[0]["reason"], "OverLimit")
        self.api.patch(f"{QUEUES}/production", {"spec": {"resources": queue("any", 8)["spec"]["resources"]}})
        self.wait_running(3)


class WhatAPodNeeds(KubeTest):
    """On a node, with direct binding and the shipped rights."""
    CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"

    def serve(self):
        kubeconfig = self.plane.write_kubeconfig("muster.kubeconfig", shipped_token(self.api))
        m = super().serve(kubeconfig=kubeconfig)
        self.addCleanup(lambda: self.assertNotIn(": 403", m.log()))
        return m

    def test_devices_are_written_into_the_claim(self):
        self.serve()
        path = "/apis/resource.k8s.io/v1"
        self.api.post(f"{path}/deviceclasses", {"metadata": {"name": "nic"}, "spec": {"selectors": [
            {"cel": {"expression": "device.driver == 'nic.example.com'"}}]}})
        self.addCleanup(self.api.delete, f"{path}/deviceclasses/nic")
        self.api.post(f"{path}/resourceslices", {"metadata": {"name": "of-node-002"}, "spec": {
            "driver": "nic.example.com", "nodeName": "node-002", "devices": [{"name": "nic-0"}],
            "pool": {"name": "node-002", "generation": 1, "resourceSliceCount": 1}}})
        self.addCleanup(self.api.delete, f"{path}/resourceslices/of-node-002")
        self.api.post(self.CLAIMS, {"metadata": {"name": "one-nic"}, "spec": {"devices": {"requests": [
            {"name": "nic", "exactly": {"deviceClassName": "nic"}}]}}})
        self.addCleanup(self.remove_claim, "one-nic")
        self.api.post(PODS, pod("with-nic", queue="team-a",
                                resourceClaims=[{"name": "nic", "resourceClaimName": "one-nic"}]))
        self.wait_running(1)
        self.assertEqual(self.running()[0]["spec"]["nodeName"], "node-002")
        status = self.api.get(f"{self.CLAIMS}/one-nic")["status"]
        self.assertEqual(status["allocation"]["devices"]["results"][0]["device"], "nic-0")
        self.assertEqual(status["reservedFor"][0]["uid"], self.running()[0]["metadata"]["uid"])

    def remove_claim(self, name):
        self.api.patch(f"{self.CLAIMS}/{name}", {"metadata": {"finalizers": []}})
        self.api.delete(f"{self.CLAIMS}/{name}")

    def test_shared_gpus_keep_their_names_apart(self):
        m = self.serve()
        self.submit_fraction("first")
        self.wait_running(1)
        self.assertIn("set --gpu-reservation-image or --binding bindrequest", m.log())
        self.assertEqual(m.stop(), 0)
        self.serve()
        self.submit_fraction("second")
        self.wait_running(2)
        groups = {p["metadata"]["labels"]["runai-gpu-group"] for p in self.running()}
        self.assertEqual(len(groups), 2, "each has more than half a GPU")

    def submit_fraction(self, name):
        body = pod(name, queue="team-a")
        body["metadata"]["annotations"] = {"gpu-fraction": "0.6"}
        body["spec"]["containers"][0]["resources"] = {}
        self.api.post(PODS, body)

    def test_backoff_holds_in_the_default_pool(self):
        m = self.serve()
        self.submit_gang("once", 5, gpus=8, schedulingBackoff=1)
        wait_until(lambda: self.api.get(f"{POD_GROUPS}/once").get("status", {}).get("schedulingConditions"), 20,
                   "the condition")
        self.plane.add_nodes(1, prefix="more")
        self.addCleanup(self.api.delete, "/api/v1/nodes/more-000")
        cycles = m.metric("kai_muster_cycles_total")
        wait_until(lambda: m.metric("kai_muster_cycles_total") > cycles + 2, 15, "three more cycles")
        self.assertFalse(any(map(is_bound, self.plane.pods())))
        self.api.patch(f"{POD_GROUPS}/once/status", {"status": {"schedulingConditions": []}})
        self.wait_running(5)


class SurvivesTrouble(KubeTest):
    """Mixed load with failures: no pod is bound twice, nothing is lost, and every gang is whole in the end."""
    AUDIT = True

    def load(self):
        for i in range(3):
            self.submit_gang(f"gang-{i}", 4, ("team-a", "team-b")[i % 2])
        self.api.post(JOBS, job("batch", 6, queue="team-a"))
        for i in range(4):
            self.api.post(PODS, pod(f"lone-{i}", queue="team-b"))
        return 3 * 4 + 6 + 4

    def check_settled(self, expected, seconds=60):
        self.wait_running(expected, seconds=seconds)
        used = {}
        for p in self.running():
            used[p["spec"]["nodeName"]] = used.get(p["spec"]["nodeName"], 0) + 1
        self.assertLessEqual(max(used.values()), 8, "a node holds more than it has")
        self.check_groups()
        self.check_bindings()

    def check_groups(self):
        """Every pod has its PodGroup, and every PodGroup the pods it needs."""
        running = [p["metadata"]["annotations"]["pod-group-name"] for p in self.running()]
        missing = lambda: set(running) - {g["metadata"]["name"] for g in self.api.items(POD_GROUPS)}
        wait_until(lambda: not missing(), 20, "all PodGroups to be there")
        for g in self.api.items(POD_GROUPS):
            if g["metadata"]["name"] in running:
                self.assertGreaterEqual(running.count(g["metadata"]["name"]), g["spec"].get("minMember", 1))

    def check_bindings(self):
        """The API server accepted exactly one binding of each pod. If it died afterwards, its log does not have the
        binding; if the sender died, its log has a timeout, accepted or not."""
        bound = self.plane.bindings()
        self.assertEqual(len(bound), len(set(bound)), "a pod was bound twice")
        if not self.api_server_died:
            self.assertLessEqual({p["metadata"]["uid"] for p in self.running()}, set(self.plane.bindings((201, 504))))

    api_server_died = False

    def test_kill_at_random_moments(self):
        chance = random.Random(7)
        expected = None
        m = self.serve()
        for i in range(20):
            if i == 2:
                expected = self.load()
            if i % 5 == 4:
                for p in self.running("lone")[:2]:
                    self.api.delete(f"{PODS}/{p['metadata']['name']}")
                    self.api.post(PODS, pod(f"lone-again-{i}-{p['metadata']['name'][5:]}", queue="team-b"))
            time.sleep(chance.uniform(0.05, 0.5))
            m.kill()
            m.start()
        m.wait_ready()
        self.check_settled(expected)

    def test_faulty_network(self):
        proxy = FaultyProxy(self.plane, faults=0.25)
        self.addCleanup(proxy.stop)
        kubeconfig = self.plane.write_kubeconfig("proxy.kubeconfig", ADMIN_TOKEN, port=proxy.port)
        self.serve(kubeconfig=kubeconfig)
        expected = self.load()
        self.check_settled(expected, 90)
        self.assertGreater(sum(proxy.counts.values()), 10, proxy.counts)

    def test_crash_between_bind_and_group(self):
        proxy = FaultyProxy(self.plane, faults=0)
        self.addCleanup(proxy.stop)
        proxy.refuses = lambda method, path: method == "POST" and path.endswith("/podgroups")
        kubeconfig = self.plane.write_kubeconfig("refusing.kubeconfig", ADMIN_TOKEN, port=proxy.port)
        m = self.serve(kubeconfig=kubeconfig)
        self.api.post(PODS, pod("lone", queue="team-a"))
        self.api.post(JOBS, job("batch", 2, queue="team-a", annotations={"kai.scheduler/batch-min-member": "2"}))
        self.wait_running(3)
        self.assertEqual(self.api.items(POD_GROUPS), [])
        m.kill()
        self.serve()
        self.check_settled(3)
        for name in {p["metadata"]["annotations"]["pod-group-name"] for p in self.running()}:
            self.assertIn("kai.scheduler/last-start-timestamp", self.annotations(name))

    def test_restart_of_the_api_server(self):
        self.serve()
        expected = self.load()
        self.plane.restart_api_server()
        type(self).api_server_died = True
        self.check_settled(expected, 90)

    def test_lost_events_are_found_and_healed(self):
        proxy = FaultyProxy(self.plane, faults=0)
        self.addCleanup(proxy.stop)
        proxy.swallow = lambda line: any(b'"name":"%s"' % name in line for name in (
            b"unseen", b"unseen-queue", b"unseen-group", b"node-000"))
        kubeconfig = self.plane.write_kubeconfig("lossy.kubeconfig", ADMIN_TOKEN, port=proxy.port)
        m = self.serve("--self-check-cycles", "0", kubeconfig=kubeconfig)
        self.api.post(PODS, pod("unseen", queue="team-a"))
        self.api.post(PODS, pod("seen", queue="team-a"))
        self.api.post(QUEUES, queue("unseen-queue", 1))
        self.addCleanup(self.plane.delete_queue, "unseen-queue")
        self.api.post(POD_GROUPS, group("unseen-group", "unseen-queue", 1))
        self.api.post(PODS, pod("member", group="unseen-group"))
        self.api.patch("/api/v1/nodes/node-000", {"metadata": {"labels": {"unseen": "label"}}})
        self.wait_running(1, "seen")
        for name in ("unseen", "member"):
            self.assertEqual(len(self.running(name)), 0)
        m.process.send_signal(signal.SIGUSR1)
        self.wait_running(1, "unseen")
        self.wait_running(1, "member")
        for what in ("Pod default/unseen: is missing", "Queue /unseen-queue: is missing",
                     "PodGroup default/unseen-group: is missing", "Node /node-000: labels"):
            self.assertIn(f"drift: {what}", m.log())
        self.assertGreaterEqual(m.metric("kai_muster_drift_objects_total"), 4)
        proxy.swallow = lambda line: False
        # The status of the queue may have been written before that: then one more check finds it.
        for checks in (2, 3):
            m.process.send_signal(signal.SIGUSR1)
            wait_until(lambda: m.metric("kai_muster_self_checks_total") == checks, 20, "another check")
        self.assertEqual(m.metric("kai_muster_drift_objects"), 0, m.log()[-2000:])


class TwoReplicas(KubeTest):
    AUDIT = True

    def holder(self):
        try:
            lease = self.api.get("/apis/coordination.k8s.io/v1/namespaces/kai-scheduler/leases/kai-scheduler")
            return lease["spec"].get("holderIdentity", "")
        except ApiError:
            return ""

    def test_the_other_takes_over(self):
        a = self.plane.write_kubeconfig("a.kubeconfig", self.token("replica-a"))
        b = self.plane.write_kubeconfig("b.kubeconfig", self.token("replica-b"))
        first = self.serve("--leader-elect", kubeconfig=a, name="first")
        wait_until(lambda: first.metric("kai_muster_leader") == 1, 20, "a leader")
        second = self.serve("--leader-elect", kubeconfig=b, name="second")
        self.api.post(PODS, pod("before", queue="team-a"))
        self.wait_running(1, "before")
        before = self.holder()
        self.assertRegex(before, r"^[^_]+_[0-9a-f-]{36}$")
        killed = time.monotonic()
        first.kill()
        self.api.post(PODS, pod("after", queue="team-a"))
        self.wait_running(1, "after", 20)
        self.assertLess(time.monotonic() - killed, 17)
        self.assertNotEqual(self.holder(), before)
        self.assertEqual(second.stop(), 0)
        self.assertEqual(self.holder(), "")
        self.check_one_writer_at_a_time()

    def token(self, name):
        """With its own user, so that the audit log tells the replicas apart."""
        path = "/api/v1/namespaces/kai-scheduler/serviceaccounts"
        self.api.post(path, {"metadata": {"name": name}})
        self.plane.kubectl("create", "clusterrolebinding", name, "--clusterrole=cluster-admin",
                           f"--serviceaccount=kai-scheduler:{name}")
        return token_of(self.api, name)

    def check_one_writer_at_a_time(self):
        writers = []
        for entry in self.plane.audit_entries():
            user = entry["user"]["username"].rsplit(":", 1)[-1]
            is_write = user.startswith("replica-") and entry["objectRef"]["resource"] != "leases"
            if is_write and (not writers or writers[-1] != user):
                writers.append(user)
        self.assertEqual(writers, ["replica-a", "replica-b"])


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
