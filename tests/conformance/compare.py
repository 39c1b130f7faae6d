"""Compares decisions round by round: reads what a program decided and finds the first difference from recorded answers.
"""
import manifests
import program
from program import Broken, need

KINDS = ("binds", "evictions", "pipelined")
MOST_SHOWN = 6


# ---------------------------------------------------------------------------------------------------------- reading
def ask(runner, case, count):
    """The decisions of the program on the cluster of the case, for each of `count` rounds."""
    answer = program.ask(runner, case, count)
    try:
        return decisions(answer["rounds"], case["cluster"])
    except (AttributeError, KeyError, TypeError) as error:
        raise Broken("unexpected output: %s: %s" % (type(error).__name__, error)) from error


def decisions(rounds, cluster):
    """Per round {binds, evictions, pipelined, groups}.

    evictions: only of pods that are on a node. KAI also "evicts" pending pods that it pipelined earlier in the same
    cycle; that changes nothing after settling and is left out on both sides.
    groups: GPU groups of bound pods; names not in the cluster become new1, new2 ... by round and pod name."""
    known = {group for job in cluster["jobs"] for pod in job["pods"] for group in pod.get("gpu_groups") or []}
    on_node, leaving, stays = pods_on_nodes(cluster)
    renamed = {}
    found = []
    for number, decided in enumerate(rounds, 1):
        answer = {"binds": binds(decided), "groups": groups(decided, known, renamed),
                  "pipelined": {event["pod"]: event["node"] for event in decided.get("pipelined") or []}}
        on_node |= set(answer["binds"])
        answer["evictions"] = sorted({event["pod"] for event in decided.get("evictions") or []} & on_node)
        on_node -= set(answer["evictions"]) - stays
        on_node -= set(answer["pipelined"])
        if number == 1:
            on_node -= leaving
        found.append(answer)
    return found


def pods_on_nodes(cluster):
    """(pods on a node, those of them that are gone after round 1, pods that stay on their node while they terminate)"""
    on_node, leaving, stays = set(), set(), set()
    for manifest in manifests.expand(cluster):
        if manifest["kind"] != "Pod":
            continue
        metadata = manifest["metadata"]
        name = "%s/%s" % (metadata["namespace"], metadata["name"])
        if metadata.get("annotations", {}).get(manifests.STAYS_TERMINATING) == "true":
            stays.add(name)
        if manifest["spec"].get("nodeName"):
            on_node.add(name)
            if "deletionTimestamp" in metadata:
                leaving.add(name)
    return on_node, leaving - stays, stays


def binds(decided):
    found = {}
    for event in decided.get("binds") or []:
        need(event["pod"] not in found, "pod %s bound twice in round %d" % (event["pod"], decided["cycle"]))
        found[event["pod"]] = event["node"]
    return found


def groups(decided, known, renamed):
    found = {}
    def by_name(group):
        return group not in known, renamed.get(group, ""), group
    for event in sorted(decided.get("binds") or [], key=lambda event: event["pod"]):
        names = sorted(event.get("gpuGroups") or [], key=by_name)
        for group in names:
            if group not in known:
                renamed.setdefault(group, "new%d" % (len(renamed) + 1))
        if names:
            found[event["pod"]] = sorted(renamed.get(group, group) for group in names)
    return found


# -------------------------------------------------------------------------------------------------------- comparing
def difference(want, got, check_groups=False, who=("KAI", "program")):
    """None, or (text, round, kinds) of the first round that differs."""
    for number, (theirs, ours) in enumerate(zip(want, got), 1):
        kinds = [kind for kind in KINDS if as_places(theirs[kind]) != as_places(ours[kind])]
        texts = ["%s:%s" % (kind, only_one(as_places(theirs[kind]), as_places(ours[kind]), who)) for kind in kinds]
        if not kinds and check_groups and theirs.get("groups", {}) != ours["groups"]:
            kinds = ["groups"]
            texts = ["gpu groups:%s" % only_one(theirs.get("groups", {}), ours["groups"], who)]
        if kinds:
            return "round %d: %s" % (number, "; ".join(texts)), number, kinds
    return None


def as_places(placed):
    """{pod: node}, also for a list of pods."""
    return placed if isinstance(placed, dict) else dict.fromkeys(placed, "")


def only_one(theirs, ours, who):
    """What only one of the two has."""
    text = ""
    for name, mine, other in ((who[0], theirs, ours), (who[1], ours, theirs)):
        only = [pod + ("@%s" % place if place else "") for pod, place in sorted(mine.items())
                if other.get(pod) != place]
        if only:
            text += " %s %s" % (name, " ".join(only[:MOST_SHOWN]))
            text += " (+%d)" % (len(only) - MOST_SHOWN) if len(only) > MOST_SHOWN else ""
    return text
