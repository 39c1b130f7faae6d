"""Time-based fair share of muster serve, on a real control plane. Run by ctest; by hand: test_usage.py [Class[.test]].
"""
import json
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import Muster, wait_until
from prometheus import Prometheus
from test_serve import BINARY, KubeTest, shipped_token
from workloads import POD_GROUPS, QUEUES, queue

HALF_LIFE = 6
USAGE_MAP = "/api/v1/namespaces/kai-scheduler/configmaps/muster-usage"


class UsageTest(KubeTest):
    """One node with eight GPUs, and two queues without quota; the older one comes first."""
    NODES = 1

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.api.post(QUEUES, queue("greedy", 0))
        time.sleep(1.1)  # creation times have a resolution of one second
        cls.api.post(QUEUES, queue("modest", 0))

    def write_config(self, client, **params):
        path = self.plane.directory / "scheduler.yaml"
        path.write_text(json.dumps({"usageDBConfig": {**client, "usageParams": {
            "windowSize": "2m", "fetchInterval": "1s", "stalenessPeriod": "3s", "waitTimeout": "20s",
            "halfLifePeriod": f"{HALF_LIFE}s", **params}}}))
        return str(path)

    def make_muster(self, *flags):
        kubeconfig = self.plane.write_kubeconfig("muster.kubeconfig", shipped_token(self.api))
        m = Muster(self.plane, BINARY, *flags, kubeconfig=kubeconfig)
        self.addCleanup(lambda: self.assertNotIn(": 403", m.log()))
        self.musters.append(m)
        return m

    def start(self, m):
        m.start()
        m.wait_ready()

    def used(self, m, name):
        """Past GPU use as counted in the last cycle."""
        return m.metric("kai_queue_gpu_usage", f'queue_name="{name}"')

    def contend(self):
        """Both queues request all eight GPUs, the greedy one first."""
        self.submit_gang("more", 8, "greedy")
        time.sleep(1.1)
        self.submit_gang("first", 8, "modest")

    def winner(self):
        running = wait_until(lambda: self.running() if len(self.running()) == 8 else None, 30, "eight running pods")
        return running[0]["metadata"]["name"].rsplit("-", 1)[0]

    def clear(self):
        wait_until(self.remove_pods, 60, "all pods to be gone", 0.2)
        self.api.delete(POD_GROUPS)


class UsageFromPrometheus(UsageTest):
    def start_both(self):
        m = self.make_muster("--scheduler-conf", str(self.plane.directory / "scheduler.yaml"))
        prometheus = Prometheus(self.plane, m.listen)
        prometheus.start()
        self.addCleanup(prometheus.kill)
        self.configure(prometheus)
        self.start(m)
        return m, prometheus

    def configure(self, prometheus, **params):
        self.write_config({"clientType": "prometheus", "connectionString": prometheus.address + "/"},
                          extraParams={"queryResolution": "1s"}, **params)

    def test_windows_may_start_anew(self):
        m, prometheus = self.start_both()
        self.submit_gang("past", 8, "greedy")
        wait_until(lambda: self.used(m, "greedy") > 0.6, 40, "use to be known")
        in_hours = lambda n: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600 * n))
        for has_use, window in ((True, {"windowType": "tumbling", "tumblingWindowStartTime": in_hours(-1)}),
                                (False, {"windowType": "tumbling", "tumblingWindowStartTime": in_hours(1)}),
                                (True, {"windowType": "cron", "cronString": "@daily"})):
            self.assertEqual(m.stop(), 0)
            self.configure(prometheus, windowSize="2h", **window)
            self.start(m)
            wait_until(lambda: 'kai_queue_gpu_usage{' in m.page("/metrics")[1], 20, "a cycle")
            self.assertEqual(self.used(m, "greedy") > 0.3, has_use, window)
            self.assertNotIn("past use is unknown; every queue counts as unused: Prometheus: ", m.log())

    def test_use_counts_decays_and_ages_out(self):
        m, prometheus = self.start_both()
        self.submit_gang("past", 8, "greedy")
        wait_until(lambda: self.used(m, "greedy") > 0.6, 40, "use to be known")
        self.assertEqual(self.used(m, "modest"), 0)
        self.assertEqual(m.stop(), 0)
        self.clear()
        self.contend()
        self.start(m)
        self.assertEqual(self.winner(), "first", "the queue without past use comes first")
        self.assertLess(m.metric("kai_muster_usage_age_seconds"), 10)

        before = self.used(m, "greedy")
        wait_until(lambda: 0.1 * before < self.used(m, "greedy") < 0.75 * before, 3 * HALF_LIFE, "old use to count less", 0.2)
        self.check_outage(m, prometheus)

    def check_outage(self, m, prometheus):
        prometheus.kill()
        wait_until(lambda: "past use was last read at" in m.log(), 15, "a word in the log")
        wait_until(lambda: self.is_described("modest", "and counts less and less: Prometheus: no answer"), 15, "the event")
        self.assertFalse(self.is_described("modest", "UsageAvailable"))
        self.assertGreater(m.metric("kai_muster_usage_errors_total"), 0)
        self.assertGreater(m.metric("kai_muster_usage_age_seconds"), 3)
        self.assertEqual(m.page("/readyz")[0], 200)
        before = self.used(m, "modest")
        self.assertGreater(before, 0)
        wait_until(lambda: self.used(m, "modest") < before / 2, 3 * HALF_LIFE, "the last value to fade")
        self.assertEqual(m.log().count("past use was last read at"), 2, "late, then stale")

        prometheus.start()
        wait_until(lambda: self.is_described("modest", "UsageAvailable"), 15, "the event")
        wait_until(lambda: self.used(m, "modest") > before / 4, 15, "use to count again")
        self.assertIn("past use is up to date", m.log())

    def is_described(self, name, words):
        return words in self.plane.kubectl("describe", "queue.scheduling.run.ai", name)

    def test_start_waits_for_a_source_but_not_forever(self):
        config = self.write_config({"clientType": "prometheus", "connectionString": "http://127.0.0.1:1"}, waitTimeout="3s")
        m = self.make_muster("--scheduler-conf", config)
        m.name = "patient"
        begin = time.monotonic()
        self.start(m)
        self.submit_gang("patient", 1, "modest")
        self.wait_running(1, "patient")
        self.assertGreater(time.monotonic() - begin, 3)
        self.assertIn("past use is unknown; every queue counts as unused: Prometheus: no answer", m.log())


class UsageKeptByMuster(UsageTest):
    def test_use_survives_a_crash(self):
        config = self.write_config({"clientType": "embedded"}, halfLifePeriod="1m")
        m = self.make_muster("--scheduler-conf", config)
        self.start(m)
        self.submit_gang("past", 8, "greedy")
        self.wait_running(8, "past")
        wait_until(lambda: self.used(m, "greedy") > 0.6, 40, "use to be known")
        kept = wait_until(lambda: self.kept().get("greedy"), 10, "use to be kept")
        wait_until(lambda: self.kept()["greedy"] != kept, 5, "use to be kept again")
        m.kill()
        self.clear()
        self.contend()
        self.start(m)
        self.assertEqual(self.winner(), "first", "the queue without past use comes first")
        self.assertGreater(self.used(m, "greedy"), 0.3)
        self.check_damage(m)

    def kept(self):
        try:
            return json.loads(self.api.get(USAGE_MAP)["data"]["usage.json"])["queues"]
        except Exception:  # not there yet
            return {}

    def check_damage(self, m):
        self.assertEqual(m.stop(), 0)
        self.api.patch(USAGE_MAP, {"data": {"usage.json": '{"version":1,"settings":"none"}'}})
        self.start(m)
        wait_until(lambda: "starting from zero" in m.log(), 15, "a warning")
        wait_until(lambda: self.kept().get("modest"), 15, "a new history")
        self.assertNotIn("greedy", self.kept())

    def test_without_use_the_older_queue_comes_first(self):
        """The baseline for the others."""
        self.contend()
        self.start(self.make_muster())
        self.assertEqual(self.winner(), "more")


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
