"""muster in the shadow of another scheduler, whose decisions this process makes. By hand: test_shadow.py
[Class[.test]]."""
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import wait_until
from test_serve import KubeTest, token_of
from workloads import POD_GROUPS, PODS, QUEUES, group, pod, queue

RBAC = "/apis/rbac.authorization.k8s.io/v1"
READ = ("get", "list", "watch")


class Shadow(KubeTest):
    AUDIT = True

    def shadow_kubeconfig(self):
        """A user with the read rights that the chart grants muster, and nothing else."""
        shipped = self.api.get(f"{RBAC}/clusterroles/muster")
        rules = [dict(rule, verbs=[verb for verb in rule["verbs"] if verb in READ]) for rule in shipped["rules"]]
        self.api.post(f"{RBAC}/clusterroles", {"metadata": {"name": "shadow"}, "rules": [r for r in rules if r["verbs"]]})
        self.api.post("/api/v1/namespaces/kai-scheduler/serviceaccounts", {"metadata": {"name": "shadow"}})
        self.plane.kubectl("create", "clusterrolebinding", "shadow", "--clusterrole=shadow",
                           "--serviceaccount=kai-scheduler:shadow")
        return self.plane.write_kubeconfig("shadow.kubeconfig", token_of(self.api, "shadow"))

    def report(self):
        status, text = self.musters[0].page("/shadow")
        self.assertEqual(status, 200)
        return json.loads(text)

    def wait_report(self, is_so, what):
        try:
            return wait_until(lambda: is_so(self.report()) and self.report(), 40, what, 0.2)
        except AssertionError as error:
            raise AssertionError(f"{error}: {self.report()}") from error

    def place(self, name, node):
        """Like the other scheduler's binder."""
        self.api.post(f"{PODS}/{name}/binding", {
            "apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node}})

    def test_agreement_and_first_differences(self):
        self.api.post(QUEUES, queue("small", 2, limit=2))
        self.addCleanup(self.plane.delete_queue, "small")
        m = self.serve("--shadow", kubeconfig=self.shadow_kubeconfig())
        self.submit_gang("both", 3)
        self.wait_report(lambda r: r["wouldPlaceNow"] == 3, "muster to have an opinion")
        for i in range(3):
            self.place(f"both-{i}", "node-003")
        self.wait_report(lambda r: r["pods"]["agreed"] == 3 and r["agreementPercent"] == 100, "agreement")

        self.submit_gang("large", 3, "small")  # three where two are allowed
        self.submit_gang("left", 1)
        self.wait_report(lambda r: r["wouldPlaceNow"] == 1, "an opinion about the others")
        wait_until(lambda: m.metric("kai_muster_waiting_jobs") == 1, 20, "the job that waits")
        self.place("large-0", "node-000")
        self.wait_report(lambda r: r["pods"]["differ"] == 1 and r["pods"]["leftWaiting"] == 1, "both differences")
        told = {d["job"]: d for d in self.report()["firstDifferences"]}
        self.assertEqual(told["default/large"]["other"], "placed it on node-000")
        self.assertIn("small", told["default/large"]["muster"])
        self.assertEqual(told["default/left"]["other"], "left it pending")
        self.assertTrue(told["default/left"]["muster"].startswith("would place it on node-"))
        self.assertEqual(self.report()["agreementPercent"], 60)
        self.assertEqual(m.metric("kai_muster_shadow_agreement_percent"), 60)
        self.assertIn("first difference for a job", m.log())
        writes = [e["objectRef"] for e in self.plane.audit_entries() if e["user"]["username"].endswith(":shadow")]
        self.assertEqual(writes, [])


if __name__ == "__main__":
    unittest.main()
