"""A fresh cluster: installs the chart, runs ten workloads of ten kinds, upgrades under load and uninstalls the chart;
nothing is left behind. Run by ctest; MUSTER names the program."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from releases import NAMESPACE, Helm, Replica, older_chart
from cluster import ControlPlane, is_running, wait_until
from test_kinds import CRDS, crd
from test_shared_gpus import RESERVATIONS, DevicePlugin
from workloads import DEPLOYMENTS, JOBS, POD_GROUPS, PODS, QUEUES, deployment, group, job, pod, pod_spec, queue

QUEUE = "research"
QUEUE_LABEL = {"kai.scheduler/queue": QUEUE}
STATEFUL_SETS = "/apis/apps/v1/namespaces/default/statefulsets"
CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
VALUES = ("--set", "gpuSharing.enabled=true,replicas=2")
OPERATORS_KINDS = {"PyTorchJob": ("kubeflow.org", "v1", "pytorchjobs"), "MPIJob": ("kubeflow.org", "v2beta1", "mpijobs"),
                   "RayCluster": ("ray.io", "v1", "rayclusters"),
                   "LeaderWorkerSet": ("leaderworkerset.x-k8s.io", "v1", "leaderworkersets")}
# Kinds of objects, namespaced and not, that a release could leave behind. Queues, PodGroups and CRDs stay on purpose;
# the Lease expires.
OF_A_RELEASE = ("deployment,replicaset,serviceaccount,role,rolebinding,configmap,secret,service,poddisruptionbudget,networkpolicy,"
                "clusterrole,clusterrolebinding,priorityclass,validatingadmissionpolicy,validatingadmissionpolicybinding")


class FreshCluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane(audit=True).__enter__()
        cls.addClassCleanup(cls.plane.__exit__)
        cls.api, cls.helm = cls.plane.api, Helm(cls.plane)
        cls.plane.add_nodes(4)
        for kind, (api_group, version, plural) in OPERATORS_KINDS.items():
            cls.api.post(CRDS, crd(api_group, version, kind, plural))
        cls.plane.wait_established(*(f"{plural}.{api_group}" for api_group, _, plural in OPERATORS_KINDS.values()))

    # ---- ten workloads, each with its number of pods

    def single_pod(self):
        self.api.post(PODS, pod("single", queue=QUEUE))
        return 1

    def gang(self):
        self.api.post(POD_GROUPS, group("gang", QUEUE, 3))
        for i in range(3):
            self.api.post(PODS, pod(f"gang-{i}", group="gang"))
        return 3

    def gang_job(self):
        self.api.post(JOBS, job("train", 2, queue=QUEUE, annotations={"kai.scheduler/batch-min-member": "2"}))
        return 2

    def fraction(self):
        made = pod("half", gpus=0, queue=QUEUE)
        made["metadata"]["annotations"] = {"gpu-fraction": "0.5"}
        self.api.post(PODS, made)
        return 1

    def deployment(self):
        self.api.post(DEPLOYMENTS, deployment("web", 2, queue=QUEUE))
        return 2

    def stateful_set(self):
        self.api.post(STATEFUL_SETS, {"metadata": {"name": "store", "labels": QUEUE_LABEL}, "spec": {
            "replicas": 2, "serviceName": "none", "selector": {"matchLabels": {"of": "store"}},
            "template": {"metadata": {"labels": {"of": "store"}}, "spec": pod_spec()}}})
        return 2

    def pytorch_job(self):
        owner = self.make("PyTorchJob", "torch", {"pytorchReplicaSpecs": {"Master": {"replicas": 1}, "Worker": {"replicas": 2}}})
        labels = lambda role: {"training.kubeflow.org/job-name": "torch", "training.kubeflow.org/replica-type": role,
                               "training.kubeflow.org/job-role": role}
        self.make_pod("torch-master-0", owner, labels("master"))
        for i in range(2):
            self.make_pod(f"torch-worker-{i}", owner, labels("worker"))
        return 3

    def mpi_job(self):
        owner = self.make("MPIJob", "ring", {"mpiReplicaSpecs": {"Launcher": {"replicas": 1}, "Worker": {"replicas": 2}}})
        labels = lambda role: {"training.kubeflow.org/job-name": "ring", "training.kubeflow.org/job-role": role}
        self.make_pod("ring-launcher", owner, labels("launcher"))
        for i in range(2):
            self.make_pod(f"ring-worker-{i}", owner, labels("worker"))
        return 3

    def ray_cluster(self):
        owner = self.make("RayCluster", "study", {"headGroupSpec": {"template": {}}, "workerGroupSpecs": [
            {"groupName": "gpu", "replicas": 1, "minReplicas": 1, "template": {}}]})
        for name in ("headgroup", "gpu"):
            self.make_pod(f"study-{name}", owner, {"ray.io/cluster": "study", "ray.io/group": name})
        return 2

    def leader_worker_set(self):
        owner = self.make("LeaderWorkerSet", "serve", {"replicas": 1, "leaderWorkerTemplate": {"size": 2}})
        labels = lambda worker: {"leaderworkerset.sigs.k8s.io/name": "serve", "leaderworkerset.sigs.k8s.io/group-index": "0",
                                 "leaderworkerset.sigs.k8s.io/worker-index": worker}
        leader = self.make_pod("serve-0", owner, labels("0"))
        self.make_pod("serve-0-1", dict(leader, apiVersion="v1", kind="Pod"), labels("1"))
        return 2

    def device_claim(self):
        base = "/apis/resource.k8s.io/v1"
        self.api.post(f"{base}/deviceclasses", {"metadata": {"name": "nic"}, "spec": {"selectors": [
            {"cel": {"expression": "device.driver == 'nic.example.com'"}}]}})
        self.api.post(f"{base}/resourceslices", {"metadata": {"name": "nics"}, "spec": {
            "driver": "nic.example.com", "nodeName": "node-001", "devices": [{"name": "nic-a"}],
            "pool": {"name": "node-001", "generation": 1, "resourceSliceCount": 1}}})
        self.api.post(CLAIMS, {"metadata": {"name": "nic"}, "spec": {"devices": {
            "requests": [{"name": "nic", "exactly": {"deviceClassName": "nic"}}]}}})
        self.api.post(PODS, pod("with-nic", gpus=0, queue=QUEUE, resourceClaims=[{"name": "nic", "resourceClaimName": "nic"}]))
        return 1

    def make(self, kind, name, spec):
        api_group, version, plural = OPERATORS_KINDS[kind]
        return self.api.post(f"/apis/{api_group}/{version}/namespaces/default/{plural}", {
            "apiVersion": f"{api_group}/{version}", "kind": kind, "metadata": {"name": name, "labels": QUEUE_LABEL}, "spec": spec})

    def make_pod(self, name, owner, labels):
        made = pod(name, labels=labels)
        made["metadata"]["ownerReferences"] = [{"apiVersion": owner["apiVersion"], "kind": owner["kind"], "controller": True,
                                                "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]}]
        return self.api.post(PODS, made)

    # ---- the cluster

    def start(self, name):
        replica = Replica(self.plane, "muster", name)
        replica.start()
        self.addCleanup(replica.stop)
        return replica

    def wait_running(self, count):
        try:
            wait_until(lambda: sum(map(is_running, self.plane.pods())) == count, 60, f"{count} pods to run")
        except AssertionError as error:
            self.fail(f"{error}; not running: {[p['metadata']['name'] for p in self.plane.pods() if not is_running(p)]}")

    def remove_workloads(self):
        for path in (JOBS, DEPLOYMENTS, STATEFUL_SETS):
            self.api.request("DELETE", path, {"propagationPolicy": "Background"})
        for api_group, version, plural in OPERATORS_KINDS.values():
            self.api.delete(f"/apis/{api_group}/{version}/namespaces/default/{plural}")
        self.api.request("DELETE", PODS, {"gracePeriodSeconds": 0})
        self.api.delete(f"{POD_GROUPS}/gang")

    def left_of_the_release(self):
        named = self.plane.kubectl("get", OF_A_RELEASE, "-A", "-o", "name", "-l", "app.kubernetes.io/part-of=muster").split()
        everywhere = self.plane.kubectl("get", OF_A_RELEASE, "-A", "-o", "name").split()
        return named + [name for name in everywhere if "muster" in name or "helm.release" in name]

    def test_ten_workloads_an_upgrade_and_nothing_left(self):
        self.helm.install("muster", *VALUES, chart=older_chart(self.plane.directory))
        plugin = DevicePlugin(self.plane)
        plugin.start()
        self.addCleanup(plugin.stop)
        old = [self.start(f"old-{i}") for i in range(2)]
        wait_until(lambda: any(r.is_ready() for r in old), 30, "a replica to be ready")
        self.api.post(QUEUES, queue("company", 32, parent=""))
        self.api.post(QUEUES, queue(QUEUE, 32, parent="company"))
        count = self.single_pod() + self.gang() + self.gang_job() + self.fraction() + self.deployment()
        self.helm.upgrade("muster", *VALUES)
        new = []
        for i, (replica, workloads) in enumerate(zip(old, ((self.stateful_set, self.pytorch_job, self.mpi_job),
                                                           (self.ray_cluster, self.leader_worker_set, self.device_claim)))):
            new.append(self.start(f"new-{i}"))
            count += sum(make() for make in workloads)
            self.assertEqual(replica.stop(), 0, replica.log()[-2000:])
        self.wait_running(count)
        bound = self.plane.bindings()
        self.assertEqual(len(bound), len(set(bound)), "bound twice")
        self.assertEqual([e for e in self.api.items("/api/v1/namespaces/default/events") if e["reason"] == "Evict"], [])
        self.assertEqual(self.api.get(f"{CLAIMS}/nic")["status"]["reservedFor"][0]["name"], "with-nic")
        for replica in old + new:
            self.assertNotIn(": 403", replica.log())

        self.remove_workloads()
        wait_until(lambda: not self.plane.pods(), 60, "all pods to be gone")
        wait_until(lambda: not self.api.items(POD_GROUPS), 60, "the PodGroups of workloads to go with them")
        wait_until(lambda: not self.api.items(RESERVATIONS), 60, "the reservation to be given up")
        wait_until(lambda: "allocation" not in self.api.get(f"{CLAIMS}/nic").get("status", {}), 60, "the device to be free")
        for replica in new:
            self.assertEqual(replica.stop(), 0, replica.log()[-2000:])
        self.helm("uninstall", "muster")
        self.assertEqual(self.left_of_the_release(), [])
        self.assertEqual([q["metadata"]["name"] for q in self.api.items(QUEUES) if q["metadata"]["name"] == QUEUE], [QUEUE])


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
