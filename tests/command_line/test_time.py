"""muster simulate --until as a process: the time of events, the figures, and the output.

MUSTER names the program.
"""
import json
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import unittest

from timed import HOUR, MUSTER, START, TimeTest, at, flat, job, node, pod, queue, step


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

    def test_a_job_that_worked_before_the_run_has_no_slowdown_below_1(self):
        self.play([node("n1", 1), queue("team"), job("a", created=-HOUR, where="n1", duration="5m")])
        self.assertEqual(self.queues["team"]["slowdown"], {"p50": 1, "p95": 1})

    def test_times_that_cannot_be_counted_are_refused(self):
        self.play([node("n1", 1), queue("team"), job("a", duration="876601h")], "1h")
        self.assertIn('"876601h" is longer than 100 years', self.stderr)
        late = job("late", duration="1h")
        late[0]["metadata"]["creationTimestamp"] = late[1]["metadata"]["creationTimestamp"] = "9999-12-01T00:00:00Z"
        ran = self.run_muster([node("n1", 1), queue("team"), late], "--until", "idle")
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertIn("more than 290 years cannot be simulated", ran.stderr)

    def test_no_cycle_is_run_for_nothing(self):
        outcome = self.play([node("n1", 1), queue("team"), job("a", duration="1h")])
        self.assertEqual(outcome["cycles"], 2)
        outcome = self.play([node("n1", 1), queue("team"), job("a"), job("b")], "30d")
        self.assertLessEqual(outcome["cycles"], 2)

    def test_jobs_that_fit_alone_start_in_the_end(self):
        """Each of three queues has a gang that takes half or all of the nodes, and a job that takes one."""
        for nodes, pods in ((2, 2), (8, 4)):
            cluster = [node(f"n{i}") for i in range(nodes)] + [queue(f"q{i}") for i in range(3)]
            for i in range(3):
                cluster += job(f"gang{i}", f"q{i}", pods, 8, duration="100s")
                cluster += job(f"small{i}", f"q{i}", 1, 8, duration="100s")
            self.play(cluster)
            self.assertTrue(all(j["finished"] for j in self.jobs.values()), nodes)

    def test_a_run_ends_when_it_is_told_to(self):
        for until in ("2h", at(2 * HOUR)):
            outcome = self.play([node("n1", 1), queue("team"), job("a"), job("late", created=3 * HOUR)], until)
            self.assertEqual(outcome["to"], at(2 * HOUR))
            self.assertEqual(list(self.jobs), ["a"])
            self.assertIsNone(self.jobs["a"]["finished"])

    def test_a_job_that_never_starts_is_reported_with_its_reason(self):
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

    def test_a_gang_of_which_a_pod_finished_starts_again(self):
        gang = job("a", pods=2)
        for each, duration in zip(gang[1:], ("10m", "30m")):
            each["metadata"]["annotations"]["muster.dev/duration"] = duration
        cluster = [node("n1", 2), node("n2", 2), queue("team"), gang, step("20m", drain="n1")]
        self.play(cluster)
        self.assertEqual([self.jobs["a"]["finished"], self.jobs["a"]["lostGpuSeconds"]], [at(1200 + 1800), 1200])
        self.play(cluster, "idle", "--kai-exact")
        self.assertIsNone(self.jobs["a"]["finished"])

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

    def test_what_a_step_failed_comes_back_by_a_step_alone(self):
        lines = self.record([node("n1", 1), queue("team"), job("a", duration="4d", checkpoint_every="1h"), step("20h", fail="n1"),
                             step("3d", repair="n1")], "5d", "--node-mtbf", "10h", "--node-mttr", "1h")
        acts = [(h["at"], h["action"]) for h in lines if h["kind"] == "node"]
        self.assertEqual([a for a in acts if at(20 * HOUR) <= a[0] <= at(72 * HOUR)],
                         [(at(20 * HOUR), "fail"), (at(72 * HOUR), "repair")])
        self.assertIn("fail", [action for when, action in acts if when < at(20 * HOUR)])
        self.assertIn("fail", [action for when, action in acts if when > at(72 * HOUR)])

    def test_a_node_that_comes_again_fails_no_more_often(self):
        def failures(*steps):
            lines = self.record([node("n1", 1), queue("team"), *steps], "400d", "--node-mtbf", "10d", "--node-mttr", "1s")
            return len([h for h in lines if h["kind"] == "node" and h["action"] == "fail"])
        again = [s for day in range(1, 9) for s in (step(f"{day}h", remove="n1"), step(f"{day}h", apply=node("n1", 1)))]
        self.assertLess(failures(*again), 1.5 * failures())

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

    def test_random_time_without_work_is_cycles(self):
        for seed in range(10):
            dice = random.Random(seed)
            cluster = [node(f"n{i}", 8) for i in range(3)] + [queue(f"q{i}", dice.choice((0, 4, 8))) for i in range(3)]
            for i in range(12):
                pods = dice.choice((1, 1, 2, 4))
                cluster += job(f"j{i}", f"q{dice.randrange(3)}", pods, dice.choice((1, 2, 4, 8)), created=-i,
                               least=dice.choice((1, pods)))
            lines = self.record(cluster)
            ran = self.run_muster(cluster, "--cycles", str(self.outcome["cycles"] + 3), "--interval", "1s", "-o", "json")
            rounds = json.loads(ran.stdout)["rounds"]
            for kind, decisions in (("bind", "binds"), ("evict", "evictions")):
                self.assertEqual([h["pod"] for h in lines if h["kind"] == kind],
                                 [d["pod"] for r in rounds for d in r[decisions]], f"seed {seed}")

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

    def test_what_is_noticed_about_files_is_said_once_however_many_are_compared(self):
        twice = [node("n1", 1), queue("team"), queue("team"), job("a", duration="1h")]
        ran = self.run_muster(twice, "--until", "idle", "--compare", "/dev/null", "/dev/null", "/dev/null")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(ran.stderr.count("is already defined"), 1)


class Workloads(TimeTest):
    """Objects that controllers create over time."""

    @staticmethod
    def template(annotations=None, **spec):
        return {"metadata": {"annotations": annotations or {}},
                "spec": {"schedulerName": "kai-scheduler", **spec,
                         "containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}}

    @staticmethod
    def workload(kind, name, spec, api_version="batch/v1", duration=None):
        annotations = {"muster.dev/duration": duration} if duration else {}
        return {"apiVersion": api_version, "kind": kind, "spec": spec,
                "metadata": {"name": name, "labels": {"kai.scheduler/queue": "team"}, "annotations": annotations}}

    def nightly(self, schedule, zone=None):
        once = self.workload("Job", "once", {"template": self.template()}, duration="1h")
        spec = {"schedule": schedule, "jobTemplate": {"metadata": once["metadata"], "spec": once["spec"]}}
        if zone:
            spec["timeZone"] = zone
        return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "nightly"}, "spec": spec}

    def test_a_job_makes_pods_up_to_its_completions(self):
        many = self.workload("Job", "many", {"parallelism": 2, "completions": 5, "template": self.template()}, duration="1h")
        lines = self.record([node("n1", 8), queue("team"), many])
        starts = [(h["pod"], h["at"]) for h in lines if h["kind"] == "start"]
        self.assertEqual(starts, [("default/many-0", at(0)), ("default/many-1", at(0)), ("default/many-2", at(HOUR)),
                                  ("default/many-3", at(HOUR)), ("default/many-4", at(2 * HOUR))])
        self.assertEqual(self.outcome["jobs"][0]["finished"], at(3 * HOUR))

    def test_the_schedule_of_a_cron_job_runs(self):
        outcome = self.play([node("n1", 8), queue("team"), self.nightly("30 * * * *")], "3h")
        self.assertEqual([j["submitted"] for j in outcome["jobs"]], [at(1800), at(5400), at(9000)])
        self.assertEqual([j["runSeconds"] for j in outcome["jobs"]], [3600, 3600, 1800])

    def test_the_schedule_of_a_cron_job_is_of_its_zone(self):
        for zone, hour in ((None, 3), ("Etc/UTC", 3), ("Europe/Berlin", 1), ("America/New_York", 7), ("Asia/Kolkata", 21.5)):
            with self.subTest(zone):
                outcome = self.play([node("n1", 8), queue("team"), self.nightly("0 15 * * *", zone)], "1d")
                self.assertEqual([j["submitted"] for j in outcome["jobs"]], [at(hour * HOUR)])
                self.assertNotIn("timeZone", self.stderr)
        self.play([node("n1", 8), queue("team"), self.nightly("0 15 * * *", "Mars/Olympus")], "1d")
        self.assertIn('spec.timeZone: "Mars/Olympus" is unknown', self.stderr)

    def test_an_hour_that_occurs_twice_has_all_runs_of_a_cron_job_twice(self):
        when_summer_time_ends = 146 * 24 * HOUR + 12 * HOUR  # 2025-10-26T00:00:00Z
        half_past = [at(when_summer_time_ends + 1800 + i * HOUR) for i in range(2)]
        for schedule, expected in (("30 2 26 10 *", half_past), ("30 3 26 10 *", [at(when_summer_time_ends + 2.5 * HOUR)]),
                                   ("0 * 26 10 *", [at(when_summer_time_ends + (i - 2) * HOUR) for i in range(25)])):
            with self.subTest(schedule):
                outcome = self.play([node("n1", 8), queue("team"), self.nightly(schedule, "Europe/Berlin")], "150d")
                self.assertEqual([j["submitted"] for j in outcome["jobs"]], expected)

    def test_a_stateful_set_comes_in_order_and_is_scaled(self):
        stateful = self.workload("StatefulSet", "web", {"replicas": 3, "template": self.template()}, "apps/v1")
        lines = self.record([node("n1", 8), queue("team"), stateful, step("1h", scale={"workload": "web", "replicas": 1})],
                            "2h", "--start-delay", "10s")
        self.assertEqual([(h["pod"], h["at"]) for h in lines if h["kind"] == "start"],
                         [("default/web-0", at(10)), ("default/web-1", at(20)), ("default/web-2", at(30))])
        self.assertEqual(self.outcome["cluster"]["gpuSeconds"]["used"], 3600 + 3590 + 3580 + 3600)

    def test_a_stateful_set_comes_in_order_though_pods_start_at_once(self):
        web = self.workload("StatefulSet", "web", {"replicas": 3, "template": self.template()}, "apps/v1")
        lines = self.record([node("n1", 8), queue("team"), web])
        self.assertEqual([(h["pod"], self.seconds(h["at"])) for h in lines if h["kind"] == "start"],
                         [("default/web-0", 0), ("default/web-1", 1), ("default/web-2", 2)])

    def test_workloads_are_deleted_with_all_their_pods(self):
        for kind, version in (("Deployment", "apps/v1"), ("ReplicaSet", "apps/v1"), ("StatefulSet", "apps/v1"), ("Job", "batch/v1")):
            with self.subTest(kind):
                web = self.workload(kind, "web", {"replicas": 3, "parallelism": 3, "podManagementPolicy": "Parallel",
                                                  "template": self.template()}, version)
                outcome = self.play([node("n1", 8), queue("team", 8), web, step("1h", delete={"kind": kind, "name": "web"})], "2h")
                self.assertEqual(outcome["cluster"]["gpuSeconds"]["used"], 3 * HOUR)

    def test_a_workload_that_is_applied_again_gets_or_loses_pods(self):
        webs = [self.workload("Deployment", "web", {"replicas": n, "template": self.template()}, "apps/v1") for n in (2, 1, 5)]
        outcome = self.play([node("n1", 8), queue("team", 8), webs[0], step("1h", apply=webs[1]), step("2h", apply=webs[2])], "3h")
        self.assertEqual(outcome["cluster"]["gpuSeconds"]["used"], (2 + 1 + 5) * HOUR)

    def test_a_deployment_goes_on_when_pods_of_it_end(self):
        web = self.workload("Deployment", "web", {"replicas": 2, "template": self.template({"muster.dev/duration": "30m"})}, "apps/v1")
        outcome = self.play([node("n1", 8), queue("team", 8), web, step("1h", scale={"workload": "web", "replicas": 3})])
        self.assertEqual(outcome["cluster"]["gpuSeconds"]["used"], (2 + 3) * HOUR / 2)

    def test_a_ray_cluster_is_a_gang_of_groups(self):
        ray = self.workload("RayCluster", "ray", {"headGroupSpec": {"template": self.template()}, "workerGroupSpecs": [
            {"groupName": "small", "replicas": 3, "minReplicas": 2, "template": self.template()}]}, "ray.io/v1", "1h")
        self.play([node("n1", 2), queue("team"), ray, step("10m", apply=node("n2", 2))])
        ray = self.jobs["pg-ray-raycluster.ray.io"]
        self.assertEqual([ray["firstStart"], ray["finished"], ray["usedGpuSeconds"]], [at(600), at(600 + HOUR), 4 * HOUR])

    def test_a_job_that_fails_too_often_gives_up(self):
        failing = self.template({"muster.dev/duration": "1h", "muster.dev/fails-after": "10m"})
        for created in (0, 300):
            with self.subTest(created=created):
                bad = self.workload("Job", "bad", {"parallelism": 2, "completions": 2, "backoffLimit": 1, "template": failing})
                bad["metadata"]["creationTimestamp"] = at(created)
                outcome = self.play([node("n1", 8), queue("team"), bad])
                self.assertEqual([outcome["jobs"][0]["finished"], outcome["jobs"][0]["failed"]], [None, at(created + 600)])
                self.assertEqual(self.queues["team"]["failed"], 1)

    def test_limits_and_runtime_classes_reach_pods_that_come_later(self):
        range_ = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "range", "namespace": "default"},
                  "spec": {"limits": [{"type": "Container", "defaultRequest": {"cpu": "32"}, "default": {"cpu": "32"}}]}}
        kata = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "kata"}, "handler": "kata",
                "overhead": {"podFixed": {"cpu": "32"}}}
        for rule, spec in ((range_, {}), (kata, {"runtimeClassName": "kata"})):
            with self.subTest(rule["kind"]):
                late = self.workload("Job", "late", {"parallelism": 3, "completions": 3, "template": self.template(**spec)},
                                     duration="1h")
                outcome = self.play([node("n1", 8), queue("team"), rule, step("10m", apply=late)])
                self.assertEqual(outcome["jobs"][0]["finished"], at(600 + 2 * HOUR))  # two of 64 CPUs at a time

    def test_shipped_classes_apply_to_later_jobs(self):
        low, high = job("low", created=60, duration="1h"), job("high", created=61, duration="1h", priority="inference")
        high[0]["spec"]["preemptibility"] = "preemptible"
        self.play([node("n1", 1), queue("team"), job("first", duration="30m"), low, high])
        self.assertEqual(self.jobs["high"]["firstStart"], at(61 + 1))  # evicts instead of waiting


class Refused(unittest.TestCase):
    def ask(self, *arguments):
        return subprocess.run([MUSTER, "simulate", *arguments], capture_output=True, text=True,
                              cwd=pathlib.Path(__file__).resolve().parents[2] / "examples")

    def test_what_makes_no_sense(self):
        for arguments, text in (
                (("tour", "--until", "tomorrow"), "neither a timestamp"),
                (("tour", "--until", "-1h"), "negative"),
                (("tour", "--until", "2020-01-01T00:00:00Z", "--now", START), "is before --now"),
                (("tour", "--until", "1h", "--cycles", "3"), "--cycles"),
                (("tour", "--seed", "1"), "--until"),
                (("tour", "--until", "1h", "--queue", "research"), "--queue cannot be combined with --until"),
                (("--replay", "x.jsonl", "--until", "1h"), "--replay"),
                (("tour", "--until", "1h", "--record", "/tmp/x", "--compare", "x.yaml"), "--record"),
                (("tour", "--until", "1h", "--period", "0s"), "--period"),
                (("tour", "--until", "7d", "--series", "1ms"), "--series"),
                (("tour", "--until", "9000-01-01T00:00:00Z", "--now", START), "--until: more than 290 years"),
                (("-", "--until", "1h", "--compare", "x.yaml"), "standard input can be read only once"),
                (("tour", "--trace", "-", "--until", "1h", "--compare", "x.yaml"), "standard input can be read only once"),
                ((), "FILE")):
            with self.subTest(arguments):
                ran = self.ask(*arguments)
                self.assertEqual(ran.returncode, 2, ran.stderr)
                self.assertIn(text, ran.stderr)

    def test_bad_steps_are_reported_with_their_position(self):
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
