"""Reports to users about their live objects, which cost nothing while there is nothing new to report.

Run by ctest; by hand: test_notices.py [Class[.test]].
"""
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import wait_until
from test_serve import KubeTest
from workloads import POD_GROUPS, PODS, QUEUES, group, pod, queue

VALID_SPEC = "muster.dev/ValidSpec"


class Notices(KubeTest):
    NODES = 1

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plane.remove_policies()

    def group(self, name):
        return self.api.get(f"{POD_GROUPS}/{name}")

    def condition(self, name):
        conditions = self.group(name).get("status", {}).get("conditions", [])
        return next((c for c in conditions if c["type"] == VALID_SPEC), None)

    def wait_condition(self, name, status):
        def found():
            condition = self.condition(name)
            return condition if condition and condition["status"] == status else None
        return wait_until(found, 15, f"{name}: {VALID_SPEC}={status}")

    def assert_not_written(self, name, seconds=3):
        """Waits for more than two cycles, even of a settled cluster; its preemptibility is shown after 5 s."""
        wait_until(lambda: "preemptibility" in self.group(name)["status"], 15, f"{name}: preemptibility")
        before = self.group(name)["metadata"]["resourceVersion"]
        time.sleep(seconds)
        self.assertEqual(self.group(name)["metadata"]["resourceVersion"], before)

    def events(self, kind, name):
        return {e["message"] for e in self.api.items("/api/v1/namespaces/default/events")
                if e["reason"] == "NotAsMeant" and e["involvedObject"]["kind"] == kind
                and e["involvedObject"]["name"] == name}

    def wait_event(self, kind, name, text):
        wait_until(lambda: any(text in message for message in self.events(kind, name)), 15,
                   f"an event of {kind} {name} with {text!r}, there is {self.events(kind, name)}")

    def test_condition_of_a_group_comes_goes_and_survives_a_restart(self):
        m = self.serve()
        wrong = group("wrong", "teem-a", 1, "urgent")
        wrong["metadata"]["labels"] = {"kai.scheduler/preemptibility": "sometimes"}
        self.api.post(POD_GROUPS, wrong)
        self.api.post(POD_GROUPS, group("right", "team-a", 1))
        told = self.wait_condition("wrong", "False")
        self.assertEqual(told["reason"], "NotAsMeant")
        for part in ('metadata.labels.kai.scheduler/preemptibility: ',
                     'spec.queue: queue "teem-a" is not in the cluster; did you mean "team-a"?',
                     'spec.priorityClassName: PriorityClass "urgent" is not in the cluster; using priority 50'):
            self.assertIn(part, told["message"])
        self.assertEqual(m.log().count('queue "teem-a" is not in the cluster'), 1)
        self.assert_not_written("wrong")
        self.assertIsNone(self.condition("right"))

        m.stop()
        m = self.serve(name="again")
        self.assert_not_written("wrong")
        self.api.patch(f"{POD_GROUPS}/wrong", {"metadata": {"labels": {"kai.scheduler/preemptibility": None}},
                                               "spec": {"queue": "team-a", "priorityClassName": "train"}})
        self.assertEqual(self.wait_condition("wrong", "True")["message"], "")
        self.assert_not_written("wrong")

    def test_new_queue_mends_its_jobs(self):
        self.serve()
        self.api.post(POD_GROUPS, group("early", "late", 1))
        self.wait_condition("early", "False")
        self.api.post(QUEUES, queue("late", 1))
        self.addCleanup(self.plane.delete_queue, "late")
        self.wait_condition("early", "True")

    def test_conditions_of_others_stay(self):
        self.api.post(POD_GROUPS, group("shared", "nowhere", 1))
        other = {"type": "Other", "status": "True", "reason": "Because", "message": "kept"}
        self.api.patch(f"{POD_GROUPS}/shared/status", {"status": {"conditions": [other]}})
        self.serve()
        self.wait_condition("shared", "False")
        self.assertIn(other, self.group("shared")["status"]["conditions"])

    def test_group_that_the_grouper_makes(self):
        self.serve()
        self.api.post(PODS, pod("stray", queue="nowhere"))
        made = wait_until(lambda: next((g["metadata"]["name"] for g in self.api.items(POD_GROUPS)), None), 15, "a group")
        self.assertIn('queue "nowhere" is not in the cluster', self.wait_condition(made, "False")["message"])

    def test_event_that_the_api_server_dropped_is_written_anew(self):
        """A second report, a minute later at the earliest, is a higher count of the same event."""
        def told():
            return [e for e in self.api.items("/api/v1/namespaces/default/events")
                    if e["involvedObject"]["name"] == "wide" and e["involvedObject"]["kind"] == "Pod"]

        def cordon(is_cordoned):
            for node in self.api.items("/api/v1/nodes"):
                self.api.patch(f"/api/v1/nodes/{node['metadata']['name']}", {"spec": {"unschedulable": is_cordoned}})

        self.serve()
        self.api.post(PODS, pod("narrow", 1, queue="team-a"))
        self.wait_running(1)
        self.api.post(PODS, pod("wide", 8, queue="team-a"))
        first = wait_until(told, 15, "an event of pod wide")[0]
        begin = time.monotonic()
        cordon(True)
        wait_until(lambda: len(told()) > 1, 30, "another event of pod wide")
        for event in told():
            self.api.delete(f"/api/v1/namespaces/default/events/{event['metadata']['name']}")
        time.sleep(max(0, begin + 61 - time.monotonic()))
        cordon(False)
        again = wait_until(told, 30, "the first event again")[0]
        self.assertEqual((again["message"], again["count"]), (first["message"], 2))

    def test_queues_nodes_and_pods_get_events(self):
        self.serve()
        self.api.post(QUEUES, queue("odd", 4, limit=2))
        self.addCleanup(self.plane.delete_queue, "odd")
        self.wait_event("Queue", "odd", "is below the quota of 4 GPUs")
        self.assertEqual(self.events("Queue", "team-a"), set())

        half = pod("half", queue="team-a")
        half["metadata"]["annotations"] = {"gpu-fraction": "half"}
        self.api.post(PODS, half)
        self.wait_event("Pod", "half", "must be a number above 0 and at most 1")

        foreign = pod("foreign", gpus=9)
        foreign["spec"].update(schedulerName="default-scheduler", nodeName="node-000")
        self.api.post(PODS, foreign)
        self.wait_event("Node", "node-000", "is over-committed: its pods use ")


if __name__ == "__main__":
    unittest.main()
