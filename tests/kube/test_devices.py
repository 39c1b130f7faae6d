"""Device claims with direct binding, in every supported version of their API. By hand: test_devices.py [Class[.test]].
"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import wait_until
from proxy import FaultyProxy
from test_serve import KubeTest, shipped_token
from workloads import POD_GROUPS, PODS, group, pod

SELECTOR = "['nic-a', 'nic-b'].exists(m, device.attributes['nic.example.com'].?model.orValue('') == m)"


class DeviceTest(KubeTest):
    """With the rights of the shipped manifests."""
    VERSION = "v1"

    def serve(self, *flags):
        """The proxy hides what an older API server lacks, because a present one does not start without it."""
        proxy = FaultyProxy(self.plane, faults=0)
        self.addCleanup(proxy.stop)
        newer = {"v1": (), "v1beta2": ("v1/",), "v1beta1": ("v1/", "v1beta2/")}[self.VERSION]
        proxy.hides = lambda path: path.startswith(tuple(f"/apis/resource.k8s.io/{version}" for version in newer))
        kubeconfig = self.plane.write_kubeconfig("muster.kubeconfig", shipped_token(self.api), port=proxy.port)
        m = super().serve(*flags, kubeconfig=kubeconfig)
        self.addCleanup(lambda: self.assertNotIn(": 403", m.log()))
        return m

    def setUp(self):
        super().setUp()
        self.base = f"/apis/resource.k8s.io/{self.VERSION}"
        self.claims = f"{self.base}/namespaces/default/resourceclaims"
        self.api.post(f"{self.base}/deviceclasses", {"metadata": {"name": "nic"}, "spec": {"selectors": [
            {"cel": {"expression": "device.driver == 'nic.example.com'"}}, {"cel": {"expression": SELECTOR}}]}})
        self.addCleanup(self.api.delete, f"{self.base}/deviceclasses/nic")

    def nics(self, node, *devices):
        """A slice of the node's devices: name, and further fields."""
        body = lambda name, more: {"attributes": {"model": {"string": name}}, **more}
        self.api.post(f"{self.base}/resourceslices", {"metadata": {"name": f"of-{node}"}, "spec": {
            "driver": "nic.example.com", "nodeName": node,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": name, "basic": body(name, more)} if self.VERSION == "v1beta1"
                        else {"name": name, **body(name, more)} for name, more in devices]}})
        self.addCleanup(self.api.delete, f"{self.base}/resourceslices/of-{node}")

    def claim(self, name, **more):
        """The part of the spec of a pod that uses it."""
        exactly = {"deviceClassName": "nic", **more}
        self.api.post(self.claims, {"metadata": {"name": name}, "spec": {"devices": {"requests": [
            {"name": "nic", **exactly} if self.VERSION == "v1beta1" else {"name": "nic", "exactly": exactly}]}}})
        self.addCleanup(self.remove_claim, name)
        return {"resourceClaims": [{"name": "nic", "resourceClaimName": name}]}

    def remove_claim(self, name):
        self.api.patch(f"{self.claims}/{name}", {"metadata": {"finalizers": []}})
        self.api.delete(f"{self.claims}/{name}")

    def device_of(self, claim):
        status = self.api.get(f"{self.claims}/{claim}").get("status", {})
        return status["allocation"]["devices"]["results"][0]["device"] if "allocation" in status else None

    def check_a_claim_gets_its_device(self):
        self.nics("node-001", ("other", {}))
        self.nics("node-002", ("nic-b", {}))
        self.serve()
        self.api.post(PODS, pod("with-nic", queue="team-a", **self.claim("mine")))
        self.wait_running(1)
        self.assertEqual(self.running()[0]["spec"]["nodeName"], "node-002")
        self.assertEqual(self.device_of("mine"), "nic-b")
        self.assertEqual(self.api.get(f"{self.claims}/mine")["status"]["reservedFor"][0]["uid"],
                         self.running()[0]["metadata"]["uid"])
        self.api.post(POD_GROUPS, group("late", "team-a", 1))
        self.api.post(PODS, pod("late-0", group="late", **self.claim("another")))
        message = wait_until(lambda: self.api.get(f"{POD_GROUPS}/late").get("status", {}).get("schedulingConditions"), 20,
                             "the condition")[-1]["message"]
        self.assertIn("claim another needs 1 matching device, 0 free", message)


class Devices(DeviceTest):
    API_FLAGS = ("--feature-gates=DRADeviceTaints=true,DRADeviceTaintRules=true,DRAExtendedResource=true",
                 "--runtime-config=resource.k8s.io/v1alpha3=true")

    def test_a_claim_gets_its_device(self):
        self.check_a_claim_gets_its_device()

    def test_tainted_devices_are_for_those_who_tolerate_them(self):
        taint = {"taints": [{"key": "broken", "value": "fan", "effect": "NoSchedule"}]}
        self.nics("node-001", ("nic-a", taint))
        self.nics("node-003", ("nic-b", {}))
        self.serve()
        self.api.post(PODS, pod("careful", queue="team-a", **self.claim("sound")))
        self.wait_running(1, "careful")
        self.assertEqual(self.device_of("sound"), "nic-b")
        tolerant = self.claim("any", tolerations=[{"key": "broken", "operator": "Exists"}])
        self.api.post(PODS, pod("tolerant", queue="team-a", **tolerant))
        self.wait_running(1, "tolerant")
        self.assertEqual(self.device_of("any"), "nic-a")

    def test_rules_taint_devices(self):
        rules = "/apis/resource.k8s.io/v1alpha3/devicetaintrules"
        self.nics("node-001", ("nic-a", {}))
        self.nics("node-003", ("nic-b", {}))
        self.api.post(rules, {"metadata": {"name": "repair"}, "spec": {
            "deviceSelector": {"driver": "nic.example.com", "pool": "node-001"}, "taint": {"key": "repair", "effect": "NoSchedule"}}})
        self.serve()
        self.api.post(PODS, pod("first", queue="team-a", **self.claim("one")))
        self.wait_running(1, "first")
        self.assertEqual(self.device_of("one"), "nic-b")
        self.api.post(POD_GROUPS, group("second", "team-a", 1))
        self.api.post(PODS, pod("second-0", group="second", **self.claim("two")))
        wait_until(lambda: self.api.get(f"{POD_GROUPS}/second").get("status", {}).get("schedulingConditions"), 20, "the condition")
        self.api.delete(f"{rules}/repair")
        self.wait_running(1, "second")
        self.assertEqual(self.device_of("two"), "nic-a")

    # ---- amounts that stand for devices

    def asks_for(self, name, resource, count=1):
        made = pod(name, gpus=0, queue="team-a")
        made["spec"]["containers"][0]["resources"] = {"limits": {resource: str(count)}}
        self.api.post(PODS, made)

    def name_class(self, resource):
        self.api.patch(f"{self.base}/deviceclasses/nic", {"spec": {"extendedResourceName": resource}})

    def test_devices_stand_for_an_extended_resource(self):
        self.name_class("example.com/nic")
        self.nics("node-001", ("nic-a", {}))
        self.nics("node-002", ("nic-a", {}), ("nic-b", {}))
        self.serve()
        self.asks_for("two", "example.com/nic", 2)
        self.wait_running(1, "two")
        placed = self.running("two")[0]
        self.assertEqual(placed["spec"]["nodeName"], "node-002")
        said = placed["status"]["extendedResourceClaimStatus"]
        claim = self.api.get(f"{self.claims}/{said['resourceClaimName']}")
        self.assertEqual(claim["metadata"]["ownerReferences"][0]["uid"], placed["metadata"]["uid"])
        self.assertEqual(claim["metadata"]["annotations"]["resource.kubernetes.io/extended-resource-claim"], "true")
        self.assertEqual(sorted(r["device"] for r in claim["status"]["allocation"]["devices"]["results"]), ["nic-a", "nic-b"])
        self.assertEqual(claim["status"]["reservedFor"][0]["uid"], placed["metadata"]["uid"])
        container = placed["spec"]["containers"][0]["name"]
        self.assertEqual(said["requestMappings"], [{"containerName": container, "resourceName": "example.com/nic",
                                                    "requestName": claim["spec"]["devices"]["requests"][0]["name"]}])
        self.asks_for("implied", "deviceclass.resource.kubernetes.io/nic")
        self.wait_running(1, "implied")
        self.assertEqual(self.running("implied")[0]["spec"]["nodeName"], "node-001")

    def test_a_successor_gets_the_devices_and_a_new_leader_knows_who_holds_them(self):
        self.name_class("example.com/nic")
        self.nics("node-001", ("nic-a", {}))
        m = self.serve()
        self.asks_for("first", "example.com/nic")
        self.wait_running(1, "first")
        m.stop()
        self.serve()
        self.asks_for("second", "example.com/nic")
        wait_until(lambda: any(c["reason"] == "Unschedulable" for c in self.api.get(f"{PODS}/second")["status"].get("conditions", ())),
                   30, "why it waits")
        self.assertEqual(self.running("second"), [])
        self.api.delete(f"{PODS}/first")
        self.wait_running(1, "second", 40)


class DevicesOfKubernetes133(DeviceTest):
    VERSION = "v1beta2"
    API_FLAGS = ("--runtime-config=resource.k8s.io/v1beta2=true",)

    def test_a_claim_gets_its_device(self):
        self.check_a_claim_gets_its_device()


class DevicesOfKubernetes132(DeviceTest):
    VERSION = "v1beta1"
    API_FLAGS = ("--runtime-config=resource.k8s.io/v1beta1=true",)

    def test_a_claim_gets_its_device(self):
        self.check_a_claim_gets_its_device()


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
