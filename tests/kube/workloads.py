"""Manifests that the tests make."""

POD_GROUPS = "/apis/scheduling.run.ai/v2alpha2/namespaces/default/podgroups"
QUEUES = "/apis/scheduling.run.ai/v2/queues"
PODS = "/api/v1/namespaces/default/pods"
JOBS = "/apis/batch/v1/namespaces/default/jobs"
DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


def pod_spec(gpus=1, restart="Always", **more):
    return {"schedulerName": "kai-scheduler", "restartPolicy": restart, "terminationGracePeriodSeconds": 0,
            "containers": [{"name": "main", "image": "none", "resources": {"limits": {"nvidia.com/gpu": str(gpus)}}}],
            **more}


def pod(name, gpus=1, queue=None, group=None, labels=None, **more):
    metadata = {"name": name, "labels": dict(labels or {})}
    if queue:
        metadata["labels"]["kai.scheduler/queue"] = queue
    if group:
        metadata["annotations"] = {"pod-group-name": group}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod_spec(gpus, **more)}


def sharing_pod(name, fraction="0.5", queue="team-a", **spec):
    """With a part of a GPU."""
    made = pod(name, gpus=0, queue=queue, **spec)
    made["metadata"]["annotations"] = {"gpu-fraction": fraction}
    return made


def group(name, queue, minimum, priority_class="train", **spec):
    return {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup", "metadata": {"name": name},
            "spec": {"queue": queue, "minMember": minimum, "priorityClassName": priority_class, **spec}}


def job(name, count, gpus=1, queue=None, annotations=None, labels=None):
    labels = dict(labels or {}, **({"kai.scheduler/queue": queue} if queue else {}))
    return {"apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": name, "labels": labels, "annotations": annotations or {}},
            "spec": {"parallelism": count, "completions": count,
                     "template": {"metadata": {"labels": {"of": name}}, "spec": pod_spec(gpus, "Never")}}}


def deployment(name, count, gpus=1, queue=None):
    labels = {"kai.scheduler/queue": queue} if queue else {}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "labels": labels},
            "spec": {"replicas": count, "selector": {"matchLabels": {"of": name}},
                     "template": {"metadata": {"labels": {"of": name}}, "spec": pod_spec(gpus)}}}


def queue(name, quota, limit=-1, parent="department", **spec):
    amounts = {"quota": quota, "limit": limit, "overQuotaWeight": 1}
    free = {"quota": -1, "limit": -1, "overQuotaWeight": 1}
    return {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": name},
            "spec": {"parentQueue": parent, "resources": {"gpu": amounts, "cpu": free, "memory": free}, **spec}}
