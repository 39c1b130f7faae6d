"""The case files: which exist, and how they are read and written. README.md describes the format."""
import dataclasses
import pathlib

import yaml

import keys
from text import LOADER, flow, line, lines_of, one_per_line

HERE = pathlib.Path(__file__).resolve().parent
KNOWN_DIFFERENCES = "known_differences.yaml"
CLUSTER_KEYS = ("now", "nodes", "topologies", "priorities", "default_priority", "queues", "jobs", "foreign_pods",
                "manifests")


@dataclasses.dataclass(frozen=True)
class Set:
    """A directory of cases: the defaults of its clusters, its configuration, the call of muster, and whether GPU groups
    are compared."""
    habits: str
    config: dict
    flags: tuple
    gpu_groups: bool = False


OF_TESTS = {"globalDefaultStalenessGracePeriod": "0s", "useSchedulingSignatures": False}
SETS = {
    "kai-tests": Set("kai-tests", {"params": OF_TESTS}, ("--kai-exact",)),
    "kai-decisions": Set("drawn", {}, ("--kai-exact",), gpu_groups=True),
    "mission": Set("mission", {"params": OF_TESTS, "plugins": "expectedruntime", "actions":
                               "allocate, consolidation, requeue, reclaim, preempt, stalegangeviction"}, ())}
DRAWN = SETS["kai-decisions"]


class BadCase(Exception):
    """A case file that does not follow the format, or a path without cases."""


def read_yaml(path):
    with open(path) as file:
        try:
            return yaml.load(file, LOADER)
        except yaml.YAMLError as error:
            raise BadCase("%s: %s" % (path, error)) from error


# ---------------------------------------------------------------------------------------------------------- finding
def set_of(path):
    """The name of the set that a path belongs to; nothing for other paths, such as the output of fuzz.py."""
    parts = pathlib.Path(path).resolve().parts
    return next((name for name in SETS if HERE.parts + (name,) == parts[:len(HERE.parts) + 1]), "")


def is_case(path):
    return path.suffix == ".yaml" and path.name != KNOWN_DIFFERENCES


def case_name(path):
    """The path below the directory of all sets, without the extension."""
    path = path.resolve()
    top = HERE if set_of(path) else path.parent.parent
    return str(path.relative_to(top).with_suffix(""))


def find(places):
    """The paths of all cases below the given files, directories or names of sets; by default of all sets."""
    found = []
    for place in places or SETS:
        path = HERE / place if not pathlib.Path(place).exists() and (HERE / place).exists() else pathlib.Path(place)
        below = [path] if path.is_file() else sorted(p for p in path.rglob("*.yaml") if is_case(p))
        if not below:
            raise BadCase("no case at %s" % place)
        found += below
    return found


# ---------------------------------------------------------------------------------------------------------- reading
def full_name(pod):
    return pod if "/" in pod else "default/" + pod


def short_name(pod):
    return pod.removeprefix("default/")


def full_pods(pods):
    """`pods` of a job: a number of pending pods, or for each pod its node, nothing (pending), or a mapping."""
    if isinstance(pods, int):
        return [{} for _ in range(pods)]
    return [{"node": p} if isinstance(p, str) else p or {} for p in pods]


def full_round(answer):
    """The decisions of a round, with every kind given and every pod with its namespace."""
    def named(kind):
        return {full_name(pod): value for pod, value in answer.get(kind, {}).items()}
    return {"binds": named("binds"), "evictions": [full_name(pod) for pod in answer.get("evictions", [])],
            "pipelined": named("pipelined"), "groups": named("groups")}


def about(path):
    """The comment that a case may begin with."""
    with open(path) as file:
        first = file.readline()
    return first[2:].strip() if first.startswith("# ") else ""


def read(path):
    """A case: the keys of its file, with its cluster under `cluster`, and with names and defaults filled in."""
    path = pathlib.Path(path)
    case = read_yaml(path)
    if not isinstance(case, dict) or not {"nodes", "queues", "jobs"} <= set(case):
        raise BadCase("%s: a case needs nodes, queues and jobs" % path)
    problem = keys.unknown(case)
    if problem:
        raise BadCase("%s: %s" % (path, problem))
    case["cluster"] = {key: case.pop(key) for key in CLUSTER_KEYS if key in case}
    for job in case["cluster"]["jobs"]:
        job["pods"] = full_pods(job["pods"])
    case.setdefault("config", {})
    case.setdefault("tags", [])
    if "rounds" in case:
        case["rounds"] = [full_round(r) for r in case["rounds"]]
    elif "expect" not in case:
        raise BadCase("%s: neither expect nor rounds" % path)
    case["about"], case["set"], case["name"] = about(path), set_of(path), case_name(path)
    return case


def set_for(case):
    return SETS.get(case.get("set"), DRAWN)


# ---------------------------------------------------------------------------------------------------------- writing
def short_pods(pods):
    if not any(pods):
        return len(pods)
    return [p["node"] if list(p) == ["node"] else p or None for p in pods]


def short_round(answer):
    def named(kind):
        return {short_name(pod): value for pod, value in answer.get(kind, {}).items()}
    kinds = {"binds": named("binds"), "evictions": [short_name(p) for p in answer.get("evictions", [])],
             "pipelined": named("pipelined"), "groups": named("groups")}
    return {kind: value for kind, value in kinds.items() if value}


def rounds_text(rounds):
    text = "rounds:\n" if rounds else "rounds: []\n"
    for answer in map(short_round, rounds):
        lines = [lines_of("  %s: %s" % (kind, flow(value)), 4) for kind, value in answer.items()]
        text += "-" + "".join(lines)[1:] if lines else "- {}\n"
    return text


def cluster_text(cluster):
    text = ""
    for key in CLUSTER_KEYS:
        if key == "jobs":
            text += one_per_line("jobs", [dict(j, pods=short_pods(j["pods"])) for j in cluster["jobs"]])
        elif isinstance(cluster.get(key), list):
            text += one_per_line(key, cluster[key])
        elif key in cluster:
            text += line(key, cluster[key])
    return text


def drawn_text(case):
    """A generated cluster with recorded answers, as a case file."""
    head = {key: value for key, value in case.items()
            if key in ("tags", "answer_of", "difference", "groups_stable", "config")}
    text = "".join(line(key, value) for key, value in head.items() if value not in ([], {}))
    text += cluster_text(case["cluster"]) + rounds_text(case["rounds"])
    if "fairshare" in case:
        text += line("fairshare", case["fairshare"])
    if "program" in case:
        text += rounds_text(case["program"]).replace("rounds:", "program:", 1)
    return text
