"""Runs the worked examples of docs/min-runtime.md, requeue.md and preemptibility.md over simulated time.

MUSTER names the program.
"""
import tempfile
import unittest

from timed import HOUR, TimeTest, at, job, node, queue


class MinimumRuntimesAndRequeue(TimeTest):

    def tree(self, field, parents, minimums, entitled):
        return [queue(name, 2 if name in entitled else 0, **({"parentQueue": parent} if parent else {}),
                      **({field: minimums[name]} if name in minimums else {})) for name, parent in parents.items()]

    def first_eviction(self, objects, *arguments):
        lines = self.record(objects, "1h", *arguments)
        evictions = [h for h in lines if h["kind"] == "evict"]
        return (self.seconds(evictions[0]["at"]), evictions[0]["action"]) if evictions else None

    def test_minimum_runtimes_of_reclaim(self):
        parents = {"A": "", "B": "A", "C": "B", "D": "B", "leaf1": "C", "leaf2": "C", "leaf3": "D"}
        minimums = {"B": "600s", "leaf1": "0s", "leaf2": "180s", "D": "60s"}
        for reclaimer, victim, above, by_lca, by_queue in (("leaf1", "leaf3", "ABC", 60, 60), ("leaf1", "leaf2", "ABC", 180, 180),
                                                           ("leaf3", "leaf1", "ABD", 600, 10)):
            cluster = [node("n1", 2), self.tree("reclaimMinRuntime", parents, minimums, {reclaimer, *above}),
                       job("old", victim, 2), job("new", reclaimer, 2, created=10)]
            with self.subTest(f"{reclaimer} reclaims from {victim}"):
                self.assertEqual(self.first_eviction(cluster), (by_lca, "reclaim"))
            with self.subTest(f"{reclaimer} reclaims from {victim}, method queue"), \
                    tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
                config.write("actions: allocate, reclaim\ntiers: [{plugins: [{name: predicates}, {name: proportion}, "
                             "{name: minruntime, arguments: {reclaimResolveMethod: queue}}, {name: nodeavailability}, "
                             "{name: resourcetype}, {name: nodeplacement}, {name: priority}, {name: sg-nodelocalgreedy}, "
                             "{name: sg-multinodegang}]}]\n")
                config.flush()
                found = self.first_eviction(cluster, "--config", config.name)
                self.assertIsNotNone(found, self.stderr)
                self.assertEqual(found, (by_queue, "reclaim"))

    def test_minimum_runtimes_of_preempt(self):
        parents = {"A": "", "B": "A", "C": "B", "leaf1": "C", "leaf2": "C"}
        urgent = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "urgent"}, "value": 75}
        for leaf, minimum in (("leaf1", 300), ("leaf2", 600)):
            with self.subTest(leaf):
                cluster = [node("n1", 2), urgent, self.tree("preemptMinRuntime", parents, {"B": "600s", "leaf1": "300s"}, {*parents}),
                           job("old", leaf, 2), job("new", leaf, 2, created=10, priority="urgent")]
                self.assertEqual(self.first_eviction(cluster), (minimum, "preempt"))

    def opted_in(self, objects, runtime, delay=None):
        annotations = objects[0]["metadata"]["annotations"]
        annotations["kai.scheduler/expected-runtime"] = runtime
        if delay:
            annotations["kai.scheduler/requeue-delay"] = delay
        return objects

    def test_an_overdue_job_runs_on_if_no_job_is_pending(self):
        self.play([node("n1", 1), queue("team", 1), self.opted_in(job("a", duration="3h"), "1h")])
        self.assertEqual([self.jobs["a"]["finished"], self.jobs["a"]["evictions"]], [at(3 * HOUR), 0])

    def test_an_overdue_job_gives_way_when_its_minimum_runtime_is_over(self):
        urgent = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "urgent"}, "value": 75}
        cluster = [node("n1", 1), urgent, queue("team", 1, preemptMinRuntime="2h"), self.opted_in(job("a", duration="3h"), "1h"),
                   job("b", created=1800, priority="urgent", duration="1h")]
        lines = self.record(cluster)
        self.assertEqual([(h["at"], h["pod"], h["action"]) for h in lines if h["kind"] == "evict"],
                         [(at(2 * HOUR), "default/a-0", "requeue")])
        self.assertEqual(self.jobs["a"]["requeues"], 1)
        self.assertEqual(self.queues["team"]["requeues"], 1)
        self.assertEqual(self.queues["team"]["evictions"], {"requeue": 1})

    def test_equals_take_turns_if_configured(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
            config.write("actions: allocate, requeue\nactionArguments: {requeue: {contenders: scheduling-order}}\n")
            config.flush()
            cluster = [node("n1", 1), queue("team", 1)] + [
                self.opted_in(job(name, duration="2h", checkpoint_every="10m", created=i), "1h") for i, name in enumerate("ab")]
            lines = self.record(cluster, "idle", "--config", config.name)
        evictions = [(self.seconds(h["at"]), h["job"].removeprefix("default/")) for h in lines if h["kind"] == "evict"]
        self.assertEqual(evictions, [(3600, "a"), (7201, "b")])
        self.assertEqual([self.seconds(self.jobs[name]["finished"]) for name in "ab"], [7202 + 3600, 7202 + 7200])


def class_of(name, value):
    return {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}


CLASSES = [class_of("train", 50), class_of("build", 100), class_of("inference", 125)]


class Preemptibility(TimeTest):
    """The scenarios of docs/preemptibility.md: jobs of `team` run when `prod` claims its quota."""

    def cluster(self, *jobs, quota=0):
        return [node("n1", 4), CLASSES, queue("team", quota), queue("prod", 4), *jobs]

    @staticmethod
    def marked(objects, preemptibility=None, label=None):
        if preemptibility:
            objects[0]["spec"]["preemptibility"] = preemptibility
        for each in objects[1:]:
            if label:
                each["metadata"]["labels"] = {"kai.scheduler/preemptibility": label}
        return objects

    def evictions(self, objects, *arguments):
        lines = self.record(objects, "idle", *arguments)
        return [(self.seconds(h["at"]), h["pod"].removeprefix("default/"), h["action"]) for h in lines if h["kind"] == "evict"]

    def test_1_of_high_priority_and_preemptible(self):
        high = self.marked(job("high", pods=2, gpus=2, priority="inference", duration="1h"), "preemptible")
        low = job("low", pods=2, gpus=2, priority="train", duration="1h")
        evicted = self.evictions(self.cluster(low, high, job("prod", "prod", 2, 2, created=600, duration="1h")))
        self.assertEqual(evicted, [(600, "high-0", "reclaim"), (600, "high-1", "reclaim")])
        self.assertEqual([self.seconds(self.jobs[name]["firstStart"]) for name in ("high", "prod", "low")],
                         [0, 601, 601 + 2 * HOUR])
        self.assertEqual(self.jobs["high"]["lostGpuSeconds"], 4 * 600)

    def test_2_of_low_priority_and_non_preemptible(self):
        keep = [self.marked(job(name, gpus=2, priority="train", created=i, duration="2h"), "non-preemptible")
                for i, name in enumerate(("first", "second"))]
        evicted = self.evictions(self.cluster(*keep, job("prod", "prod", 2, 2, created=600, duration="1h"), quota=2))
        self.assertEqual(evicted, [])
        self.assertEqual([self.seconds(self.jobs[name]["firstStart"]) for name in ("first", "second", "prod")],
                         [0, 2 * HOUR, 4 * HOUR])

    def test_3_by_the_label_of_a_template(self):
        web = {"apiVersion": "apps/v1", "kind": "Deployment",
               "metadata": {"name": "web", "labels": {"kai.scheduler/queue": "team", "priorityClassName": "train"}},
               "spec": {"replicas": 2, "template": {
                   "metadata": {"labels": {"kai.scheduler/preemptibility": "non-preemptible"}},
                   "spec": {"schedulerName": "kai-scheduler",
                            "containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "2"}}}]}}}}
        self.assertEqual(self.evictions(self.cluster(web, job("prod", "prod", 2, 2, created=600, duration="1h"), quota=4)), [])
        self.assertIsNone(self.jobs["prod"]["firstStart"])
        del web["spec"]["template"]["metadata"]["labels"]
        self.assertEqual([e[::2] for e in self.evictions(self.cluster(web, job("prod", "prod", 2, 2, created=600, duration="1h")))],
                         [(600, "reclaim")] * 2)

    def test_4_by_priority_where_nothing_is_said(self):
        for priority, quota, expected in (("build", 4, []), ("train", 0, [(600, "job-0", "reclaim"), (600, "job-1", "reclaim")])):
            with self.subTest(priority):
                self.assertEqual(self.evictions(self.cluster(
                    job("job", pods=2, gpus=2, priority=priority, duration="1h"),
                    job("prod", "prod", 2, 2, created=600, duration="1h"), quota=quota)), expected)

    def test_5_and_6_a_bad_label_is_none_and_the_spec_goes_before_it(self):
        for spec, label in ((None, "bogus"), ("preemptible", "non-preemptible")):
            with self.subTest(label):
                mine = self.marked(job("job", pods=2, gpus=2, priority="train", duration="1h"), spec, label)
                evicted = self.evictions(self.cluster(mine, job("prod", "prod", 2, 2, created=600, duration="1h")))
                self.assertEqual([e[::2] for e in evicted], [(600, "reclaim")] * 2)

    def test_7_of_a_semi_preemptible_job_only_what_is_beyond_its_minimum(self):
        semi = self.marked(job("semi", pods=5, least=3, duration="1h"), "semi-preemptible")
        cluster = [node("n1", 5), CLASSES, queue("team", 3), queue("prod", 5), semi,
                   job("a", "prod", 2, created=600, duration="2h"), job("b", "prod", 2, created=1200, duration="1h")]
        self.assertEqual(sorted(self.evictions(cluster)), [(600, "semi-3", "reclaim"), (600, "semi-4", "reclaim")])
        self.assertEqual([self.seconds(self.jobs[name]["firstStart"]) for name in ("semi", "a", "b")], [0, 601, 2 * HOUR])
        self.assertEqual([self.jobs["semi"][key] for key in ("evictions", "lostGpuSeconds", "heldIdleSeconds")], [2, 2 * 600, 0])


if __name__ == "__main__":
    unittest.main()
