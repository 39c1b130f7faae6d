"""Writes that are refused, late or cut off. Run by ctest; by hand: test_trouble.py [Class[.test]]."""
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import ADMIN_TOKEN, ApiError, is_bound, wait_until
from proxy import FaultyProxy
from test_serve import KubeTest
from workloads import JOBS, POD_GROUPS, PODS, QUEUES, group, job, pod, queue

ADMISSION = "/apis/admissionregistration.k8s.io/v1"


class TroubleTest(KubeTest):
    AUDIT = True

    def through_proxy(self, name="proxy"):
        proxy = FaultyProxy(self.plane, faults=0)
        self.addCleanup(proxy.stop)
        return proxy, self.plane.write_kubeconfig(f"{name}.kubeconfig", ADMIN_TOKEN, port=proxy.port)

    def condition(self, group_name):
        """The last one of a PodGroup, as it tells why the job waits."""
        found = self.api.get(f"{POD_GROUPS}/{group_name}").get("status", {}).get("schedulingConditions")
        return found[-1] if found else None

    def entries(self, resource, subresource="", verb=None):
        """Of the audit log, oldest first."""
        return [e for e in self.plane.audit_entries()
                if (e["objectRef"]["resource"], e["objectRef"].get("subresource", "")) == (resource, subresource)
                and verb in (None, e["verb"])]

    def tries(self, prefix):
        """Bindings that were asked for, accepted or not."""
        return [e for e in self.entries("pods", "binding") if e["objectRef"]["name"].startswith(prefix)]

    def binds(self, prefix):
        """Bindings that were accepted and were no dry run."""
        return [e for e in self.tries(prefix) if e["responseStatus"]["code"] == 201 and "dryRun" not in e["requestURI"]]


class RefusedBinds(TroubleTest):
    """An admission policy says no to some bindings: everybody else is served, and the refused are not tried for ever."""

    def refuse_binding(self, prefix):
        self.api.post(f"{ADMISSION}/validatingadmissionpolicies", {
            "metadata": {"name": "no"}, "spec": {
                "failurePolicy": "Fail",
                "matchConstraints": {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"],
                                                        "operations": ["CREATE"], "resources": ["pods/binding"]}]},
                "validations": [{"expression": f"!object.metadata.name.startsWith('{prefix}')",
                                 "message": "not this one"}]}})
        self.api.post(f"{ADMISSION}/validatingadmissionpolicybindings", {
            "metadata": {"name": "no"}, "spec": {"policyName": "no", "validationActions": ["Deny"]}})
        self.addCleanup(self.allow_binding)
        probe = pod(f"{prefix}-probe")
        probe["spec"]["schedulerName"] = "nobody"
        self.api.post(PODS, probe)
        wait_until(lambda: self.is_refused(f"{prefix}-probe"), 30, "the policy to be in force", 0.5)
        self.api.delete(f"{PODS}/{prefix}-probe")

    def is_refused(self, name):
        try:
            self.api.post(f"{PODS}/{name}/binding?dryRun=All", {
                "apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
                "target": {"apiVersion": "v1", "kind": "Node", "name": "node-000"}})
        except ApiError as error:
            return error.status in (403, 422)
        return False

    def allow_binding(self):
        for kind in ("validatingadmissionpolicybindings", "validatingadmissionpolicies"):
            try:
                self.api.delete(f"{ADMISSION}/{kind}/no")
            except ApiError as error:
                if error.status != 404:
                    raise

    def test_a_refused_pod_is_tried_less_and_less_often(self):
        self.refuse_binding("refused")
        self.serve()
        before = len(self.tries("refused-0"))
        self.submit_gang("refused", 1)
        self.submit_gang("welcome", 1, "team-b")
        self.wait_running(1, "welcome", 5)
        time.sleep(10)
        tries = len(self.tries("refused-0")) - before
        self.assertGreaterEqual(tries, 2)
        self.assertLessEqual(tries, 5, "at 0, 1, 3 and 7 s")
        condition = wait_until(lambda: self.condition("refused"), 10, "the condition")
        self.assertEqual(condition["reasons"][0]["reason"], "BindRefused")
        self.assertIn("pod refused-0 could not be bound", condition["message"])
        self.assertIn("not this one", condition["message"])
        self.allow_binding()
        self.wait_running(1, "refused", 30)
        wait_until(lambda: not self.condition("refused"), 10, "the condition to go")

    def test_a_gang_with_a_refused_member_is_not_started_again_and_again(self):
        self.refuse_binding("gang-2-")
        self.serve()
        self.api.post(POD_GROUPS, group("gang", "team-a", 4, stalenessGracePeriod="1s"))
        owner = job("gang", 4)
        owner["spec"].update(completionMode="Indexed", backoffLimit=1000)
        owner["spec"]["template"]["metadata"]["annotations"] = {"pod-group-name": "gang"}
        self.api.post(JOBS, owner)
        wait_until(lambda: self.tries("gang-2-"), 20, "a first try")
        # Those that were bound are taken off, and the Job makes others, in its own time.
        members = lambda: self.plane.pods(selector="of=gang")
        wait_until(lambda: len(members()) == 4 and not any(map(is_bound, members())), 60, "the whole gang to wait")
        tries = len(self.tries("gang-2-"))
        wait_until(lambda: len(self.tries("gang-2-")) > tries, 60, "another try")
        time.sleep(3)
        self.assertFalse(any(map(is_bound, members())))
        self.assertLessEqual(len(self.binds("gang-")), 3, "bound and taken off over and over")
        self.assertEqual(self.condition("gang")["reasons"][0]["reason"], "BindRefused")
        self.allow_binding()
        self.wait_running(4, "gang", 90)


class StatusInTime(TroubleTest):
    """What is told of a pod is true when it arrives."""

    def test_nobody_is_called_unschedulable_after_its_bind(self):
        proxy, kubeconfig = self.through_proxy()
        proxy.delay = lambda method, path: 1 if method == "PATCH" and path.endswith("/status") else 0
        self.api.post(QUEUES, queue("narrow", 1, limit=0))
        self.addCleanup(self.api.delete, f"{QUEUES}/narrow")
        self.serve(kubeconfig=kubeconfig)
        for i in range(30):
            self.api.post(PODS, pod(f"late-{i}", queue="narrow"))
        wait_until(lambda: self.entries("pods", "status", "patch"), 20, "the first to be told")
        self.api.patch(f"{QUEUES}/narrow", {"spec": {"resources": queue("any", 32)["spec"]["resources"]}})
        self.wait_running(30, "late", 30)
        time.sleep(6)
        self.assertEqual([p["metadata"]["name"] for p in self.plane.pods() if self.is_called_unschedulable(p)], [])

    @staticmethod
    def is_called_unschedulable(p):
        return any(c["type"] == "PodScheduled" and c["status"] == "False" for c in p["status"].get("conditions", []))


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
