"""What kubectl shows of queues and jobs. By hand: test_status.py [Class[.test]]."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import wait_until
from test_serve import KubeTest, shipped_token
from workloads import POD_GROUPS, QUEUES


class Status(KubeTest):
    def setUp(self):
        super().setUp()
        self.serve(kubeconfig=self.plane.write_kubeconfig("shipped.kubeconfig", shipped_token(self.api)))

    def status_of(self, path):
        return self.api.get(path).get("status", {})

    def wait_status(self, path, **wanted):
        is_so = lambda: all(self.status_of(path).get(key) == value for key, value in wanted.items())
        try:
            wait_until(is_so, 40, "the status", 0.2)
        except AssertionError as error:
            raise AssertionError(f"{error}: {self.status_of(path)}, wanted {wanted}") from error

    def test_jobs_and_queues_show_what_they_use(self):
        self.submit_gang("held", 3, gpus=2)
        self.submit_gang("waits", 40, "team-b")
        self.wait_running(3, "held")
        amounts = lambda gpus: {"cpu": "0", "memory": "0", "nvidia.com/gpu": gpus}
        self.wait_status(f"{POD_GROUPS}/held", phase="Running", running=3, pending=0, preemptibility="preemptible",
                         resourcesStatus={"requested": amounts("6"), "allocated": amounts("6"),
                                          "allocatedNonPreemptible": amounts("0")})
        self.wait_status(f"{POD_GROUPS}/waits", phase="Pending", running=0, pending=40)
        self.wait_status(f"{QUEUES}/team-a", allocated=amounts("6"), requested=amounts("6"),
                         allocatedNonPreemptible=amounts("0"))
        self.wait_status(f"{QUEUES}/department", allocated=amounts("6"), requested=amounts("46"),
                         childQueues=["team-a", "team-b"])
        self.assertEqual(self.status_of(f"{QUEUES}/team-b")["fairShare"]["nvidia.com/gpu"], "26")
        table = self.plane.kubectl("get", "queues,podgroups").splitlines()
        row = lambda name: next(line.split() for line in table if line and name in line.split()[0].split("/")[-1:])
        self.assertIn("department", row("team-a"))
        self.assertIn("Running", row("held"))
        self.assertIn("Pending", row("waits"))
        self.api.delete(f"/api/v1/namespaces/default/pods/held-0")
        self.wait_status(f"{POD_GROUPS}/held", running=2)
        self.wait_status(f"{QUEUES}/team-a", allocated=amounts("4"))


if __name__ == "__main__":
    unittest.main()
