"""One tenant tries everything to stop the scheduler or to get more than its queue, while a neighbour submits a pod
every second: each of these pods is bound within 5 s. Run by ctest; by hand: test_hostile.py."""
import contextlib
import pathlib
import socket
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import Api, ApiError, is_bound, wait_until
from history import History
from test_trouble import TroubleTest
from workloads import JOBS, POD_GROUPS, PODS, QUEUES, group, job, pod, queue

NEIGHBOURS_PODS = "/api/v1/namespaces/neighbour/pods"
WITHIN = 5


class Neighbour(threading.Thread):
    """Creates a pod every second and deletes it once it is bound; `waits` has the seconds until each bind."""

    def __init__(self, api):
        super().__init__(daemon=True)
        self.api, self.waits, self.is_over, self.trouble = api, [], False, None

    def run(self):
        try:
            number = 0
            while not self.is_over:
                begin = time.monotonic()
                self.submit(f"fair-{number}", begin)
                number += 1
                time.sleep(max(0, begin + 1 - time.monotonic()))
        except Exception as error:  # raised in the test's own thread
            self.trouble = error

    def submit(self, name, begin):
        self.api.post(NEIGHBOURS_PODS, pod(name, 1, queue="team-b"))
        said = set()

        def bound():
            made = self.api.get(f"{NEIGHBOURS_PODS}/{name}")
            said.update(c.get("message", "") for c in made["status"].get("conditions", []))
            return is_bound(made)
        wait_until(bound, 30, f"{name} to be bound", 0.02)
        self.waits.append((time.monotonic() - begin, name, sorted(said - {""})))
        self.api.request("DELETE", f"{NEIGHBOURS_PODS}/{name}", {"gracePeriodSeconds": 0})


class Hostile(TroubleTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plane.remove_policies()
        # The tenant's queues, and pods that he puts on nodes himself, leave room for the neighbour's next pod. Otherwise the
        # neighbour would wait for evicted pods of the tenant, whose grace period decides how long that takes.
        cls.api.patch(f"{QUEUES}/team-a", {"spec": {"resources": {"gpu": {"quota": 8, "limit": 8}}}})
        cls.api.post(QUEUES, queue("bounded", 8, limit=8))
        for name, parent in (("circle-a", "circle-b"), ("circle-b", "circle-a"), ("own", "own")):
            cls.api.post(QUEUES, queue(name, 8, parent=parent))
        cls.tenant = cls.plane.tenant("tenant", "default")
        cls.neighbour = cls.plane.tenant("neighbour", "neighbour")

    def attempt(self, path, body, method="POST"):
        """Does not count if the API server refuses it."""
        with contextlib.suppress(ApiError):
            if method == "PATCH":
                return self.tenant.patch(path, body)
            return self.tenant.request(method, path, body)

    # ---- attempts to stop the scheduler

    def strange_sub_groups(self):
        chain = [{"name": f"g{i}", **({"parent": f"g{i - 1}"} if i else {})} for i in range(5000)]
        for name, groups in {
                "nameless": [{}], "twice": [{"name": "a"}, {"name": "a"}], "own": [{"name": "a", "parent": "a"}],
                "orphan": [{"name": "a", "parent": "b"}], "chain": chain,
                "wide": [{"name": f"w{i}", "minMember": 1} for i in range(2000)]}.items():
            self.attempt(POD_GROUPS, group(f"sub-{name}", "team-a", 1, subGroups=groups))
            self.attempt(PODS, pod(f"sub-{name}", 1, group=f"sub-{name}"))

    def strange_queues(self):
        """A mistake of an administrator that a tenant can use: a cycle of parent queues."""
        for name in ("circle-a", "circle-b", "own", "", "x" * 200, "../../team-b"):
            made = group(f"in-{name[:10].strip('./')}", name, 1, preemptibility="semi-preemptible")
            made["metadata"]["annotations"] = {"kai.scheduler/expected-runtime": "1s", "kai.scheduler/requeue-delay": "1s"}
            self.attempt(POD_GROUPS, made)
            self.attempt(PODS, pod(made["metadata"]["name"], 1, group=made["metadata"]["name"]))

    def strange_times(self):
        for i, when in enumerate(("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2999-01-01T00:00:00Z", "never", "")):
            made = group(f"time-{i}", "team-a", 2147483647 if i % 2 else 1)
            made["metadata"]["annotations"] = {f"kai.scheduler/{key}": when for key in (
                "last-start-timestamp", "last-eviction-timestamp", "stale-podgroup-timestamp", "requeue-not-before",
                "requeued-at", "expected-runtime", "requeue-delay")}
            self.attempt(POD_GROUPS, made)
            self.attempt(PODS, pod(f"time-{i}", 1, group=f"time-{i}"))

    def large_objects(self):
        """As large as etcd accepts."""
        for i in range(3):
            made = pod(f"large-{i}", 1, queue="team-a")
            made["metadata"]["annotations"] = {f"key-{k}": "x" * 25_000 for k in range(10)}
            made["spec"]["tolerations"] = [{"key": f"k-{i}-{t}", "operator": "Exists"} for t in range(3000)]
            self.attempt(PODS, made)

    def slow_requests(self):
        """Connections to the probes that send nothing, or never end: any pod of the cluster network can open them."""
        for i in range(100):
            connection = socket.create_connection(("127.0.0.1", self.muster.listen), timeout=5)
            self.addCleanup(connection.close)
            with contextlib.suppress(OSError):
                connection.sendall((b"", b"GET /healthz HT", b"POST /healthz HTTP/1.1\r\nContent-Length: 500000000\r\n\r\n")[i % 3])
        self.assertEqual(self.muster.page("/healthz")[0], 200)

    def strange_owners(self):
        for i, (kind, name) in enumerate((("Pod", "owned-1"), ("Pod", "owned-0"), ("ReplicaSet", "../../x"),
                                          ("ConfigMap", "%2e%2e/secrets"), ("Job", "x?limit=0"))):
            made = pod(f"owned-{i}", 1, queue="team-a")
            made["metadata"]["ownerReferences"] = [{"apiVersion": "batch/v1" if kind == "Job" else "v1", "kind": kind,
                                                    "name": name, "uid": f"00000000-0000-0000-0000-00000000000{i}"}]
            self.attempt(PODS, made)

    def strange_amounts(self):
        for i, amount in enumerate(("9223372036854775807", "1e18", "0", "4611686018427387904")):
            for kind in ("cpu", "memory", "nvidia.com/gpu"):
                made = pod(f"amount-{i}-{kind.split('/')[-1]}", 1, queue="team-a")
                made["spec"]["containers"][0]["resources"] = {"limits": {kind: amount}, "requests": {kind: amount}}
                self.attempt(PODS, made)
        for i in range(3):
            made = pod(f"kinds-{i}", 1, queue="team-a")
            made["spec"]["containers"][0]["resources"]["limits"].update(
                {f"example.com/kind-{i}-{k}": "1" for k in range(3000)})
            self.attempt(PODS, made)

    def strange_labels(self):
        for i in range(60):
            made = pod(f"apart-{i}", 1, queue="team-a", labels={"apart": f"{i}"})
            made["spec"]["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"apart": f"{i}"}}}]}}
            self.attempt(PODS, made)
        for i in range(60):
            self.attempt(PODS, pod(f"nowhere-{i}", 1, queue="team-a", nodeSelector={"there-is": f"none-{i}"}))

    def many_names(self):
        for i in range(150):
            self.attempt(PODS, pod(f"churn-{i}", 1, queue=f"no-queue-{i}", labels={"churn": f"{i}"}))
        self.attempt(f"{PODS}?labelSelector=churn", {"gracePeriodSeconds": 0}, "DELETE")

    # ---- attempts to get more than the queue allows

    def groups_in_trouble(self):
        for i in range(4):
            self.attempt(POD_GROUPS, group(f"doomed-{i}", "bounded", 1))
            self.attempt(PODS, pod(f"doomed-{i}", 4, group=f"doomed-{i}"))
        time.sleep(1)
        self.attempt(f"{POD_GROUPS}/doomed-0", None, "DELETE")
        self.attempt(f"{POD_GROUPS}/doomed-1", {"spec": {"queue": "there-is-none"}}, "PATCH")
        self.attempt(f"{POD_GROUPS}/doomed-2", {"spec": {"preemptibility": "non-preemptible"}}, "PATCH")
        self.attempt(f"{POD_GROUPS}/doomed-3", {"metadata": {"labels": {"kai.scheduler/node-pool": "x"}}}, "PATCH")
        self.attempt(f"{PODS}/doomed-3", {"metadata": {"annotations": {"pod-group-name": None}}}, "PATCH")

    def places_by_hand(self):
        for i in range(2):
            by_hand = pod(f"by-hand-{i}", 4, nodeName=f"node-{i:03}")
            by_hand["metadata"]["annotations"] = {"kai.scheduler/skip-podgrouper": "true"}
            self.attempt(PODS, by_hand)
        for i in range(30):
            self.attempt(PODS, pod(f"ghost-{i}", 1, queue="team-a", nodeName=f"there-is-no-node-{i}"))

    def borrowed_names(self):
        self.attempt(PODS, pod("a" * 240, 1, queue="bounded"))
        self.attempt(PODS, pod("reserves", 8, queue="bounded", labels={"app": "kai-resource-reservation"}))
        never = "2999-01-01T00:00:00Z"
        self.attempt(JOBS, job("for-ever", 2, queue="bounded", annotations={
            "kai.scheduler/last-start-timestamp": never, "kai.scheduler/requeue-not-before": never,
            "muster.dev/queue": "team-b"}))
        self.attempt(POD_GROUPS, group("rock", "bounded", 1, preemptibility="non-preemptible"))
        for i in range(4):
            self.attempt(f"{PODS}/doomed-{i}", {"metadata": {"annotations": {"pod-group-name": "rock"}}}, "PATCH")

    def test_the_neighbour_is_served_throughout(self):
        m = self.muster = self.serve()
        neighbour = Neighbour(Api(self.plane.port, self.plane.directory / "ca.crt", self.neighbour.token))
        neighbour.start()
        for attack in (self.strange_sub_groups, self.strange_queues, self.strange_times, self.strange_owners, self.strange_amounts,
                       self.strange_labels, self.large_objects, self.many_names, self.slow_requests, self.groups_in_trouble, self.places_by_hand, self.borrowed_names):
            before = len(neighbour.waits)
            attack()
            wait_until(lambda: neighbour.trouble or len(neighbour.waits) >= before + 3, 60, f"pods after {attack.__name__}")
            if neighbour.trouble:
                raise AssertionError(f"{attack.__name__}: {neighbour.trouble}")
        neighbour.is_over = True
        neighbour.join(40)
        self.assertIsNone(neighbour.trouble)
        self.assertLess(max(neighbour.waits)[0], WITHIN, sorted(neighbour.waits)[-5:])
        self.assertIsNone(m.process.poll())
        history = History(self.plane.audit_entries(), self.api.items("/api/v1/pods"))
        self.assertEqual(history.bound_twice(), [])
        self.assertEqual(history.overfull_nodes({f"node-{i:03}": 8 for i in range(self.NODES)}, self.gpus_of), [])
        self.assertLessEqual(history.most_at_once(lambda pod: pod.startswith(("doomed", "reserves", "for-ever", "aaa")),
                                                  self.gpus_of), 8, "more than the limit of queue bounded")

    @staticmethod
    def gpus_of(name):
        """Counts only pods that can be bound at all, as created above; pods with strange amounts cannot."""
        sizes = {"doomed": 4, "by-hand": 4, "reserves": 8, "amount": 0}
        return next((gpus for prefix, gpus in sizes.items() if name.startswith(prefix)), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
