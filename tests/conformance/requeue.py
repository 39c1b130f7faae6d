"""Compares what a program reports besides placements: annotations that it writes, and nominations for requeue."""
import re
from datetime import datetime

import cases
import manifests
from placement import Mismatch
from program import need

TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)", re.IGNORECASE)
NOT_COMPARED = ": what it says cannot be compared (--no-annotations leaves that out)"


def instant(text):
    """An RFC 3339 time as a number, anything else as None."""
    match = TIME.fullmatch(text.upper()) if isinstance(text, str) else None
    if not match:
        return None
    try:
        whole = datetime.fromisoformat(match[1] + ("+00:00" if match[3] == "Z" else match[3]))
    except ValueError:
        return None
    return whole.timestamp() + float(match[2] or 0)


def is_same(a, b):
    """Times are compared as points in time, everything else as text."""
    if a is None or b is None:
        return a is b
    return instant(a) == instant(b) if None not in (instant(a), instant(b)) else a == b


def annotations_before(case):
    found = {}
    for manifest in manifests.expand(case["cluster"], cases.set_for(case).habits):
        if manifest["kind"] == "PodGroup":
            metadata = manifest["metadata"]
            name = "%s/%s" % (metadata.get("namespace", "default"), metadata["name"])
            found[name] = dict(metadata.get("annotations", {}))
    return found


def apply_patches(annotations, decided):
    if "patches" not in decided:
        raise Mismatch('round %d has no "patches"%s' % (decided["cycle"], NOT_COMPARED))
    patches = decided["patches"] or []
    need(isinstance(patches, list), '"patches" of round %d is not a list' % decided["cycle"])
    for patch in patches:
        need(isinstance(patch, dict) and isinstance(patch.get("podGroup"), str) and
             isinstance(patch.get("annotations"), dict), "patches entry without podGroup or annotations")
        for key, value in patch["annotations"].items():
            need(value is None or isinstance(value, str), "annotation %s of %s is neither text nor null" % (
                key, patch["podGroup"]))
            annotations.setdefault(patch["podGroup"], {})[key] = value


def check_annotations(case, rounds):
    """The values after the last round: those of the cluster, then the patches."""
    expected = case["expect"].get("annotations")
    if not expected:
        return
    annotations = annotations_before(case)
    for decided in rounds:
        apply_patches(annotations, decided)
    for job, keys in sorted(expected.items()):
        for key, value in sorted(keys.items()):
            have = annotations.get(cases.full_name(job), {}).get(key)
            if not is_same(have, value):
                raise Mismatch("after cycle %d: annotation %s of %s is %s, expected %s" % (
                    len(rounds), key, job, "absent" if have is None else have, "none" if value is None else value))


def nominations(told):
    found = {}
    for entry in told.get("nominated") or []:
        need(isinstance(entry, dict) and isinstance(entry.get("job"), str), "nominated entry without a job")
        need(entry["job"] not in found, "%s is nominated twice" % entry["job"])
        by = entry.get("by")
        found[entry["job"]] = [by] if isinstance(by, str) else list(by or [])
    return found


def skips(told):
    """Skips of nominations; minruntime_protected is reported by the action instead."""
    found = {}
    for entry in told.get("skipped") or []:
        need(isinstance(entry, dict) and isinstance(entry.get("job"), str) and isinstance(entry.get("reason"), str),
             "skipped entry without job or reason")
        if entry["reason"] != "minruntime_protected":
            need(entry["job"] not in found, "%s is skipped twice" % entry["job"])
            found[entry["job"]] = entry["reason"]
    return found


def describe(jobs):
    return ", ".join("%s (%s)" % (job, ",".join(why) if isinstance(why, list) else why)
                     for job, why in sorted(jobs.items())) or "nobody"


def check_requeue(case, rounds):
    """Nominations, skips and counts of the first round."""
    expected = case["expect"].get("requeue")
    if expected is None:
        return
    told = rounds[0].get("requeue")
    if not isinstance(told, dict):
        raise Mismatch('round 1 has no "requeue" object' + NOT_COMPARED)
    for key, verb, read in (("nominated", "nominates", nominations), ("skipped", "skips", skips)):
        if key in expected:
            want = {cases.full_name(job): value for job, value in expected[key].items()}
            have = read(told)
            if have != want:
                raise Mismatch("cycle 1 %s %s, expected %s" % (verb, describe(have), describe(want)))
    for key in ("commits", "rollbacks"):
        if key in expected and told.get(key) != expected[key]:
            raise Mismatch("cycle 1 counts %s %s, expected %d" % (told.get(key), key, expected[key]))


def judge(case, answer):
    check_requeue(case, answer["rounds"])
    check_annotations(case, answer["rounds"])
