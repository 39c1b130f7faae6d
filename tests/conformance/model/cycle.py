"""Whole cycles: the decisions of a round, and the cluster of the next round (README.md, "Settling").
"""
import copy

from .actions import run_actions
from .options import Options, Trace
from .session import Session

NAMESPACE = "default/"


def run_rounds(cluster, config, rounds, options=Options(), trace=Trace()):
    """Decisions per round: {binds: {pod: node}, evictions: [pod],
    pipelined: {pod: node}}.  Raises OutsideModel."""
    answers = []
    for number in range(1, rounds + 1):
        trace(0, "===== round %d", number)
        session = Session(cluster, config, options, trace)
        on_node = {t.name for j in session.jobs for t in j.tasks
                   if t.status in ("Running", "Bound")}
        run_actions(session)
        answers.append(_decisions(session, on_node))
        cluster = settle(cluster, session, number)
    return answers


def _decisions(session, on_node):
    pipelined = {NAMESPACE + t.name: t.node for j in session.jobs
                 for t in j.tasks if t.status == "Pipelined"}
    # a pod that was only pipelined earlier in the cycle leaves no eviction
    evictions = {NAMESPACE + t.name for t, _action in session.evictions
                 if t.name in on_node or t.name in session.binds}
    return {"binds": {NAMESPACE + name: node
                      for name, node in session.binds.items()},
            "evictions": sorted(evictions), "pipelined": pipelined}


def settle(cluster, session, number):
    """The short form of the cluster after the round."""
    cluster = copy.deepcopy(cluster)
    tasks = {t.name: t for j in session.jobs for t in j.tasks}
    for raw in cluster["jobs"]:
        job = session.cluster.job_named[raw["name"]]
        if job.last_start is not None:
            raw["last_start"] = job.last_start
        if job.last_eviction is not None:
            raw["last_eviction"] = job.last_eviction
        raw.pop("stale", None)
        if job.stale_since is not None:
            raw["stale"] = job.stale_since
        for i, pod in enumerate(raw["pods"]):
            task = tasks.get("%s-%d" % (raw["name"], i))
            if task is not None:
                _settle_pod(pod, task, raw.get("stays_terminating"), number)
    if cluster.get("foreign_pods"):
        cluster["foreign_pods"] = [x for x in cluster["foreign_pods"] if x.get("state") != "terminating"]
    return cluster


def _settle_pod(pod, task, stays_terminating, number):
    if task.status == "Binding":
        pod["node"] = task.node
        pod.pop("state", None)
        if task.groups:
            pod["gpu_groups"] = ["r%d-%s" % (number, g) if g.startswith("fresh")
                          else g for g in task.groups]
    elif task.status == "Releasing" and stays_terminating:
        pod["state"] = "terminating"
    elif task.status in ("Releasing", "Pipelined"):
        for key in ("node", "gpu_groups", "state"):
            pod.pop(key, None)
