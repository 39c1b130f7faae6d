"""Clusters over simulated time for tests of `muster simulate --until`: builders of objects, a run, and checks of every
run.

MUSTER names the program.
"""
import calendar
import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

MUSTER = os.environ["MUSTER"]
START = "2025-06-01T12:00:00Z"
HOUR = 3600


def at(seconds):
    """This long after the start, as RFC 3339."""
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
            run, *lines = [json.loads(line) for line in pathlib.Path(file.name).read_text().splitlines()]
            self.assertEqual((run["kind"], run["at"]), ("run", START))
            return lines

    @staticmethod
    def seconds(instant):
        whole, _, fraction = instant.rstrip("Z").partition(".")
        return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) - 1748779200 + float("0." + (fraction or "0"))
