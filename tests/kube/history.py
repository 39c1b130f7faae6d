"""Reads from the audit log of the API server what happened, and finds what must never happen."""
import datetime
import json

RECEIPT = "muster.dev/last-eviction"


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class History:
    """`entries` as returned by ControlPlane.audit_entries(); `pods` are those that exist now."""

    def __init__(self, entries, pods=()):
        self.entries = sorted(entries, key=lambda e: e["requestReceivedTimestamp"])
        self.pods = {p["metadata"]["uid"]: p for p in pods}

    def done(self, resource, verb, subresource=""):
        """Writes that were carried out, except dry runs."""
        return [e for e in self.entries
                if (e["objectRef"]["resource"], e["objectRef"].get("subresource", ""), e["verb"]) == (resource, subresource, verb)
                and e["responseStatus"]["code"] < 300 and "dryRun" not in e["requestURI"]]

    def bindings(self):
        """(when, uid, namespace, name, node), oldest first."""
        return [(moment(e["stageTimestamp"]), e["requestObject"]["metadata"]["uid"], e["objectRef"]["namespace"],
                 e["objectRef"]["name"], e["requestObject"]["target"]["name"]) for e in self.done("pods", "create", "binding")]

    def bound_twice(self):
        seen, twice = set(), []
        for _, uid, ns, name, _ in self.bindings():
            if uid in seen:
                twice.append(f"{ns}/{name}")
            seen.add(uid)
        return twice

    def stays(self):
        """(begin, end, namespace, name, node) of bound pods; a pod counts as gone when its deletion is requested."""
        ends = {}
        for e in self.done("pods", "delete") + self.done("pods", "create", "eviction"):
            ends.setdefault((e["objectRef"]["namespace"], e["objectRef"]["name"]), []).append(
                moment(e["requestReceivedTimestamp"]))
        sweeps = [(moment(e["requestReceivedTimestamp"]), e["objectRef"]["namespace"])
                  for e in self.done("pods", "deletecollection")]
        for begin, uid, ns, name, node in self.bindings():
            later = [t for t in ends.get((ns, name), []) if t >= begin] + [t for t, where in sweeps if where == ns and t >= begin]
            there = uid in self.pods and "deletionTimestamp" not in self.pods[uid]["metadata"]
            yield begin, min(later, default=float("inf") if there else begin), ns, name, node

    def most_at_once(self, is_counted, gpus_of):
        """The most GPUs that the pods used at one time."""
        steps = []
        for begin, end, _, name, _ in self.stays():
            if is_counted(name):
                steps += [(begin, 1, gpus_of(name)), (end, 0, -gpus_of(name))]
        held = most = 0
        for _, _, gpus in sorted(steps):
            held += gpus
            most = max(most, held)
        return most

    def overfull_nodes(self, sizes, gpus_of):
        """Nodes whose bound pods used more than the node has at some time."""
        stays = list(self.stays())
        overfull = []
        for node, size in sizes.items():
            mine = [s for s in stays if s[4] == node]
            steps = sorted([(b, 1, gpus_of(n)) for b, _, _, n, _ in mine] + [(e, 0, -gpus_of(n)) for _, e, _, n, _ in mine])
            held = 0
            for _, _, gpus in steps:
                held += gpus
                if held > size:
                    overfull.append((node, held))
                    break
        return overfull

    # ---- evictions

    def evictions(self):
        """{uid: (when, "namespace/name")} of muster's first request to evict each pod, oldest first."""
        evictions = {}
        for e in sorted(self.done("pods", "delete") + self.done("pods", "create", "eviction"),
                        key=lambda e: e["requestReceivedTimestamp"]):
            options = e.get("requestObject") or {}
            uid = options.get("deleteOptions", options).get("preconditions", {}).get("uid")
            if e.get("userAgent") == "muster":
                evictions.setdefault(uid, (moment(e["requestReceivedTimestamp"]),
                                           f"{e['objectRef']['namespace']}/{e['objectRef']['name']}"))
        return evictions

    def receipts(self):
        """[(when it was written, eviction record)] from the PodGroups."""
        written = [(moment(e["stageTimestamp"]), (e["requestObject"].get("metadata") or {}).get("annotations") or {})
                   for e in self.done("podgroups", "patch") if e.get("requestObject")]
        return [(when, json.loads(a[RECEIPT])) for when, a in written if a.get(RECEIPT)]

    def evictions_without_receipt(self):
        """Pods that were evicted before an eviction record was written, since the last eviction of a pod of that name.
        """
        without, last = [], {}
        receipts = self.receipts()
        for when, name in self.evictions().values():
            if not any(last.get(name, 0) < written <= when and name in receipt["pods"] for written, receipt in receipts):
                without.append(name)
            last[name] = when
        return without

    # ---- leadership

    def terms(self, lease):
        """(when, holder) of each change of the holder."""
        terms = []
        for e in self.done("leases", "create") + self.done("leases", "update"):
            holder = e.get("requestObject", {}).get("spec", {}).get("holderIdentity", "")
            if lease in (e["objectRef"].get("name"), e.get("requestObject", {}).get("metadata", {}).get("name")):
                terms.append((moment(e["stageTimestamp"]), holder, e["user"]["username"]))
        terms.sort()
        return [t for i, t in enumerate(terms) if i == 0 or terms[i - 1][1:] != t[1:]]

    def writes_without_lease(self, lease, users, slack=0.0):
        """Writes by these users that began when the writer did not hold the lease."""
        terms = self.terms(lease)
        wrong = []
        for e in self.entries:
            user = e["user"].get("username")  # none if the user is unknown
            if user not in users or e["objectRef"]["resource"] == "leases" or e["verb"] in ("get", "list", "watch"):
                continue
            begin = moment(e["requestReceivedTimestamp"])
            holders = [t for t in terms if t[0] <= begin - slack]
            if not holders or holders[-1][2] != user:
                nearest = [t for t in terms if t[0] <= begin]
                if not nearest or nearest[-1][2] != user:
                    wrong.append((begin, user, e["verb"], e["requestURI"]))
        return wrong

    @staticmethod
    def broken_gangs(groups, pods):
        """PodGroups with running pods, but fewer than they need."""
        running = {}
        for p in pods:
            name = (p["metadata"].get("annotations") or {}).get("pod-group-name")
            if p["status"].get("phase") == "Running" and "deletionTimestamp" not in p["metadata"]:
                running[(p["metadata"]["namespace"], name)] = running.get((p["metadata"]["namespace"], name), 0) + 1
        return [f"{ns}/{name}: {count}" for (ns, name), count in running.items() for g in groups
                if (g["metadata"]["namespace"], g["metadata"]["name"]) == (ns, name) and count < g["spec"].get("minMember", 1)]


def read(path):
    with open(path) as log:
        return [json.loads(line) for line in log]
