"""A tenant who may edit one namespace tries to get more than his queue. Run by ctest; by hand: test_tenants.py
[Class[.test]].

The admission policies are not installed here: muster holds without them.
"""
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import ApiError, is_running, wait_until
from test_trouble import TroubleTest
from workloads import POD_GROUPS, PODS, QUEUES, group, pod, queue

NEIGHBOURS_PODS = "/api/v1/namespaces/neighbour/pods"


class Doors(TroubleTest):
    """Four nodes of 8 GPUs, half of them for each of two queues. The tenant uses all, and tries an attack path; the
    neighbour requests its half and gets it."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plane.remove_policies()
        cls.tenant = cls.plane.tenant("tenant", "default")
        cls.neighbour = cls.plane.tenant("neighbour", "neighbour")

    def tearDown(self):
        self.api.request("DELETE", NEIGHBOURS_PODS, {"gracePeriodSeconds": 0})
        wait_until(lambda: not self.api.items(NEIGHBOURS_PODS), 30, "the neighbour's pods to be gone")
        super().tearDown()

    # ---- actions of both

    def take_all(self, **more):
        """Four pods, each as large as a node and with a PodGroup that the tenant created."""
        for i in range(4):
            self.tenant.post(POD_GROUPS, group(f"greedy-{i}", "team-a", 1, **more))
            self.tenant.post(PODS, pod(f"greedy-{i}", 8, group=f"greedy-{i}"))
        self.wait_running(4, "greedy")

    def patch_groups(self, body):
        for i in range(4):
            self.tenant.patch(f"{POD_GROUPS}/greedy-{i}", body)

    def patch_pods(self, body):
        for i in range(4):
            self.tenant.patch(f"{PODS}/greedy-{i}", body)

    def neighbour_gets_his_half(self, seconds=20):
        for i in range(2):
            self.neighbour.post(NEIGHBOURS_PODS, pod(f"fair-{i}", 8, queue="team-b"))
        running = lambda: [p for p in self.api.items(NEIGHBOURS_PODS) if is_running(p)]
        wait_until(lambda: len(running()) == 2, seconds, "the neighbour's pods")
        self.no_node_holds_more_than_it_has()

    def no_node_holds_more_than_it_has(self):
        held = {}
        for p in self.api.items("/api/v1/pods"):
            if p["spec"].get("nodeName") and p["status"].get("phase") in ("Pending", "Running"):
                gpus = sum(int(c["resources"].get("limits", {}).get("nvidia.com/gpu", 0)) for c in p["spec"]["containers"])
                held[p["spec"]["nodeName"]] = held.get(p["spec"]["nodeName"], 0) + gpus
        self.assertLessEqual(max(held.values(), default=0), 8, held)

    # ---- attack paths

    def test_a_long_name_has_a_group(self):
        self.serve()
        name = "a" * 240
        self.tenant.post(PODS, pod(name, 8, queue="team-a"))
        self.wait_running(1, name)
        named = wait_until(lambda: self.api.items(POD_GROUPS), 10, "the PodGroup")[0]["metadata"]["name"]
        self.assertTrue(named.startswith("pg-aaaa") and len(named) <= 253, named)
        self.assertEqual(self.api.get(f"{PODS}/{name}")["metadata"]["annotations"]["pod-group-name"], named)

    def test_refused_groups(self):
        self.serve()
        self.addCleanup(lambda: wait_until(lambda: not self.groups_are_refused(), 30, "the policy to be gone", 0.2))
        self.refuse("scheduling.run.ai", "v2alpha2", "podgroups", "CREATE", "request.namespace != 'default'")
        wait_until(self.groups_are_refused, 30, "the policy to be in force", 0.5)
        for i in range(4):
            self.tenant.post(PODS, pod(f"greedy-{i}", 8, queue="team-a"))
        self.wait_running(4, "greedy")
        self.neighbour_gets_his_half()
        self.assertEqual(self.api.items(POD_GROUPS), [])

    def groups_are_refused(self):
        try:
            self.tenant.post(f"{POD_GROUPS}?dryRun=All", group("probe", "team-a", 1))
        except ApiError as error:
            return error.status in (403, 422)
        return False

    def test_deleted_groups(self):
        self.serve()
        self.take_all()
        for i in range(4):
            self.tenant.delete(f"{POD_GROUPS}/greedy-{i}")
        self.neighbour_gets_his_half()

    def test_deleted_groups_are_remembered_over_a_restart(self):
        m = self.serve()
        self.take_all()
        for i in range(4):
            self.tenant.delete(f"{POD_GROUPS}/greedy-{i}")
        m.stop()
        self.serve(name="successor")
        self.assertEqual({p["metadata"]["annotations"]["muster.dev/queue"] for p in self.plane.pods()}, {"team-a"})
        self.neighbour_gets_his_half()
        self.assertEqual(len(self.running("greedy")), 2, "his own half stays his")

    def test_groups_of_ours_come_back(self):
        self.serve()
        self.tenant.post(PODS, pod("single", 8, queue="team-a"))
        self.wait_running(1, "single")
        made = wait_until(lambda: self.api.items(POD_GROUPS), 15, "the PodGroup")[0]["metadata"]
        self.tenant.delete(f"{POD_GROUPS}/{made['name']}")
        again = wait_until(lambda: [g for g in self.api.items(POD_GROUPS) if g["metadata"]["uid"] != made["uid"]], 20,
                           "the PodGroup again")[0]
        self.assertEqual((again["metadata"]["name"], again["spec"]["queue"]), (made["name"], "team-a"))

    def test_emptied_groups(self):
        self.serve()
        self.take_all()
        self.patch_pods({"metadata": {"annotations": {"pod-group-name": None}}})
        self.neighbour_gets_his_half()

    def test_sub_groups_taken_away(self):
        self.serve()
        self.take_all()
        self.patch_groups({"spec": {"subGroups": [{"name": "others", "minMember": 1}]}})
        self.neighbour_gets_his_half()

    def test_a_queue_that_does_not_exist(self):
        self.serve()
        self.take_all()
        self.patch_groups({"spec": {"queue": "there-is-none"}})
        self.neighbour_gets_his_half()
        self.assertEqual(len(self.running("greedy")), 2, "his own half stays his")

    def test_a_queue_that_is_removed(self):
        self.api.post(QUEUES, queue("short-lived", 16))
        m = self.serve()
        for i in range(4):
            self.tenant.post(POD_GROUPS, group(f"greedy-{i}", "short-lived", 1))
            self.tenant.post(PODS, pod(f"greedy-{i}", 8, group=f"greedy-{i}"))
        self.wait_running(4, "greedy")
        self.api.delete(f"{QUEUES}/short-lived")
        cycles = m.metric("kai_muster_cycles_total")
        wait_until(lambda: m.metric("kai_muster_cycles_total") > cycles + 1, 10, "two more cycles")
        self.neighbour_gets_his_half()

    def test_another_node_pool(self):
        self.serve()
        self.take_all()
        self.patch_groups({"metadata": {"labels": {"kai.scheduler/node-pool": "elsewhere"}}})
        self.neighbour_gets_his_half()

    def test_a_way_round_the_limit(self):
        """Running pods are removed from their groups in two ways; two more pods wait for room in the queue."""
        self.api.post(QUEUES, queue("bounded", 8, limit=8))
        self.addCleanup(self.plane.delete_queue, "bounded")
        self.serve()
        for i in range(2):
            self.tenant.post(POD_GROUPS, group(f"first-{i}", "bounded", 1))
            self.tenant.post(PODS, pod(f"first-{i}", 4, group=f"first-{i}"))
        self.wait_running(2, "first")
        for i in range(2):
            self.tenant.post(POD_GROUPS, group(f"second-{i}", "bounded", 1))
            self.tenant.post(PODS, pod(f"second-{i}", 4, group=f"second-{i}"))
        self.tenant.patch(f"{POD_GROUPS}/first-0", {"metadata": {"labels": {"kai.scheduler/node-pool": "elsewhere"}}})
        self.tenant.request("DELETE", f"{POD_GROUPS}/first-1")
        for i in range(2):
            self.tenant.patch(f"{PODS}/first-{i}", {"metadata": {"annotations": {"pod-group-name": None}}})
        time.sleep(5)  # the pod grouper has already put them into their own groups
        self.assertEqual(len(self.running("first")) + len(self.running("second")), 2)

    def test_non_preemptible_at_last(self):
        self.serve()
        self.take_all()
        time.sleep(6)  # the status is written after 5 s
        self.patch_groups({"spec": {"preemptibility": "non-preemptible"}})
        self.neighbour_gets_his_half()
        self.assertEqual(len(self.running("greedy")), 2, "as much as the quota holds")

    def test_non_preemptible_at_last_while_we_are_away(self):
        m = self.serve()
        self.take_all()
        told = lambda: [g.get("status", {}).get("preemptibility") for g in self.api.items(POD_GROUPS)]
        wait_until(lambda: told() == ["preemptible"] * 4, 20, "the status")
        m.stop()
        self.patch_groups({"spec": {"preemptibility": "non-preemptible"}})
        self.serve(name="successor")
        self.neighbour_gets_his_half()
        self.assertEqual(len(self.running("greedy")), 2, "as much as the quota holds")

    def test_a_foreign_group(self):
        self.serve()
        self.take_all()
        self.tenant.post(POD_GROUPS, group("rock", "team-a", 1, preemptibility="non-preemptible"))
        self.patch_pods({"metadata": {"annotations": {"pod-group-name": "rock"}}})
        self.neighbour_gets_his_half()

    def test_a_node_by_hand(self):
        self.serve()
        for i in range(4):
            by_hand = pod(f"greedy-{i}", 8, nodeName=f"node-{i:03}")
            by_hand["metadata"]["annotations"] = {"kai.scheduler/skip-podgrouper": "true"}
            self.tenant.post(PODS, by_hand)
        self.wait_running(4, "greedy")
        self.neighbour_gets_his_half()

    def test_the_label_of_reservations(self):
        self.serve()
        for i in range(4):
            self.tenant.post(PODS, pod(f"greedy-{i}", 8, queue="team-a", labels={"app": "kai-resource-reservation"}))
        self.wait_running(4, "greedy")
        self.neighbour_gets_his_half()


if __name__ == "__main__":
    unittest.main(verbosity=2)
