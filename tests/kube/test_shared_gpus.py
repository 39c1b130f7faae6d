"""Shared GPUs without KAI-Scheduler's binder; the tests act as device plugin and reservation program. By hand:
test_shared_gpus.py [Class[.test]]."""
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import Api, ApiError, wait_until
from test_serve import BINARY, KubeTest
from workloads import PODS, pod, sharing_pod

HERE = pathlib.Path(__file__).resolve().parent
RESERVATIONS = "/api/v1/namespaces/kai-resource-reservation/pods"
DEVICE = "run.ai/reserve_for_gpu_index"


class DevicePlugin(threading.Thread):
    """Reports for each reservation pod which device it got, like `muster reserve-gpu` inside of it."""

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

    def tearDown(self):
        super().tearDown()
        self.api.request("DELETE", RESERVATIONS, {"gracePeriodSeconds": 0})

    def share(self, name, fraction="0.5"):
        self.api.post(PODS, sharing_pod(name, fraction))

    def one(self, name):
        return self.api.get(f"{PODS}/{name}")["metadata"]

    def test_sharers_of_a_device_learn_which_it_is(self):
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
        # The whole device is reserved: of 32 GPUs, 31 are left.
        for i in range(32):
            self.api.post(PODS, pod(f"whole-{i}", queue="team-b"))
        self.wait_running(31, "whole")
        self.assertNotIn("SharedGPUNotReserved", m.log())

        # Another muster finds everything unchanged, and the reservation of the last sharer is removed.
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

    def lose_reservation(self):
        held = self.api.items(RESERVATIONS)[0]["metadata"]
        self.api.request("DELETE", f"{RESERVATIONS}/{held['name']}", {"gracePeriodSeconds": 0})
        return held

    def test_a_reservation_that_was_lost_is_made_again(self):
        self.serve("--gpu-reservation-image", "none")
        self.share("a")
        self.wait_running(1, "a")
        uid = self.one("a")["uid"]
        lost = self.lose_reservation()
        self.plugin.given -= 1  # the device plugin assigns the same device again
        again = wait_until(lambda: next(iter(self.api.items(RESERVATIONS)), None), 60, "the reservation", 0.5)
        self.assertEqual(again["metadata"]["name"], lost["name"])
        wait_until(lambda: DEVICE in self.api.items(RESERVATIONS)[0]["metadata"].get("annotations", {}), 10, "its device")
        time.sleep(3)
        self.assertEqual(self.one("a")["uid"], uid, "it runs on")

    def test_sharers_of_a_device_that_others_got_meanwhile_go(self):
        m = self.serve("--gpu-reservation-image", "none")
        self.share("a")
        self.share("b")
        self.wait_running(2)
        self.lose_reservation()
        wait_until(lambda: not self.plane.pods(), 60, "both to go", 0.5)
        self.assertIn("was assigned to other pods after its reservation was lost", m.log())
        events = [e for e in self.api.items("/api/v1/namespaces/default/events") if e["reason"] == "SharedGPULost"]
        self.assertEqual({e["involvedObject"]["name"] for e in events}, {"a", "b"})

    def test_pods_that_never_got_a_device_stay(self):
        m = self.serve()
        self.share("a")
        self.wait_running(1, "a")
        m.stop()
        m = self.serve("--gpu-reservation-image", "none")
        time.sleep(25)  # two readings
        self.assertEqual(len(self.running("a")), 1)
        self.assertEqual(self.api.items(RESERVATIONS), [])


class ReservationProgram(KubeTest):
    """`muster reserve-gpu`, which runs in a reservation pod."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.api.post("/api/v1/namespaces", {"metadata": {"name": "kai-resource-reservation"}})
        cls.library = cls.plane.directory / "libnvidia-ml.so.1"
        subprocess.run(["c++", "-shared", "-fPIC", "-o", cls.library, HERE / "nvml_stand_in.cpp"], check=True)

    def setUp(self):
        super().setUp()
        self.api.post(RESERVATIONS, {"metadata": {"name": "by-hand"}, "spec": {
            "schedulerName": "nobody", "containers": [{"name": "main", "image": "none"}]}})
        self.addCleanup(self.api.request, "DELETE", f"{RESERVATIONS}/by-hand", {"gracePeriodSeconds": 0})

    def run_program(self, **environment):
        """Its output, its errors and its exit code after SIGTERM."""
        environment = dict(os.environ, POD_NAME="by-hand", POD_NAMESPACE="kai-resource-reservation", **environment)
        program = subprocess.Popen([BINARY, "reserve-gpu", "--kubeconfig", str(self.plane.kubeconfig)], env=environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said = program.stdout.readline()
        program.send_signal(signal.SIGTERM)
        errors = program.communicate(timeout=20)[1]
        return said, errors, program.returncode

    def device(self):
        return self.api.get(f"{RESERVATIONS}/by-hand")["metadata"].get("annotations", {}).get(DEVICE)

    def test_the_environment_names_the_device(self):
        said, _, code = self.run_program(NVIDIA_VISIBLE_DEVICES="GPU-77,GPU-78")
        self.assertEqual((said, code), ("holding GPU-77\n", 0))
        self.assertEqual(self.device(), "GPU-77")

    def test_the_management_library_names_the_device(self):
        said, errors, code = self.run_program(LD_LIBRARY_PATH=str(self.plane.directory), STAND_IN_UUID="GPU-by-library",
                                              NVIDIA_VISIBLE_DEVICES="all")
        self.assertEqual((said, code), ("holding GPU-by-library\n", 0))
        self.assertEqual(self.device(), "GPU-by-library")
        self.assertIn("the management library was shut down", errors)

    def test_a_library_that_finds_nothing_leaves_it_to_the_environment(self):
        for failing in ("init", "device", "uuid"):
            said, _, code = self.run_program(LD_LIBRARY_PATH=str(self.plane.directory), STAND_IN_UUID="GPU-x",
                                             STAND_IN_FAILS=failing, NVIDIA_VISIBLE_DEVICES=f"GPU-without-{failing}")
            self.assertEqual((said, code), (f"holding GPU-without-{failing}\n", 0))

    def test_without_any_device_it_says_so(self):
        _, errors, code = self.run_program(LD_LIBRARY_PATH=str(self.plane.directory), STAND_IN_FAILS="device",
                                           NVIDIA_VISIBLE_DEVICES="void")
        self.assertIn("no GPU found", errors)
        self.assertEqual(code, 1)


if __name__ == "__main__":
    unittest.main()
