"""What `muster explain` prints about jobs that no change of an amount helps, and about names without a job.

MUSTER names the program.
"""
import json
import tempfile
import unittest

from test_explain import NOW, muster


def queue(name, parent="", annotations=None):
    return {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": name, "annotations": annotations or {}},
            "spec": {"parentQueue": parent, "resources": {r: {"quota": -1, "limit": -1} for r in ("gpu", "cpu", "memory")}}}


def job(name, queue, namespace="default", phases=("Pending",), gates=()):
    group = {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup", "metadata": {"name": name, "namespace": namespace},
             "spec": {"queue": queue, "minMember": 1}}
    return [group] + [
        {"apiVersion": "v1", "kind": "Pod",
         "metadata": {"name": f"{name}-{i}", "namespace": namespace, "annotations": {"pod-group-name": name}},
         "spec": {"schedulerName": "kai-scheduler", "schedulingGates": [{"name": g} for g in gates],
                  "containers": [{"name": "m", "resources": {"limits": {"nvidia.com/gpu": 1}}}]},
         "status": {"phase": phase}} for i, phase in enumerate(phases)]


NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
        "status": {"allocatable": {"cpu": 8, "memory": "8Gi", "pods": 10, "nvidia.com/gpu": 2}}}


class Hints(unittest.TestCase):
    """Output about jobs that no change of an amount helps."""
    maxDiff = None

    def explain(self, name, *objects, arguments=(), exits=0):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"apiVersion": "v1", "kind": "List", "items": list(objects)}, file)
            file.flush()
            ran = muster("explain", name, file.name, *NOW, *arguments)
        self.assertEqual(ran.returncode, exits, ran.stderr)
        return ran.stdout if exits == 0 else ran.stderr.splitlines()[-1]

    def part(self, title, *arguments, **more):
        text = self.explain(*arguments, **more)
        self.assertIn(f"\n{title}\n", text)
        return " ".join(text.split(f"\n{title}\n")[1].split("\n\n")[0].split())

    def helps(self, *arguments):
        return self.part("What would help", *arguments)

    def test_of_an_unknown_queue(self):
        queues = queue("vision"), queue("language")
        self.assertEqual(self.helps("j", NODE, *queues, *job("j", "vison")), 'Use an existing queue; did you mean "vision"?')
        self.assertEqual(self.helps("j", NODE, *queues, *job("j", "zzzzzzzzz")),
                         'Use an existing queue; the nearest are "vision" and "language".')
        self.assertEqual(self.helps("j", NODE, *job("j", "vision")), "Use an existing queue; there is none yet.")

    def test_of_no_queue_at_all(self):
        objects = NODE, queue("vision"), *job("j", "")
        self.assertTrue(self.explain("j", *objects).startswith("j is pending: its PodGroup names no queue.\n"))
        self.assertIn("No queue. Priority 50", self.part("Now", "j", *objects))
        self.assertEqual(self.helps("j", *objects), 'Use an existing queue; the nearest is "vision".')

    def test_names_only_queues_that_take_jobs(self):
        objects = queue("team", "dept"), queue("dept"), queue("tem-a", "gone"), queue("closed", annotations={"muster.dev/namespaces": "x"})
        self.assertEqual(self.helps("j", NODE, *objects, *job("j", "tem-")), 'Use an existing queue; the nearest is "team".')

    def test_of_a_queue_without_the_one_above(self):
        objects = NODE, queue("team", "dept"), queue("dept", "gone"), *job("j", "team")
        self.assertEqual(self.helps("j", *objects), 'Create queue "gone", the missing parent of "dept".')

    def test_of_queues_in_a_circle(self):
        objects = NODE, queue("a", "b"), queue("b", "a"), *job("j", "a")
        self.assertEqual(self.helps("j", *objects), "Change the parent of one of these queues, which form a cycle: a → b → a.")

    def test_of_a_queue_that_is_not_a_leaf(self):
        objects = NODE, queue("dept"), queue("team-1", "dept"), queue("team-2", "dept"), queue("other"), *job("j", "dept")
        self.assertEqual(self.helps("j", *objects), "Use one of the queues below it: team-1, team-2.")

    def test_of_a_queue_for_others(self):
        objects = NODE, queue("theirs", annotations={"muster.dev/namespaces": "x"}), queue("ours"), *job("j", "theirs")
        self.assertEqual(self.helps("j", *objects), 'Use a queue that is open to namespace "default"; the nearest is "ours".')

    def test_of_what_no_single_change_helps(self):
        objects = NODE, queue("q"), *job("j", "q", gates=["wait"])
        self.assertEqual(self.helps("j", *objects), "None of the single changes tried is enough.")
        self.assertTrue(self.part("Expected start", "j", *objects).startswith(
            "Never in the current state: no job that finishes would free room for it."))

    def test_of_a_job_that_has_ended(self):
        text = self.explain("j", NODE, queue("q"), *job("j", "q", phases=["Succeeded", "Succeeded", "Failed"]))
        self.assertTrue(text.startswith("j has ended.\n\nNow\n  2 pods succeeded, 1 pod failed.\n"), text)
        self.assertNotIn("What would help", text)

    def test_of_a_job_without_pods(self):
        self.assertTrue(self.explain("j", NODE, queue("q"), *job("j", "q", phases=[])).startswith("j has no pods.\n"))

    def test_of_a_job_that_starts_now(self):
        text = self.explain("j", NODE, queue("q"), *job("j", "q", phases=["Pending", "Pending"]))
        self.assertTrue(text.startswith("j will be bound in this cycle.\n"), text)
        self.assertNotIn("since", text)
        self.assertIn("\nPossible preemptors\n  None of the pending jobs.\n", text)

    def test_of_a_job_that_grows(self):
        text = self.explain("j", NODE, queue("q"), *job("j", "q", phases=["Pending"] * 3))
        self.assertTrue(text.startswith("j will be bound in this cycle; more of its pods are pending.\n"), text)

    def test_of_more_pods_than_are_looked_at(self):
        big = dict(NODE, status={"allocatable": {"cpu": 8, "memory": "8Gi", "pods": 10, "nvidia.com/gpu": 8}})
        self.assertTrue(self.part("Placement", "j", big, queue("q"), *job("j", "q", phases=["Pending"] * 5))
                        .endswith("and 2 more"))

    def test_of_a_name_that_two_jobs_have(self):
        objects = NODE, queue("q"), *job("j", "q", "x"), *job("j", "q", "y")
        self.assertEqual(self.explain("j", *objects, exits=2), 'error: 2 jobs are named "j"; specify one: x/j, y/j')
        self.assertTrue(self.explain("j", *objects, arguments=["-n", "y", "--quick"]).startswith("y/j "))

    def test_of_a_job_in_another_namespace(self):
        objects = NODE, queue("q"), *job("j", "q", "x")
        self.assertEqual(self.explain("j", *objects, arguments=["-n", "y"], exits=1),
                         'error: there is no job or pod "j" in namespace "y"; did you mean "x/j"?')

    def test_of_a_pod_without_a_job(self):
        _, lost = job("lost", "q")
        web = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {
            "nodeName": "n", "containers": [{"name": "m"}]}, "status": {"phase": "Running"}}
        for name, pod in (("web", web), ("lost-0", lost)):
            with self.subTest(name):
                self.assertEqual(self.explain(name, NODE, queue("q"), pod, exits=1),
                                 f'error: pod "default/{name}" belongs to no job: its PodGroup is missing, or another '
                                 'scheduler places it')

    def test_of_an_empty_cluster(self):
        self.assertEqual(self.explain("j", exits=1), 'error: there is no job or pod "j"')


if __name__ == "__main__":
    unittest.main()
