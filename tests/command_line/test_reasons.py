"""Every reason for a pending job, and every rule by which a node refuses a pod: the data for programs.

One case each, with all of its details; the tables of docs/json.md list the same codes with the same keys.
MUSTER names the program.
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = jsonschema.Draft202012Validator(json.loads((ROOT / "docs/schema/simulate-v1.json").read_text()))
NOW = "2025-06-01T12:00:00Z"
GIB = 1 << 30
FREE = {"quota": -1, "limit": -1, "overQuotaWeight": 1}
ALLOCATE = "actions: allocate\n"


# ---- objects, with defaults for everything that a case is not about

def node(name="n1", labels=None, spec=None, conditions=(), **amounts):
    amounts = {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "4", "pods": "110",
               **{key.replace("__", "/").replace("_", "-"): value for key, value in amounts.items()}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels or {}}, "spec": spec or {},
            "status": {"allocatable": amounts, "conditions": list(conditions)}}


def queue(name="q", parent=None, gpu=None, cpu=None, memory=None, **spec):
    return {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": name},
            "spec": {**({"parentQueue": parent} if parent else {}), **spec,
                     "resources": {"gpu": gpu or FREE, "cpu": cpu or FREE, "memory": memory or FREE}}}


def group(name="p", of="q", minimum=1, status=None, created=None, started=None, **spec):
    metadata = {"name": name, **({"creationTimestamp": created} if created else {}),
                "annotations": {"kai.scheduler/last-start-timestamp": started} if started else {}}
    return {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup", "metadata": metadata,
            "spec": {"queue": of, "minMember": minimum, **spec}, "status": status or {}}


def pod(name="p-0", of="p", on=None, gpus=0, limits=None, annotations=None, mounts=(), **spec):
    requests = {"nvidia.com/gpu": str(gpus)} if gpus else {"cpu": "1"}
    resources = {"limits": limits} if limits else {"requests": requests}
    container = {"name": "main", "resources": resources, "volumeMounts": [{"name": m, "mountPath": "/m"} for m in mounts]}
    return {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "annotations": {"pod-group-name": of, **(annotations or {})}},
            "spec": {"schedulerName": "kai-scheduler", "containers": [container],
                     **({"nodeName": on} if on else {}), **spec},
            "status": {"phase": "Running" if on else "Pending"}}


def other(kind, name, api_version, **more):
    metadata = {"name": name, **more.pop("metadata", {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}


def waiting(**what):
    return [queue(), group(), pod(**what)]


def volume_claim(**more):
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}, **more.pop("spec", {})}
    return other("PersistentVolumeClaim", "data", "v1", spec=spec, **more)


VOLUME = [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]
CLAIM = [{"name": "gpu", "resourceClaimName": "mine"}]


def device_claim(count=1, labels=None, status=None, device_class="gpu.example.com"):
    request = {"name": "gpu", "exactly": {"deviceClassName": device_class, "count": count}}
    return other("ResourceClaim", "mine", "resource.k8s.io/v1", metadata={"labels": labels or {}},
                 spec={"devices": {"requests": [request]}}, status=status or {})


def slow_claim(name, number):
    """Its two selectors differ by the number, and take some ten thousand steps each on a device."""
    items = str(list(range(70)))
    selectors = [f"{items}.all(a, {items}.all(b, a + b + {n} < 1000000 + size(device.driver)))"
                 for n in (2 * number, 2 * number + 1)]
    request = {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com", "selectors": [
        {"cel": {"expression": selector}} for selector in selectors]}}
    return other("ResourceClaim", name, "resource.k8s.io/v1", metadata={"labels": OF_QUEUE},
                 spec={"devices": {"requests": [request]}})


def slow_jobs(count):
    return [made for i in range(count) for made in (
        slow_claim(f"a{i}", i), group(f"a{i}"),
        pod(f"a{i}-0", f"a{i}", resourceClaims=[{"name": "gpu", "resourceClaimName": f"a{i}"}]))]


DISKS = [
    other("StorageClass", "disk", "storage.k8s.io/v1", provisioner="csi.example.com",
          volumeBindingMode="WaitForFirstConsumer"),
    other("CSIDriver", "csi.example.com", "storage.k8s.io/v1", spec={"storageCapacity": True}),
    other("CSIStorageCapacity", "c", "storage.k8s.io/v1", storageClassName="disk", capacity="5Gi", nodeTopology={})]
CSI = "actions: allocate\nschedulerParams: {scheduleCSIStorage: true}\n"

DEVICE_CLASS = other("DeviceClass", "gpu.example.com", "resource.k8s.io/v1", spec={
    "selectors": [{"cel": {"expression": "device.driver == 'gpu.example.com'"}}]})
OF_QUEUE = {"kai.scheduler/queue": "q"}


def slice_of(on, count):
    return other("ResourceSlice", f"{on}-gpus", "resource.k8s.io/v1", spec={
        "driver": "gpu.example.com", "nodeName": on, "pool": {"name": on, "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": f"gpu-{i}"} for i in range(count)]})


def topology(*levels):
    return other("Topology", "net", "kai.scheduler/v1alpha1", spec={"levels": [{"nodeLabel": l} for l in levels]})


def within(level, name="net"):
    return {"topologyConstraint": {"topology": name, "requiredTopologyLevel": level}}


def port(name="p-0", of="p", on=None):
    made = pod(name, of, on)
    made["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 80}]
    return made


def web(name="p-0", of="p", on=None):
    made = pod(name, of, on)
    made["metadata"]["labels"] = {"app": "web"}
    return made


def near(kind):
    term = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "web"}}}
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def away_from_all_but(value):
    term = {"topologyKey": "zone", "labelSelector": {"matchExpressions": [
        {"key": "app", "operator": "NotIn", "values": [value]}]}}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def in_sub_group(name, sub_group):
    made = pod(name)
    made["metadata"]["labels"] = {"kai.scheduler/subgroup-name": sub_group}
    return made


PRIORITIES = [other("PriorityClass", "high", "scheduling.k8s.io/v1", value=90)]
PREEMPT = "actions: allocate, preempt\n"

# ---- reasons of jobs: objects, configuration, details

RACKS = [topology("rack"), node("n1", {"rack": "r1"}), node("n2", {"rack": "r2"})]
BUSY = [node(), group("busy"), pod("busy-0", "busy", on="n1", gpus=4)]
HELD_BY_Q = {"resource": "nvidia.com/gpu", "total": 4.0, "free": 0.0, "heldBy": [{"amount": 4.0, "queue": "q"}],
             "heldByOthers": 0.0}
NO_GPU = {"nodes": 1, "rule": "NotEnoughResources", "resource": "nvidia.com/gpu", "requested": 1.0, "available": 0.0}

REFUSED = {"apiVersion": "muster.dev/v1", "kind": "SchedulerState", "at": NOW, "refusedBinds": [
    {"job": "default/p", "pod": "train-0", "why": "node gpu-1 is full", "until": "2025-06-01T12:00:10Z"}]}

JOBS = {
    "BindRefused": ([node(), *waiting(name="train-0"), REFUSED], ALLOCATE,
                    {"name": "node gpu-1 is full", "of": "train-0", "until": "2025-06-01T12:00:10Z"}),
    "QueueDoesNotExist": ([node(), queue(), group(of="x"), pod()], ALLOCATE, {"queue": "x"}),
    "QueueIsNotALeaf": ([node(), queue(), queue("below", "q"), group(), pod()], ALLOCATE, {"queue": "q"}),
    "QueueClosedToNamespace": ([node(), {**queue(), "metadata": {"name": "q", "annotations": {
        "muster.dev/namespaces": "team-a,team-b-*"}}}, group(), pod()], ALLOCATE, {"queue": "q"}),
    "UnknownSubGroup": (
        [node(), queue(), group(subGroups=[{"name": "a", "minMember": 2}]), in_sub_group("p-0", "a"),
         in_sub_group("p-1", "b")], ALLOCATE, {"name": "b", "podsPlaced": 1, "podsNeeded": 2}),
    "NotReady": ([node(), queue(), group(minimum=3), pod()], ALLOCATE, {"podsPlaced": 1, "podsNeeded": 3}),
    "SchedulingGated": ([node(), *waiting(schedulingGates=[{"name": "g"}])], ALLOCATE,
                        {"podsPlaced": 0, "podsNeeded": 1}),
    "SchedulingBackoff": ([node(), queue(), group(schedulingBackoff=1, status={"schedulingConditions": [
        {"type": "UnschedulableOnNodePool", "nodePool": "default", "transitionID": "1"}]}), pod()], ALLOCATE, {}),
    "OverLimit": ([node(), queue(gpu={**FREE, "limit": 1}), group(), pod(gpus=2)], ALLOCATE,
                  {"queue": "q", "resource": "gpu", "requested": 2.0, "inUse": 0.0, "bound": 1.0}),
    "NonPreemptibleOverQuota": (
        [node(), queue(cpu={**FREE, "quota": 500}), group(preemptibility="non-preemptible"), pod()], ALLOCATE,
        {"queue": "q", "resource": "cpu", "requested": 1000.0, "inUse": 0.0, "bound": 500.0}),
    "PodSchedulingErrors": (
        [*BUSY, *waiting(gpus=1)], ALLOCATE,
        {"pod": "default/p-0", "podsPlaced": 0, "podsNeeded": 1, "nodes": [NO_GPU], "holders": HELD_BY_Q}),
    "RequestLargerThanAnyNode": (
        [node(), *waiting(gpus=9)], ALLOCATE,
        {"resource": "nvidia.com/gpu", "requested": 9.0, "bound": 4.0, "pod": "default/p-0"}),
    "InvalidGpuRequest": (
        [node(), *waiting(annotations={"gpu-fraction": "1.5"})], ALLOCATE,
        {"name": "gpu-fraction", "of": "1.5", "pod": "default/p-0"}),
    "ConfigMapDoesNotExist": (
        [node(), *waiting(volumes=[{"name": "c", "configMap": {"name": "conf"}}], mounts=["c"])], ALLOCATE,
        {"name": "conf", "pod": "default/p-0"}),
    "VolumeClaimDoesNotExist": ([node(), *waiting(volumes=VOLUME)], ALLOCATE,
                                {"name": "data", "pod": "default/p-0"}),
    "VolumeClaimNotBound": ([node(), volume_claim(), *waiting(volumes=VOLUME)], ALLOCATE,
                            {"name": "data", "pod": "default/p-0"}),
    "VolumeClaimBeingDeleted": (
        [node(), volume_claim(metadata={"deletionTimestamp": "2025-06-01T12:00:00Z", "finalizers": ["example.com/keeps"]}),
         *waiting(volumes=VOLUME)], ALLOCATE, {"name": "data", "pod": "default/p-0"}),
    "VolumeClaimOwnerGone": (
        [node(), *DISKS, volume_claim(spec={"storageClassName": "disk"}, metadata={"ownerReferences": [
             {"apiVersion": "v1", "kind": "Pod", "name": "gone", "uid": "gone"}]}),
         *waiting(volumes=VOLUME)], CSI, {"name": "data", "pod": "default/p-0"}),
    "StorageClassDoesNotExist": ([node(), volume_claim(spec={"storageClassName": "disk"}), *waiting(volumes=VOLUME)],
                                 ALLOCATE, {"name": "disk", "of": "data", "pod": "default/p-0"}),
    "VolumeDoesNotExist": (
        [node(), volume_claim(spec={"volumeName": "pv"}, status={"phase": "Bound"}), *waiting(volumes=VOLUME)],
        ALLOCATE, {"name": "pv", "of": "data", "pod": "default/p-0"}),
    "ResourceClaimDoesNotExist": ([node(), *waiting(resourceClaims=CLAIM)], ALLOCATE,
                                  {"name": "mine", "pod": "default/p-0"}),
    "ResourceClaimFull": (
        [node(), DEVICE_CLASS, slice_of("n1", 1), device_claim(labels=OF_QUEUE, status={"reservedFor": [
            {"resource": "pods", "name": f"x{i}", "uid": f"x{i}"} for i in range(256)]}),
         *waiting(resourceClaims=CLAIM)], ALLOCATE, {"name": "mine", "consumers": 256, "pod": "default/p-0"}),
    "ResourceClaimOfOtherQueue": (
        [node(), DEVICE_CLASS, slice_of("n1", 1), device_claim(labels={"kai.scheduler/queue": "other"}),
         *waiting(resourceClaims=CLAIM)], ALLOCATE, {"name": "mine", "of": "other", "pod": "default/p-0"}),
    "DeviceClassDoesNotExist": (
        [node(), device_claim(labels=OF_QUEUE), *waiting(resourceClaims=CLAIM)], ALLOCATE,
        {"name": "gpu.example.com", "of": "mine", "pod": "default/p-0"}),
    "PreemptionDelayNotElapsed": (
        [*BUSY, queue(), group("p", created=NOW, preemptionDelay="5m"), pod(gpus=1)], "actions: allocate, preempt\n",
        {"until": "2025-06-01T12:05:00Z"}),
    "TopologyDoesNotExist": ([node(), queue(), group(**within("rack")), pod()], ALLOCATE, {"topology": "net"}),
    "TopologyLevelDoesNotExist": ([*RACKS, queue(), group(**within("row")), pod()], ALLOCATE,
                                  {"topology": "net", "level": "row"}),
    "TopologyNotSatisfiable": (
        [*RACKS, queue(), group("busy"), pod("busy-0", "busy", on="n1", gpus=3), group("busy2"),
         pod("busy2-0", "busy2", on="n2", gpus=2), group(minimum=2, **within("rack")), pod("p-0", gpus=2),
         pod("p-1", gpus=2)], ALLOCATE,
        {"podsPlaced": 0, "podsNeeded": 2, "topology": "net", "level": "rack", "domainCount": 2, "domains": [
            {"domain": "r2", "podsFit": 1}, {"domain": "r1", "podsFit": 0}]}),
    "TopologyDomainsTooSmall": (
        [*RACKS, queue(), *PRIORITIES, group("busy"), pod("busy-0", "busy", on="n1", gpus=1),
         group(minimum=2, priorityClassName="high", **within("rack")), pod("p-0", gpus=4), pod("p-1", gpus=4)], PREEMPT,
        {"podsPlaced": 0, "podsNeeded": 2, "topology": "net", "level": "rack",
         "domains": [{"domain": "r1", "podsFit": 1}]}),
    "TooLittleCouldBeFreed": (
        [*BUSY, queue(), group(), pod(gpus=4)], PREEMPT,
        {"resource": "gpu", "requested": 4.0, "bound": 0.0, "spared": [
            {"rule": "priority not lower", "jobs": 1, "held": {"cpu": 0.0, "memory": 0.0, "gpu": 4.0}}]}),
    "SharesDoNotAllow": (
        [node(), queue("other", gpu={**FREE, "quota": 3}), queue(gpu={**FREE, "quota": 2}),
         *(x for i in range(4) for x in (group(f"b{i}", "other"), pod(f"b{i}-0", f"b{i}", on="n1", gpus=1))),
         group(), pod(gpus=2)], "actions: allocate, reclaim\n",
        {"queue": "other", "resource": "gpu", "requested": 2.0, "inUse": 4.0, "bound": 2.0}),
    "ScenarioSearchUnresolved": (
        [*(node(f"n{i}") for i in range(4)), queue(), *PRIORITIES,
         *(x for i in range(16) for x in (group(f"b{i}"), pod(f"b{i}-0", f"b{i}", on=f"n{i % 4}", gpus=1))),
         group(priorityClassName="high", minimum=2), pod("p-0", gpus=3), pod("p-1", gpus=3)],
        PREEMPT + "scenarioSearchBudgets: {maxJobScenarios: 1}\n", {"scenarios": 1}),
    "VictimsProtected": (
        [node(), queue(preemptMinRuntime="1h"), *PRIORITIES, group("busy", started="2025-06-01T11:30:00Z"),
         pod("busy-0", "busy", on="n1", limits={"cpu": "8"}), group(priorityClassName="high"), pod()], PREEMPT,
        {"spared": [{"rule": "minimum runtime", "jobs": 1, "held": {"cpu": 8000.0, "memory": 0.0, "gpu": 0.0},
                     "until": "2025-06-01T12:30:00Z", "first": "default/busy"}]}),
    "ResourceClaimsOff": ([node(), device_claim(), *waiting(resourceClaims=CLAIM)],
                          "actions: allocate\nschedulerParams: {dynamicResourceAllocation: false}\n",
                          {"name": "gpu", "pod": "default/p-0"}),
    "TooManyPodAffinityTerms": (
        [node(), *waiting(affinity=away_from_all_but("none")),
         *(pod(f"crowd-{i}", "crowd", on="n1", affinity=away_from_all_but(f"{i}")) for i in range(256))], ALLOCATE,
        {"name": "default", "pod": "default/p-0"}),
}

# ---- rules of nodes: objects, configuration, the row of the node

CONDITIONS = {"NotReady": ("Ready", "False"), "MemoryPressure": ("MemoryPressure", "True"),
              "DiskPressure": ("DiskPressure", "True"), "PidPressure": ("PIDPressure", "True"),
              "NetworkUnavailable": ("NetworkUnavailable", "True")}
MEMORY = {"nvidia.com/gpu.memory": "16384", "nvidia.com/gpu.count": "4"}
ZONES = other("NodeResourceTopology", "n1", "topology.node.k8s.io/v1alpha2",
              attributes=[{"name": "topologyManagerPolicy", "value": "single-numa-node"},
                          {"name": "topologyManagerScope", "value": "pod"}],
              zones=[{"name": f"zone-{i}", "type": "Node", "resources": [
                  {"name": "cpu", "capacity": "4", "allocatable": "4", "available": "3"}]} for i in range(2)])
NUMA = "actions: allocate\ntiers: [{plugins: [{name: predicates}, {name: proportion}, {name: numa}]}]\n"

NODES = {
    "NotEnoughResources": ([*BUSY, *waiting(gpus=1)], ALLOCATE, NO_GPU),
    "LargerThanOneGpu": (
        [node(labels=MEMORY), *waiting(annotations={"gpu-memory": "20000"})], ALLOCATE,
        {"nodes": 1, "rule": "LargerThanOneGpu", "requested": 20000 << 20, "available": 16300 << 20}),
    "QueueCapacity": (
        [node(labels={"nvidia.com/gpu.memory": "16384"}), node("n2", labels={"nvidia.com/gpu.memory": "65536"}),
         queue("other"), group("busy", "other"), pod("busy-0", "busy", on="n2", gpus=4),
         queue(gpu={**FREE, "limit": 0.2}), group(), pod(annotations={"gpu-memory": "8192"})], ALLOCATE,
        {"nodes": 1, "rule": "QueueCapacity", "name": "q"}),
    "NodeType": ([node(labels={"nvidia.com/mig.strategy": "mixed", "node-role.kubernetes.io/mig-enabled": "true"}),
                  *waiting(gpus=1)], ALLOCATE,
                 {"nodes": 1, "rule": "NodeType"}),
    "GpuMemoryUnknown": ([node(), *waiting(annotations={"gpu-memory": "1000"})], ALLOCATE,
                         {"nodes": 1, "rule": "GpuMemoryUnknown"}),
    "PodSlots": ([node(pods="1"), *waiting(annotations={"gpu-fraction": "0.5"})], ALLOCATE,
                 {"nodes": 1, "rule": "PodSlots"}),
    "Unschedulable": ([node(spec={"unschedulable": True}), *waiting()], ALLOCATE,
                      {"nodes": 1, "rule": "Unschedulable"}),
    **{rule: ([node(conditions=[{"type": kind, "status": status}]), *waiting()], ALLOCATE, {"nodes": 1, "rule": rule})
       for rule, (kind, status) in CONDITIONS.items()},
    "HostPorts": ([node(), group("busy"), port("busy-0", "busy", on="n1"), queue(), group(), port()], ALLOCATE,
                  {"nodes": 1, "rule": "HostPorts", "name": "80/TCP"}),
    "Taints": ([node(spec={"taints": [{"key": "a", "value": "b", "effect": "NoSchedule"}]}), *waiting()], ALLOCATE,
               {"nodes": 1, "rule": "Taints", "name": "a=b:NoSchedule"}),
    "NodeAffinity": ([node(), *waiting(nodeSelector={"zone": "a"})], ALLOCATE,
                     {"nodes": 1, "rule": "NodeAffinity", "name": "nodeSelector zone=a"}),
    "PodAffinity": ([node(labels={"zone": "a"}), *waiting(affinity=near("podAffinity"))], ALLOCATE,
                    {"nodes": 1, "rule": "PodAffinity", "name": "app=web by zone"}),
    "PodAntiAffinity": (
        [node(labels={"zone": "a"}), group("web"), web("web-0", "web", on="n1"),
         *waiting(affinity=near("podAntiAffinity"))], ALLOCATE,
        {"nodes": 1, "rule": "PodAntiAffinity", "name": "app=web by zone", "by": "default/web-0"}),
    "ExistingPodsAntiAffinity": (
        [node(labels={"zone": "a"}), group("busy"), pod("busy-0", "busy", on="n1", affinity=near("podAntiAffinity")),
         queue(), group(), web()], ALLOCATE,
        {"nodes": 1, "rule": "ExistingPodsAntiAffinity", "name": "app=web by zone", "by": "default/busy-0"}),
    "Volumes": (
        [node(), volume_claim(spec={"volumeName": "pv"}, status={"phase": "Bound"}),
         other("PersistentVolume", "pv", "v1", spec={"nodeAffinity": {"required": {"nodeSelectorTerms": [
             {"matchExpressions": [{"key": "zone", "operator": "Exists"}]}]}}}), *waiting(volumes=VOLUME)], ALLOCATE,
        {"nodes": 1, "rule": "Volumes", "name": "data", "by": "PersistentVolume/pv"}),
    "Storage": ([node(), *DISKS, volume_claim(spec={"storageClassName": "disk"}), *waiting(volumes=VOLUME)], CSI,
                {"nodes": 1, "rule": "Storage", "name": "disk", "requested": 10 * GIB, "available": 5 * GIB}),
    "VolumeLimit": (
        [node(), *DISKS[:1], other("CSINode", "n1", "storage.k8s.io/v1", spec={"drivers": [
            {"name": "csi.example.com", "nodeID": "n1", "allocatable": {"count": 0}}]}),
         volume_claim(spec={"storageClassName": "disk"}), *waiting(volumes=VOLUME)], ALLOCATE,
        {"nodes": 1, "rule": "VolumeLimit", "name": "csi.example.com", "requested": 1, "available": 0}),
    "WorkerRole": (
        [node(labels={"node-role.kubernetes.io/gpu-worker": ""}), *waiting()],
        "actions: allocate\nschedulerParams: {restrictSchedulingNodes: true}\n",
        {"nodes": 1, "rule": "WorkerRole", "name": "node-role.kubernetes.io/cpu-worker"}),
    "Devices": (
        [node(), DEVICE_CLASS, slice_of("n1", 1), device_claim(2, OF_QUEUE), *waiting(resourceClaims=CLAIM)], ALLOCATE,
        {"nodes": 1, "rule": "Devices", "name": "mine", "requested": 2, "available": 1}),
    "DevicesElsewhere": (
        [node(), DEVICE_CLASS, slice_of("n0", 1), device_claim(1, OF_QUEUE, {"allocation": {
            "devices": {"results": [{"request": "gpu", "driver": "gpu.example.com", "pool": "n0", "device": "gpu-0"}]},
            "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [
                {"key": "metadata.name", "operator": "In", "values": ["n0"]}]}]}}}),
         *waiting(resourceClaims=CLAIM)], ALLOCATE, {"nodes": 1, "rule": "DevicesElsewhere", "name": "mine"}),
    "SelectorsTooCostly": (
        [node(), DEVICE_CLASS, slice_of("n1", 2), slow_claim("mine", 0), *waiting(resourceClaims=CLAIM)], ALLOCATE,
        {"nodes": 1, "rule": "SelectorsTooCostly", "name": "mine", "requested": 157244, "available": 101000}),
    "SelectorsUnfinished": (
        [node(), DEVICE_CLASS, slice_of("n1", 2), *slow_jobs(70), slow_claim("mine", 70), *waiting(resourceClaims=CLAIM)],
        ALLOCATE, {"nodes": 1, "rule": "SelectorsUnfinished", "name": "mine"}),
    "NumaZones": ([node(), ZONES, *waiting(limits={"cpu": "5", "memory": "1Gi"})], NUMA,
                  {"nodes": 1, "rule": "NumaZones", "resource": "cpu", "requested": 5000, "available": 4000}),
}


def reasons_of(output):
    return next(job["reasons"] for job in output["jobs"] if job["name"] == "default/p")


def run(objects, config):
    with tempfile.TemporaryDirectory() as directory:
        files = pathlib.Path(directory)
        (files / "cluster.json").write_text("\n".join(map(json.dumps, objects)))
        (files / "config.yaml").write_text(config)
        ran = subprocess.run([os.environ["MUSTER"], "simulate", files / "cluster.json", "--config",
                              files / "config.yaml", "--now", NOW, "-o", "json"], capture_output=True, text=True)
        if ran.returncode != 0:
            raise AssertionError(ran.stderr)
    output = json.loads(ran.stdout)
    SCHEMA.validate(output)
    return output


def codes_in_source(rule):
    text = (ROOT / "src/model/reason_codes.cpp").read_text()
    body = text.split(f"std::string_view code_of({rule} rule) {{")[1].split("\n}\n")[0]
    return set(re.findall(r'return "(\w+)";', body)) - {"Unknown"}


def table_in_docs(title):
    """Code → its fields, from the table below the title."""
    section = (ROOT / "docs/json.md").read_text().split(f"### {title}\n")[1].split("\n#")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*) \|", section, re.M)
    return {code: set(re.findall(r"`(\w+)`", fields)) for code, fields in rows}


def rows_of_explain():
    """The rows of the tables of docs/explain.md by title: code, example, what to do."""
    text = (ROOT / "docs/explain.md").read_text()
    tables = {}
    for title in ("Reasons of jobs", "Rules of nodes"):
        section = text.split(f"## {title}\n")[1].split("\n## ")[0]
        tables[title] = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \|$", section, re.M)
    return tables


class Reasons(unittest.TestCase):
    maxDiff = None

    def test_of_jobs(self):
        for code, (objects, config, details) in JOBS.items():
            with self.subTest(code):
                found = {reason["reason"]: reason["details"] for reason in reasons_of(run(objects, config))}
                self.assertEqual(found.get(code), details, found)

    def test_of_nodes(self):
        for code, (objects, config, details) in NODES.items():
            with self.subTest(code):
                reasons = reasons_of(run(objects, config))
                rows = {row["rule"]: row for reason in reasons for row in reason["details"].get("nodes", [])}
                self.assertEqual(rows.get(code), details, reasons)

    def test_are_all_of_them(self):
        self.assertEqual(set(JOBS), codes_in_source("JobRule"))
        self.assertEqual(set(NODES), codes_in_source("NodeRule"))

    def test_are_described(self):
        described = table_in_docs("Reasons of jobs")
        self.assertEqual(described, {code: set(details) for code, (_, _, details) in JOBS.items()})
        described = table_in_docs("Rules of nodes")
        self.assertEqual(described, {code: set(row) - {"nodes", "rule"} for code, (_, _, row) in NODES.items()})

    def test_are_explained(self):
        explained = rows_of_explain()
        self.assertEqual({code for code, *_ in explained["Reasons of jobs"]}, codes_in_source("JobRule"))
        self.assertEqual({code for code, *_ in explained["Rules of nodes"]}, codes_in_source("NodeRule"))
        for code, example, step in explained["Reasons of jobs"] + explained["Rules of nodes"]:
            self.assertTrue(example and step.endswith("."), code)

    def test_are_explained_in_the_words_of_the_program(self):
        explained = rows_of_explain()
        for cases, title in ((JOBS, "Reasons of jobs"), (NODES, "Rules of nodes")):
            for code, example, _ in explained[title]:
                if code in cases:
                    objects, config, _ = cases[code]
                    with self.subTest(code):
                        self.assertIn(example, "\n".join(r["message"] for r in reasons_of(run(objects, config))))


if __name__ == "__main__":
    unittest.main()
