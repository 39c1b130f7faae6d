"""Checks on random clusters of all profiles that the changes that `muster explain` proposes help, and that the
predictions of `muster what-if` come true: makes each change in the files and runs `muster simulate` on them.

MUSTER names the program, ANSWERS_CLUSTERS the number of clusters (default 300), ANSWERS_FIRST the first one (default 0).
"""
import concurrent.futures
import copy
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "conformance"))

import cases  # noqa: E402
import configuration  # noqa: E402
import gen  # noqa: E402
import manifests  # noqa: E402
import program  # noqa: E402

MUSTER = os.environ["MUSTER"]
CLUSTERS = int(os.environ.get("ANSWERS_CLUSTERS", "300"))
FIRST = int(os.environ.get("ANSWERS_FIRST", "0"))
CYCLES = 20  # cycles until a cluster must be settled
JOBS_PER_CLUSTER = 2
MOST_SMALLER = 6  # smaller amounts that are tried: all of them, or this many
FIELDS = {"queueQuota": "quota", "queueLimit": "limit", "queueWeight": "overQuotaWeight"}
UNITS = {"gpu": 1, "cpu": 1000, "memory": 1000}  # of queues, in GPUs, cores, GB
GPU = "nvidia.com/gpu"
OF_GROUPS = ("jobPriority", "jobPreemptibility", "jobMinimum", "topologyLevel")


class Cluster:
    """The files of a random cluster, and what the program reports about them."""

    def __init__(self, case):
        self.case, self.now = case, program.now_of(case)
        settings = cases.set_for(case)
        self.documents = manifests.expand(case["cluster"], settings.habits)
        self.config = configuration.expand(case["config"], settings.config)

    def with_documents(self, documents, now=None):
        other = copy.copy(self)
        other.documents, other.now = documents, now or self.now
        return other

    def run(self, command, *arguments, exits=(0,)):
        with tempfile.TemporaryDirectory(prefix="answers.") as folder:
            cluster, config = os.path.join(folder, "cluster.yaml"), os.path.join(folder, "config.yaml")
            with open(cluster, "w") as file:
                json.dump({"apiVersion": "v1", "kind": "List", "items": self.documents}, file)
            with open(config, "w") as file:
                yaml.dump(self.config, file)
            flag = "--current-config" if command == "what-if" else "--config"
            words = [MUSTER, command, *arguments[:1 if command == "explain" else 0], cluster, flag, config, "--now", self.now,
                     "-o", "json", *arguments[1 if command == "explain" else 0:]]
            done = subprocess.run(words, capture_output=True, timeout=300)
        if done.returncode not in exits:
            raise AssertionError("%s\nexit %d: %s" % (" ".join(words), done.returncode, done.stderr.decode()))
        return json.loads(done.stdout)

    def rest(self):
        """Jobs that run in the end, and jobs that lost a pod by a decision."""
        result = self.run("simulate", "--cycles", str(CYCLES))
        group = {pod["name"]: pod["name"].split("/")[0] + "/" + pod["podGroup"] for pod in result["pods"]}
        evicted = {group[e["pod"]] for r in result["rounds"] for e in r["evictions"] if e["pod"] in group}
        return {job["name"] for job in result["jobs"] if job["status"] == "Running"}, evicted, result


def is_named(document, kind, name):
    meta = document["metadata"]
    full = meta["name"] if kind in ("Queue", "Node") else meta.get("namespace", "default") + "/" + meta["name"]
    return document["kind"] == kind and full == name


def waiting_pods(documents, job):
    namespace, name = job.split("/")
    for d in documents:
        meta = d["metadata"]
        if d["kind"] == "Pod" and meta.get("namespace", "default") == namespace and \
                meta.get("annotations", {}).get("pod-group-name") == name and \
                not d["spec"].get("nodeName") and not meta.get("deletionTimestamp") and \
                d.get("status", {}).get("phase", "Pending") == "Pending":
            yield d


def change_pod(pod, change):
    spec = pod["spec"]
    if change["kind"] == "podSize":
        for container in spec["containers"]:
            for amounts in container.get("resources", {}).values():
                if GPU in amounts:
                    amounts[GPU] = str(change["to"])
    elif change["kind"] == "nodeLabel":
        key = change["from"].split("=")[0]
        del spec["nodeSelector"][key]
        if change["to"]:
            spec["nodeSelector"][key] = change["to"].split("=", 1)[1]
    else:
        pair, effect = change["to"].rsplit(":", 1)
        key, _, value = pair.partition("=")
        spec.setdefault("tolerations", []).append({"key": key, "operator": "Equal", "value": value, "effect": effect})


def added_nodes(documents, like, count):
    model = next(d for d in documents if is_named(d, "Node", like))
    for number in range(1, count + 1):
        node = copy.deepcopy(model)
        name = node["metadata"]["name"] = "%s-new-%d" % (like, number)
        if "kubernetes.io/hostname" in node["metadata"].get("labels", {}):
            node["metadata"]["labels"]["kubernetes.io/hostname"] = name
        node["metadata"].pop("uid", None)
        node.get("spec", {}).pop("unschedulable", None)
        node["status"].pop("conditions", None)
        yield node


def without_node(documents, node):
    """The pods of the node are pending again, created anew by their owners; pods without owners are gone."""
    for d in documents:
        if d["kind"] != "Pod" or d["spec"].get("nodeName") != node or d.get("status", {}).get("phase") in ("Succeeded", "Failed"):
            yield d
        elif d["metadata"].get("annotations", {}).get("pod-group-name"):
            del d["spec"]["nodeName"]
            d["status"] = {"phase": "Pending"}
            d["metadata"].pop("deletionTimestamp", None)
            labels = d["metadata"].get("labels", {})
            d["metadata"]["labels"] = {k: v for k, v in labels.items() if not k.startswith("runai-gpu-group")}
            yield d


def changed(cluster, change):
    """The cluster with the change made in its files."""
    documents, kind, target, to = copy.deepcopy(cluster.documents), change["kind"], change["target"], change.get("to")
    if kind in ("drainNode", "removeNode"):
        documents = list(without_node(documents, target))
        if kind == "removeNode":
            return cluster.with_documents([d for d in documents if not is_named(d, "Node", target)])
        next(d for d in documents if is_named(d, "Node", target)).setdefault("spec", {})["unschedulable"] = True
        return cluster.with_documents(documents)
    if kind == "deleteJob":
        name = target.split("/")[1]
        return cluster.with_documents(
            [d for d in documents if not is_named(d, "PodGroup", target) and
             not (d["kind"] == "Pod" and d["metadata"].get("annotations", {}).get("pod-group-name") == name)])
    if kind == "time":
        return cluster.with_documents(documents, to)
    if kind == "addNodes":
        return cluster.with_documents(documents + list(added_nodes(documents, target, to)))
    if kind in ("podSize", "nodeLabel", "toleration"):
        for pod in waiting_pods(documents, target):
            change_pod(pod, change)
        return cluster.with_documents(documents)
    spec = next(d["spec"] for d in documents if is_named(d, "Queue" if kind.startswith("queue") else "PodGroup", target))
    if kind in FIELDS:
        unit = 1 if kind == "queueWeight" else UNITS[change["resource"]]
        spec.setdefault("resources", {}).setdefault(change["resource"], {})[FIELDS[kind]] = to * unit
    elif kind == "queuePriority":
        spec["priority"] = to
    elif kind == "jobPriority":
        spec["priorityClassName"] = to
    elif kind == "jobPreemptibility":
        spec["preemptibility"] = to
    elif kind == "jobMinimum":
        spec["minMember"] = to
    elif kind == "topologyLevel":
        if to:
            spec["topologyConstraint"]["requiredTopologyLevel"] = to
        else:
            del spec["topologyConstraint"]["requiredTopologyLevel"]
            if not spec["topologyConstraint"].get("preferredTopologyLevel"):
                del spec["topologyConstraint"]
    else:
        raise AssertionError("no such kind of change: " + kind)
    return cluster.with_documents(documents)


def smaller(change, draw):
    """Smaller amounts of the same change."""
    kind, to = change["kind"], change["to"]
    if kind == "addNodes":
        amounts = range(1, to)
    elif kind in FIELDS:
        amounts = range(int(change["from"] // 1) + 1, to)
    elif kind in ("jobMinimum", "podSize"):
        amounts = range(to + 1, change["from"])
    else:
        return []
    return [dict(change, to=a) for a in (amounts if len(amounts) <= MOST_SMALLER else draw.sample(amounts, MOST_SMALLER))]


def check_helps(cluster, job, stands, evicted, draw):
    """What is wrong with the answer about one pending job, and how many changes were replayed."""
    answer = cluster.run("explain", job)
    problems = []
    for help_ in answer.get("wouldHelp", []):
        change = help_["change"]
        if change["kind"] in OF_GROUPS and not any(is_named(d, "PodGroup", job) for d in cluster.documents):
            continue  # created by the pod grouper: there is no object to change
        after, lost, _ = changed(cluster, change).rest()
        if job not in after:
            problems.append("%s: does not help: %s" % (job, change))
        if set(help_["evicts"]) != lost - evicted - {job}:
            problems.append("%s: %s: evicts %s, not %s" % (job, change, sorted(lost - evicted - {job}), help_["evicts"]))
        if set(help_["delays"]) != stands - after - set(help_["evicts"]) - {job}:
            problems.append("%s: %s: delays %s, not %s" % (job, change, sorted(stands - after), help_["delays"]))
        for less in smaller(change, draw):
            if job in changed(cluster, less).rest()[0]:
                problems.append("%s: %s is more than needed: %s" % (job, change, less["to"]))
    return problems, len(answer.get("wouldHelp", []))


def check_what_if(cluster, words, change):
    """What is wrong with the answer about one change."""
    before, evicted_before, _ = cluster.rest()
    after, evicted_after, result = changed(cluster, change).rest()
    answer = cluster.run("what-if", *words)
    expected = {"placed": after - before, "evicted": evicted_after - evicted_before,
                "stillWaiting": {j["name"] for j in result["jobs"] if j["reasons"]}}
    got = {"placed": set(answer["placed"]), "evicted": set(answer["evicted"]),
           "stillWaiting": {w["job"] for w in answer["stillWaiting"] if w["reasons"]}}
    return ["%s: %s" % (" ".join(words), [(k, sorted(expected[k] ^ got[k])) for k in got if got[k] != expected[k]])] \
        if got != expected else []


def some_setting(cluster, draw):
    """A change of a queue or job, as written on the command line and in the files."""
    queues = [d for d in cluster.documents if d["kind"] == "Queue" and d["spec"].get("resources")]
    groups = [d for d in cluster.documents if d["kind"] == "PodGroup" and not d["spec"].get("subGroups")]
    if groups and draw.random() < 0.4:
        name = "default/" + draw.choice(groups)["metadata"]["name"]
        kind, field, to = draw.choice([("jobPriority", "priority", "build"), ("jobMinimum", "minMember", 1),
                                       ("jobPreemptibility", "preemptibility", "preemptible")])
        if kind == "jobPriority" and not any(is_named(d, "PriorityClass", "default/build") for d in cluster.documents):
            kind, field, to = "jobMinimum", "minMember", 1
        return ["--set", "job/%s.%s=%s" % (name, field, to)], {"kind": kind, "target": name, "to": to}
    name = draw.choice(queues)["metadata"]["name"]
    kind = draw.choice(sorted(FIELDS))
    to = draw.choice([0, 1, 2, 5, 20])
    return ["--set", "queue/%s.gpu.%s=%d" % (name, FIELDS[kind], to)], \
        {"kind": kind, "target": name, "resource": "gpu", "to": to}


def some_other_change(cluster, draw):
    """Adds or removes a node, deletes a job, or changes the priority of a queue; None if there is nothing to change."""
    named = lambda kind: [d["metadata"]["name"] for d in cluster.documents if d["kind"] == kind]
    kind = draw.choice(["drainNode", "removeNode", "addNodes", "deleteJob", "queuePriority"])
    names = named({"deleteJob": "PodGroup", "queuePriority": "Queue"}.get(kind, "Node"))
    if not names:
        return None
    name = draw.choice(names)
    if kind == "addNodes":
        return ["--add", "2:like=" + name], {"kind": kind, "target": name, "to": 2}
    if kind == "deleteJob":
        return ["--delete", "job/default/" + name], {"kind": kind, "target": "default/" + name}
    if kind == "queuePriority":
        return ["--set", "queue/%s.priority=500" % name], {"kind": kind, "target": name, "to": 500}
    return ["--drain" if kind == "drainNode" else "--remove", name], {"kind": kind, "target": name}


def check_cluster(number):
    profiles = sorted(gen.PROFILES)
    case = gen.generate(gen.FIRST_SEED + number, profiles[number % len(profiles)])
    draw, cluster = random.Random(number), Cluster(case)
    stands, evicted, result = cluster.rest()
    waiting = [j["name"] for j in result["jobs"] if j["name"] not in stands and j["reasons"]]
    problems, tried = [], 0
    for job in draw.sample(waiting, min(len(waiting), JOBS_PER_CLUSTER)):
        found, count = check_helps(cluster, job, stands, evicted, draw)
        problems += found
        tried += count
    problems += check_what_if(cluster, *some_setting(cluster, draw))
    if other := some_other_change(cluster, draw):
        problems += check_what_if(cluster, *other)
    return ["%s %d: %s" % (case["profile"], case["seed"], p) for p in problems], tried


class Answers(unittest.TestCase):
    maxDiff = None

    def test_are_true_of_random_clusters(self):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(check_cluster, range(FIRST, FIRST + CLUSTERS)))
        self.assertEqual([p for problems, _ in results for p in problems], [])
        self.assertGreater(sum(tried for _, tried in results), CLUSTERS // 2, "too few changes were tried")


if __name__ == "__main__":
    unittest.main()
