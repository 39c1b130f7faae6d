"""Shared GPUs without KAI-Scheduler's binder; the tests stand in for device plugin and reservation program. By hand:
test_shared_gpus.py [Class[.test]]."""
import os
import pathlib
import signal
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import Api, ApiError, wait_until
from test_serve import BINARY, KubeTest
from workloads import PODS, pod

RESERVATIONS = "/api/v1/namespaces/kai-resource-reservation/pods"
DEVICE = "run.ai/reserve_for_gpu_index"


class DevicePlugin(threading.Thread):
    """Says of each reservation pod which device it got, as `muster reserve-gpu` does inside of it."""

    def __init__(self, plane):
        super().__init__(daemon=True)
        self.api = Api(plane.port, plane.directory / "ca.crt")
        self.ended = threading.Event()
        self.given = 0

    def run(self):
        while not self.ended.wait(0.1):
            for reservation in self.api.items(RESERVATIONS):
                if DEVICE not in reservation["metadata"].get("annotations", {}):
                    self.given += 1
                    self.answer(reservation["metadata"]["name"], f"GPU-{self.given}")

    def answer(self, name, device):
        try:
            self.api.patch(f"{RESERVATIONS}/{name}", {"metadata": {"annotations": {DEVICE: device}}})
        except ApiError as error:
            if error.status != 404:
                raise

    def stop(self):
        self.ended.set()
        self.join()


class SharedGpus(KubeTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.api.post("/api/v1/namespaces", {"metadata": {"name": "kai-resource-reservation"}})

    def setUp(self):
        super().setUp()
        self.plugin = DevicePlugin(self.plane)
        self.plugin.start()
        self.addCleanup(self.plugin.stop)

    def share(self, name, fraction="0.5"):
        made = pod(name, gpus=0, queue="team-a")
        made["metadata"]["annotations"] = {"gpu-fraction": fraction}
        self.api.post(PODS, made)

    def one(self, name):
        return self.api.get(f"{PODS}/{name}")["metadata"]

    def test_sharers_of_a_device_are_told_which_it_is(self):
        m = self.serve("--gpu-reservation-image", "none")
        self.share("a")
        self.wait_running(1, "a")
        self.share("b")
        self.wait_running(1, "b")
        self.assertEqual(self.one("a")["labels"]["runai-gpu-group"], self.one("b")["labels"]["runai-gpu-group"])
        held = self.api.items(RESERVATIONS)
        self.assertEqual(len(held), 1)
        self.assertEqual(held[0]["metadata"]["labels"]["runai-gpu-group"], self.one("a")["labels"]["runai-gpu-group"])
        self.assertEqual(held[0]["spec"]["containers"][0]["resources"]["limits"], {"nvidia.com/gpu": "1"})
        for name in ("a", "b"):
            self.assertEqual(self.one(name)["annotations"]["muster.dev/gpu-devices"], held[0]["metadata"]["annotations"][DEVICE])
            self.assertEqual(self.one(name)["annotations"]["muster.dev/gpu-portion"], "0.50")
        # The whole device is held: of 32 GPUs, 31 are left.
        for i in range(32):
            self.api.post(PODS, pod(f"whole-{i}", queue="team-b"))
        self.wait_running(31, "whole")
        self.assertNotIn("SharedGPUNotReserved", m.log())

        # Another muster finds everything as it is, and what the last sharer leaves goes.
        m.kill()
        self.musters.clear()
        self.serve("--gpu-reservation-image", "none")
        self.api.delete(f"{PODS}/a")
        wait_until(lambda: len(self.running("a")) == 0, 20, "the first to go")
        self.share("c")
        self.wait_running(1, "c")
        self.assertEqual([r["metadata"]["uid"] for r in self.api.items(RESERVATIONS)], [held[0]["metadata"]["uid"]])
        for name in ("b", "c"):
            self.api.delete(f"{PODS}/{name}")
        wait_until(lambda: not self.api.items(RESERVATIONS), 60, "the reservation to go", 0.5)
        self.wait_running(32, "whole")

    def test_the_program_in_the_pod_says_what_it_holds(self):
        self.api.post(RESERVATIONS, {"metadata": {"name": "by-hand"}, "spec": {
            "schedulerName": "nobody", "containers": [{"name": "main", "image": "none"}]}})
        self.addCleanup(self.api.request, "DELETE", f"{RESERVATIONS}/by-hand", {"gracePeriodSeconds": 0})
        self.plugin.stop()
        environment = dict(os.environ, NVIDIA_VISIBLE_DEVICES="GPU-77,GPU-78", POD_NAME="by-hand",
                           POD_NAMESPACE="kai-resource-reservation")
        program = subprocess.Popen([BINARY, "reserve-gpu", "--kubeconfig", str(self.plane.kubeconfig)], env=environment,
                                   stdout=subprocess.PIPE, text=True)
        self.assertEqual(program.stdout.readline(), "holds GPU-77\n")
        self.assertEqual(self.api.get(f"{RESERVATIONS}/by-hand")["metadata"]["annotations"][DEVICE], "GPU-77")
        program.send_signal(signal.SIGTERM)
        self.assertEqual(program.wait(20), 0)
        program.stdout.close()


if __name__ == "__main__":
    unittest.main()
