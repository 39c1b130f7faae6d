"""muster in the place of KAI-Scheduler's scheduler. The tests act as its binder: they answer BindRequests. By hand:
test_in_kais_place.py [Class[.test]]."""
import contextlib
import pathlib
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import ADMIN_TOKEN, Api, ApiError, is_bound, wait_until
from proxy import FaultyProxy
from test_serve import KubeTest
from workloads import POD_GROUPS, PODS, QUEUES, group, pod, queue

BIND_REQUESTS = "/apis/scheduling.run.ai/v1alpha2/namespaces/default/bindrequests"
EVENTS = "/api/v1/namespaces/default/events"


class InKaisPlace(KubeTest):
    def tearDown(self):
        super().tearDown()
        self.api.delete(BIND_REQUESTS)

    def request_for(self, name):
        with contextlib.suppress(ApiError):
            return self.api.get(f"{BIND_REQUESTS}/{name}")

    def wait_request(self, name, seconds=30):
        return wait_until(lambda: self.request_for(name), seconds, f"a BindRequest for {name}")

    def bind(self, name, node):
        self.api.post(f"{PODS}/{name}/binding", {
            "apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node}})

    def remove_node(self, name):
        with contextlib.suppress(ApiError):
            self.api.delete(f"/api/v1/nodes/{name}")

    def test_gpu_memory_is_a_portion_of_the_device(self):
        self.plane.add_nodes(1, prefix="known", labels={"nvidia.com/gpu.memory": "40000"})
        self.addCleanup(self.remove_node, "known-000")
        self.serve("--binding", "bindrequest", "--pod-grouper", "on")
        shared = pod("part", gpus=0, queue="team-a")
        shared["metadata"]["annotations"] = {"gpu-memory": "10200"}
        self.api.post(PODS, shared)
        spec = self.wait_request("part")["spec"]
        self.assertEqual(spec["receivedResourceType"], "Fraction")
        self.assertEqual(spec["receivedGPU"], {"count": 1, "portion": "0.26"})

    def test_the_place_of_a_failed_request_is_kept_until_it_is_gone(self):
        self.plane.add_nodes(1, gpus=16, prefix="only")
        self.addCleanup(self.remove_node, "only-000")
        proxy = FaultyProxy(self.plane, faults=0)
        self.addCleanup(proxy.stop)
        proxy.delay = lambda method, path: 3 if method == "DELETE" and "bindrequests" in path else 0
        self.serve("--binding", "bindrequest", "--pod-grouper", "on",
                   kubeconfig=self.plane.write_kubeconfig("slow.kubeconfig", ADMIN_TOKEN, port=proxy.port))
        self.api.post(PODS, pod("first", gpus=16, queue="team-a"))
        failed = self.wait_request("first")
        self.api.post(PODS, pod("second", gpus=16, queue="team-b"))
        self.api.patch(f"{BIND_REQUESTS}/first/status", {"status": {"phase": "Failed", "failedAttempts": 1}})

        def is_gone():
            second, first = self.request_for("second"), self.request_for("first")
            gone = first is None or first["metadata"]["uid"] != failed["metadata"]["uid"]
            self.assertTrue(gone or second is None, "the binder may still bind the first pod there")
            return gone

        wait_until(is_gone, 30, "the failed request to go")

    def test_another_scheduler_of_the_same_name_is_noticed(self):
        m = self.serve("--binding", "bindrequest", "--pod-grouper", "on")
        self.submit_gang("whole", 1)
        node = self.wait_request("whole-0")["spec"]["selectedNode"]
        self.api.patch(f"{BIND_REQUESTS}/whole-0/status", {"status": {"phase": "Succeeded"}})
        self.bind("whole-0", node)
        for name in ("half", "part"):
            self.api.post(POD_GROUPS, group(name, "team-a", 2))
            self.api.post(PODS, pod(f"{name}-0", 1, group=name))  # waits for a second pod that never comes
        wait_until(lambda: m.metric("kai_muster_waiting_jobs") >= 0, 5, "a cycle")
        time.sleep(11)  # earlier binds may be those of the previous leader
        self.assertEqual(m.metric("kai_muster_rival_decisions_total"), 0, "our own binds are not those of others")
        self.bind("half-0", "node-000")
        wait_until(lambda: m.metric("kai_muster_rival_decisions_total") == 1, 20, "the bind to be counted")
        self.api.post(BIND_REQUESTS, {
            "apiVersion": "scheduling.run.ai/v1alpha2", "kind": "BindRequest", "metadata": {"name": "part-0"},
            "spec": {"podName": "part-0", "selectedNode": "node-001", "receivedResourceType": "Regular",
                     "receivedGPU": {"count": 1, "portion": "1.00"}}})
        wait_until(lambda: m.metric("kai_muster_rival_decisions_total") == 2, 20, "the BindRequest to be counted")
        told = wait_until(lambda: [e for e in self.api.items(EVENTS) if e["reason"] == "AnotherScheduler"], 20, "the event")
        self.assertIn("another scheduler named kai-scheduler", told[0]["message"])
        self.assertIn("another scheduler named kai-scheduler", m.log())


class Burst(KubeTest):
    @staticmethod
    def do_all(count, do):
        workers = [threading.Thread(target=lambda j=j: [do(i) for i in range(j, count, 4)]) for j in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    def create_together(self, count, queue_of, finish=lambda api, i: None):
        """The seconds until all pods are bound, and those of `finish`, which runs for each pod when all exist."""
        apis = [Api(self.plane.port, self.plane.directory / "ca.crt") for _ in range(4)]
        for api in apis:
            api.get("/readyz")  # establishes the connection
        create = lambda i: apis[i % 4].post(PODS, pod(f"burst-{i}", queue=queue_of(i)))
        start = time.monotonic()
        self.do_all(count, create)
        created = time.monotonic()
        self.do_all(count, lambda i: finish(apis[i % 4], i))
        finished = time.monotonic()
        for api in apis:
            api.connection.close()
        return created - start, finished - created

    def test_what_arrives_together_is_decided_together(self):
        self.api.post(QUEUES, queue("team-c", 4))
        self.addCleanup(self.plane.delete_queue, "team-c")
        self.check_bursts(self.serve())

    def test_pods_whose_groups_others_make_are_decided_together(self):
        """Creates one group after the other, as KAI's podgrouper does, more slowly than the first one would wait for.
        """
        self.api.post(QUEUES, queue("team-c", 4))
        self.addCleanup(self.plane.delete_queue, "team-c")

        def name_group(api, i):
            time.sleep(0.2)
            api.post(POD_GROUPS, group(f"burst-{i}", self.queue_of(i), 1))
            api.patch(f"{PODS}/burst-{i}", {"metadata": {"annotations": {"pod-group-name": f"burst-{i}"}}})

        self.check_bursts(self.serve("--pod-grouper", "off"), name_group)

    @staticmethod
    def queue_of(i):
        return "team-a" if i < 26 else "team-b" if i < 38 else "team-c"

    def check_bursts(self, m, finish=lambda api, i: None):
        quick = 0
        for _ in range(4):
            before = m.metric("kai_muster_short_lived_pods_total")
            creating, finishing = self.create_together(50, self.queue_of, finish)
            wait_until(lambda: sum(map(is_bound, self.plane.pods())) == 32, 20, "a full cluster")
            cycles = m.metric("kai_muster_cycles_total")
            wait_until(lambda: m.metric("kai_muster_cycles_total") > cycles + 3, 20, "some more cycles")
            if creating < 0.25 and finishing < 4:  # otherwise the client was busy, and they did not come together
                quick += 1
                self.assertEqual(m.metric("kai_muster_short_lived_pods_total") - before, 0, "decided one after the other")
            wait_until(self.remove_pods, 60, "all pods to be gone", 0.2)
            self.api.delete(POD_GROUPS)
        if quick == 0:
            self.skipTest("this machine is too busy to create 50 pods in 0.25 s and to group them in 4")


if __name__ == "__main__":
    unittest.main()
