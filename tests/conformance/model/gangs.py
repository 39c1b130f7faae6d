"""Jobs as trees of pod sets: when a gang is satisfied, which tasks are tried
at once, which an eviction takes.  docs/kai/actions.md §3.
"""
import functools

from .cluster import ACTIVE_ALLOCATED, ALIVE


# ----------------------------------------------------------------- predicates
def active(pod_set):
    return pod_set.count(ACTIVE_ALLOCATED)


def satisfied(job, name):
    """Of a pod set or set: docs/kai/actions.md §3.2."""
    if name in job.pod_sets:
        return active(job.pod_sets[name]) >= job.pod_sets[name].minimum
    return satisfied_members(job, name) >= job.sets[name].required


def satisfied_members(job, name):
    return sum(satisfied(job, m) for m in job.sets[name].members)


def ready(job, name=""):
    if name in job.pod_sets:
        p = job.pod_sets[name]
        return p.count(ALIVE) - p.count(("Gated",)) >= p.minimum
    return sum(ready(job, m) for m in job.sets[name].members) \
        >= job.sets[name].required


def flat_satisfied(job, statuses):
    """Whether every pod set has its minimum, regardless of minSubGroup."""
    return all(p.count(statuses) >= p.minimum for p in job.pod_sets.values())


# --------------------------------------------------------------------- orders
def compare(a, b):
    return (a > b) - (a < b)


def in_sub_group_order(job, names):
    """docs/kai/actions.md §3.5"""
    def fill(name):
        if name in job.pod_sets:
            return active(job.pod_sets[name]), job.pod_sets[name].minimum
        return satisfied_members(job, name), job.sets[name].required

    def order(a, b):
        (count_a, need_a), (count_b, need_b) = fill(a), fill(b)
        below_a, below_b = count_a < need_a, count_b < need_b
        if below_a and below_b:
            result = 0
        elif below_a != below_b:
            result = -1 if below_a else 1
        elif (need_a > 0) != (need_b > 0):
            result = -1 if need_a > 0 else 1
        elif need_a == 0:
            result = compare(count_a, count_b)
        else:
            result = compare(count_a / need_a, count_b / need_b)
        return result or compare(a, b)
    return sorted(names, key=functools.cmp_to_key(order))


def _number(text):
    try:
        return int(text)
    except ValueError:
        return None


def _task_order(a, b):
    if (a.priority_label is None) != (b.priority_label is None):
        return -1 if a.priority_label is not None else 1
    if a.priority_label is not None:
        x, y = _number(a.priority_label), _number(b.priority_label)
        if x is None:                                # left is compared first
            return 1
        if y is None:
            return -1
        if x != y:
            return -1 if x > y else 1
    return -1 if (a.created, a.name) < (b.created, b.name) else 1


def in_task_order(tasks):
    return sorted(tasks, key=functools.cmp_to_key(_task_order))


# ------------------------------------------------------------ tasks to place
def chunk(job, virtual):
    """The tasks tried at once (docs/kai/actions.md §3.3), kept on the job until one of
    its tasks changes status.  The kept list does not remember `virtual`."""
    if job.task_list is None:
        job.task_list = _tasks(job, "", virtual)
    return job.task_list


def _tasks(job, name, virtual):
    if name in job.pod_sets:
        p = job.pod_sets[name]
        placeable = in_task_order(
            [t for t in p.tasks if t.is_placeable(virtual)])
        missing = p.minimum - active(p)
        return placeable[:missing if missing > 0 else 1]
    members = in_sub_group_order(job, job.sets[name].members)
    if not satisfied(job, name):                     # gang phase
        first = members[:job.sets[name].required]
        return [t for m in first if not satisfied(job, m)
                for t in _tasks(job, m, virtual)]
    for m in members:                                # elastic phase
        found = _tasks(job, m, virtual)
        if found:
            return found
    return []


def placing_order(job, name=""):
    """Pod sets in the order in which the tree is placed."""
    if name in job.pod_sets:
        return [name]
    return [p for m in in_sub_group_order(job, job.sets[name].members)
            for p in placing_order(job, m)]


# ------------------------------------------------------------- tasks to evict
def take_victims(job, any_order):
    """(tasks, more left): docs/kai/actions.md §3.4."""
    everything = _active_tasks(job, "")
    tasks = _surplus(job, "") or any_order(everything)
    return tasks, len(tasks) < len(everything)


def _active_tasks(job, name):
    if name in job.pod_sets:
        return [t for t in job.pod_sets[name].tasks
                if t.status in ACTIVE_ALLOCATED]
    return [t for m in job.sets[name].members for t in _active_tasks(job, m)]


def _has_surplus(job, name):
    if name in job.pod_sets:
        return active(job.pod_sets[name]) > job.pod_sets[name].minimum
    s = job.sets[name]
    return satisfied_members(job, name) > s.required or any(
        _has_surplus(job, m) for m in s.members)


def _surplus(job, name):
    if name in job.pod_sets:
        tasks = in_task_order(_active_tasks(job, name))
        return tasks[-1:] if len(tasks) > job.pod_sets[name].minimum else []
    s = job.sets[name]
    count = satisfied_members(job, name)
    if count == 0:
        return []
    members = in_sub_group_order(job, s.members)[::-1]
    if _has_surplus(job, name):
        for m in members:
            found = _surplus(job, m)
            if found:
                return found
    if count > s.required:
        for m in members:
            found = _active_tasks(job, m)
            if found:
                return found
    return []
