#!/usr/bin/env python3
"""Random small clusters with contention, from a profile and a seed.

    gen.py --seed S --profile P --out DIR     writes cluster.yaml, config.yaml
    gen.py --seed S --profile P               prints it as a case without answers

The recorded cases come from other random streams of this generator, so no
seed gives one of them.  Seeds start at 1000, so that a file name shows the
origin.
"""
import argparse
import json
import random
import sys

import cases
import program

FIRST_SEED = 1000
PRIOS = {"train": 50, "build-preemptible": 75, "build": 100, "inference": 125,
         "low": 20, "mid": 60, "high": 90, "urgent": 150}
# ages and minimum runtimes never come closer than 8 s to each other
AGES = [7, 22, 45, 75, 105, 140, 210, 270, 340, 450, 520, 700, 800, 1500,
        3000, 4000]
RUNTIMES = ["0s", "30s", "1m", "90s", "2m", "5m", "10m", "15m", "1h"]

# probability knobs; a profile overrides some of them
BASE = dict(
    nodes=(1, 6), gpus=[1, 2, 4, 8], hetero=0.35, cpu_node=0.1, cpu_tight=0.2,
    tops=(1, 2), leaves=(1, 3), mid=0.2, flat=0.08,
    q_prio=0.2, q_limit=0.15, q_zero=0.15, q_unlim=0.1, q_cpu=0.3,
    q_equal=0.4,
    fill=(0.8, 1.0), place=["pack", "spread", "random"],
    running=(2, 10), pending=(1, 6),
    hog=0.75, starved=0.7,
    run_prio=[("train", 6), ("build-preemptible", 2), ("build", 1),
              ("inference", 1)],
    pend_prio=[("train", 5), ("build-preemptible", 2), ("build", 2),
               ("inference", 1)],
    explicit=0.08, gang=0.25, gang_size=(2, 4), elastic=0.12, subgroups=0.0,
    task_prio=0.1, hetero_pods=0.05,
    cpu_job=0.1, besteffort=0.01, fraction=0.0, gpumem=0.0, gpulabel=0.2,
    topo=0.0, selector=0.0, taint=0.0, affinity=0.0, cordon=0.0, foreign=0.0,
    releasing=0.0, stuck=0.0, delay=0.0, stale=0.0, lasteviction=0.0,
    antiaff=0.0, gated=0.0, done=0.02, bound=0.02, minrt=0.0, odd=0.06,
    small_pods=0.02, spread=0.04, operator=0.4, signatures=0.6,
    nominated=0.0, big=0.3,
)

PROFILES = {
    "fairshare": dict(
        nodes=(1, 8), tops=(1, 3), leaves=(1, 4), mid=0.3, q_prio=0.35,
        q_limit=0.25, q_cpu=0.5, cpu_job=0.2, cpu_tight=0.35, pending=(2, 8),
        running=(2, 14)),
    "preempt": dict(
        tops=(1, 1), leaves=(1, 2), mid=0.0, explicit=0.25, gang=0.4,
        q_unlim=0.2, q_over=True,
        run_prio=[("train", 4), ("low", 3), ("mid", 2), ("high", 1),
                  ("build-preemptible", 2), ("build", 1)],
        pend_prio=[("train", 1), ("mid", 2), ("high", 3), ("build", 3),
                   ("inference", 3), ("urgent", 2), ("build-preemptible", 2)],
        pending=(1, 6), hog=0.5, starved=0.5),
    "elastic": dict(
        elastic=0.65, task_prio=0.5, gang=0.15, gang_size=(2, 6), mid=0.15,
        run_prio=[("train", 5), ("low", 2), ("build-preemptible", 2),
                  ("build", 1)],
        pend_prio=[("train", 4), ("high", 2), ("build", 2),
                   ("inference", 1)]),
    "subgroups": dict(
        subgroups=0.7, gang=0.1, task_prio=0.2, nodes=(2, 6),
        gpus=[2, 4, 8], pending=(1, 4), running=(2, 7),
        pend_prio=[("train", 3), ("high", 2), ("build", 2),
                   ("inference", 1)]),
    "consolidation": dict(
        nodes=(2, 8), gpus=[2, 4, 8], hetero=0.3, fill=(0.35, 0.75),
        place=["spread", "spread", "random"], gang=0.15, gang_size=(2, 3),
        big=0.85, tops=(1, 2), leaves=(1, 2), q_limit=0.05, q_zero=0.1,
        run_prio=[("train", 8), ("build", 1), ("build-preemptible", 2)],
        pend_prio=[("train", 6), ("build-preemptible", 2), ("build", 1)],
        small_run=True, pending=(1, 4), cpu_job=0.05, hog=0.4, starved=0.4),
    "minruntime": dict(
        minrt=1.0, mid=0.5, tops=(1, 3), leaves=(1, 3), elastic=0.3,
        running=(2, 8), pending=(1, 5),
        pend_prio=[("train", 4), ("high", 3), ("build", 2),
                   ("inference", 1)]),
    "fractions": dict(
        fraction=0.45, gpumem=0.25, gpulabel=1.0, nodes=(1, 4),
        gpus=[1, 2, 4], running=(2, 14), pending=(1, 7), gang=0.15, big=0.2),
    "topology": dict(
        topo=0.75, nodes=(3, 12), gpus=[1, 2, 4, 8], hetero=0.2, gang=0.6,
        gang_size=(2, 5), fill=(0.5, 1.0), subgroups=0.2, running=(2, 12),
        pending=(1, 5), elastic=0.15, small_run=True),
    "constraints": dict(
        nodes=(2, 8), selector=0.25, taint=0.35, affinity=0.2, cordon=0.12,
        foreign=0.35, releasing=0.18, stuck=0.05, delay=0.2, stale=0.15,
        lasteviction=0.2, antiaff=0.07, gated=0.06, done=0.06, bound=0.05,
        small_pods=0.12, cpu_node=0.2, fill=(0.6, 1.0), nominated=0.05),
    "mixed": dict(
        nodes=(2, 10), tops=(1, 3), mid=0.3, q_prio=0.25, q_limit=0.2,
        elastic=0.2, task_prio=0.2, subgroups=0.12, fraction=0.12,
        gpumem=0.06, gpulabel=0.6, topo=0.12, selector=0.06, taint=0.1,
        affinity=0.05, cordon=0.05, foreign=0.1, releasing=0.05, stuck=0.02,
        delay=0.06, stale=0.05, lasteviction=0.06, antiaff=0.02, gated=0.02,
        minrt=0.35, explicit=0.12, running=(3, 16), pending=(2, 9),
        fill=(0.5, 1.0),
        run_prio=[("train", 5), ("low", 1), ("mid", 1), ("high", 1),
                  ("build-preemptible", 2), ("build", 1), ("inference", 1)],
        pend_prio=[("train", 4), ("mid", 1), ("high", 2), ("build", 2),
                   ("inference", 1), ("build-preemptible", 2)]),
    "scale": dict(
        nodes=(30, 45), gpus=[4, 8], hetero=0.3, tops=(2, 4), leaves=(2, 4),
        mid=0.3, running=(75, 140), pending=(25, 60), elastic=0.12,
        gang=0.25, gang_size=(2, 6), fill=(0.8, 0.98), q_limit=0.15,
        fraction=0.03, gpulabel=0.7, minrt=0.3, selector=0.02, task_prio=0.1,
        delay=0.02, lasteviction=0.03, odd=0.02),
}


class Gen:
    """Builds one cluster: nodes, queues, running jobs placed on the nodes,
    pending jobs, oddities."""

    def __init__(self, seed, profile):
        if seed < FIRST_SEED:
            raise ValueError("seeds start at %d" % FIRST_SEED)
        self.r = random.Random("fuzz/%s/%s" % (profile, seed))
        self.k = dict(BASE)
        self.k.update(PROFILES[profile])
        self.profile = profile
        self.nodes, self.queues, self.jobs = [], [], []
        self.topos, self.xpods = [], []
        self.tags = set()
        self.ngroup = 0

    # ------------------------------------------------------------- helpers
    def p(self, key):
        return self.r.random() < self.k[key]

    def pick(self, pairs):
        names = [a for a, _ in pairs]
        return self.r.choices(names, [b for _, b in pairs])[0]

    def span(self, key):
        return self.r.randint(*self.k[key])

    # --------------------------------------------------------------- nodes
    def make_nodes(self):
        r, k = self.r, self.k
        n = self.span("nodes")
        if self.profile != "scale" and r.random() < 0.3:
            n = min(n, r.randint(k["nodes"][0], 3))
            n = max(n, k["nodes"][0])
        hetero = self.p("hetero")
        size = r.choice(k["gpus"])
        if n == 1 and size == 1:
            size = 2
        tight = self.p("cpu_tight")
        self.tight = tight
        gm = r.choice([16300, 24500, 40900, 81500]) if self.p("gpulabel") \
            else 100
        mixgm = gm != 100 and r.random() < 0.3
        names = ["n%d" % i for i in range(n)]
        if r.random() < 0.3:
            r.shuffle(names)
        self.small_pods = self.p("small_pods")
        for name in names:
            g = r.choice(k["gpus"]) if hetero else size
            cpu_only = self.p("cpu_node") and len(names) > 1
            per = r.choice([2, 3, 4]) if tight else 16
            nd = {"name": name, "gpus": 0 if cpu_only else g}
            nd["cpu"] = r.choice([8, 16, 32]) if cpu_only else max(2, g * per)
            nd["memory"] = nd["cpu"] * (2 if tight and r.random() < .5 else 4)
            if self.small_pods:
                nd["pods"] = r.randint(3, 8)
            if not cpu_only:
                nd["gpu_memory"] = gm if not mixgm else r.choice(
                    [16300, 40900, 81500])
            nd["labels"] = {}
            self.nodes.append(nd)
        if not any(x["gpus"] for x in self.nodes):
            nd = self.nodes[0]
            nd["gpus"], nd["gpu_memory"] = size, gm
            nd["cpu"] = max(nd["cpu"], size * 8)
            nd["memory"] = nd["cpu"] * 4
        if self.p("cordon") and len(self.nodes) > 1:
            x = r.choice(self.nodes)
            if r.random() < 0.7:
                x["cordon"] = 1
            else:
                x["not_ready"] = 1
            self.tags.add("cordon")
        self.taints = []
        if self.p("taint"):
            self.taints = [("dedicated", "a", "NoSchedule")]
            if r.random() < 0.3:
                self.taints.append(("flaky", "", "NoExecute"))
            if r.random() < 0.2:
                self.taints.append(("soft", "x", "PreferNoSchedule"))
            for nd in self.nodes:
                if r.random() < 0.4:
                    nd["taints"] = [list(r.choice(self.taints))]
            self.tags.add("taint")
        if self.k["selector"] or self.k["affinity"]:
            for nd in self.nodes:
                nd["labels"]["pool"] = r.choice(["red", "blue"])
                if r.random() < 0.4:
                    nd["labels"]["disk"] = r.choice(["ssd", "nvme"])
        if r.random() < self.k["topo"] * 1.3:
            self.make_topology()
        self.free = {}
        for nd in self.nodes:
            self.free[nd["name"]] = {"gpus": nd["gpus"], "cpu": nd["cpu"] * 1000,
                                  "memory": nd["memory"], "pods": nd.get("pods", 110)}
        self.groups = {nd["name"]: {} for nd in self.nodes}   # name -> free MiB
        self.total = sum(nd["gpus"] for nd in self.nodes)
        self.cpu_total = sum(nd["cpu"] for nd in self.nodes)
        self.mem_total = sum(nd["memory"] for nd in self.nodes)
        self.maxg = max(nd["gpus"] for nd in self.nodes)

    def make_topology(self):
        r = self.r
        three = r.random() < 0.4 and len(self.nodes) >= 4
        lv = ["topo/zone", "topo/block", "topo/rack"] if three \
            else ["topo/zone", "topo/rack"]
        if r.random() < 0.3:
            lv = lv + ["kubernetes.io/hostname"]
        self.topos.append({"name": "net", "levels": lv})
        order = list(self.nodes)
        if r.random() < 0.5:
            r.shuffle(order)
        zones = r.randint(1, 3)
        racks = r.randint(2, 4)
        for i, nd in enumerate(order):
            if r.random() < 0.04:
                continue                       # a node outside the topology
            z = i * zones // len(order)
            b = r.randint(0, 1)
            rk = r.randint(0, racks - 1) if r.random() < 0.3 else \
                (i // max(1, len(order) // (zones * 2))) % racks
            nd["labels"]["topo/zone"] = "z%d" % z
            if three:
                nd["labels"]["topo/block"] = "b%d" % b
            nd["labels"]["topo/rack"] = "r%d" % rk
        self.tags.add("topology")

    # -------------------------------------------------------------- queues
    def make_queues(self):
        r, k = self.r, self.k
        tree = []                                # (name, parent, leaf)
        if self.p("flat"):
            for i in range(self.r.randint(2, 3)):
                tree.append(("q%d" % i, None, True))
        else:
            tops = self.span("tops")
            for t in range(tops):
                tn = "dept%d" % t
                tree.append((tn, None, False))
                leaves = self.span("leaves")
                if tops == 1 and leaves == 1 and self.profile != "preempt":
                    leaves = 2
                mids = self.p("mid")
                for i in range(leaves):
                    par = tn
                    if mids and r.random() < 0.6:
                        par = "%s-div%d" % (tn, r.randint(0, 1))
                        if not any(x[0] == par for x in tree):
                            tree.append((par, tn, False))
                    tree.append(("%s-team%d" % (tn, i), par, True))
        self.leaves = [x[0] for x in tree if x[2]]
        self.parent = {x[0]: x[1] for x in tree}
        G = self.total
        f = r.choice([0.5, 0.8, 1.0, 1.0, 1.0, 1.3])
        budget = max(1, int(G * f))
        if self.k.get("q_over"):
            budget = max(budget, G)
        w = [r.random() + 0.2 for _ in self.leaves]
        if r.random() < k["q_equal"]:
            w = [1.0 for _ in self.leaves]
        s = sum(w)
        quota = {}
        for q, x in zip(self.leaves, w):
            v = x / s * budget
            quota[q] = int(v) if r.random() < 0.75 else round(v * 2) / 2
            if quota[q] == int(quota[q]):
                quota[q] = int(quota[q])
            if self.p("q_zero"):
                quota[q] = 0
        cpu_style = "unlim" if not self.p("q_cpu") else \
            r.choice(["prop", "prop", "zero"])
        prio = self.p("q_prio")
        ages = r.sample(range(5000, 90000, 13), len(tree))

        def subtotal(name):
            kids = [x[0] for x in tree if x[1] == name]
            return quota[name] if not kids else sum(subtotal(c) for c in kids)
        wstyle = r.choice(["quota", "one", "random", "one"])
        for (name, par, leaf), age in zip(tree, ages):
            qt = subtotal(name)
            if not leaf:
                c = r.random()
                if c < 0.12:
                    qt = -1
                elif c < 0.25:
                    qt = max(0, qt + r.choice([-2, -1, 1, 2]))
            elif self.p("q_unlim"):
                qt = -1
            lim = -1
            if self.p("q_limit"):
                lim = max(qt, 0) + r.choice([0, 1, 2, 4])
                if lim == 0:
                    lim = 1
            wt = {"quota": max(qt, 0), "one": 1,
                  "random": r.choice([0, 1, 2, 3, 5])}[wstyle]
            if r.random() < 0.06:
                wt = 0
            q = {"name": name, "age": age, "gpu": [qt, lim, wt]}
            share = max(qt, 0) / G if G else 0
            if cpu_style == "prop":
                q["cpu"] = [int(self.cpu_total * 1000 * share) // 500 * 500,
                            -1, r.choice([1, 1, 2])]
                q["memory"] = [int(self.mem_total * share) * 1000, -1, 1]
                if r.random() < 0.15:
                    q["cpu"][1] = max(2000, q["cpu"][0])
            elif cpu_style == "zero":
                q["cpu"] = [0, -1, 1]
                q["memory"] = [0, -1, 1]
            if par:
                q["parent"] = par
            if prio:
                q["priority"] = r.choice([50, 100, 100, 150, 200])
            self.queues.append(q)
        if self.p("minrt"):
            self.minrt = True
            self.tags.add("minruntime")
            for q in self.queues:
                if r.random() < 0.35:
                    q["preempt_min_runtime"] = r.choice(RUNTIMES)
                if r.random() < 0.35:
                    q["reclaim_min_runtime"] = r.choice(RUNTIMES)
        else:
            self.minrt = False
        self.quota = quota
        ls = list(self.leaves)
        r.shuffle(ls)
        self.hogs = ls[:max(1, len(ls) // 2)]
        self.poor = ls[len(self.hogs):] or ls

    # ---------------------------------------------------------------- jobs
    def request(self, running):
        """request of one pod of a job"""
        r, k = self.r, self.k
        c = r.choice([500, 1000, 1000, 2000]) if not self.tight else \
            r.choice([1000, 1000, 2000, 3000])
        m = r.choice([1, 1, 2, 4])
        u = r.random()
        if u < k["cpu_job"]:
            if self.p("besteffort"):
                return {}
            top = max(nd["cpu"] for nd in self.nodes)
            return {"cpu": 1000 * r.randint(1, max(1, top // 3)), "memory": m}
        u = r.random()
        if u < k["fraction"]:
            f = r.choice(["0.5", "0.5", "0.5", "0.5", "0.25", "0.25", "0.75",
                          "0.75", "0.3", "0.2", "0.7", "0.6"])
            q = {"cpu": c, "memory": m, "fraction": f}
            if r.random() < 0.06 and self.maxg >= 2:
                q["devices"] = 2
            self.tags.add("fraction")
            return q
        if u < k["fraction"] + k["gpumem"]:
            gms = [nd.get("gpu_memory", 100) for nd in self.nodes if nd["gpus"]]
            base = min(gms)
            if base > 100:
                mem = int(base * r.choice([.1, .25, .25, .5, .5, .75, .9]))
                if r.random() < 0.5:
                    mem = mem // 1000 * 1000 or 1000
                self.tags.add("gpumemory")
                return {"cpu": c, "memory": m, "gpu_memory": mem}
        mx = max(1, self.maxg)
        if running and k.get("small_run"):
            g = r.choice([1, 1, 1, 2, min(2, mx)])
        elif not running and self.p("big"):
            g = r.randint(max(1, mx // 2), mx)
        else:
            g = r.choice([1, 1, 1, 2, 2, mx, max(1, mx // 2)])
        return {"cpu": c, "memory": m, "gpus": min(g, mx)}

    def devices(self, q, node):
        """MiB per device of the node, and the number of devices; None for no fraction"""
        gm = node.get("gpu_memory", 100) // 100 * 100
        if q.get("fraction"):
            return int(float(q["fraction"]) * gm), q.get("devices", 1)
        if q.get("gpu_memory"):
            return q["gpu_memory"], q.get("devices", 1)
        return None

    def match(self, j, nd):
        for key, v in (j.get("selector") or {}).items():
            if nd["labels"].get(key) != v:
                return False
        if j.get("affinity"):
            ok = False
            for term in j["affinity"]:
                good = True
                for key, op, vals in term:
                    have = nd["labels"].get(key)
                    if op == "In":
                        good &= have in vals
                    elif op == "NotIn":
                        good &= have not in vals
                    elif op == "Exists":
                        good &= have is not None
                    elif op == "DoesNotExist":
                        good &= have is None
                ok |= good
            if not ok:
                return False
        for t in nd.get("taints", []):
            if t[2] == "PreferNoSchedule":
                continue
            if not any(x.get("key") == t[0] for x in j.get("tolerations") or []):
                return False
        return True

    def place(self, j, q, strategy, within=None):
        """find room for one running pod; returns (node, groups) or None"""
        r = self.r
        cand = []
        for nd in self.nodes:
            if within and nd["name"] not in within:
                continue
            f = self.free[nd["name"]]
            if not self.match(j, nd) or f["pods"] < 1:
                continue
            if f["cpu"] < q.get("cpu", 0) or f["memory"] < q.get("memory", 0):
                continue
            dev = self.devices(q, nd)
            if dev:
                mem, n = dev
                if mem > nd.get("gpu_memory", 100) // 100 * 100:
                    continue
                fit = [g for g, left in self.groups[nd["name"]].items()
                       if left >= mem]
                if len(fit) + f["gpus"] < n or f["pods"] < 3:
                    continue
            elif f["gpus"] < q.get("gpus", 0):
                continue
            cand.append(nd)
        if not cand:
            return None
        if strategy == "pack":
            nd = min(cand, key=lambda x: (self.free[x["name"]]["gpus"], x["name"]))
        elif strategy == "spread":
            nd = max(cand, key=lambda x: (self.free[x["name"]]["gpus"],
                                          r.random()))
        else:
            nd = r.choice(cand)
        f = self.free[nd["name"]]
        f["cpu"] -= q.get("cpu", 0)
        f["memory"] -= q.get("memory", 0)
        f["pods"] -= 1
        dev = self.devices(q, nd)
        if not dev:
            f["gpus"] -= q.get("gpus", 0)
            return nd["name"], None
        mem, n = dev
        full = nd.get("gpu_memory", 100) // 100 * 100
        fit = sorted((g for g, left in self.groups[nd["name"]].items()
                      if left >= mem),
                     key=lambda g: (self.groups[nd["name"]][g], g))
        if r.random() < 0.25 and f["gpus"] >= n:
            fit = []
        use = fit[:n]
        while len(use) < n:
            self.ngroup += 1
            name = "%08x-gpu-%d" % (self.r.getrandbits(32), self.ngroup)
            if r.random() < 0.1:
                name = str(100 + self.ngroup)
            self.groups[nd["name"]][name] = full
            f["gpus"] -= 1
            if r.random() < 0.5:
                f["pods"] -= 1                    # room for a reservation pod
            use.append(name)
        for g in use:
            self.groups[nd["name"]][g] -= mem
        return nd["name"], use

    def job_shape(self, j, running):
        """pods, minimum, sub groups of a job"""
        r, k = self.r, self.k
        u = r.random()
        if u < k["subgroups"]:
            self.subgroup_job(j)
            self.tags.add("subgroups")
        elif r.random() < k["elastic"]:
            n = r.randint(2, 6)
            j["min"] = r.randint(1, n - 1)
            j["pods"] = [{} for _ in range(n)]
            self.tags.add("elastic")
        elif r.random() < k["gang"]:
            n = self.span("gang_size")
            j["min"] = n
            j["pods"] = [{} for _ in range(n)]
            self.tags.add("gang")
        else:
            j["min"] = 1
            j["pods"] = [{}]
        if self.p("task_prio") and len(j["pods"]) > 1:
            for p in j["pods"]:
                if r.random() < 0.7:
                    p["task_priority"] = str(r.choice([1, 2, 2, 3, 5, 10, -1]))
            if r.random() < 0.04:
                r.choice(j["pods"])["task_priority"] = "high"
        if r.random() < 0.25 and len(j["pods"]) > 1:
            order = list(range(len(j["pods"])))
            r.shuffle(order)
            for p, o in zip(j["pods"], order):
                p["order"] = o
        if self.p("hetero_pods") and len(j["pods"]) > 1:
            r.choice(j["pods"])["request"] = self.request(running)

    def subgroup_job(self, j):
        r = self.r
        j["subgroups"] = []
        leaves = []

        def leaf(name, par=None):
            m = r.choice([1, 1, 1, 2, 2, 0]) if r.random() < 0.9 else 3
            e = {"name": name, "min": m}
            if par:
                e["parent"] = par
            j["subgroups"].append(e)
            extra = r.choice([0, 0, 0, 1, 1, 2])
            leaves.append((name, max(m + extra, 0 if r.random() < .1 else 1)))
        if r.random() < 0.5:
            n = r.randint(2, 3)
            for i in range(n):
                leaf("sub-%s" % "abc"[i])
            if r.random() < 0.35:
                j["min_subgroups"] = r.randint(0 if r.random() < .1 else 1, n)
        else:
            sets = r.randint(2, 3)
            for s in range(sets):
                name = "grp-%s" % "xyz"[s]
                e = {"name": name}
                j["subgroups"].append(e)
                n = r.randint(1, 2)
                if r.random() < 0.3:
                    e["min_subgroups"] = r.randint(1, n)
                for i in range(n):
                    leaf("%s%d" % (name, i), name)
            if r.random() < 0.15:
                leaf("solo")
            if r.random() < 0.45:
                j["min_subgroups"] = r.randint(1, sets)
        j["pods"] = []
        for name, n in leaves:
            for _ in range(n):
                j["pods"].append({"subgroup": name})
        if not j["pods"]:
            j["pods"] = [{"subgroup": leaves[0][0]}]
        if r.random() < 0.05:
            j["min"] = 1 if r.random() < 0.5 else 2
        if r.random() < 0.3:
            r.shuffle(j["pods"])

    def decorate(self, j, running):
        r, k = self.r, self.k
        if self.p("explicit"):
            j["preemptibility"] = r.choice(["preemptible", "non-preemptible"])
            self.tags.add("preemptibility")
        if self.p("selector"):
            j["selector"] = {"pool": r.choice(["red", "blue"])}
            if r.random() < 0.2:
                j["selector"] = {"disk": r.choice(["ssd", "nvme", "floppy"])}
            self.tags.add("selector")
        if self.p("affinity"):
            term = [["pool", r.choice(["In", "NotIn"]),
                     [r.choice(["red", "blue"])]]]
            if r.random() < 0.3:
                term.append(["disk", r.choice(["Exists", "DoesNotExist"]),
                             []])
            j["affinity"] = [term]
            if r.random() < 0.2:
                j["affinity"].append([["disk", "In", ["ssd", "nvme"]]])
            self.tags.add("affinity")
        if self.taints and r.random() < 0.5:
            t = r.choice(self.taints)
            tol = {"key": t[0], "operator": "Exists"}
            if t[1] and r.random() < 0.5:
                tol = {"key": t[0], "operator": "Equal", "value": t[1],
                       "effect": t[2]}
            j["tolerations"] = [tol]
        if self.p("delay"):
            j["delay"] = r.choice(["10s", "1m", "5m", "10m", "1h", "24h"])
            self.tags.add("delay")
        if self.p("lasteviction"):
            j["last_eviction"] = r.choice(AGES[:12])
            self.tags.add("lasteviction")
        if self.p("antiaff"):
            j["labels"] = {"app": r.choice(["web", "db"])}
            self.tags.add("podaffinity")
            if r.random() < 0.6:
                j["anti_affinity"] = [j["labels"]["app"], "kubernetes.io/hostname"]
            elif r.random() < 0.5:
                j["pod_affinity"] = [j["labels"]["app"], "kubernetes.io/hostname"]
        if self.topos and self.p("topo"):
            self.constrain(j)

    def constrain(self, j):
        r = self.r
        lv = self.topos[0]["levels"]

        def one(lo=0):
            c = r.random()
            if c < 0.45:
                return ["net", lv[r.randint(lo, len(lv) - 1)], ""]
            if c < 0.75:
                return ["net", "", lv[r.randint(lo, len(lv) - 1)]]
            a = r.randint(lo, len(lv) - 1)
            return ["net", lv[a], lv[r.randint(a, len(lv) - 1)]]
        if r.random() < 0.03:
            j["topology"] = ["nowhere", lv[0], ""]
            return
        if j.get("subgroups"):
            if r.random() < 0.5:
                j["topology"] = one()
            for s in j["subgroups"]:
                if r.random() < 0.5:
                    s["topology"] = one()
        else:
            j["topology"] = one()

    def delay_ok(self, j):
        """keep the end of the preemption delay away from now"""
        if not j.get("delay"):
            return
        d = {"10s": 10, "1m": 60, "5m": 300, "10m": 600, "1h": 3600,
             "24h": 86400}[j["delay"]]
        for key in ("age", "last_eviction"):
            if j.get(key) is not None and abs(j[key] - d) < 20:
                j[key] += 40

    def make_job(self, i, running):
        r, k = self.r, self.k
        j = {"name": "%s%d" % ("run" if running else "pend", i)}
        pool = self.hogs if r.random() < k["hog"] else self.leaves
        if not running:
            pool = self.poor if r.random() < k["starved"] else self.leaves
        j["queue"] = r.choice(pool)
        j["priority"] = self.pick(k["run_prio" if running else "pend_prio"])
        j["request"] = self.request(running)
        self.job_shape(j, running)
        self.decorate(j, running)
        return j

    def required_ok(self, j):
        """nodes that a running job with a required level may use"""
        tc = j.get("topology")
        if not tc or not tc[1] or not self.topos:
            return None
        lv = self.topos[0]["levels"]
        if tc[0] != "net":
            return None
        depth = lv.index(tc[1]) + 1
        doms = {}
        for nd in self.nodes:
            labels = dict(nd["labels"])
            labels["kubernetes.io/hostname"] = nd["name"]
            if all(x in labels for x in lv):
                doms.setdefault(tuple(labels[x] for x in lv[:depth]),
                                set()).add(nd["name"])
        if not doms:
            return None
        return doms[self.r.choice(sorted(doms))]

    def start(self, j):
        """place a running job; False if it does not fit"""
        r = self.r
        strategy = r.choice(self.k["place"])
        backup = (json.dumps(self.free), json.dumps(self.groups), self.ngroup)
        within = self.required_ok(j)
        need = {}
        for s in j.get("subgroups") or []:
            if s.get("min") is not None:
                need[s["name"]] = s["min"]
        got = {}
        placed = 0
        elastic_stop = r.random() < 0.35
        nodes_used = set()
        for p in j["pods"]:
            key = p.get("subgroup", "")
            want = need.get(key, j.get("min") or 1)
            over = got.get(key, 0) >= want
            if over and elastic_stop and r.random() < 0.5:
                continue                        # elastic pod still pending
            at = self.place(j, p.get("request") or j["request"], strategy, within)
            if at and j.get("anti_affinity") and at[0] in nodes_used:
                at = None
            if at is None:
                if over:
                    continue
                self.free = json.loads(backup[0])
                self.groups = json.loads(backup[1])
                self.ngroup = backup[2]
                for x in j["pods"]:
                    x.pop("node", None)
                    x.pop("gpu_groups", None)
                return False
            p["node"] = at[0]
            nodes_used.add(at[0])
            if at[1]:
                p["gpu_groups"] = at[1]
            got[key] = got.get(key, 0) + 1
            placed += 1
        return placed > 0

    def make_jobs(self):
        r, k = self.r, self.k
        at_least = self.span("running")
        fill = r.uniform(*k["fill"])
        runs = []
        fails = 0
        most = at_least if self.profile == "scale" else max(
            at_least, k["running"][1])
        patience = 60 if self.profile == "scale" else 15
        used_np = {}
        i = 0
        while len(runs) < most and fails < patience:
            left = sum(f["gpus"] for f in self.free.values())
            if self.total and 1 - left / self.total >= fill:
                break
            j = self.make_job(i, True)
            # non-preemptible running jobs mostly stay inside their quota
            np = j.get("preemptibility") == "non-preemptible" or (
                not j.get("preemptibility") and PRIOS[j["priority"]] >= 100)
            if np and r.random() < 0.8:
                want = sum((p.get("request") or j["request"]).get("gpus", 0)
                           for p in j["pods"])
                if used_np.get(j["queue"], 0) + want > self.quota[j["queue"]]:
                    j["priority"] = "train"
                    j.pop("preemptibility", None)
                else:
                    used_np[j["queue"]] = used_np.get(j["queue"], 0) + want
            if not self.start(j):
                fails += 1
                continue
            i += 1
            runs.append(j)
        pend = []
        n = self.span("pending")
        if self.profile == "preempt" and runs and r.random() < 0.7:
            self.poor = [r.choice(runs)["queue"]]
        for i in range(n):
            j = self.make_job(i, False)
            if self.profile in ("preempt", "mixed", "minruntime") and runs \
                    and r.random() < 0.4:
                j["queue"] = r.choice(runs)["queue"]
            pend.append(j)
        self.runs, self.pend = runs, pend
        self.jobs = runs + pend
        r.shuffle(self.jobs)
        # distinct creation times; the oldest come first, in random order
        age = r.randint(300, 900)
        for j in self.jobs:
            age += r.randint(40, 400)
            j["age"] = age
        for j in self.jobs:
            self.delay_ok(j)
        for j in runs:
            j["last_start"] = self.start_age(j)
        seen = set()
        for j in self.jobs:                   # delay_ok may have moved some of them
            while j["age"] in seen:
                j["age"] += 41
            seen.add(j["age"])

    def start_age(self, j):
        r = self.r
        if self.minrt:
            c = r.random()
            if c < 0.06:
                return None
            if c < 0.08:
                return -600                    # in the future
            if c < 0.09:
                return "not-a-time"
            return r.choice([a for a in AGES if a < j["age"]])
        return r.choice([x for x in (75, 140, 210, 800, 3000)
                         if x < j["age"]])

    # ------------------------------------------------------------- extras
    def extras(self):
        r, k = self.r, self.k
        for j in self.runs:
            on = [p for p in j["pods"] if p.get("node")]
            if self.p("releasing"):
                whole = r.random() < 0.6
                for p in on if whole else [r.choice(on)]:
                    p["state"] = "terminating"
                if whole:
                    j["last_start"] = None if r.random() < .5 else j["last_start"]
                self.tags.add("releasing")
                if r.random() < 0.15:
                    j["stays_terminating"] = 1
            elif self.p("stuck"):
                r.choice(on)["state"] = "stuck"
                self.tags.add("releasing")
            elif self.p("bound"):
                r.choice(on)["state"] = "bound"
            if self.p("done") and len(j["pods"]) > 1:
                p = r.choice(j["pods"])
                if not p.get("node"):
                    p["state"] = "succeeded"
            if self.p("stale") and len(on) > 1:
                p = r.choice(on)
                if p.get("state") is None and not p.get("gpu_groups"):
                    f = self.free[p["node"]]
                    q = p.get("request") or j["request"]
                    f["gpus"] += q.get("gpus", 0)
                    f["cpu"] += q.get("cpu", 0)
                    f["memory"] += q.get("memory", 0)
                    f["pods"] += 1
                    del p["node"]
                    if r.random() < 0.3:
                        j["pods"].remove(p)
                if r.random() < 0.6:
                    j["grace"] = r.choice(["10s", "1m", "10m", "-1s", "0s",
                                           "5m"])
                if r.random() < 0.7:
                    j["stale"] = r.choice([22, 30, 75, 140, 450, 800])
                self.tags.add("stale")
        for j in self.pend:
            if self.p("gated"):
                r.choice(j["pods"])["state"] = "gated"
            if self.p("nominated"):
                r.choice(j["pods"])["nominated"] = r.choice(self.nodes)["name"]
        if self.p("foreign"):
            for i in range(r.randint(1, 4)):
                nd = r.choice(self.nodes)
                f = self.free[nd["name"]]
                q = {"cpu": min(f["cpu"], r.choice([500, 1000, 4000])),
                     "memory": min(f["memory"], 2)}
                if r.random() < 0.5 and f["gpus"] >= 1:
                    q["gpus"] = 1
                if f["pods"] < 1:
                    continue
                f["pods"] -= 1
                f["cpu"] -= q["cpu"]
                f["memory"] -= q["memory"]
                f["gpus"] -= q.get("gpus", 0)
                x = {"name": "foreign%d" % i, "namespace": "kube-system",
                     "scheduler": "default-scheduler", "request": q, "node": nd["name"],
                     "age": 7000 + i}
                if r.random() < 0.15:
                    x["state"] = "terminating"
                self.xpods.append(x)
            self.tags.add("foreign")
        for node, gs in self.groups.items():
            nd = next(x for x in self.nodes if x["name"] == node)
            for i, g in enumerate(sorted(gs)):
                f = self.free[node]
                if r.random() < 0.3 and f["pods"] >= 1:
                    f["pods"] -= 1
                    self.xpods.append({
                        "name": "gpu-reservation-%s-%d" % (nd["name"], i),
                        "namespace": "kai-resource-reservation", "node": node,
                        "request": {"gpus": 1}, "age": 6000 + i,
                        "labels": {"app": "kai-resource-reservation",
                              "runai-gpu-group": g}})
        self.odd()

    def odd(self):
        r = self.r

        def any_job(pool):
            return r.choice(pool) if pool else None
        if self.p("odd"):
            j = any_job(self.pend)
            if j:
                j["queue"] = "ghost"
                self.tags.add("odd")
        if self.p("odd"):
            inner = [q["name"] for q in self.queues if q["name"] not in self.leaves]
            j = any_job(self.jobs)
            if j and inner:
                j["queue"] = r.choice(inner)
                self.tags.add("odd")
        if self.p("odd"):
            q = r.choice([q for q in self.queues if q["name"] in self.leaves])
            q["gpu"][1] = 0
            self.tags.add("odd")
        if self.p("odd"):
            q = r.choice(self.queues)
            q["gpu"] = [0, -1, 0]
            self.tags.add("odd")
        if self.p("odd"):
            j = any_job(self.jobs)
            if j and not j.get("subgroups"):
                j.pop("min", None)
                self.tags.add("odd")
        if self.p("odd"):
            j = any_job(self.jobs)
            if j and not j.get("subgroups"):
                j["min"] = len(j["pods"]) + 1
                self.tags.add("odd")
        if self.p("odd"):
            j = any_job(self.jobs)
            if j:
                j["priority"] = r.choice(["", "no-such-class"])
                if r.random() < 0.4:
                    self.prio_default = r.choice(["mid", "build"])
                self.tags.add("odd")
        if self.p("odd") and r.random() < 0.5:
            j = any_job(self.jobs)
            if j:
                j["min"] = 0 if not j.get("subgroups") else j.get("min")
                self.tags.add("odd")
        if self.p("odd") and r.random() < 0.5:
            j = any_job(self.jobs)
            if j:
                r.choice(j["pods"])["subgroup"] = "unknown"
                self.tags.add("odd")
        if self.p("odd") and r.random() < 0.5:
            # a queue whose parent does not exist
            q = r.choice(self.queues)
            if q["name"] in self.leaves and len(self.leaves) > 1:
                q["parent"] = "nowhere"
                self.tags.add("odd")
        if self.p("odd") and r.random() < 0.5:
            q = r.choice(self.queues)
            q.pop("cpu", None)
            q["memory"] = None
            self.tags.add("odd")

    # -------------------------------------------------------------- config
    def make_config(self):
        r = self.r
        c = {}
        if self.p("operator"):
            c["plugins"] = "operator"
        if self.p("spread"):
            c["plugins"] = "spread"
            if r.random() < 0.5:
                c["actions"] = ("allocate, reclaim, preempt, "
                                "stalegangeviction")
        args = {}
        if self.minrt:
            a = {}
            if r.random() < 0.5:
                a["defaultPreemptMinRuntime"] = r.choice(RUNTIMES)
            if r.random() < 0.5:
                a["defaultReclaimMinRuntime"] = r.choice(RUNTIMES)
            if r.random() < 0.6:
                a["reclaimResolveMethod"] = r.choice(["lca", "queue",
                                                      "queue"])
            if a:
                args["minruntime"] = a
        if r.random() < 0.06:
            args["proportion"] = {"relcaimerSaturationMultiplier":
                                  r.choice(["1.2", "2"])}
        if args:
            c["arguments"] = args
        params = {}
        if not self.p("signatures"):
            params["useSchedulingSignatures"] = False
        if r.random() < 0.15:
            params["globalDefaultStalenessGracePeriod"] = r.choice(
                ["0s", "10s", "-1s"])
        if r.random() < 0.04:
            params["allowConsolidatingReclaim"] = False
        if r.random() < 0.04 and self.profile != "consolidation":
            params["maxNumberConsolidationPreemptees"] = 0
        if r.random() < 0.04:
            params["fullHierarchyFairness"] = False
        if params:
            c["params"] = params
        if r.random() < 0.06 and self.profile != "consolidation":
            c["actions"] = r.choice([
                "allocate, reclaim, preempt, stalegangeviction",
                "allocate, preempt, reclaim, consolidation",
                "allocate, reclaim", "allocate, preempt",
                "allocate, consolidation"])
        return c

    def build(self):
        self.prio_default = None
        self.make_nodes()
        self.make_queues()
        self.make_jobs()
        self.extras()
        cfg = self.make_config()
        prios = {}
        for j in self.jobs:
            if j.get("priority") in PRIOS:
                prios[j["priority"]] = PRIOS[j["priority"]]
        if self.prio_default:
            prios[self.prio_default] = PRIOS[self.prio_default]
        if not prios:
            prios["train"] = 50
        for nd in self.nodes:
            if not nd["labels"]:
                del nd["labels"]
            if nd.get("gpu_memory") == 100:
                del nd["gpu_memory"]
        cl = {"nodes": self.nodes, "priorities": prios,
              "queues": self.queues, "jobs": self.jobs}
        if self.prio_default:
            cl["default_priority"] = self.prio_default
        if self.topos:
            cl["topologies"] = self.topos
        if self.xpods:
            cl["foreign_pods"] = self.xpods
        for j in self.jobs:
            for key in [x for x, v in j.items() if v is None]:
                del j[key]
        return {"cluster": cl, "config": cfg, "tags": sorted(self.tags)}


def generate(seed, profile):
    """{profile, seed, tags, cluster, config}"""
    c = Gen(seed, profile).build()
    c["profile"], c["seed"] = profile, seed
    return c


def main(argv=None):
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("--seed", type=int, required=True)
    ap.add_argument("--profile", choices=sorted(PROFILES), required=True)
    ap.add_argument("--out", metavar="DIR")
    o = ap.parse_args(argv)
    if o.seed < FIRST_SEED:
        ap.error("seeds start at %d" % FIRST_SEED)
    c = generate(o.seed, o.profile)
    if o.out:
        program.write_inputs(c, o.out)
    else:
        print(cases.drawn_text(dict(c, rounds=[])), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
