"""Device claims with direct binding, in every version of their API that is promised. By hand: test_devices.py
[Class[.test]]."""
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
    """With the rights that are shipped."""
    VERSION = "v1"

    def serve(self, *flags):
        """What an older API server does not have is hidden: one of today does not start without it."""
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
        """What a pod that uses it says in its spec."""
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
        self.assertIn("claim another finds 0 of 1 device there", message)


class Devices(DeviceTest):
    API_FLAGS = ("--feature-gates=DRADeviceTaints=true",)

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
