"""muster simulate --until as a process: what happens when, what is counted, and what is printed.

MUSTER names the program.
"""
import calendar
import json
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time
import unittest

MUSTER = os.environ["MUSTER"]
START = "2025-06-01T12:00:00Z"
HOUR = 3600


def at(seconds):
    """That long after the start, as RFC 3339."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1748779200 + seconds))


def node(name, gpus=8, **labels):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels},
            "status": {"allocatable": {"cpu": "64", "memory": "512Gi", "nvidia.com/gpu": str(gpus), "pods": "110"}}}


def queue(name, quota=0, weight=1, **spec):
    unbounded = {"quota": -1, "limit": -1, "overQuotaWeight": 1}
    return {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": name},
            "spec": {"resources": {"gpu": {"quota": quota, "limit": -1, "overQuotaWeight": weight}, "cpu": unbounded,
                                   "memory": unbounded}, **spec}}


def pod(name, group, gpus=1, where=None, annotations=None, created=0):
    spec = {"schedulerName": "kai-scheduler",
            "containers": [{"name": "main", "image": "work", "resources": {"limits": {"nvidia.com/gpu": str(gpus)}}}]}
    result = {"apiVersion": "v1", "kind": "Pod",
              "metadata": {"name": name, "creationTimestamp": at(created),
                           "annotations": {"pod-group-name": group, **(annotations or {})}}, "spec": spec}
    if where:
        spec["nodeName"] = where
        result["status"] = {"phase": "Running"}
    return result


def job(name, queue="team", pods=1, gpus=1, least=None, created=0, where=None, priority=None, pod_annotations=None,
        **work):
    """A PodGroup and its pods; work: duration="1h", checkpoint_every="10m", …"""
    annotations = {f"muster.dev/{key.replace('_', '-')}": value for key, value in work.items()}
    if where:
        annotations["kai.scheduler/last-start-timestamp"] = at(created)
    spec = {"queue": queue, "minMember": pods if least is None else least}
    if priority:
        spec["priorityClassName"] = priority
    group = {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup",
             "metadata": {"name": name, "creationTimestamp": at(created), "annotations": annotations}, "spec": spec}
    return [group] + [pod(f"{name}-{i}", name, gpus, where, pod_annotations, created) for i in range(pods)]


def step(when, **what):
    return {"apiVersion": "muster.dev/v1", "kind": "Step", "at": when, **what}


def flat(items):
    for item in items:
        if isinstance(item, list):
            yield from flat(item)
        else:
            yield item


class TimeTest(unittest.TestCase):
    def run_muster(self, objects, *arguments):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        path = pathlib.Path(directory.name) / "cluster.json"
        path.write_text("\n".join(json.dumps(o) for o in flat(objects)))
        return subprocess.run([MUSTER, "simulate", str(path), "--now", START, *arguments], capture_output=True,
                              text=True, timeout=120)

    def play(self, objects, until="idle", *arguments):
        ran = self.run_muster(objects, "--until", until, "-o", "json", *arguments)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.stderr = ran.stderr
        outcome = json.loads(ran.stdout)
        self.jobs = {j["name"].removeprefix("default/"): j for j in outcome["jobs"]}
        self.queues = {q["name"]: q for q in outcome["queues"]}
        for j in outcome["jobs"]:
            life = self.seconds(j["finished"] or j.get("failed") or j.get("deleted") or outcome["to"]) - self.seconds(j["submitted"])
            self.assertAlmostEqual(j["runSeconds"] + j["queuedSeconds"] + j["heldIdleSeconds"], life, places=6, msg=j)
        gpu = outcome["cluster"]["gpuSeconds"]
        self.assertAlmostEqual(gpu["used"] + gpu["idle"], gpu["capacity"], places=3)
        return outcome

    def record(self, objects, until="idle", *arguments):
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
            self.outcome = self.play(objects, until, "--record", file.name, *arguments)
            return [json.loads(line) for line in pathlib.Path(file.name).read_text().splitlines()]

    @staticmethod
    def seconds(instant):
        whole, _, fraction = instant.rstrip("Z").partition(".")
        return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) - 1748779200 + float("0." + (fraction or "0"))


class Played(TimeTest):
    def test_a_job_waits_runs_and_finishes(self):
        outcome = self.play([node("n1", 1), queue("team"), job("a", duration="1h"), job("b", created=60, duration="30m")])
        self.assertEqual(outcome["schema"], "muster.dev/simulation/v1")
        a, b = self.jobs["a"], self.jobs["b"]
        self.assertEqual([a["firstStart"], a["finished"], a["waitSeconds"]], [at(0), at(HOUR), 0])
        self.assertEqual([b["submitted"], b["firstStart"], b["finished"]], [at(60), at(HOUR), at(1.5 * HOUR)])
        self.assertEqual([b["waitSeconds"], b["queuedSeconds"], b["runSeconds"]], [HOUR - 60, HOUR - 60, HOUR / 2])
        self.assertEqual(outcome["to"], at(1.5 * HOUR))
        self.assertEqual(outcome["cluster"]["gpuUtilisation"], 1)
        self.assertEqual(outcome["cluster"]["makespanSeconds"], 1.5 * HOUR)
        self.assertEqual(self.queues["team"]["gpuSeconds"], {"used": 5400, "fair": 5400, "lost": 0})
        self.assertEqual(self.queues["team"]["waitSeconds"]["max"], HOUR - 60)
        self.assertEqual(self.queues["team"]["slowdown"]["p95"], (1.5 * HOUR - 60) / 1800)

    def test_no_cycle_is_run_for_nothing(self):
        outcome = self.play([node("n1", 1), queue("team"), job("a", duration="1h")])
        self.assertEqual(outcome["cycles"], 2)
        outcome = self.play([node("n1", 1), queue("team"), job("a"), job("b")], "30d")
        self.assertLessEqual(outcome["cycles"], 2)

    def test_a_run_ends_when_it_is_told_to(self):
        for until in ("2h", at(2 * HOUR)):
            outcome = self.play([node("n1", 1), queue("team"), job("a"), job("late", created=3 * HOUR)], until)
            self.assertEqual(outcome["to"], at(2 * HOUR))
            self.assertEqual(list(self.jobs), ["a"])
            self.assertIsNone(self.jobs["a"]["finished"])

    def test_who_never_starts_is_told_with_the_reason(self):
        outcome = self.play([node("n1", 1), queue("team"), job("a"), job("b", created=60)])
        self.assertEqual(outcome["to"], at(60))
        self.assertEqual(self.queues["team"]["neverStarted"], 1)
        self.assertIsNone(self.jobs["b"]["firstStart"])
        self.assertIsNone(self.jobs["b"]["waitSeconds"])
        self.assertIn("GPU", self.jobs["b"]["reason"])

    def test_cycles_keep_their_period(self):
        outcome = self.record([node("n1", 2), queue("team"), job("a", duration="10s"), job("b", created=1, duration="10s")],
                              "idle", "--period", "5s")
        binds = {h["pod"]: h["at"] for h in outcome if h["kind"] == "bind"}
        self.assertEqual(binds, {"default/a-0": at(0), "default/b-0": at(5)})

    def test_a_victim_goes_when_its_minimum_runtime_is_over(self):
        lines = self.record([node("n1", 2), queue("a", 2), queue("b", 0, reclaimMinRuntime="10m"),
                             job("old", "b", 2, duration="1h"), job("new", "a", 2, created=60, duration="1h")])
        evictions = [h for h in lines if h["kind"] == "evict"]
        self.assertEqual([(h["at"], h["pod"], h["action"], h["for"]) for h in evictions],
                         [(at(600), f"default/old-{i}", "reclaim", "default/new") for i in (0, 1)])
        self.assertEqual([h["at"] for h in lines if h["kind"] == "bind" and h["job"] == "default/new"], [at(601)] * 2)
        self.assertEqual(self.queues["b"]["evictions"], {"reclaim": 2})
        self.assertEqual(self.queues["b"]["gpuSeconds"]["lost"], 1200)
        self.assertEqual(self.jobs["old"]["lostGpuSeconds"], 1200)
        self.assertEqual([self.jobs["old"]["starts"], self.jobs["old"]["evictions"]], [2, 2])
        self.assertEqual(self.jobs["old"]["finished"], at(601 + HOUR + HOUR))

    def test_checkpoints_keep_what_was_done(self):
        self.play([node("n1", 2), queue("a", 2), queue("b", 0, reclaimMinRuntime="10m"),
                   job("old", "b", 2, duration="1h", checkpoint_every="4m", restart_cost="1m"),
                   job("new", "a", 2, created=60, duration="1h")])
        self.assertEqual(self.jobs["old"]["lostGpuSeconds"], 2 * 120)
        self.assertEqual(self.jobs["old"]["finished"], at(601 + HOUR + HOUR - 480 + 60))

    def test_delays_before_a_start_and_after_an_eviction(self):
        self.play([node("n1", 2), queue("a", 2), queue("b", 0), job("old", "b", 2, duration="1h"),
                   job("new", "a", 2, created=600, duration="1h")], "idle", "--start-delay", "10s", "--eviction-delay", "30s")
        self.assertEqual(self.jobs["old"]["firstStart"], at(10))
        self.assertEqual(self.jobs["new"]["firstStart"], at(640))
        self.assertEqual(self.jobs["new"]["heldIdleSeconds"], 10)

    def test_pods_that_fail_come_back(self):
        lines = self.record([node("n1", 1), queue("team"), job("a", duration="1h", fails_after="10m")])
        self.assertEqual([h["at"] for h in lines if h["kind"] == "fail"], [at(600)])
        self.assertEqual(self.jobs["a"]["finished"], at(600 + HOUR))
        self.assertEqual(self.jobs["a"]["lostGpuSeconds"], 600)
        self.assertEqual(self.jobs["a"]["evictions"], 0)

    def test_elastic_work(self):
        self.play([node("n1", 2), queue("team"), job("a", pods=4, least=1, work="4h")])
        self.assertEqual(self.jobs["a"]["finished"], at(2 * HOUR))

    def test_durations_are_drawn_by_seed_and_name(self):
        jobs = [job(f"j{i}", duration="exp(1h)") for i in range(4)]
        base = [node("n1", 8), queue("team"), *jobs]
        self.play(base, "idle", "--seed", "7")
        first = {name: j["runSeconds"] for name, j in self.jobs.items()}
        self.play(base + [job("more", duration="exp(1h)")], "idle", "--seed", "7")
        self.assertEqual({name: self.jobs[name]["runSeconds"] for name in first}, first)
        self.play(base, "idle", "--seed", "8")
        self.assertNotEqual({name: j["runSeconds"] for name, j in self.jobs.items()}, first)

    def test_steps_on_nodes(self):
        cluster = [node("n1", 2), node("n2", 2), queue("team"), job("a", pods=2, duration="1h", checkpoint_every="10m")]
        for act, action in (("drain", "drain"), ("fail", "nodeFailure"), ("remove", "nodeFailure")):
            with self.subTest(act):
                lines = self.record(cluster + [step("25m", **{act: "n1"})])
                self.assertEqual({h["node"] for h in lines if h["kind"] == "start" and h["at"] == at(0)}, {"n1"})
                self.assertEqual([h["at"] for h in lines if h["kind"] == "node"], [at(1500)])
                self.assertEqual([(h["at"], h["action"]) for h in lines if h["kind"] == "evict"], [(at(1500), action)] * 2)
                self.assertEqual({h["node"] for h in lines if h["kind"] == "bind" and h["at"] == at(1500)}, {"n2"})
                self.assertEqual(self.jobs["a"]["lostGpuSeconds"], 600)
                self.assertEqual(self.jobs["a"]["finished"], at(HOUR + 300))
                self.assertEqual(self.queues["team"]["evictions"], {action: 2})
                left = 2 if act == "drain" else 0
                self.assertEqual(self.outcome["cluster"]["gpuSeconds"]["capacity"], 4 * 1500 + (2 + left) * 2400)

    def test_steps_on_objects(self):
        lines = self.record([node("n1", 1), queue("team"), job("a"), job("b", created=60, duration="1h"),
                             step("10m", delete={"kind": "PodGroup", "name": "a"}), step("2h", apply=node("n2", 1))], "3h")
        self.assertEqual(self.jobs["b"]["firstStart"], at(600))
        self.assertIsNone(self.jobs["a"]["finished"])
        self.assertEqual(self.jobs["a"]["runSeconds"], 600)
        self.assertEqual([(h["at"], h["action"]) for h in lines if h["kind"] == "node"], [(at(2 * HOUR), "add")])
        self.assertEqual(self.outcome["cluster"]["gpuSeconds"]["capacity"], 3 * HOUR + HOUR)

    def test_a_pod_that_a_step_applies_is_grouped_like_those_of_the_files(self):
        bare = pod("late", "", annotations={"muster.dev/duration": "30m"})
        del bare["metadata"]["annotations"]["pod-group-name"], bare["metadata"]["creationTimestamp"]
        bare["metadata"]["labels"] = {"kai.scheduler/queue": "team"}
        self.play([node("n1", 1), queue("team"), job("a", duration="1h"), step("10m", apply=bare)], "idle")
        late = self.jobs["pg-late-pod"]
        self.assertEqual((late["submitted"], late["firstStart"], late["finished"]), (at(600), at(HOUR), at(HOUR + 1800)))

    def test_random_failures_of_nodes_come_by_seed(self):
        cluster = [[node(f"n{i}", 1) for i in range(4)], queue("team"),
                   [job(f"j{i}", duration="4h", checkpoint_every="10m") for i in range(4)]]
        arguments = ("1d", "--node-mtbf", "6h", "--node-mttr", "30m", "--seed", "3")
        lines = self.record(cluster, *arguments)
        down = [h for h in lines if h["kind"] == "node"]
        self.assertGreater(len(down), 4)
        self.assertEqual({h["action"] for h in down}, {"fail", "repair"})
        self.assertLess(self.outcome["cluster"]["gpuSeconds"]["capacity"], 4 * 24 * HOUR)
        self.assertEqual(self.record(cluster, *arguments), lines)

    def test_the_same_seed_gives_the_same_bytes(self):
        generator = random.Random(5)
        cluster = [[node(f"n{i}", 4) for i in range(3)], queue("a", 6), queue("b", 6, reclaimMinRuntime="5m")]
        for i in range(40):
            pods = generator.choice((1, 1, 2, 4))
            cluster.append(job(f"j{i}", generator.choice("ab"), pods, generator.choice((1, 2)),
                               created=generator.randrange(2 * HOUR), duration="lognormal(median=20m,p90=1h)"))
        ran = [self.run_muster(cluster, "--until", "idle", "--seed", "9", "-o", "json").stdout for _ in range(2)]
        self.assertEqual(ran[0], ran[1])
        self.play(cluster, "idle", "--seed", "9")
        self.assertTrue(all(j["finished"] for j in self.jobs.values()))

    def test_time_without_work_is_cycles(self):
        cluster = [node("n1", 4), queue("a", 2), queue("b", 2), job("old", "b", 4, least=2, created=-600, where="n1"),
                   job("new", "a", 2), job("more", "a", 2)]
        lines = self.record(cluster)
        ran = self.run_muster(cluster, "--cycles", str(self.outcome["cycles"]), "--interval", "1s", "-o", "json")
        rounds = json.loads(ran.stdout)["rounds"]
        self.assertEqual([h["pod"] for h in lines if h["kind"] == "bind"],
                         [b["pod"] for r in rounds for b in r["binds"]])
        self.assertEqual([h["pod"] for h in lines if h["kind"] == "evict"],
                         [e["pod"] for r in rounds for e in r["evictions"]])

    def test_series(self):
        outcome = self.play([node("n1", 2), queue("team"), job("a", duration="1h"), job("b", pods=2, created=1800, duration="1h")],
                            "3h", "--series", "30m")
        series = outcome["series"]
        self.assertEqual(series["at"], [at(1800 * i) for i in range(7)])
        self.assertEqual(series["gpusUsed"], [1, 1, 2, 2, 0, 0, 0])
        self.assertEqual(series["gpusWanted"], [1, 3, 2, 2, 0, 0, 0])
        self.assertEqual(series["jobsWaiting"], [0, 1, 0, 0, 0, 0, 0])
        self.assertEqual(series["queues"]["team"]["used"], series["gpusUsed"])

    def test_fragmentation(self):
        outcome = self.play([node("n1", 2), node("n2", 2), queue("team"), job("a", duration="1h"), job("b", duration="1h"),
                             job("big", gpus=2, created=60, duration="1h")], "1h")
        self.assertIn(outcome["cluster"]["gpuFragmentation"], (0, (HOUR - 60) * 2 / (4 * HOUR)))

    def test_comparison(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
            config.write("actions: allocate\n")
            config.flush()
            ran = self.run_muster([node("n1", 2), queue("a", 2), queue("b", 0), job("old", "b", 2, duration="1h"),
                                   job("new", "a", 2, created=600, duration="1h")],
                                  "--until", "idle", "--compare", config.name, "-o", "json")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        outcome = json.loads(ran.stdout)
        self.assertEqual(outcome["schema"], "muster.dev/comparison/v1")
        self.assertEqual([r["config"] for r in outcome["runs"]], ["", config.name])
        waits = next(d for d in outcome["differences"] if d["metric"] == "queues.a.waitSeconds.max")
        self.assertEqual(waits, {"metric": "queues.a.waitSeconds.max", "values": [1, 3000], "ratio": 3000})

    def test_workloads(self):
        template = {"spec": {"schedulerName": "kai-scheduler",
                             "containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}}
        meta = {"labels": {"kai.scheduler/queue": "team"}, "annotations": {"muster.dev/duration": "1h"}}
        batch = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "many", **meta},
                 "spec": {"parallelism": 2, "completions": 5, "template": template}}
        lines = self.record([node("n1", 8), queue("team"), batch])
        starts = [(h["pod"], h["at"]) for h in lines if h["kind"] == "start"]
        self.assertEqual(starts, [("default/many-0", at(0)), ("default/many-1", at(0)), ("default/many-2", at(HOUR)),
                                  ("default/many-3", at(HOUR)), ("default/many-4", at(2 * HOUR))])
        self.assertEqual(self.outcome["jobs"][0]["finished"], at(3 * HOUR))

        nightly = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "nightly"},
                   "spec": {"schedule": "30 * * * *", "jobTemplate": {"metadata": meta, "spec": {"template": template}}}}
        outcome = self.play([node("n1", 8), queue("team"), nightly], "3h")
        self.assertEqual([j["submitted"] for j in outcome["jobs"]], [at(1800), at(5400), at(9000)])
        self.assertEqual([j["runSeconds"] for j in outcome["jobs"]], [3600, 3600, 1800])

        stateful = {"apiVersion": "apps/v1", "kind": "StatefulSet",
                    "metadata": {"name": "web", "labels": {"kai.scheduler/queue": "team"}},
                    "spec": {"replicas": 3, "template": template}}
        lines = self.record([node("n1", 8), queue("team"), stateful, step("1h", scale={"workload": "web", "replicas": 1})],
                            "2h", "--start-delay", "10s")
        self.assertEqual([(h["pod"], h["at"]) for h in lines if h["kind"] == "start"],
                         [("default/web-0", at(10)), ("default/web-1", at(20)), ("default/web-2", at(30))])
        used = self.outcome["cluster"]["gpuSeconds"]["used"]
        self.assertEqual(used, 3600 + 3590 + 3580 + 3600)

    def test_a_job_that_fails_too_often_gives_up(self):
        template = {"metadata": {"annotations": {"muster.dev/duration": "1h", "muster.dev/fails-after": "10m"}},
                    "spec": {"schedulerName": "kai-scheduler",
                             "containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}}
        batch = {"apiVersion": "batch/v1", "kind": "Job",
                 "metadata": {"name": "bad", "labels": {"kai.scheduler/queue": "team"}},
                 "spec": {"parallelism": 2, "completions": 2, "backoffLimit": 1, "template": template}}
        outcome = self.play([node("n1", 8), queue("team"), batch])
        self.assertEqual([outcome["jobs"][0]["finished"], outcome["jobs"][0]["failed"]], [None, at(600)])
        self.assertEqual(self.queues["team"]["failed"], 1)


class WorkedExamples(TimeTest):
    """The examples of docs/spec/min-runtime.md and docs/spec/requeue.md, over time."""

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

    def test_an_overdue_job_runs_on_where_nobody_waits(self):
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

    def test_equals_take_turns_where_they_are_told_to(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
            config.write("actions: allocate, requeue\nactionArguments: {requeue: {contenders: scheduling-order}}\n")
            config.flush()
            cluster = [node("n1", 1), queue("team", 1)] + [
                self.opted_in(job(name, duration="2h", checkpoint_every="10m", created=i), "1h") for i, name in enumerate("ab")]
            lines = self.record(cluster, "idle", "--config", config.name)
        evictions = [(self.seconds(h["at"]), h["job"].removeprefix("default/")) for h in lines if h["kind"] == "evict"]
        self.assertEqual(evictions, [(3600, "a"), (7201, "b")])
        self.assertEqual([self.seconds(self.jobs[name]["finished"]) for name in "ab"], [7202 + 3600, 7202 + 7200])


class Refused(unittest.TestCase):
    def ask(self, *arguments):
        return subprocess.run([MUSTER, "simulate", *arguments], capture_output=True, text=True,
                              cwd=pathlib.Path(__file__).resolve().parents[2] / "examples")

    def test_what_makes_no_sense(self):
        for arguments, text in (
                (("tour", "--until", "tomorrow"), "neither a time"),
                (("tour", "--until", "-1h"), "negative"),
                (("tour", "--until", "2020-01-01T00:00:00Z", "--now", START), "lies before"),
                (("tour", "--until", "1h", "--cycles", "3"), "--cycles"),
                (("tour", "--seed", "1"), "--until"),
                (("tour", "--until", "1h", "--queue", "research"), "--queue: not with --until"),
                (("--replay", "x.jsonl", "--until", "1h"), "--replay"),
                (("tour", "--until", "1h", "--record", "/tmp/x", "--compare", "x.yaml"), "--record"),
                (("tour", "--until", "1h", "--period", "0s"), "--period"),
                (("tour", "--until", "7d", "--series", "1ms"), "--series"),
                ((), "FILE")):
            with self.subTest(arguments):
                ran = self.ask(*arguments)
                self.assertEqual(ran.returncode, 2, ran.stderr)
                self.assertIn(text, ran.stderr)

    def test_bad_steps_are_told_with_their_place(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write("apiVersion: muster.dev/v1\nkind: Step\nat: soon\ndrain: n1\n")
            file.flush()
            ran = self.ask("tour", file.name, "--until", "1h")
        self.assertEqual(ran.returncode, 1)
        self.assertIn(f"{file.name}:3: Step: at: \"soon\" is neither", ran.stderr)

    def test_a_record_is_replayed(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "run.jsonl")
            self.assertEqual(self.ask("tour", "--until", "1h", "--now", START, "--record", path).returncode, 0)
            ran = self.ask("--replay", path)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertIn("bind", ran.stdout)
        self.assertEqual(self.ask("--replay", "/does/not/exist").returncode, 3)


class Interrupted(unittest.TestCase):
    def test_a_run_that_is_cut_says_so(self):
        cluster = [node("n1", 1), queue("team")] + list(flat(job(f"j{i}", created=i, duration="1s") for i in range(20000)))
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write("\n".join(json.dumps(o) for o in cluster))
            file.flush()
            process = subprocess.Popen([MUSTER, "simulate", file.name, "--now", START, "--until", "100000d", "-o", "json",
                                        "--record", "/dev/stderr"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.addCleanup(process.kill)
            process.stderr.readline()
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        outcome = json.loads(output)
        self.assertTrue(outcome["cut"])
        self.assertLess(outcome["to"], "2298")


if __name__ == "__main__":
    unittest.main()
