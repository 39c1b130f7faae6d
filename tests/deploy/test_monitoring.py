"""Alerts and dashboard are valid, and muster exports every metric that they use. MUSTER names the program."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "kube"))
import yaml
import programs
from cluster import ControlPlane, Muster, is_running, wait_until
from workloads import PODS, QUEUES, pod, queue

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("MUSTER", str(ROOT / "build/release/src/muster"))
ALERTS = ROOT / "deploy/chart/files/alerts.yaml"
DASHBOARD = json.loads((ROOT / "deploy/chart/files/dashboard.json").read_text())
EMBEDDED_USAGE = "usageDBConfig:\n  clientType: embedded\n  usageParams: {fetchInterval: 1s}\n"

# Metrics of two replicas, minute by minute, and the alerts that must follow.
STORY = {
    "rule_files": [str(ALERTS)], "evaluation_interval": "1m",
    "tests": [
        {"interval": "1m",
         "input_series": [{"series": 'kai_muster_leader{app="a",instance="1"}', "values": "1x20"},
                          {"series": 'kai_muster_leader{app="a",instance="2"}', "values": "0x20"},
                          {"series": 'kai_muster_cycles_total{app="a",instance="1"}', "values": "0+60x20"},
                          {"series": 'kai_muster_failed_writes_total{app="a",instance="1",write="bind"}', "values": "0x20"}],
         "alert_rule_test": [{"eval_time": "15m", "alertname": name, "exp_alerts": []} for name in
                             ("MusterDown", "MusterNoLeader", "MusterSeveralLeaders", "MusterStandsStill",
                              "MusterFailedWrites")]},
        {"interval": "1m",
         "input_series": [{"series": 'kai_muster_leader{app="a",instance="1"}', "values": "1x5 0x20"},
                          {"series": 'kai_muster_leader{app="a",instance="2"}', "values": "0x25"}],
         "alert_rule_test": [{"eval_time": "10m", "alertname": "MusterNoLeader", "exp_alerts": [
             {"exp_labels": {"severity": "critical", "app": "a"},
              "exp_annotations": {"summary": "No replica of muster is the leader", "description":
                                  "Replicas run, but none holds the Lease, so no pods are scheduled."}}]}]},
        {"interval": "1m",
         "input_series": [{"series": 'kai_muster_failed_writes_total{app="a",write="bind"}', "values": "0x5 0+60x30"}],
         "alert_rule_test": [{"eval_time": "30m", "alertname": "MusterFailedWrites", "exp_alerts": [
             {"exp_labels": {"severity": "warning", "app": "a", "write": "bind"},
              "exp_annotations": {"summary": "Decisions cannot be written", "description":
                                  "1 writes per second fail (bind). Check RBAC, quotas and webhooks."}}]}]}]}


def alert_expressions():
    return [rule["expr"] for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]


def dashboard_expressions():
    return [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]


def metrics_in(expressions):
    return {name for expression in expressions for name in re.findall(r"\bkai_\w+", expression)}


def shown_by(page):
    return {re.match(r"\w+", line).group() for line in page.splitlines() if line and not line.startswith("#")}


class Rules(unittest.TestCase):
    def promtool(self, *arguments):
        tool = pathlib.Path(programs.provide_prometheus()).with_name("promtool")
        done = subprocess.run([tool, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_are_valid(self):
        self.promtool("check", "rules", ALERTS)

    def test_fire_when_they_should(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as story:
            yaml.safe_dump(STORY, story)
            story.flush()
            self.promtool("test", "rules", story.name)

    def test_are_described_in_the_docs(self):
        text = (ROOT / "docs/operations.md").read_text()
        rules = [rule["alert"] for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]
        self.assertEqual([name for name in rules if f"`{name}`" not in text], [])


class Dashboard(unittest.TestCase):
    def test_panels_do_not_overlap(self):
        cells = [(x, y) for panel in DASHBOARD["panels"] for place in [panel["gridPos"]]
                 for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])]
        self.assertEqual(len(cells), len(set(cells)))
        self.assertLess(max(x for x, _ in cells), 24)

    def test_panels_have_ids_of_their_own(self):
        ids = [panel["id"] for panel in DASHBOARD["panels"]]
        self.assertEqual(len(ids), len(set(ids)))


class Metrics(unittest.TestCase):
    def test_all_that_are_named_are_shown(self):
        wanted = metrics_in(alert_expressions() + dashboard_expressions())
        with ControlPlane() as plane:
            plane.install(ROOT / "deploy")
            plane.add_nodes(1)
            (plane.directory / "config.yaml").write_text(EMBEDDED_USAGE)
            with Muster(plane, BINARY, "--scheduler-conf", str(plane.directory / "config.yaml")) as m:
                m.wait_ready()
                counters = {name for name in wanted if name.endswith("_total") or "by_action" in name}
                wait_until(lambda: m.metric("kai_muster_cycles_total") > 0, 20, "a cycle")
                self.assertEqual(counters - shown_by(m.page("/metrics")[1]), set(), "before anything was decided")
                plane.api.post(QUEUES, queue("top", 8, parent=""))
                plane.api.post(QUEUES, queue("team", 8, parent="top"))
                plane.api.post(PODS, pod("one", queue="team"))
                wait_until(lambda: is_running(plane.api.get(f"{PODS}/one")), 20, "the pod to run")
                missing = lambda: wanted - shown_by(m.page("/metrics")[1])
                wait_until(lambda: not missing(), 20, f"metrics that are never shown: {missing()}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
