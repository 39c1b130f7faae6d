"""Trying something on a live cluster: another configuration, or decisions without writes. By hand: test_trying.py
[Class[.test]]."""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import is_bound, wait_until
from test_serve import KubeTest
from workloads import PODS, POD_GROUPS, pod

RELOADS = "kai_muster_config_reloads_total"
IS_GOOD = "kai_muster_config_last_reload_successful"
EVENTS = "/api/v1/namespaces/kai-scheduler/events"


class Reload(KubeTest):
    """A changed configuration takes effect without a restart or is rejected; both are reported."""
    NODES = 2

    def write(self, text):
        """As a mounted ConfigMap changes: a symbolic link gets a new target."""
        self.written = getattr(self, "written", 0) + 1
        file = self.plane.directory / f"config-{self.written}.yaml"
        file.write_text(text)
        link = self.plane.directory / "config.yaml"
        new = self.plane.directory / "config.new"
        new.symlink_to(file)
        new.rename(link)
        return link

    def event(self, reason):
        return next((e for e in self.api.items(EVENTS) if e["reason"] == reason), None)

    def test_taken_over_or_refused(self):
        config = self.write("actions: allocate\n")
        m = self.serve("--scheduler-conf", str(config))
        self.assertEqual(m.metric(RELOADS), 0)
        self.assertEqual(m.metric(IS_GOOD), 1)
        for i in range(16):
            self.api.post(PODS, pod(f"low-{i}", queue="team-a"))
        self.wait_running(16, "low")
        self.api.post(PODS, pod("owed", queue="team-b"))
        wait_until(lambda: m.metric("kai_muster_waiting_jobs") == 1, 10, "the job to wait")

        self.write("actions: allocate, reclaim\n")
        self.wait_running(1, "owed")
        self.assertEqual(m.metric(RELOADS, 'result="applied"'), 1)
        wait_until(lambda: self.event("ConfigurationReloaded"), 10, "the event")

        self.write("actions: alocate\n")
        refused = wait_until(lambda: self.event("ConfigurationRefused"), 10, "the event")
        self.assertIn('did you mean "allocate"?', refused["message"])
        self.assertEqual(m.metric(RELOADS, 'result="refused"'), 1)
        self.assertEqual(m.metric(IS_GOOD), 0)
        self.api.delete(f"{PODS}/{self.running('low')[0]['metadata']['name']}")
        self.api.post(PODS, pod("again", queue="team-b"))
        self.wait_running(1, "again")

        self.write("schedulerParams: {schedulerName: other}\n")
        wait_until(lambda: m.metric(RELOADS, 'result="applied"') == 2, 10, "the second change")
        self.assertIn("a restart is required for: schedulerName", m.log())
        self.assertEqual(m.metric(IS_GOOD), 1)


class DryRun(KubeTest):
    """Every write is sent to the API server as a dry run, and none is stored."""
    AUDIT = True

    def test_nothing_is_stored(self):
        self.serve("--dry-run=server", "--leader-elect")
        self.submit_gang("gang", 4)
        self.api.post(PODS, pod("alone", queue="team-b"))
        asked = lambda: [e for e in self.plane.audit_entries() if e["objectRef"].get("subresource") == "binding"]
        wait_until(lambda: len(asked()) >= 5, 20, "the binds to be asked for")
        for entry in asked():
            self.assertIn("dryRun=All", entry["requestURI"])
            self.assertEqual(entry["responseStatus"]["code"], 201)
        self.assertEqual([p["metadata"]["name"] for p in self.plane.pods() if is_bound(p)], [])
        self.assertEqual([g["metadata"]["name"] for g in self.api.items(POD_GROUPS)], ["gang"])
        self.assertEqual(self.api.items("/apis/coordination.k8s.io/v1/namespaces/kai-scheduler/leases"), [])


if __name__ == "__main__":
    unittest.main()
