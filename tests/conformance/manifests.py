"""Turns the short form of a cluster (README.md, "The cluster") into Kubernetes manifests."""
import datetime

NOW = "2025-06-01T12:00:00Z"
UNLIMITED = [-1, -1, 1]  # quota, limit, weight
STAYS_TERMINATING = "muster.dev/stays-terminating"
TIMES = {"last_start": "kai.scheduler/last-start-timestamp", "last_eviction": "kai.scheduler/last-eviction-timestamp",
         "stale": "kai.scheduler/stale-podgroup-timestamp"}
PHASES = {"running": "Running", "terminating": "Running", "stuck": "Running", "succeeded": "Succeeded",
          "failed": "Failed"}
DAY = 86400


def when(now, age):
    """The time `age` seconds before `now`."""
    moment = datetime.datetime.strptime(now, "%Y-%m-%dT%H:%M:%SZ") - datetime.timedelta(seconds=age)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def given(**values):
    """The values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def merge(manifest, patch):
    """Merges the `also` of a case into a manifest; null removes."""
    for key, value in patch.items():
        if value is None:
            manifest.pop(key, None)
        elif isinstance(value, dict) and isinstance(manifest.get(key), dict):
            merge(manifest[key], value)
        else:
            manifest[key] = value
    return manifest


def quantity(value, unit):
    """A number with the unit appended; text is used unchanged."""
    return value if isinstance(value, str) else "%d%s" % (value, unit)


def cpu_quantity(milli):
    if isinstance(milli, str):
        return milli
    return "%dm" % milli if milli % 1000 else str(milli // 1000)


def topology_constraint(constraint):
    if not constraint:
        return None
    topology, required, preferred = constraint
    return given(topology=topology, requiredTopologyLevel=required or None, preferredTopologyLevel=preferred or None)


def sub_group(group):
    return given(name=group["name"], parent=group.get("parent"), minMember=group.get("min"),
                 minSubGroup=group.get("min_subgroups"),
                 topologyConstraint=topology_constraint(group.get("topology")))


def node_affinity(terms):
    """terms: node selector terms, each a list of [label, operator, values]."""
    return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [given(key=key, operator=operator, values=values or None)
                              for key, operator, values in term]} for term in terms]}}


def pod_affinity(app, topology_key):
    return {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": topology_key}]}


def affinity(job):
    """What a job, or one of its pods, specifies about nodes and other pods."""
    found = {}
    if job.get("affinity"):
        found["nodeAffinity"] = node_affinity(job["affinity"])
    if job.get("anti_affinity"):
        found["podAntiAffinity"] = pod_affinity(*job["anti_affinity"])
    if job.get("pod_affinity"):
        found["podAffinity"] = pod_affinity(*job["pod_affinity"])
    return found


def priority_class(name, value, is_default):
    return dict(apiVersion="scheduling.k8s.io/v1", kind="PriorityClass", metadata={"name": name}, value=value,
                **({"globalDefault": True} if is_default else {}))


def topology(levels):
    return {"apiVersion": "kai.scheduler/v1alpha1", "kind": "Topology", "metadata": {"name": levels["name"]},
            "spec": {"levels": [{"nodeLabel": label} for label in levels["levels"]]}}


def state_of(pod):
    return pod.get("state") or ("running" if pod.get("node") else "pending")


class Drawn:
    """Generated clusters: they give every age, minimum and request themselves."""

    default_request = {}
    deletion = {"deletionGracePeriodSeconds": 0}

    def __init__(self, cluster):
        self.cluster = cluster
        self.now = cluster.get("now", NOW)

    def manifests(self):
        c = self.cluster
        return (
            [self.node(n) for n in c["nodes"]] +
            [topology(t) for t in c.get("topologies", [])] +
            [priority_class(name, value, name == c.get("default_priority"))
             for name, value in sorted(c.get("priorities", {}).items())] +
            [self.queue(q, i) for i, q in enumerate(c["queues"])] +
            c.get("manifests", []) +
            [self.pod_group(j, i) for i, j in enumerate(c["jobs"])] +
            [self.pod(p, j, self.job_age(j, i), k)
             for i, j in enumerate(c["jobs"]) for k, p in enumerate(j["pods"])] +
            [self.pod(p, {}, 3600, k) for k, p in enumerate(c.get("foreign_pods", []))])

    def queue_age(self, queue, _index):
        return queue["age"]

    def job_age(self, job, _index):
        return job["age"]

    def pod_age(self, job_age, order):
        return job_age - order

    def least_pods(self, job):
        return job.get("min")

    def last_start(self, job):
        return job.get("last_start")

    def node(self, node):
        gpus = node.get("gpus", 0)
        labels = {"kubernetes.io/hostname": node["name"]}
        if gpus:
            labels["nvidia.com/gpu.count"] = str(gpus)
            labels["nvidia.com/gpu.memory"] = str(node.get("gpu_memory", 100))
        amounts = {"cpu": str(node["cpu"]), "memory": quantity(node["memory"], "G")}
        if gpus:
            amounts["nvidia.com/gpu"] = str(gpus)
        amounts["pods"] = str(node.get("pods", 110))
        found = {"apiVersion": "v1", "kind": "Node",
                 "metadata": {"name": node["name"], "uid": node["name"], "creationTimestamp": when(self.now, DAY),
                              "labels": {**labels, **node.get("labels", {})}}}
        spec = given(taints=[dict(zip(("key", "value", "effect"), t)) for t in node.get("taints", [])] or None,
                     unschedulable=True if node.get("cordon") else None)
        if spec:
            found["spec"] = spec
        found["status"] = {"capacity": dict(amounts), "allocatable": amounts, "conditions": [
            {"type": "Ready", "status": "False" if node.get("not_ready") else "True"}]}
        return found

    def display_name(self, queue):
        return queue.get("display")

    def queue(self, queue, index):
        resources = {}
        for kind in ("gpu", "cpu", "memory"):
            amounts = queue.get(kind, UNLIMITED)
            if amounts is not None:
                resources[kind] = given(**dict(zip(("quota", "limit", "overQuotaWeight"), amounts)))
        spec = given(displayName=self.display_name(queue), parentQueue=queue.get("parent"),
                     priority=queue.get("priority"), resources=resources,
                     preemptMinRuntime=queue.get("preempt_min_runtime"),
                     reclaimMinRuntime=queue.get("reclaim_min_runtime"))
        return {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue",
                "metadata": {"name": queue["name"], "uid": queue["name"],
                             "creationTimestamp": when(self.now, self.queue_age(queue, index))},
                "spec": spec}

    def pod_group(self, job, index):
        spec = given(queue=job["queue"], priorityClassName=job.get("priority") or None,
                     preemptibility=job.get("preemptibility"), minMember=self.least_pods(job),
                     minSubGroup=job.get("min_subgroups"), preemptionDelay=job.get("delay"),
                     stalenessGracePeriod=job.get("grace"),
                     topologyConstraint=topology_constraint(job.get("topology")),
                     subGroups=[sub_group(g) for g in job.get("subgroups", [])] or None)
        metadata = {"name": job["name"], "namespace": job.get("namespace", "default"), "uid": job["name"],
                    "creationTimestamp": when(self.now, self.job_age(job, index))}
        annotations = self.job_annotations(job)
        if annotations:
            metadata["annotations"] = annotations
        return merge({"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup", "metadata": metadata,
                      "spec": spec}, job.get("also", {}))

    def job_annotations(self, job):
        annotations = {}
        ages = dict(job, last_start=self.last_start(job))
        for key, annotation in TIMES.items():
            age = ages.get(key)
            if age is not None:
                annotations[annotation] = age if isinstance(age, str) else when(self.now, age)
        if job.get("stays_terminating"):
            annotations[STAYS_TERMINATING] = "true"
        return {**annotations, **job.get("annotations", {})}

    def pod(self, pod, job, job_age, index):
        """A pod of a job; for a foreign pod the job is empty."""
        request = {**self.default_request, **(pod.get("request") or job.get("request", {}))}
        status = given(phase=PHASES.get(state_of(pod), "Pending"), nominatedNodeName=pod.get("nominated"),
                       qosClass=pod.get("qos", job.get("qos")))
        return merge({"apiVersion": "v1", "kind": "Pod",
                      "metadata": self.pod_metadata(pod, job, job_age, index, request),
                      "spec": self.pod_spec(pod, job, request, status.get("qosClass")), "status": status},
                     pod.get("also", {}))

    def pod_metadata(self, pod, job, job_age, index, request):
        name = pod.get("name") or "%s-%d" % (job["name"], index)
        namespace = pod.get("namespace") or job.get("namespace", "default")
        age = pod["age"] if "age" in pod else self.pod_age(job_age, pod.get("order", index))
        metadata = {"name": name, "namespace": namespace, "uid": self.pod_uid(name, namespace),
                    "creationTimestamp": when(self.now, age)}
        labels, annotations = self.pod_labels(name, pod, job), self.pod_annotations(pod, job, request)
        if labels:
            metadata["labels"] = labels
        if annotations:
            metadata["annotations"] = annotations
        if state_of(pod) in ("terminating", "stuck"):
            metadata["deletionTimestamp"] = when(self.now, 600 if pod["state"] == "stuck" else 0)
            metadata.update(self.deletion)
        return metadata

    def pod_uid(self, name, namespace):
        return name if namespace == "default" else "%s-%s" % (namespace, name)

    def pod_labels(self, _name, pod, job):
        labels = {}
        if pod.get("subgroup"):
            labels["kai.scheduler/subgroup-name"] = pod["subgroup"]
        if pod.get("task_priority") is not None:
            labels["kai.scheduler/task-priority"] = pod["task_priority"]
        labels.update(pod.get("labels") or job.get("labels") or {})
        if pod.get("node") and pod.get("gpu_groups"):
            first, *others = pod["gpu_groups"]  # KAI reads the plain label, then adds those with a name
            labels["runai-gpu-group"] = first
            labels.update({"runai-gpu-group/" + group: group for group in others})
        return labels

    def pod_annotations(self, pod, job, request):
        annotations = {}
        if job:
            annotations["pod-group-name"] = job["name"]
        for key, annotation in (("fraction", "gpu-fraction"), ("gpu_memory", "gpu-memory"),
                                ("devices", "gpu-fraction-num-devices")):
            if request.get(key):
                annotations[annotation] = str(request[key])
        if job and pod.get("node") and state_of(pod) not in ("succeeded", "failed"):
            annotations["received-resource-type"] = (
                "Fraction" if request.get("fraction") or request.get("gpu_memory") else
                "MigInstance" if request.get("mig") else "Regular")
        if job.get("stays_terminating"):
            annotations[STAYS_TERMINATING] = "true"
        return {**annotations, **pod.get("annotations", {})}

    def pod_spec(self, pod, job, request, qos):
        claims = pod.get("claims", job.get("claims", []))
        spec = {"schedulerName": pod.get("scheduler", "kai-scheduler"),
                "containers": [container(request, qos, claims)]}
        if claims:
            spec["resourceClaims"] = [{"name": name, "resourceClaimName": name} for name in claims]
        if state_of(pod) == "gated":
            spec["schedulingGates"] = [{"name": "example.com/gate"}]
        if job.get("selector"):
            spec["nodeSelector"] = job["selector"]
        if job.get("tolerations"):
            spec["tolerations"] = job["tolerations"]
        wanted = affinity({**job, **pod})
        if wanted:
            spec["affinity"] = wanted
        if pod.get("node"):
            spec["nodeName"] = pod["node"]
        return spec


def container(request, qos, claims):
    amounts = {}
    if request.get("cpu"):
        amounts["cpu"] = cpu_quantity(request["cpu"])
    if request.get("memory"):
        amounts["memory"] = quantity(request["memory"], "G")
    if request.get("gpus"):
        amounts["nvidia.com/gpu"] = str(request["gpus"])
    for profile, count in request.get("mig", {}).items():
        amounts["nvidia.com/mig-" + profile] = str(count)
    resources = given(requests=amounts or None, limits=dict(amounts) if qos == "Guaranteed" else None,
                      claims=[{"name": name} for name in claims] or None)
    return {"name": "main", "image": "none", **({"resources": resources} if resources else {})}


class Written(Drawn):
    """Clusters written by hand, as KAI's tests build them: what a case does not give follows from its position."""

    default_request = {"cpu": 1000, "memory": 1}

    def node(self, node):
        labels = {"nvidia.com/gpu.count": str(node.get("gpus", 0)),
                  "nvidia.com/gpu.memory": str(node.get("gpu_memory", 100)),
                  "node-role.kubernetes.io/mig-enabled": "true" if node.get("mig_strategy") else "false",
                  "nvidia.com/mig.strategy": node.get("mig_strategy", ""),
                  "kai.scheduler/type": node["name"], **node.get("labels", {})}
        devices = {"nvidia.com/gpu": str(node.get("gpus", 0)), "pods": "110",
                   **{"nvidia.com/mig-" + profile: str(count) for profile, count in node.get("mig", {}).items()}}
        return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node["name"], "labels": labels},
                "status": {"capacity": {"cpu": "30000", "memory": "30G", **devices},
                           "allocatable": {"cpu": str(node.get("cpu", 20000)),
                                           "memory": quantity(node.get("memory", 20), "G"), **devices},
                           "conditions": [{"type": "Ready", "status": "True"}]}}

    def least_pods(self, job):
        return job["min"] if "min" in job else None if job.get("subgroups") else len(job["pods"])

    def pod_uid(self, name, _namespace):
        return name

    def pod_labels(self, name, pod, job):
        return {"job-name": name, **super().pod_labels(name, pod, job)}


class KaiTests(Written):
    """Queues are created a minute apart, those with a parent and those without counted separately; so are jobs, the
    last one a minute before now. A job with pods on nodes has run for a minute."""

    def queue_age(self, queue, _index):
        level = [q["name"] for q in self.cluster["queues"] if ("parent" in q) == ("parent" in queue)]
        return queue.get("age", -60 * level.index(queue["name"]))

    def display_name(self, queue):
        has_children = any(q.get("parent") == queue["name"] for q in self.cluster["queues"])
        return queue.get("display") if has_children else queue["name"]

    def job_age(self, job, index):
        return job.get("age", 60 * (len(self.cluster["jobs"]) - index))

    def pod_age(self, job_age, _order):
        return job_age

    def last_start(self, job):
        runs = any(state_of(p) == "running" for p in job["pods"])
        return job.get("last_start", 60 if runs else None)


class Mission(Written):
    """Queues are created a minute apart, the first 60 days before now; jobs likewise 30 days before now; pods of a job
    a second apart."""

    deletion = {}

    def queue_age(self, queue, index):
        return queue.get("age", 60 * DAY - 60 * index)

    def display_name(self, queue):
        return queue.get("display", queue["name"])

    def job_age(self, job, index):
        return job.get("age", 30 * DAY - 60 * index)


HABITS = {"drawn": Drawn, "kai-tests": KaiTests, "mission": Mission}


def expand(cluster, habits="drawn"):
    """The manifests of a cluster in short form."""
    return HABITS[habits](cluster).manifests()
