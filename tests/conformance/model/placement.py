"""Placing tasks and jobs on nodes: filters, scores, GPU groups, AllocateJob.
docs/kai/placement.md §0, 4 to 6; docs/kai/actions.md §7.
"""
from .cluster import CPU, GPU, SLOTS
from .gangs import chunk, placing_order
from .orders import total_requested

# docs/kai/placement.md §5
NOMINATED, GPU_SHARING, AVAILABLE_NOW = 1e7, 1e4, 1e3
CPU_NODE, BIN_PACK = 10, 9


# -------------------------------------------------------------------- filters
def _matches_expression(labels, key, operator, values):
    if operator == "In":
        return labels.get(key) in values
    if operator == "NotIn":
        return labels.get(key) not in values
    return (key in labels) == (operator == "Exists")


def matches_affinity(job, node):
    """nodeSelector and required node affinity."""
    if any(node.labels.get(k) != v for k, v in job.selector.items()):
        return False
    return not job.affinity or any(
        all(_matches_expression(node.labels, *e) for e in term)
        for term in job.affinity)


def _tolerates(job, taint):
    key, value, effect = taint
    return any(t["key"] == key and t.get("effect") in (None, "", effect) and
               (t["operator"] == "Exists" or t.get("value", "") == value)
               for t in job.tolerations)


def passes_predicates(task, node):
    """docs/kai/placement.md §4.2, without topology and pod affinity."""
    return (node.is_schedulable and matches_affinity(task.job, node) and
            all(_tolerates(task.job, t) for t in node.taints
                if t[2] != "PreferNoSchedule"))


def larger_than_any_node(session, task):
    """docs/kai/placement.md §4.1"""
    return any(task.request[r] > max(n.allocatable[r]
                                     for n in session.nodes.values())
               for r in (CPU, 1, GPU, SLOTS))


# --------------------------------------------------------------------- scores
def by_score(session, task, nodes):
    """Nodes by total score, then name: docs/kai/placement.md §5."""
    resource = CPU if task.needs_no_gpu else GPU
    free = [n.idle[resource] + n.releasing[resource] for n in nodes
            if n.allocatable[resource] != 0]
    most, least = max([0] + free), min(free) if free else 0

    def score(node):
        s = 0.0
        if task.nominated_node == node.name:
            s += NOMINATED
        if node.fits(task, node.idle):
            s += AVAILABLE_NOW
        if not session.spreads and _fits_some_group(task, node):
            s += GPU_SHARING
        if task.needs_no_gpu and node.allocatable[GPU] == 0:
            s += CPU_NODE
        x = node.idle[resource] + node.releasing[resource]
        if session.spreads:
            if node.allocatable[resource]:
                s += x / node.allocatable[resource]
        elif node.allocatable[resource] != 0 and most != 0:
            s += BIN_PACK if least == most else \
                BIN_PACK * (1 - (x - least) / (most - least))
        return s
    return sorted(nodes, key=lambda n: (-score(n), n.name))


def _fits_some_group(task, node):
    if task.is_shared:
        memory = node.memory_of(task)
    else:
        memory = 0 if task.needs_no_gpu else node.gpu_memory
    return any(node.fits_on_group(memory, g) for g in node.groups.values())


# ----------------------------------------------------------------- GPU groups
def choose_groups(session, task, node):
    """(groups, all have idle memory) or None: docs/kai/placement.md §6.2."""
    memory = node.memory_of(task)
    candidates = []                                  # (-score, is whole, name)
    for name, g in node.groups.items():
        if node.fits_on_group(memory, g):
            used = g.used / node.gpu_memory
            candidates.append((-(1 - used if session.spreads else used), 0,
                               name))
    whole = int(node.idle[GPU]) + int(node.releasing[GPU])
    candidates += [(-1.0 if session.spreads else -0.0, 1, "")] * max(0, whole)
    candidates.sort()
    if len(candidates) < task.devices:
        return None
    groups, idle = [], True
    for _score, is_whole, name in candidates[:task.devices]:
        if is_whole:
            groups.append(session.fresh_group())
        else:
            groups.append(name)
            idle &= node.has_idle_memory(memory, node.groups[name])
    return groups, idle


# --------------------------------------------------------------- tasks, jobs
def place_task(session, task, nodes, virtual):
    """Places the task on the first node by score that accepts it; False if none does."""
    if larger_than_any_node(session, task):
        return False
    for node in by_score(session, task, nodes):
        if not node.fits(task, node.available()):
            continue
        if session.queues.over_capacity(task.job,
                                        node.charged_if_placed(task)):
            continue
        if task.is_shared and node.available()[SLOTS] < 2:
            continue                         # room for a reservation pod
        if not passes_predicates(task, node):
            continue
        fits_now = node.fits(task, node.idle)
        groups = None
        if task.is_shared:
            chosen = choose_groups(session, task, node)
            if chosen is None:
                continue
            groups, idle = chosen
            fits_now &= idle
        if virtual:
            session.place_virtually(task, node.name, groups)
        else:
            session.put(task, node.name,
                        "Allocated" if fits_now else "Pipelined", groups)
        return True
    return False


def allocate_job(session, job, node_names, virtual):
    """Places all tasks of the chunk or none: (tasks, None) or (None, why not)."""
    tasks = chunk(job, virtual)
    if not tasks:
        return None, "nothing to place"
    why = session.queues.over_capacity(
        job.whole, total_requested(tasks, session.cluster.largest_gpu))
    if why:
        return None, why
    nodes = [session.nodes[n] for n in node_names]
    saved = session.save()
    pod_set_of = {id(t): p.name for p in job.pod_sets.values()
                  for t in p.tasks}
    for name in placing_order(job):
        for t in tasks:
            if pod_set_of[id(t)] == name \
                    and not place_task(session, t, nodes, virtual):
                session.restore(saved)
                return None, "%s fits nowhere" % t.name
    return tasks, None
