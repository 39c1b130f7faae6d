"""Node accounting: what is idle and what is being released, whole GPUs and
shared ones.  docs/kai/actions.md §2, docs/kai/placement.md §3 and 6.
"""
import math

_GPU, _SLOTS = 2, 3                                  # positions in a vector


class GpuGroup:
    """One shared GPU: memory in MiB."""

    def __init__(self):
        self.used = self.releasing = self.allocated = 0
        self.counted_as_releasing = False            # as one whole GPU
        self.ever_allocated = False

    def copy(self):
        g = GpuGroup.__new__(GpuGroup)
        g.__dict__.update(self.__dict__)
        return g


class Node:
    def __init__(self, raw):
        self.name = raw["name"]
        self.labels = dict(raw.get("labels", {}))
        self.labels["kubernetes.io/hostname"] = self.name
        self.taints = raw.get("taints", [])               # [key, value, effect]
        self.is_schedulable = not (raw.get("cordon") or raw.get("not_ready"))
        self.allocatable = [raw["cpu"] * 1000, raw["memory"] * 1e9, raw["gpus"],
                            raw.get("pods", 110)]
        self.gpu_memory = raw.get("gpu_memory", 100) // 100 * 100
        self.idle = list(self.allocatable)
        self.releasing = [0, 0, 0, 0]
        self.whole_gpus_used = 0
        self.groups = {}                             # name -> GpuGroup

    def available(self):
        """What fits now or later: Idle + Releasing."""
        return [a + b for a, b in zip(self.idle, self.releasing)]

    # ------------------------------------------------------------- tasks
    def add_task(self, task, status=None):
        status = status or task.status
        self.add(task.request, status)
        if task.is_shared:
            for name in task.groups:
                self._add_to_group(name, self.memory_of(task), status)

    def remove_task(self, task, status=None):
        status = status or task.status
        self.add(task.request, status, sign=-1)
        if task.is_shared:
            for name in task.groups:
                self._remove_from_group(name, self.memory_of(task), status)

    def add(self, amount, status, sign=1):
        for r, have in enumerate(self.allocatable):
            if have == 0:
                continue
            x = sign * amount[r]
            if r == _GPU:
                self.whole_gpus_used += x
            if status == "Pipelined":
                self.releasing[r] -= x
            elif status == "Releasing":
                self.idle[r] -= x
                self.releasing[r] += x
            else:
                self.idle[r] -= x

    # ------------------------------------------------------- shared GPUs
    def _idle_exceeds_free(self):
        """Whether the node's accounts have more idle GPUs than the GPUs in use leave free."""
        in_use = self.whole_gpus_used + sum(
            g.used > 0 for g in self.groups.values())
        return self.allocatable[_GPU] < self.idle[_GPU] + in_use

    def _add_to_group(self, name, memory, status):
        g = self.groups.setdefault(name, GpuGroup())
        g.used += memory
        if status == "Releasing":
            g.releasing += memory
            g.allocated += memory
            g.ever_allocated = True
            if g.used == g.releasing:
                if not g.counted_as_releasing:
                    self.releasing[_GPU] += 1
                    g.counted_as_releasing = True
                if self._idle_exceeds_free():
                    self.idle[_GPU] -= 1
        elif status == "Pipelined":
            was_wholly_releasing = g.used - memory == g.releasing
            g.releasing -= memory
            if was_wholly_releasing:
                self.releasing[_GPU] -= 1
        else:
            g.allocated += memory
            g.ever_allocated = True
            if g.used <= memory and self._idle_exceeds_free():
                self.idle[_GPU] -= 1
            if g.counted_as_releasing:
                self.releasing[_GPU] -= 1
                g.counted_as_releasing = False

    def _remove_from_group(self, name, memory, status):
        g = self.groups[name]
        g.used -= memory
        if status == "Releasing":
            g.releasing -= memory
            g.allocated -= memory
            if g.used <= 0:
                if not self._idle_exceeds_free():
                    self.idle[_GPU] += 1
                if g.counted_as_releasing:
                    self.releasing[_GPU] -= 1
                    g.counted_as_releasing = False
        elif status == "Pipelined":
            g.releasing += memory
            if g.used + memory == g.releasing - memory or (
                    g.used == 0 and g.releasing == 0):
                self.releasing[_GPU] += 1
        else:
            g.allocated -= memory
            if g.used <= 0 and not self._idle_exceeds_free():
                self.idle[_GPU] += 1
            if g.used > 0 and g.releasing == g.used \
                    and not g.counted_as_releasing:
                self.releasing[_GPU] += 1
                g.counted_as_releasing = True

    def fits_on_group(self, memory, g):
        return (g.used != 0 and g.allocated != g.releasing and
                self.gpu_memory - g.allocated + g.releasing - memory >= 0)

    def has_idle_memory(self, memory, g):
        return g.ever_allocated and self.gpu_memory - g.allocated - memory >= 0

    # ------------------------------------------------------------ amounts
    def memory_of(self, task):
        """MiB that a shared task uses of each of its devices here."""
        return task.gpu_memory or int(task.fraction * self.gpu_memory)

    def portion_of(self, task):
        if task.gpu_memory:
            return math.ceil(task.gpu_memory / self.gpu_memory * 100) / 100
        return task.fraction

    def accepted(self, task):
        """What the task's queue is charged for it on this node."""
        if not task.is_shared:
            return task.request
        hundredths = math.floor(100 * self.portion_of(task) + .5)
        return task.request[:_GPU] + [hundredths * task.devices / 100, 1]

    def charged_if_placed(self, task):
        """The charge as the capacity check on the node computes it."""
        if not task.is_shared:
            return task.request
        portion = math.ceil(self.memory_of(task) / self.gpu_memory * 100) / 100
        return task.request[:_GPU] + [task.devices * portion, 1]

    def fits(self, task, space):
        """Fit test against Idle + Releasing, or the immediate one (Idle)."""
        if not task.is_shared:
            return all(have >= want for have, want in zip(space, task.request))
        if not all(space[r] >= task.request[r] for r in (0, 1, _SLOTS)):
            return False
        portion = self.portion_of(task)
        if portion > 1 and portion != int(portion):
            return False
        memory = self.memory_of(task)
        on_groups = sum(self.fits_on_group(memory, g)
                        for g in self.groups.values())
        return math.floor(space[_GPU]) + min(task.devices, on_groups) \
            >= task.devices

    def gpu_sum(self):
        """(idle, releasing) GPUs, free and releasing fractions included."""
        idle, releasing = self.idle[_GPU], self.releasing[_GPU]
        for g in self.groups.values():
            if g.used > 0 or g.allocated > 0:
                if g.allocated > 0:
                    idle += 1 - math.ceil(
                        g.allocated / self.gpu_memory * 100) / 100
                if g.releasing != g.allocated and g.releasing > 0:
                    releasing += math.ceil(
                        g.releasing / self.gpu_memory * 100) / 100
        return idle, releasing

    # ----------------------------------------------------- saving, undoing
    def save(self):
        return (self.idle[:], self.releasing[:], self.whole_gpus_used,
                {k: g.copy() for k, g in self.groups.items()})

    def restore(self, saved):
        idle, releasing, self.whole_gpus_used, groups = saved
        self.idle, self.releasing = idle[:], releasing[:]
        self.groups = {k: g.copy() for k, g in groups.items()}


def requested(task, gpu_memory_divisor):
    """What a task requests before it has a node; GPU memory is converted into GPUs with the given divisor (None: 0
    GPUs)."""
    if not task.is_shared:
        return task.request
    if task.fraction:
        gpus = math.floor(100 * task.fraction + .5) * task.devices / 100
    elif gpu_memory_divisor:
        gpus = task.devices * task.gpu_memory / gpu_memory_divisor
    else:
        gpus = 0
    return task.request[:_GPU] + [gpus, 1]
