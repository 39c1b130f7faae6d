"""The shipped admission policies: what they refuse tenants and a stolen token of muster, and what they allow. Run by
ctest; by hand: test_policies.py [Class[.test]]."""
import copy
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import Api, ApiError, ControlPlane, wait_until
from test_serve import ROOT, shipped_token
from workloads import DEPLOYMENTS, JOBS, POD_GROUPS, PODS, QUEUES, deployment, group, job, pod, queue

START = "kai.scheduler/last-start-timestamp"
EVICTION = "kai.scheduler/last-eviction-timestamp"


def annotated(made, **annotations):
    made = copy.deepcopy(made)
    made["metadata"].setdefault("annotations", {}).update(annotations)
    return made


class Shared:
    """One control plane for all classes."""


def setUpModule():
    Shared.plane = plane = ControlPlane(kwok=False, controllers=False).__enter__()
    unittest.addModuleCleanup(plane.__exit__)
    plane.install(ROOT / "deploy")
    Shared.api = plane.api
    Shared.tenant = plane.tenant("tenant", "default")
    Shared.muster = Api(plane.port, plane.directory / "ca.crt", shipped_token(plane.api))
    plane.api.post(QUEUES, queue("department", -1, parent=""))
    plane.api.post(QUEUES, queue("open", 4))
    plane.api.post(QUEUES, annotated(queue("closed", 4), **{"muster.dev/namespaces": "team-a, team-b-*"}))


class PolicyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plane, cls.api, cls.tenant, cls.muster = Shared.plane, Shared.api, Shared.tenant, Shared.muster
        cls.wait_refused(cls.tenant, "POST", PODS, pod("probe", nodeName="n"))
        cls.wait_refused(cls.tenant, "POST", POD_GROUPS, group("probe", "closed", 1))

    @classmethod
    def wait_refused(cls, api, method, path, body):
        """A policy takes effect with a delay."""
        wait_until(lambda: cls.answer(api, method, f"{path}?dryRun=All", body) != "", 30, "a policy to count", 0.3)

    @staticmethod
    def answer(api, method, path, body=None):
        """The error; "" if it is accepted."""
        try:
            api.request(method, path, body,
                        "application/merge-patch+json" if method == "PATCH" else "application/json")
        except ApiError as error:
            return str(error)
        return ""

    def accepted(self, path, body, api=None):
        self.assertEqual(self.answer(api or self.tenant, "POST", f"{path}?dryRun=All", body), "")

    def refused(self, path, body, why, api=None):
        self.assertIn(why, self.answer(api or self.tenant, "POST", f"{path}?dryRun=All", body))

    def make(self, path, body):
        self.api.post(path, body)
        self.addCleanup(self.api.request, "DELETE", f"{path}/{body['metadata']['name']}", {"gracePeriodSeconds": 0})

    def change(self, path, body, api=None):
        return self.answer(api or self.tenant, "PATCH", f"{path}?dryRun=All", body)


class Policies(PolicyTest):
    # ---- pods

    def test_no_node_by_hand(self):
        self.refused(PODS, pod("p", nodeName="n"), "only the scheduler may set spec.nodeName")
        self.accepted(PODS, pod("p"))
        self.accepted(PODS, {**pod("p"), "spec": {**pod("p")["spec"], "schedulerName": "other", "nodeName": "n"}})
        self.accepted(PODS, pod("p", nodeName="n"), self.api)

    def test_no_annotations_of_the_scheduler(self):
        for key in (START, EVICTION, "kai.scheduler/stale-podgroup-timestamp", "kai.scheduler/requeue-not-before",
                    "muster.dev/requeued-at", "muster.dev/queue", "muster.dev/preemptibility"):
            for path, made in ((PODS, pod("p")), (POD_GROUPS, group("g", "open", 1))):
                self.refused(path, annotated(made, **{key: "2999-01-01T00:00:00Z"}), "only the scheduler may set")
                self.accepted(path, annotated(made, **{key: "2999-01-01T00:00:00Z"}), self.api)
        for key in ("muster.dev/gpu-devices", "muster.dev/gpu-portion", "received-resource-type"):
            self.refused(PODS, annotated(pod("p"), **{key: "all"}), "only the scheduler may set")
            self.accepted(PODS, annotated(pod("p"), **{key: "all"}), self.api)
        self.accepted(PODS, annotated(pod("p"), **{"kai.scheduler/expected-runtime": "1h", "pod-group-name": "g"}))

    def test_no_labels_of_the_scheduler(self):
        self.refused(PODS, pod("p", labels={"runai-gpu-group": "x"}), "name the shared GPU")
        self.refused(PODS, pod("p", labels={"runai-gpu-group/x": "x"}), "name the shared GPU")
        self.refused(PODS, pod("p", labels={"app": "kai-resource-reservation"}), "reserve shared GPUs")
        self.accepted(PODS, pod("p", labels={"app": "web"}))

    def test_what_a_running_pod_keeps(self):
        waits, runs = pod("waits", group="g", queue="open"), pod("runs", group="g", queue="open", nodeName="n")
        for made in (waits, runs):
            self.make(PODS, made)
        moves = [{"metadata": {"annotations": {"pod-group-name": "other"}}},
                 {"metadata": {"annotations": {"pod-group-name": None}}},
                 {"metadata": {"labels": {"kai.scheduler/queue": "department"}}},
                 {"metadata": {"labels": {"kai.scheduler/subgroup-name": "s"}}},
                 {"metadata": {"labels": {"kai.scheduler/preemptibility": "non-preemptible"}}},
                 {"metadata": {"labels": {"kai.scheduler/node-pool": "other"}}}]
        for body in moves:
            self.assertEqual(self.change(f"{PODS}/waits", body), "")
            self.assertIn("cannot be changed", self.change(f"{PODS}/runs", body))
            self.assertEqual(self.change(f"{PODS}/runs", body, self.api), "")
        for body in (moves[0], moves[3]):
            self.assertEqual(self.change(f"{PODS}/runs", body, self.muster), "")
        self.assertEqual(self.change(f"{PODS}/runs", {"metadata": {"labels": {"mine": "kept"}}}), "")

    # ---- PodGroups

    def test_what_a_running_group_keeps(self):
        since = "2025-06-01T12:00:00Z"
        self.make(POD_GROUPS, group("waits", "open", 1))
        self.make(POD_GROUPS, annotated(group("runs", "open", 1), **{START: since}))
        self.make(POD_GROUPS, annotated(group("ran", "open", 1), **{START: since, EVICTION: "2025-06-01T13:00:00Z"}))
        for what, body in (("queue", {"spec": {"queue": "department"}}),
                           ("preemptibility", {"spec": {"preemptibility": "non-preemptible"}}),
                           ("preemptibility", {"spec": {"priorityClassName": "inference"}}),
                           ("sub groups", {"spec": {"subGroups": [{"name": "s", "minMember": 1}]}})):
            self.assertEqual(self.change(f"{POD_GROUPS}/waits", body), "")
            self.assertEqual(self.change(f"{POD_GROUPS}/ran", body), "")
            self.assertIn(what, self.change(f"{POD_GROUPS}/runs", body))
            self.assertEqual(self.change(f"{POD_GROUPS}/runs", body, self.muster), "")
            self.assertEqual(self.change(f"{POD_GROUPS}/runs", body, self.api), "")
        self.assertEqual(self.change(f"{POD_GROUPS}/runs", {"spec": {"minMember": 2}}), "")
        self.assertIn("only the scheduler may set",
                      self.change(f"{POD_GROUPS}/runs", {"metadata": {"annotations": {START: None}}}))

    # ---- use of queues by namespace

    def test_queues_of_namespaces(self):
        self.api.post("/api/v1/namespaces", {"metadata": {"name": "team-b-x"}})
        member = self.plane.tenant("neighbour", "team-b-x")
        theirs = lambda path: path.replace("/default/", "/team-b-x/")
        for path, made in ((PODS, pod("p", queue="closed")), (POD_GROUPS, group("g", "closed", 1)),
                           (JOBS, job("j", 1, queue="closed")), (DEPLOYMENTS, deployment("d", 1, queue="closed"))):
            self.refused(path, made, "queue closed may not be used in namespace default")
            self.accepted(theirs(path), made, member)
            self.accepted(path, made, self.api)
        for path, made in ((PODS, pod("p", queue="open")), (POD_GROUPS, group("g", "open", 1)),
                           (POD_GROUPS, group("g", "nowhere", 1)), (JOBS, job("j", 1, queue="open")), (JOBS, job("j", 1))):
            self.accepted(path, made)

    # ---- queues

    def test_quota_and_limit(self):
        self.refused(QUEUES, queue("q", 4, limit=2), "a quota above the limit can never be used", self.api)
        self.refused(QUEUES, queue("q", -1, limit=2), "a quota above the limit can never be used", self.api)
        for quota, limit in ((4, 4), (0, 0), (4, -1), (-1, -1), (0.5, 1)):
            self.accepted(QUEUES, queue("q", quota, limit), self.api)

    def test_durations(self):
        for wrong in ("10", "soon", "-5m"):
            self.refused(QUEUES, queue("q", 4, preemptMinRuntime=wrong), "preemptMinRuntime", self.api)
        self.accepted(QUEUES, queue("q", 4, preemptMinRuntime="2d", reclaimMinRuntime="1h30m"), self.api)

    def test_the_tree(self):
        self.refused(QUEUES, queue("q", 4, parent="q"), "cannot be its own parent", self.api)
        self.assertIn("is a child of this queue, so it cannot be its parent",
                      self.change(f"{QUEUES}/department", {"spec": {"parentQueue": "open"}}, self.api))
        self.assertIn("is a child of this queue: delete or move it first",
                      self.answer(self.api, "DELETE", f"{QUEUES}/department?dryRun=All"))
        self.assertEqual(self.answer(self.api, "DELETE", f"{QUEUES}/open?dryRun=All"), "")
        self.api.patch(f"{QUEUES}/open/status", {"status": {"allocated": {"nvidia.com/gpu": "2"}}})
        self.addCleanup(self.api.patch, f"{QUEUES}/open/status", {"status": {"allocated": {"nvidia.com/gpu": "0"}}})
        wait_until(lambda: "is in use" in self.answer(self.api, "DELETE", f"{QUEUES}/open?dryRun=All"), 10, "the status", 0.2)


class DevicesPastTheQueues(PolicyTest):
    """Ways to use a device without a queue, in a namespace that requires one: each is tried on the API server."""
    WHY = "need spec.schedulerName: kai-scheduler"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        other = cls.elsewhere(pod("p"))
        cls.label("scheduled")
        cls.wait_refused(cls.tenant, "POST", PODS, other)
        is_over = lambda: cls.answer(cls.tenant, "POST", f"{PODS}?dryRun=All", other) == ""
        cls.addClassCleanup(lambda: wait_until(is_over, 30, "the label to be gone", 0.3))
        cls.addClassCleanup(cls.label, None)

    @classmethod
    def label(cls, value):
        cls.api.patch("/api/v1/namespaces/default", {"metadata": {"labels": {"muster.dev/gpu-pods": value}}})

    @staticmethod
    def elsewhere(made):
        """Of the cluster's own scheduler."""
        return {**made, "spec": {**made["spec"], "schedulerName": "default-scheduler"}}

    @staticmethod
    def plain(**container):
        """Without devices."""
        made = pod("p", gpus=0)
        made["spec"]["containers"] = [{"name": "main", "image": "none", **container}]
        return made

    @classmethod
    def amounts(cls, name):
        return cls.plain(resources={"limits": {name: "1"}})

    @classmethod
    def sees(cls, **entry):
        return cls.plain(env=[{"name": "NVIDIA_VISIBLE_DEVICES", **entry}])

    def test_gpus_of_another_scheduler(self):
        self.refused(PODS, self.elsewhere(pod("p")), self.WHY)
        self.refused(PODS, annotated(self.elsewhere(self.plain()), **{"gpu-fraction": "0.5"}), self.WHY)
        self.accepted(PODS, self.elsewhere(self.plain()))
        self.accepted(PODS, pod("p"))

    def test_device_claims(self):
        claiming = self.plain()
        claiming["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": "gpu"}]
        self.refused(PODS, self.elsewhere(claiming), self.WHY)
        self.accepted(PODS, claiming)

    def test_resources_of_other_vendors(self):
        for name in ("amd.com/gpu", "gpu.intel.com/i915", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.5gb",
                     "example.com/class-of-devices", "deviceclass.resource.kubernetes.io/gpu"):
            self.refused(PODS, self.elsewhere(self.amounts(name)), self.WHY)
        self.accepted(PODS, self.elsewhere(self.amounts("cpu")))
        self.accepted(PODS, self.elsewhere(self.plain(resources={"limits": {"hugepages-2Mi": "2Mi", "cpu": "1"}})))
        made = self.plain()
        made["spec"]["initContainers"] = [{**self.amounts("amd.com/gpu")["spec"]["containers"][0], "name": "first"}]
        self.refused(PODS, self.elsewhere(made), self.WHY)

    def test_environment(self):
        mine = {"valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['mine']"}}}
        given = {"valueFrom": {"fieldRef": {"fieldPath": "metadata.annotations['muster.dev/gpu-devices']"}}}
        of_kai = {"valueFrom": {"configMapKeyRef": {"name": "of-kai", "key": "NVIDIA_VISIBLE_DEVICES"}}}
        share = {"gpu-fraction": "0.5"}
        why = "may not request devices"
        for entry in ({"value": "all"}, {"value": "0"}, mine, given, of_kai):
            self.refused(PODS, self.sees(**entry), why)
            self.refused(PODS, self.elsewhere(self.sees(**entry)), why)
        self.refused(PODS, annotated(self.sees(**mine), **share), why)
        for entry in (given, of_kai):
            self.accepted(PODS, annotated(self.sees(**entry), **share))
        for value in ("none", "void", ""):
            self.accepted(PODS, self.elsewhere(self.sees(value=value)))

    def test_mounts_and_annotations(self):
        made = self.plain(volumeMounts=[{"name": "n", "mountPath": "/var/run/nvidia-container-devices/all"}])
        made["spec"]["volumes"] = [{"name": "n", "hostPath": {"path": "/dev/null"}}]
        self.refused(PODS, made, "without a queue")
        self.refused(PODS, annotated(self.plain(), **{"cdi.k8s.io/mine": "nvidia.com/gpu=all"}), "without a queue")

    def test_ephemeral_containers(self):
        self.make(PODS, {**self.plain(), "metadata": {"name": "runs"}})
        path = f"{PODS}/runs/ephemeralcontainers"
        debug = lambda **more: {"spec": {"ephemeralContainers": [{"name": "debug", "image": "none", **more}]}}
        self.assertIn("may not request devices", self.change(
            path, debug(env=[{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]), self.api))
        self.assertEqual(self.change(path, debug(), self.api), "")
        # The API server itself.
        self.assertIn("resources", self.change(path, debug(resources={"limits": {"nvidia.com/gpu": "1"}}), self.api))

    def test_resize(self):
        self.make(PODS, pod("runs", nodeName="n"))
        path = f"{PODS}/runs/resize"
        more = {"spec": {"containers": [{"name": "main", "resources": {
            "limits": {"nvidia.com/gpu": "8"}, "requests": {"nvidia.com/gpu": "8"}}}]}}
        self.assertIn("422", self.answer_of_strategic(path, more))

    def answer_of_strategic(self, path, body, api=None):
        try:
            (api or self.api).patch(f"{path}?dryRun=All", body, "strategic-merge")
        except ApiError as error:
            return str(error)
        return ""


class Resize(PolicyTest):
    """The requests that its queue allowed a pod do not grow while it runs."""

    def resized(self, api, name="runs", **requests):
        try:
            api.patch(f"{PODS}/{name}/resize?dryRun=All", {"spec": {"containers": [
                {"name": "main", "resources": {"requests": requests}}]}}, "strategic-merge")
        except ApiError as error:
            return str(error)
        return ""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default"
        cls.api.post(f"{rbac}/roles", {"metadata": {"name": "resize"}, "rules": [
            {"apiGroups": [""], "resources": ["pods/resize"], "verbs": ["patch", "update"]}]})
        cls.api.post(f"{rbac}/rolebindings", {
            "metadata": {"name": "resize"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "resize"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "tenant"}]})

    def of_cpus(self, name, **spec):
        made = pod(name, gpus=0, nodeName="n", **spec)
        made["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "2", "memory": "1Gi"}}
        return made

    def test_requests_only_shrink(self):
        self.make(PODS, self.of_cpus("runs"))
        other = self.of_cpus("of-others")
        other["spec"]["schedulerName"] = "default-scheduler"
        self.make(PODS, other)
        for more in ({"cpu": "60"}, {"memory": "512Gi"}, {"cpu": "2001m"}):
            self.assertIn("can only be lowered while it runs", self.resized(self.tenant, **more))
            self.assertEqual(self.resized(self.tenant, "of-others", **more), "")
            self.assertEqual(self.resized(self.api, **more), "")
        for less in ({"cpu": "1"}, {"cpu": "2000m"}, {"memory": "512Mi"}):
            self.assertEqual(self.resized(self.tenant, **less), "")


class OwnAccount(PolicyTest):
    """With a token of muster's ServiceAccount: the writes of muster are allowed, all others are refused."""
    VOLUMES, CLAIMS = "/api/v1/persistentvolumes", "/api/v1/namespaces/default/persistentvolumeclaims"
    DEVICE_CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.api.post(PODS, pod("probe", nodeName="n"))
        cls.addClassCleanup(cls.api.request, "DELETE", f"{PODS}/probe", {"gracePeriodSeconds": 0})
        cls.wait_refused(cls.muster, "PATCH", f"{PODS}/probe", {"metadata": {"labels": {"app": "other"}}})

    def does(self, path, body):
        self.assertEqual(self.change(path, body, self.muster), "")

    def may_not(self, path, body, why="muster may"):
        self.assertIn(why, self.change(path, body, self.muster))
        self.assertEqual(self.change(path, body, self.api), "", "refused to others as well")

    def owned_pod(self, name, **spec):
        made = annotated(pod(name, labels={"app": "web"}, **spec), theirs="1")
        made["metadata"]["finalizers"] = ["example.com/kept"]
        made["metadata"]["ownerReferences"] = [
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": "11111111-2222-3333-4444-555555555555"}]
        self.api.post(PODS, made)
        self.addCleanup(lambda: self.api.request("DELETE", f"{PODS}/{name}", {"gracePeriodSeconds": 0}))
        self.addCleanup(self.api.patch, f"{PODS}/{name}", {"metadata": {"finalizers": None}})

    def test_pods(self):
        self.owned_pod("runs", nodeName="n")
        path = f"{PODS}/runs"
        self.does(path, {"metadata": {"annotations": {"pod-group-name": "g"}, "labels": {"kai.scheduler/subgroup-name": "s"}}})
        container = self.api.get(path)["spec"]["containers"][0]
        self.may_not(path, {"spec": {"containers": [{**container, "image": "evil"}]}}, "may not change the spec")
        self.may_not(path, {"spec": {"activeDeadlineSeconds": 1}}, "may not change the spec")
        tolerations = [*self.api.get(path)["spec"]["tolerations"], {"operator": "Exists"}]
        self.may_not(path, {"spec": {"tolerations": tolerations}}, "may not change the spec")
        self.assertNotEqual(self.change(path, {"spec": {"containers": [{**container, "command": ["sh"]}]}}, self.muster), "")
        for place in ("", "/status"):
            for metadata in ({"labels": {"app": "other"}}, {"labels": {"app": None}}, {"labels": {"new": "x"}},
                             {"labels": {"kai.scheduler/queue": "open"}}, {"annotations": {"theirs": "2"}},
                             {"annotations": {"theirs": None}}, {"annotations": {"muster.dev/queue": "open"}}):
                self.may_not(path + place, {"metadata": metadata}, "muster may change only pod-group-name")
            self.may_not(path + place, {"metadata": {"finalizers": []}}, "owners or finalizers")
        self.may_not(path, {"metadata": {"ownerReferences": []}}, "owners or finalizers")

    def test_status_of_pods(self):
        self.owned_pod("runs", nodeName="n")
        path = f"{PODS}/runs/status"
        ready = {"type": "Ready", "status": "True"}
        self.api.patch(path, {"status": {"conditions": [ready]}})
        of_type = lambda name, status="False": {"type": name, "status": status, "reason": "Unschedulable"}
        for own in (of_type("PodScheduled"), of_type("DisruptionTarget", "True")):
            self.does(path, {"status": {"conditions": [ready, own]}})
        self.does(path, {"status": {"extendedResourceClaimStatus": {"resourceClaimName": "c", "requestMappings": [
            {"containerName": "main", "resourceName": "example.com/x", "requestName": "r"}]}}})
        for conditions in ([], [{**ready, "status": "False"}], [ready, of_type("Initialized")]):
            self.may_not(path, {"status": {"conditions": conditions}}, "only the conditions")
        for status in ({"phase": "Failed"}, {"podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]}, {"message": "x"}):
            self.may_not(path, {"status": status}, "muster may change only conditions and")

    def test_bindings(self):
        self.api.post(PODS, pod("waits"))
        self.addCleanup(self.api.request, "DELETE", f"{PODS}/waits", {"gracePeriodSeconds": 0})
        binding = lambda **metadata: {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "waits", **metadata},
                                      "target": {"apiVersion": "v1", "kind": "Node", "name": "n"}}
        bind = lambda **metadata: self.answer(self.muster, "POST", f"{PODS}/waits/binding?dryRun=All", binding(**metadata))
        own = ("pod-group-name", "muster.dev/queue", "received-resource-type", "muster.dev/gpu-devices", "muster.dev/gpu-portion")
        self.assertEqual(bind(), "")
        self.assertEqual(bind(annotations=dict.fromkeys(own, "x"), labels=dict.fromkeys((
            "kai.scheduler/subgroup-name", "kai.scheduler/node-pool", "runai-gpu-group", "runai-gpu-group/x"), "x")), "")
        self.assertIn("only labels that muster writes", bind(labels={"app": "web"}))
        self.assertIn("only annotations that muster writes", bind(annotations={"theirs": "x"}))

    def test_deletions(self):
        for name, scheduler in (("ours", "kai-scheduler"), ("of-others", "default-scheduler")):
            made = pod(name)
            made["spec"]["schedulerName"] = scheduler
            self.make(PODS, made)
        self.assertEqual(self.answer(self.muster, "DELETE", f"{PODS}/ours?dryRun=All"), "")
        self.assertIn("muster may delete only", self.answer(self.muster, "DELETE", f"{PODS}/of-others?dryRun=All"))

    def test_volumes(self):
        reference = lambda name: {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "default", "name": name,
                                  "uid": f"{name}-uid"}
        for name, claim, phase in (("free", None, "Available"), ("begun", reference("mine"), "Available"),
                                   ("bound", reference("mine"), "Bound"),
                                   ("kept", {"namespace": "default", "name": "mine"}, "Available")):
            self.make(self.VOLUMES, {"metadata": {"name": name, "labels": {"app": "web"}}, "spec": {
                "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/disk"},
                **({"claimRef": claim} if claim else {})}})
            self.api.patch(f"{self.VOLUMES}/{name}/status", {"status": {"phase": phase}})
        ours = {"metadata": {"annotations": {"pv.kubernetes.io/bound-by-controller": "yes"}}}
        self.does(f"{self.VOLUMES}/free", {**ours, "spec": {"claimRef": reference("mine")}})
        self.does(f"{self.VOLUMES}/kept", {"spec": {"claimRef": reference("mine")}})
        self.does(f"{self.VOLUMES}/kept", {"spec": {"claimRef": {"uid": None, "resourceVersion": None}}})
        self.does(f"{self.VOLUMES}/begun", {"metadata": {"annotations": {"pv.kubernetes.io/bound-by-controller": None}},
                                            "spec": {"claimRef": None}})
        stolen = "may not take a volume from"
        self.may_not(f"{self.VOLUMES}/kept", {"spec": {"claimRef": {"name": "other", "uid": "x"}}}, stolen)
        for claim in (None, {"uid": None}, {"name": "other", "uid": "x"}):
            self.may_not(f"{self.VOLUMES}/bound", {"spec": {"claimRef": claim}}, stolen)
        self.may_not(f"{self.VOLUMES}/free", {"spec": {"persistentVolumeReclaimPolicy": "Delete"}}, "only claimRef")
        self.may_not(f"{self.VOLUMES}/free", {"spec": {"mountOptions": ["x"]}}, "only claimRef")
        self.may_not(f"{self.VOLUMES}/free", {"metadata": {"labels": {"app": "other"}}})
        self.may_not(f"{self.VOLUMES}/free", {"metadata": {"annotations": {"theirs": "x"}}})

    def test_volume_claims(self):
        self.make(self.CLAIMS, {"metadata": {"name": "data", "finalizers": ["example.com/kept"]}, "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})
        path = f"{self.CLAIMS}/data"
        self.addCleanup(self.api.patch, path, {"metadata": {"finalizers": None}})
        self.does(path, {"metadata": {"annotations": {"volume.kubernetes.io/selected-node": "n"}}})
        self.may_not(path, {"metadata": {"annotations": {"volume.kubernetes.io/storage-provisioner": "x"}}})
        self.may_not(path, {"metadata": {"labels": {"x": "y"}}})
        self.may_not(path, {"metadata": {"finalizers": []}}, "owners or finalizers")
        self.may_not(path, {"spec": {"volumeName": "bound"}}, "nothing in that of a volume claim")

    def put(self, path, body, api=None):
        return self.answer(api or self.muster, "PUT", f"{path}?dryRun=All", body)

    def test_device_claims(self):
        spec = {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "c"}}]}}
        owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "1"}
        self.accepted(self.DEVICE_CLAIMS, {"metadata": {
            "name": "p-extended-resources-x", "annotations": {"resource.kubernetes.io/extended-resource-claim": "true"},
            "ownerReferences": [owner]}, "spec": spec}, self.muster)
        self.refused(self.DEVICE_CLAIMS, {"metadata": {"name": "c"}, "spec": spec}, "only claims for extended resources",
                     self.muster)
        self.make(self.DEVICE_CLAIMS, {"metadata": {"name": "nic", "finalizers": ["example.com/kept"]}, "spec": spec})
        path = f"{self.DEVICE_CLAIMS}/nic"
        self.addCleanup(self.api.patch, path, {"metadata": {"finalizers": None}})
        seen = self.api.get(path)
        changed = lambda **metadata: {**seen, "metadata": {**seen["metadata"], **metadata}}
        protection = "resource.kubernetes.io/delete-protection"
        self.assertEqual(self.put(path, changed(finalizers=["example.com/kept", protection])), "")
        self.assertIn("only add the finalizer", self.put(path, changed(finalizers=[protection])))
        self.assertIn("only add the finalizer", self.put(path, changed(finalizers=["example.com/kept", "example.com/x"])))
        self.assertIn("labels, annotations or owners", self.put(path, changed(labels={"x": "y"})))
        self.assertIn("labels, annotations or owners", self.put(path, changed(ownerReferences=[owner])))
        device = {"driver": "d.example.com", "pool": "p", "device": "x"}
        status = {"allocation": {"devices": {"results": [{"request": "r", **device}]}},
                  "reservedFor": [{"resource": "pods", "name": "p", "uid": "1"}]}
        self.assertEqual(self.put(f"{path}/status", {**seen, "status": status}), "")
        self.assertIn("that a driver reports",
                      self.put(f"{path}/status", {**seen, "status": {**status, "devices": [{**device, "data": {}}]}}))

    def test_names_of_what_it_makes(self):
        configs = "/api/v1/namespaces/kai-scheduler/configmaps"
        leases = "/apis/coordination.k8s.io/v1/namespaces/kai-scheduler/leases"
        made = lambda name: {"metadata": {"name": name}}
        self.accepted(configs, made("muster-usage"), self.muster)
        self.accepted(leases, made("kai-scheduler"), self.muster)
        for path in (configs, leases):
            self.refused(path, made("other"), "may create only its own Lease", self.muster)
            self.refused(path, {"metadata": {"generateName": "muster-usage"}}, "may create only its own Lease", self.muster)


if __name__ == "__main__":
    unittest.main(verbosity=2)
