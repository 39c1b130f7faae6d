"""Which job and which queue comes first, and the container that serves jobs in
that order.  docs/kai/fairshare.md §5 to 7, docs/kai/actions.md §6.
"""
import collections

from .cluster import ALLOCATED, RESOURCES
from .fairshare import UNLIMITED, plus, within
from .gangs import active, chunk
from .nodes import requested


def total_requested(tasks, gpu_memory_divisor):
    total = [0, 0, 0, 0]
    for t in tasks:
        total = plus(total, requested(t, gpu_memory_divisor))
    return total


# ----------------------------------------------------------------------- jobs
def _elastic_state(job):
    """0 below the minimum in some pod set, 2 above it in some, 1 exact."""
    counts = [(active(p), p.minimum) for p in job.pod_sets.values()]
    if any(n < m for n, m in counts):
        return 0
    return 2 if any(n > m for n, m in counts) else 1


def job_before(a, b):
    """Priority, elastic state, creation time, UID."""
    if a.priority != b.priority:
        return a.priority > b.priority
    x, y = _elastic_state(a), _elastic_state(b)
    if x != y:
        return x < y
    if a.age != b.age:
        return a.age > b.age
    return a.name < b.name


# --------------------------------------------------------------------- queues
class QueueOrder:
    """The eight rules of docs/kai/fairshare.md §6."""

    def __init__(self, cluster, queues):
        self.cluster, self.queues = cluster, queues

    def before(self, left, right, left_job=None, right_job=None,
               left_victims=(), right_victims=()):
        l, r = self.queues[left], self.queues[right]
        a, b = self._over_used(l), self._over_used(r)                   # 1
        if a != b:
            return b
        jl, jr = self._wanted(left_job), self._wanted(right_job)
        a, b = within(plus(l.A, jl), l.D), within(plus(r.A, jr), r.D)   # 2
        if a != b:
            return a
        if l.priority != r.priority:                                    # 3
            return l.priority > r.priority
        a, b = self._zero_share(l, jl), self._zero_share(r, jr)         # 4
        if a != b:
            return b
        vl, vr = self._held(left_victims), self._held(right_victims)
        a, b = self._dominant(l, jl, vl), self._dominant(r, jr, vr)     # 5
        if a != b:
            return a < b
        none = [0, 0, 0]
        a, b = self._dominant(l, none, none), self._dominant(r, none, none)
        if a != b:                                                      # 6
            return a < b
        x = [l.allocatable(i) for i in RESOURCES]
        y = [r.allocatable(i) for i in RESOURCES]
        a, b = self._no_more(x, y), self._no_more(y, x)                 # 7
        if a != b:
            return a
        return l.age > r.age                                            # 8

    @staticmethod
    def _over_used(q):
        return all(q.A[i] > q.F[i] for i in RESOURCES)

    def _wanted(self, job):
        if job is None:
            return [0, 0, 0, 0]
        return total_requested(chunk(job, True), self.cluster.smallest_gpu)

    @staticmethod
    def _zero_share(q, wanted):
        return any(q.allocatable(i) == 0 and q.A[i] + wanted[i] > 0
                   for i in RESOURCES)

    @staticmethod
    def _held(jobs):
        """Requested amounts; the GPU memory of a task counts as 0 GPUs here."""
        return total_requested([t for job in jobs for t in job.tasks
                                if t.status in ALLOCATED], None)

    def _dominant(self, q, wanted, victims):
        most = 0
        for i in RESOURCES:
            bound = q.allocatable(i)
            if bound == UNLIMITED:
                bound = self.cluster.total[i]
            x = q.A[i] + wanted[i] - victims[i]
            most = max(most, 1000 * x if bound == 0 else x / bound)
        return most

    @staticmethod
    def _no_more(x, y):
        return all(b == UNLIMITED or (a != UNLIMITED and a <= b)
                   for a, b in zip(x, y))


# ------------------------------------------------------------------ array heap
def heap_push(heap, item, less):
    heap.append(item)
    child = len(heap) - 1
    while child > 0:
        parent = (child - 1) // 2
        if not less(heap[child], heap[parent]):
            break
        heap[child], heap[parent] = heap[parent], heap[child]
        child = parent


def heap_sift_down(heap, size, less):
    parent = 0
    while 2 * parent + 1 < size:
        child = 2 * parent + 1
        if child + 1 < size and less(heap[child + 1], heap[child]):
            child += 1
        if not less(heap[child], heap[parent]):
            break
        heap[child], heap[parent] = heap[parent], heap[child]
        parent = child


def heap_pop(heap, less):
    last = len(heap) - 1
    heap[0], heap[last] = heap[last], heap[0]
    heap_sift_down(heap, last, less)
    return heap.pop()


# ------------------------------------------------------------------- container
class _QueueNode:
    """A queue with pending jobs. heap: jobs of a leaf, otherwise children."""

    def __init__(self, queue, is_leaf):
        self.queue, self.is_leaf = queue, is_leaf
        self.heap, self.parent, self.dirty = [], None, False

    def best_leaf(self):
        node = self
        while not node.is_leaf:
            node = node.heap[0]
        return node


class Container:
    """Heaps of jobs below heaps of queues, re-sorted lazily: docs/kai/fairshare.md §7.

    victims: both comparators negated, queues compared by what was popped."""

    def __init__(self, session, jobs, victims=False):
        self.order, self.queues = session.queue_order, session.queues
        self.victims = victims
        self.root, self.nodes = [], {}
        self.popped = collections.defaultdict(list)  # leaf queue -> jobs
        for job in session.any_order(jobs):
            self.push(job)

    def __bool__(self):
        return bool(self.root)

    def _job_less(self, a, b):
        return job_before(a, b) != self.victims

    def _queue_less(self, a, b):
        x, y = a.best_leaf(), b.best_leaf()
        if self.victims:
            return not self.order.before(
                a.queue, b.queue,
                left_victims=self.popped[x.queue] + x.heap[:1],
                right_victims=self.popped[y.queue] + y.heap[:1])
        return self.order.before(a.queue, b.queue, x.heap[0], y.heap[0])

    def push(self, job):
        if not self.queues.is_leaf(job.queue):
            return
        leaf = self.nodes.get(job.queue)
        if leaf is not None:
            heap_push(leaf.heap, job, self._job_less)
        else:
            leaf = self.nodes[job.queue] = _QueueNode(job.queue, True)
            leaf.heap.append(job)
            self._link(leaf)
        self._mark_dirty(leaf)

    def _link(self, node):
        """Adds a new node below its parent, and creates missing ancestors."""
        while True:
            name = self.queues[node.queue].parent
            if not name:
                heap_push(self.root, node, self._queue_less)
                return
            known = name in self.nodes
            if not known:
                self.nodes[name] = _QueueNode(name, False)
            node.parent = self.nodes[name]
            heap_push(node.parent.heap, node, self._queue_less)
            if known:
                return
            node = node.parent

    @staticmethod
    def _mark_dirty(node):
        while node is not None:
            node.dirty = True
            node = node.parent

    def pop(self):
        heap = self.root
        while True:
            node = heap[0]
            while node.dirty:
                heap_sift_down(heap, len(heap), self._queue_less)
                node.dirty = False
                node = heap[0]
            if node.is_leaf:
                break
            heap = node.heap
        job = heap_pop(node.heap, self._job_less)
        if self.victims:
            self.popped[node.queue].append(job)
        while node is not None and not node.heap:
            siblings = node.parent.heap if node.parent else self.root
            assert siblings[0] is node
            del self.nodes[node.queue]
            heap_pop(siblings, self._queue_less)
            node = node.parent
        self._mark_dirty(node)
        return job
