"""Volumes with direct binding, together with the real volume controller. By hand: test_volumes.py [Class[.test]]."""
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import ADMIN_TOKEN, ApiError, is_bound, wait_until
from proxy import FaultyProxy
from test_serve import KubeTest, shipped_token
from workloads import POD_GROUPS, PODS, group, pod

CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims"
VOLUMES = "/api/v1/persistentvolumes"
STORAGE = "/apis/storage.k8s.io/v1"
SELECTED_NODE = "volume.kubernetes.io/selected-node"


class VolumeTest(KubeTest):
    """With the shipped rights."""

    def serve(self, *flags, **options):
        options.setdefault("kubeconfig", self.plane.write_kubeconfig("muster.kubeconfig", shipped_token(self.api)))
        m = super().serve(*flags, **options)
        self.addCleanup(lambda: self.assertNotIn(": 403", m.log()))
        return m

    def tearDown(self):
        super().tearDown()
        for path in (CLAIMS, VOLUMES, f"{STORAGE}/storageclasses", f"{STORAGE}/csidrivers"):
            for item in self.api.items(path):
                self.remove(f"{path}/{item['metadata']['name']}")
        wait_until(lambda: not self.api.items(CLAIMS) and not self.api.items(VOLUMES), 30, "all volumes to be gone", 0.2)

    def remove(self, path):
        try:
            self.api.delete(path)
        except ApiError as error:
            if error.status != 404:
                raise

    def storage_class(self, name, provisioner="kubernetes.io/no-provisioner"):
        self.api.post(f"{STORAGE}/storageclasses", {
            "metadata": {"name": name}, "provisioner": provisioner, "volumeBindingMode": "WaitForFirstConsumer"})

    def claim(self, name, storage_class, size="1Gi"):
        self.api.post(CLAIMS, {"metadata": {"name": name}, "spec": {
            "storageClassName": storage_class, "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": size}}}})
        return {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]}

    def disk(self, name, node, storage_class="local", claim_ref=None, size="1Gi"):
        """A volume of one node."""
        spec = {"capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "storageClassName": storage_class,
                "local": {"path": "/disk"}, "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                    {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}]}}}
        if claim_ref:
            spec["claimRef"] = claim_ref
        self.api.post(VOLUMES, {"metadata": {"name": name}, "spec": spec})

    def available(self, *names):
        wait_until(lambda: all(self.volume(name)["status"].get("phase") == "Available" for name in names), 20,
                   "the volumes to be available")

    def volume(self, name):
        return self.api.get(f"{VOLUMES}/{name}")

    def node_of(self, name):
        return self.api.get(f"{PODS}/{name}")["spec"].get("nodeName")

    def selected_node(self, claim):
        return self.api.get(f"{CLAIMS}/{claim}")["metadata"].get("annotations", {}).get(SELECTED_NODE)

    def conditions(self, name):
        return self.api.get(f"{POD_GROUPS}/{name}").get("status", {}).get("schedulingConditions")

    def reasons(self, name):
        return wait_until(lambda: self.conditions(name), 20, f"the condition of {name}")[-1]["reasons"]


class ExistingVolumes(VolumeTest):
    def setUp(self):
        super().setUp()
        self.storage_class("local")

    def test_a_volume_is_given_to_the_claim_and_the_pod_follows_it(self):
        self.disk("disk", "node-002")
        self.available("disk")
        self.serve()
        self.api.post(PODS, pod("with-disk", queue="team-a", **self.claim("data", "local")))
        self.wait_running(1)
        self.assertEqual(self.node_of("with-disk"), "node-002")
        claim, volume = self.api.get(f"{CLAIMS}/data"), self.volume("disk")
        self.assertEqual((claim["status"]["phase"], claim["spec"]["volumeName"]), ("Bound", "disk"))
        self.assertEqual(volume["spec"]["claimRef"]["uid"], claim["metadata"]["uid"])
        self.assertEqual(volume["metadata"]["annotations"]["pv.kubernetes.io/bound-by-controller"], "yes")

    def test_a_gang_gets_a_volume_for_each_of_its_pods(self):
        for i in range(4):
            self.disk(f"disk-{i}", f"node-00{i}")
        self.available("disk-0", "disk-1", "disk-2", "disk-3")
        self.serve()
        self.api.post(POD_GROUPS, group("gang", "team-a", 4))
        for i in range(4):
            self.api.post(PODS, pod(f"gang-{i}", group="gang", **self.claim(f"data-{i}", "local")))
        self.wait_running(4)
        self.assertEqual({self.node_of(f"gang-{i}") for i in range(4)}, {f"node-00{i}" for i in range(4)})
        self.api.post(POD_GROUPS, group("late", "team-a", 1))
        self.api.post(PODS, pod("late-0", group="late", **self.claim("data-late", "local")))
        self.assertIn("volume claim data-late cannot be satisfied there", self.reasons("late")[0]["message"])

    def test_a_volume_that_was_set_aside_is_used(self):
        self.disk("other", "node-001")
        self.disk("mine", "node-003", claim_ref={"namespace": "default", "name": "data"})
        self.available("other", "mine")
        self.serve()
        self.api.post(PODS, pod("with-disk", queue="team-a", **self.claim("data", "local")))
        self.wait_running(1)
        self.assertEqual(self.node_of("with-disk"), "node-003")
        self.assertIsNone(self.volume("other")["spec"].get("claimRef"), self.musters[-1].log())

    def test_what_a_refused_pod_was_to_get_is_there_for_others(self):
        """If the controller has not bound the claim yet."""
        self.disk("disk", "node-002")
        self.available("disk")
        self.plane.stop("kube-controller-manager")
        try:
            m = self.serve(name="refused")  # its own log, because others may have had to retry
            self.api.post(PODS, pod("with-disk", queue="team-a", **self.claim("data", "local")))
            wait_until(lambda: self.volume("disk")["spec"].get("claimRef"), 20, "the volume to be given")
            self.api.request("DELETE", f"{PODS}/with-disk", {"gracePeriodSeconds": 0})
            wait_until(lambda: not self.volume("disk")["spec"].get("claimRef"), 20, "the volume to be taken back")
        finally:
            self.plane.start_controllers()
        self.assertNotIn("pv.kubernetes.io/bound-by-controller", self.volume("disk")["metadata"].get("annotations", {}))
        self.assertNotIn("could not bind a pod", m.log(), "nothing is said of a pod that is gone")

    def test_a_claim_that_was_given_another_leaves_its_volume_to_others(self):
        """If the controller has not noticed yet."""
        self.disk("disk", "node-002")
        self.available("disk")
        self.plane.stop("kube-controller-manager")
        try:
            self.serve()
            self.api.post(PODS, pod("with-disk", queue="team-a", **self.claim("data", "local")))
            wait_until(lambda: self.volume("disk")["spec"].get("claimRef"), 20, "the volume to be given")
            self.api.patch(f"{CLAIMS}/data", {"spec": {"volumeName": "somebody-elses"}})
            wait_until(lambda: not self.volume("disk")["spec"].get("claimRef"), 20, "the volume to be taken back")
        finally:
            self.plane.start_controllers()

    def test_another_muster_goes_on_where_one_was_killed(self):
        self.disk("disk", "node-002")
        self.available("disk")
        proxy = FaultyProxy(self.plane, faults=0)
        self.addCleanup(proxy.stop)
        proxy.refuses = lambda method, path: path.endswith("/binding")
        m = self.serve(kubeconfig=self.plane.write_kubeconfig("refusing.kubeconfig", ADMIN_TOKEN, port=proxy.port))
        self.api.post(PODS, pod("with-disk", queue="team-a", **self.claim("data", "local")))
        wait_until(lambda: self.volume("disk")["spec"].get("claimRef"), 20, "the volume to be given")
        m.kill()
        self.musters.clear()
        self.serve()
        self.wait_running(1)
        self.assertEqual(self.node_of("with-disk"), "node-002")


class NewVolumes(VolumeTest):
    def make_volume(self, claim):
        """Like a provisioner, for the node that the claim names."""
        found = self.api.get(f"{CLAIMS}/{claim}")
        self.disk(f"made-for-{claim}", found["metadata"]["annotations"][SELECTED_NODE], found["spec"]["storageClassName"], {
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "default", "name": claim,
            "uid": found["metadata"]["uid"]}, found["spec"]["resources"]["requests"]["storage"])

    def test_the_claim_gets_its_node_and_the_pod_waits_for_the_volume(self):
        self.serve()
        self.storage_class("made-on-demand", "example.com/makes-volumes")
        self.api.post(PODS, pod("with-volume", queue="team-a", **self.claim("data", "made-on-demand")))
        node = wait_until(lambda: self.selected_node("data"), 20, "the node")
        time.sleep(2)
        self.assertFalse(is_bound(self.api.get(f"{PODS}/with-volume")), "the volume does not exist yet")
        self.make_volume("data")
        self.wait_running(1)
        self.assertEqual(self.node_of("with-volume"), node)

    def test_a_volume_that_cannot_be_created_delays_no_other_pod(self):
        self.serve()
        self.storage_class("never-made", "example.com/makes-nothing")
        self.api.post(POD_GROUPS, group("with-lost", "team-a", 1))
        self.api.post(PODS, pod("with-lost-0", group="with-lost", **self.claim("lost", "never-made")))

        def fails_again():
            """Like its driver on each request: removes the node again."""
            if self.selected_node("lost"):
                self.api.patch(f"{CLAIMS}/lost", {"metadata": {"annotations": {SELECTED_NODE: None}}})
            return self.conditions("with-lost")

        reason = wait_until(fails_again, 30, "the condition")[-1]["reasons"][0]
        self.assertEqual(reason["reason"], "BindRefused")
        self.assertIn("volume claim lost: no volume could be created for node", reason["message"])

    def test_a_pod_that_goes_meanwhile_leaves_no_node_behind(self):
        m = self.serve(name="hasty")
        self.storage_class("slow", "example.com/makes-nothing")
        self.api.post(PODS, pod("hasty", queue="team-a", **self.claim("data", "slow")))
        wait_until(lambda: self.selected_node("data"), 20, "the node")
        self.api.request("DELETE", f"{PODS}/hasty", {"gracePeriodSeconds": 0})
        wait_until(lambda: not self.selected_node("data"), 20, "the node to be taken back")
        self.assertNotIn("could not bind a pod", m.log())

    def test_drivers_that_publish_their_room_must_have_it(self):
        self.storage_class("fast", "csi.example.com")
        self.api.post(f"{STORAGE}/csidrivers", {"metadata": {"name": "csi.example.com"}, "spec": {
            "storageCapacity": True, "attachRequired": True}})
        self.api.post(f"{STORAGE}/namespaces/default/csistoragecapacities", {
            "metadata": {"name": "of-node-002"}, "storageClassName": "fast", "capacity": "10Gi",
            "nodeTopology": {"matchLabels": {"kubernetes.io/hostname": "node-002"}}})
        self.addCleanup(self.remove, f"{STORAGE}/namespaces/default/csistoragecapacities/of-node-002")
        self.serve()
        self.api.post(PODS, pod("small", queue="team-a", **self.claim("small", "fast", "5Gi")))
        self.api.post(POD_GROUPS, group("large", "team-a", 1))
        self.api.post(PODS, pod("large-0", group="large", **self.claim("large", "fast", "20Gi")))
        wait_until(lambda: self.selected_node("small"), 20, "the node")
        self.assertEqual(self.selected_node("small"), "node-002")
        self.assertIn("storage class fast has 10.737 GB there, 21.475 GB requested",
                      self.reasons("large")[0]["message"])
        self.make_volume("small")
        self.wait_running(1)

    def test_nodes_get_no_more_volumes_than_their_driver_attaches(self):
        self.storage_class("fast", "csi.example.com")
        for i in range(4):
            self.api.post(f"{STORAGE}/csinodes", {"metadata": {"name": f"node-00{i}"}, "spec": {"drivers": [
                {"name": "csi.example.com", "nodeID": str(i), "allocatable": {"count": 1 if i == 3 else 0}}]}})
            self.addCleanup(self.remove, f"{STORAGE}/csinodes/node-00{i}")
        self.serve()
        self.api.post(PODS, pod("first", queue="team-a", **self.claim("first", "fast")))
        wait_until(lambda: self.selected_node("first"), 20, "the node")
        self.assertEqual(self.selected_node("first"), "node-003")
        self.api.post(POD_GROUPS, group("second", "team-a", 1))
        self.api.post(PODS, pod("second-0", group="second", **self.claim("second", "fast")))
        self.assertIn("driver csi.example.com can attach 0 more volumes there, 1 requested",
                      self.reasons("second")[0]["message"])
        self.make_volume("first")
        self.wait_running(1)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
