"""The shipped rights are those that are used: nothing is refused, and no right is unused."""
import http.client
import json
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "deploy")]
import yaml
from cluster import ADMIN_TOKEN, free_port, wait_until
from releases import CHART, NAMESPACE, helm
from test_devices import SELECTOR
from test_kinds import CRDS, crd
from test_scale_up import SCALING
from test_serve import KubeTest, shipped_token
from test_shared_gpus import RESERVATIONS, DevicePlugin
from workloads import DEPLOYMENTS, JOBS, POD_GROUPS, PODS, QUEUES, deployment, job, pod, sharing_pod

RBAC = "/apis/rbac.authorization.k8s.io/v1"
STATEFUL_SETS = "/apis/apps/v1/namespaces/default/statefulsets"
CRON_JOBS = "/apis/batch/v1/namespaces/default/cronjobs"
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
USER = "system:serviceaccount:kai-scheduler:muster"
# A right that API servers since 1.36 require in addition to resourceclaims/status.
FOR_NEWER_SERVERS = {("update", "resource.k8s.io", "resourceclaims/binding")}
BUILT_IN_OWNERS = {("apps", "deployments"), ("apps", "replicasets"), ("apps", "statefulsets"), ("batch", "jobs"),
                   ("batch", "cronjobs")}


def rights_in(rules):
    return {(verb, api_group, resource) for rule in rules for verb in rule["verbs"] for api_group in rule["apiGroups"]
            for resource in rule["resources"]}


def approved(definition):
    """Required for API groups of Kubernetes' own domain."""
    definition["metadata"]["annotations"] = {"api-approved.kubernetes.io": "unapproved, of a test"}
    return definition


class Audited(KubeTest):
    """With the shipped rights; requests are recorded."""
    AUDIT = [{"level": "Metadata", "users": [USER]}, {"level": "None"}]

    def serve(self, *flags):
        return super().serve(*flags, kubeconfig=self.plane.write_kubeconfig("muster.kubeconfig", shipped_token(self.api)))

    def used(self, namespace=None):
        """Requests by verb, group and resource, and those answered with 403; in one namespace, or in all."""
        used, refused = set(), set()
        for entry in self.plane.audit_entries():
            about = entry.get("objectRef")
            if not about or (namespace and about.get("namespace") != namespace):
                continue
            resource = "/".join(filter(None, (about["resource"], about.get("subresource"))))
            right = (entry["verb"], about.get("apiGroup", ""), resource)
            (refused if entry["responseStatus"]["code"] == 403 else used).add(right)
        return used, refused

    def crowd(self):
        """Pending pods, evictions, and reports about them."""
        for i in range(32):
            self.api.post(PODS, pod(f"greedy-{i}", queue="team-b"))
        self.wait_running(32, "greedy", 60)
        self.submit_gang("owed", 8, "team-a")
        self.wait_running(8, "owed", 60)
        self.submit_gang("stuck", 9, "team-a", gpus=8)
        wait_until(lambda: self.api.get(f"{POD_GROUPS}/stuck").get("status", {}).get("schedulingConditions"), 30,
                   "a condition")

    def clear(self):
        wait_until(self.remove_pods, 60, "all pods to be gone", 0.2)
        self.api.delete(POD_GROUPS)
        self.empty_queues()


class Rights(Audited):
    API_FLAGS = ("--feature-gates=DRADeviceTaints=true,DRADeviceTaintRules=true,DRAExtendedResource=true",
                 "--runtime-config=resource.k8s.io/v1alpha3=true")

    def granted(self):
        role = self.api.get(f"{RBAC}/clusterroles/muster")["rules"]
        own = [r["rules"] for r in self.api.items(f"{RBAC}/namespaces/kai-scheduler/roles")]
        return rights_in(role), rights_in(sum(own, []))

    # ---- what uses each right

    def own_pod(self, api_group, plural):
        kind = plural[:-1].capitalize()
        made = self.api.post(f"/apis/{api_group}/v1/namespaces/default/{plural}", {
            "apiVersion": f"{api_group}/v1", "kind": kind, "metadata": {"name": f"of-{plural}"}, "spec": {}})
        owned = pod(f"of-{plural}.{api_group}", gpus=0, queue="team-a")
        owned["metadata"]["ownerReferences"] = [{
            "apiVersion": made["apiVersion"], "kind": kind, "name": f"of-{plural}", "uid": made["metadata"]["uid"]}]
        self.api.post(PODS, owned)

    def own_pods_with_every_kind(self):
        """A pod of each kind that may be read, as its operator would create it."""
        granted = self.granted()[0]
        owners = {(g, r) for verb, g, r in granted if verb == "get" and ("list", g, r) not in granted} - BUILT_IN_OWNERS
        for api_group, plural in owners:
            self.api.post(CRDS, approved(crd(api_group, "v1", plural[:-1].capitalize(), plural)))
        self.plane.wait_established(*(f"{plural}.{api_group}" for api_group, plural in owners))
        for api_group, plural in owners:
            self.own_pod(api_group, plural)
        return len(owners)

    def built_in_workloads(self):
        self.api.post(JOBS, job("batch", 1, queue="team-a"))
        self.api.post(DEPLOYMENTS, deployment("web", 1, queue="team-a"))
        template = deployment("set", 1)["spec"]
        self.api.post(STATEFUL_SETS, {"metadata": {"name": "set"}, "spec": {**template, "serviceName": "none"}})
        owner = self.api.post(CRON_JOBS, {"metadata": {"name": "nightly"}, "spec": {
            "schedule": "0 0 1 1 *", "jobTemplate": {"spec": job("x", 1)["spec"]}}})
        made = job("nightly-1", 1, queue="team-a")
        made["metadata"]["ownerReferences"] = [{"apiVersion": "batch/v1", "kind": "CronJob", "name": "nightly",
                                                "uid": owner["metadata"]["uid"], "controller": True}]
        self.api.post(JOBS, made)
        return 4

    def devices_and_volumes(self):
        base = "/apis/resource.k8s.io/v1"
        self.api.post(f"{base}/deviceclasses", {"metadata": {"name": "nic"}, "spec": {"selectors": [
            {"cel": {"expression": SELECTOR}}]}})
        self.api.post(f"{base}/resourceslices", {"metadata": {"name": "nics"}, "spec": {
            "driver": "nic.example.com", "nodeName": "node-001", "devices": [
                {"name": name, "attributes": {"model": {"string": name}}} for name in ("nic-a", "nic-b")],
            "pool": {"name": "node-001", "generation": 1, "resourceSliceCount": 1}}})
        self.api.post(f"{base}/namespaces/default/resourceclaims", {"metadata": {"name": "nic"}, "spec": {"devices": {
            "requests": [{"name": "nic", "exactly": {"deviceClassName": "nic"}}]}}})
        self.api.post("/apis/storage.k8s.io/v1/storageclasses", {
            "metadata": {"name": "local"}, "provisioner": "kubernetes.io/no-provisioner",
            "volumeBindingMode": "WaitForFirstConsumer"})
        self.api.post("/api/v1/persistentvolumes", {"metadata": {"name": "disk"}, "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "local",
            "hostPath": {"path": "/disk"}}})
        self.api.post("/apis/storage.k8s.io/v1/storageclasses", {
            "metadata": {"name": "made"}, "provisioner": "example.com/makes-nothing",
            "volumeBindingMode": "WaitForFirstConsumer"})
        claims = "/api/v1/namespaces/default/persistentvolumeclaims"
        for name in ("local", "made"):
            self.api.post(claims, {"metadata": {"name": name}, "spec": {
                "storageClassName": name, "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})
        needs = lambda name: {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]}
        self.api.post(PODS, pod("with-devices", queue="team-a", resourceClaims=[
            {"name": "nic", "resourceClaimName": "nic"}], **needs("local")))
        self.api.post(PODS, pod("with-no-volume", queue="team-a", **needs("made")))
        wait_until(lambda: self.api.get(f"{claims}/made")["metadata"].get("annotations"), 30, "the node of a claim")
        self.api.request("DELETE", f"{PODS}/with-no-volume", {"gracePeriodSeconds": 0})
        asks = pod("asks-for-a-device", gpus=0, queue="team-a")
        asks["spec"]["containers"][0]["resources"] = {"limits": {"deviceclass.resource.kubernetes.io/nic": "1"}}
        self.api.post(PODS, asks)
        return 2

    # ---- the test

    def test_rights_are_those_that_are_used(self):
        config = self.plane.directory / "rights.yaml"
        config.write_text(json.dumps({"usageDBConfig": {"clientType": "embedded", "usageParams": {"fetchInterval": "5s"}}}))
        for name in ("team-a", "team-b", "department"):
            self.plane.delete_queue(name)
        self.api.post(CRDS, approved(crd("topology.node.k8s.io", "v1alpha2", "NodeResourceTopology", "noderesourcetopologies")))
        m = self.serve("--leader-elect", "--update-pod-eviction-condition", "--scheduler-conf", str(config))
        self.assertLessEqual(FOR_NEWER_SERVERS, self.granted()[0])
        wait_until(lambda: len(self.api.items(QUEUES)) == 2, 20, "the default queues")
        type(self).make_queues(self.api)
        count = self.own_pods_with_every_kind() + self.built_in_workloads() + self.devices_and_volumes()
        self.wait_running(count, seconds=60)
        for path in (CRON_JOBS, JOBS, DEPLOYMENTS, STATEFUL_SETS):
            self.api.request("DELETE", path, {"propagationPolicy": "Background"})
        self.clear()
        self.crowd()
        self.clear()
        m.stop()
        m = self.serve("--binding", "bindrequest", "--pod-grouper", "on")
        requests = "/apis/scheduling.run.ai/v1alpha2/namespaces/default/bindrequests"
        self.submit_gang("asked", 1)
        self.api.post(PODS, pod("ungrouped", queue="team-a"))
        wait_until(lambda: self.api.items(requests), 30, "a BindRequest")
        self.api.patch(f"{requests}/asked-0/status", {"status": {"phase": "Failed", "failedAttempts": 1}})
        wait_until(lambda: "pod-group-name" in self.api.get(f"{PODS}/ungrouped")["metadata"].get("annotations", {}), 30,
                   "the group of a pod")
        wait_until(lambda: any(verb == "delete" and r == "bindrequests" for verb, _, r in self.used()[0]), 30, "its end")
        m.stop()

        granted, own = self.granted()
        used, refused = self.used()
        self.assertEqual(refused, set(), "asked for and not granted")
        self.assertEqual({right for right in used if right not in granted | own and "review" not in right[2]}, set())
        # Those on finalizers are required by API servers with OwnerReferencesPermissionEnforcement, not by muster; an
        # event is counted again a minute after it was written.
        idle = {right for right in (granted | own) - used - {("patch", "", "events")} - FOR_NEWER_SERVERS
                if not right[2].endswith("/finalizers")}
        self.assertEqual(idle, set(), "granted and never used")


class RightsOfOptions(Audited):
    """The rights that the chart adds for shared GPUs, the web address and the Eviction API."""
    OPTIONS = "gpuSharing.enabled=true,gpuSharing.scalingPods=true,webAddress=:8443,eviction=api"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rendered = yaml.safe_load_all(helm("template", "muster", CHART, "--namespace", NAMESPACE, "--set", cls.OPTIONS))
        cls.objects = [o for o in rendered if o and o["kind"] in ("Namespace", "Role", "RoleBinding", "ClusterRole")]
        file = cls.plane.directory / "options.yaml"
        before = rights_in(cls.api.get(f"{RBAC}/clusterroles/muster")["rules"])
        file.write_text(yaml.safe_dump_all(cls.objects))
        cls.plane.kubectl("apply", "--server-side", "--force-conflicts", "-f", file)
        cls.added = rights_in(cls.api.get(f"{RBAC}/clusterroles/muster")["rules"]) - before

    def asked(self, port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", "/api/v1/snapshot", headers={"Authorization": f"Bearer {ADMIN_TOKEN}"})
        return connection.getresponse().status

    def evict_through_the_api(self):
        self.api.post(BUDGETS, {"metadata": {"name": "all"}, "spec": {
            "maxUnavailable": 100, "selector": {"matchLabels": {"of": "nobody"}}}})
        m = self.serve("--eviction", "api")
        self.crowd()
        self.clear()
        m.stop()

    def test_rights_of_options_are_those_that_are_used(self):
        plugin = DevicePlugin(self.plane)
        plugin.start()
        self.addCleanup(plugin.stop)
        port = free_port()
        m = self.serve("--gpu-reservation-image", "none", "--gpu-scaling-pods", "--web-address", f"127.0.0.1:{port}")
        self.api.post(PODS, sharing_pod("placed"))
        self.api.post(PODS, sharing_pod("waits", nodeSelector={"zone": "nowhere"}))
        self.wait_running(1, "placed")
        wait_until(lambda: self.api.items(SCALING), 30, "the scaling pod")
        wait_until(lambda: self.asked(port) == 200, 30, "an answer at the web address")
        for name in ("placed", "waits"):
            self.api.request("DELETE", f"{PODS}/{name}", {"gracePeriodSeconds": 0})
        wait_until(lambda: not self.api.items(RESERVATIONS) and not self.api.items(SCALING), 60, "what was made to go")
        m.stop()
        plugin.stop()
        self.evict_through_the_api()
        used, refused = self.used()
        self.assertEqual(refused, set(), "asked for and not granted")
        self.assertTrue(self.added)
        self.assertEqual(self.added - used, set(), "granted and never used")
        roles = [o for o in self.objects if o["kind"] == "Role" and o["metadata"]["name"] == "muster"
                 and o["metadata"]["namespace"] != NAMESPACE]
        self.assertEqual(len(roles), 2)
        for role in roles:
            namespace = role["metadata"]["namespace"]
            self.assertEqual(rights_in(role["rules"]) - self.used(namespace)[0], set(), f"never used in {namespace}")


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
