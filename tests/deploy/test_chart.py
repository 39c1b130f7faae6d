"""The chart: its manifests, and its life in a real cluster with the real Helm. Run by ctest; MUSTER names the program.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from releases import CHART, NAMESPACE, ROOT, Helm, HelmFailed, Replica, helm, older_chart, render
from cluster import ApiError, ControlPlane, is_running, wait_until
from workloads import POD_GROUPS, PODS, QUEUES, group, pod, queue
import yaml

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
DEPLOYMENTS = f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments"
LEASES = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases"
CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"
POOL_LABEL = "kai.scheduler/node-pool"


def checksum(objects):
    return objects["Deployment", "muster"]["spec"]["template"]["metadata"]["annotations"]["muster.dev/config-checksum"]


class Rendering(unittest.TestCase):
    def test_lint(self):
        helm("lint", "--strict", CHART)
        helm("lint", "--strict", CHART, "--set", "podMonitor.enabled=true,prometheusRule.enabled=true,dashboard.enabled=true")

    def test_manifests_are_what_the_chart_gives(self):
        done = subprocess.run([sys.executable, "-B", ROOT / "deploy/render", "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_misspelt_values_are_refused(self):
        for wrong in ("replica=2", "image.tagg=1", "binding=indirect", "crds.install=yes", "nodePool=Blue",
                      "extraArgs={v}"):
            with self.assertRaises(HelmFailed, msg=wrong):
                render("--set", wrong)

    def test_every_value_is_in_the_schema(self):
        values = yaml.safe_load((CHART / "values.yaml").read_text())
        schema = yaml.safe_load((CHART / "values.schema.json").read_text())
        self.assertEqual(set(values), set(schema["properties"]) - {"global"})

    def test_changed_configuration_changes_the_pods(self):
        plain, changed = render(), render("--set", "config.actions=allocate")
        self.assertNotEqual(checksum(plain), checksum(changed))
        self.assertEqual(checksum(changed), checksum(render("--set", "config.actions=allocate")))
        self.assertEqual(changed["ConfigMap", "muster"]["data"]["config.yaml"], "actions: allocate")

    def test_node_pool_has_its_own_lease_and_rights(self):
        objects = render("--set", "nodePool=blue", name="muster-blue")
        rules = objects["Role", "muster-blue-lease"]["rules"] + objects["Role", "muster-blue-usage"]["rules"]
        self.assertEqual([r["resourceNames"] for r in rules if "resourceNames" in r],
                         [["kai-scheduler-blue"], ["muster-usage-blue"]])
        arguments = objects["Deployment", "muster-blue"]["spec"]["template"]["spec"]["containers"][0]["args"]
        self.assertIn("--partition-label-value=blue", arguments)

    def test_pods_meet_the_restricted_standard(self):
        spec = render()["Deployment", "muster"]["spec"]["template"]["spec"]
        self.assertEqual(spec["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
        self.assertTrue(spec["securityContext"]["runAsNonRoot"])
        container = spec["containers"][0]["securityContext"]
        self.assertEqual((container["allowPrivilegeEscalation"], container["capabilities"]), (False, {"drop": ["ALL"]}))

    def test_shared_gpus_bring_their_namespaces(self):
        objects = render("--set", "gpuSharing.enabled=true,gpuSharing.scalingPods=true")
        arguments = objects["Deployment", "muster"]["spec"]["template"]["spec"]["containers"][0]["args"]
        self.assertIn("--gpu-scaling-pods", arguments)
        for name in ("kai-resource-reservation", "kai-scale-adjust"):
            labels = objects["Namespace", name]["metadata"]["labels"]
            self.assertEqual(labels["pod-security.kubernetes.io/enforce"], "baseline")
        self.assertNotIn(("Namespace", "kai-scale-adjust"), render("--set", "gpuSharing.enabled=true"))

    def test_parts_that_can_be_switched(self):
        kinds = lambda *flags: {kind for kind, _ in render(*flags)}
        self.assertLessEqual({"PodDisruptionBudget", "NetworkPolicy", "PriorityClass"}, kinds())
        self.assertLessEqual({"PodMonitor", "PrometheusRule"}, kinds("--set", "podMonitor.enabled=true",
                                                                     "--set", "prometheusRule.enabled=true"))
        left = kinds("--set", "podDisruptionBudget.enabled=false,networkPolicy.enabled=false,crds.install=never",
                     "--set", "priorityClasses.create=false,admissionPolicies.enabled=false")
        self.assertEqual(left, {"ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding", "ConfigMap",
                                "Deployment"})
        self.assertNotIn("PodDisruptionBudget", kinds("--set", "replicas=1"))

    def test_clients_of_metrics_can_be_restricted(self):
        ingress = lambda *flags: render(*flags)["NetworkPolicy", "muster"]["spec"]["ingress"]
        self.assertEqual(ingress(), [{"ports": [{"port": "http", "protocol": "TCP"}]}])
        named = ingress("--set", "networkPolicy.metricsFrom[0].podSelector.matchLabels.app=prometheus")
        self.assertEqual(named, [{"ports": [{"port": "http", "protocol": "TCP"}],
                                  "from": [{"podSelector": {"matchLabels": {"app": "prometheus"}}}]}])

    def test_admission_policies_of_the_directory_are_taken_in(self):
        policy = ("# Says what for.\n---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\n"
                  "metadata: {name: %s}\nspec: {validations: [{expression: 'true', message: '{{ kept }}'}]}\n")
        with tempfile.TemporaryDirectory() as directory:
            chart = shutil.copytree(CHART, pathlib.Path(directory) / "chart")
            (chart / "files/admission-policies/a.yaml").write_text(policy % "first" + policy % "second")
            objects = render(chart=chart)
            off = render("--set", "admissionPolicies.enabled=false", chart=chart)
        kind = "ValidatingAdmissionPolicy"
        self.assertLessEqual({(kind, "first"), (kind, "second")}, set(objects))
        self.assertEqual(objects[kind, "first"]["spec"]["validations"][0]["message"], "{{ kept }}")
        self.assertNotIn(kind, {k for k, _ in off})

    def policies(self, *flags, name="muster"):
        return {policy: o for (kind, policy), o in render(*flags, name=name).items() if kind == "ValidatingAdmissionPolicy"}

    def test_policies_on_the_own_account(self):
        own = {policy for policy in self.policies() if "-own-" in policy}
        self.assertEqual(own, {f"muster-own-{part}" for part in ("bindings", "claims", "deletions", "names", "pods", "volumes")})
        for off in ("admissionPolicies.ownAccount=false", "admissionPolicies.enabled=false", "shadow=true"):
            self.assertEqual({policy for policy in self.policies("--set", off) if "-own-" in policy}, set(), off)
        of_pool = self.policies("--set", "nodePool=blue,nodePoolLabelKey=example.com/pool", name="muster-blue")
        self.assertIn("example.com/pool", str(of_pool["muster-blue-own-bindings"]))
        self.assertIn("kai-scheduler:muster-blue'", str(of_pool["muster-blue-own-pods"]))
        self.assertIn("muster-usage-blue", str(of_pool["muster-blue-own-names"]))

    def test_policies_can_be_left_out_and_know_other_devices(self):
        self.assertEqual(set(self.policies()) - set(self.policies("--set", "admissionPolicies.without={muster-resize}")),
                         {"muster-resize"})
        devices = self.policies("--set", "admissionPolicies.otherDevices={smarter-devices/fuse,rdma/*}")
        variables = {v["name"]: v["expression"] for v in devices["muster-gpu-pods"]["spec"]["variables"]}
        self.assertEqual(yaml.safe_load(variables["otherDevices"]), ["smarter-devices/fuse", "rdma/*"])
        for wrong in ("admissionPolicies.otherDevices={fuse}", "admissionPolicies.otherDevices={a/b'c}",
                      "admissionPolicies.without={muster}"):
            with self.assertRaises(HelmFailed, msg=wrong):
                render("--set", wrong)

    def test_rights_to_evict_come_with_the_eviction_api(self):
        rights = lambda *flags: str(render(*flags)["ClusterRole", "muster"]["rules"])
        for right in ("pods/eviction", "poddisruptionbudgets"):
            self.assertNotIn(right, rights())
            self.assertIn(right, rights("--set", "eviction=api"))

    def test_switch_words_of_yaml_are_taken_as_meant(self):
        for value, flag in (("off", "off"), ("on", "on"), ("auto", "auto"), ("false", "off")):
            with tempfile.NamedTemporaryFile("w", suffix=".yaml") as values:
                values.write(f"podGrouper: {value}\n")
                values.flush()
                container = render("-f", values.name)["Deployment", "muster"]["spec"]["template"]["spec"]["containers"][0]
            self.assertIn(f"--pod-grouper={flag}", container["args"])


class ClusterTest(unittest.TestCase):
    """One control plane for all tests of a class; each test uninstalls what it installed."""

    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane(audit=True).__enter__()
        cls.addClassCleanup(cls.plane.__exit__)
        cls.api, cls.helm = cls.plane.api, Helm(cls.plane)

    def tearDown(self):
        for line in self.helm("list", "--short").split():
            self.helm("uninstall", line)
        self.api.request("DELETE", PODS, {"gracePeriodSeconds": 0})
        self.plane.kubectl("delete", "--ignore-not-found", "priorityclass", "train", "build-preemptible", "build", "inference")
        ours = f"{CRDS}?labelSelector=app.kubernetes.io/part-of=muster"
        for definition in self.api.items(ours):
            self.wait_served(definition["spec"])
            self.api.delete(f"{CRDS}/{definition['metadata']['name']}")
        wait_until(lambda: not self.api.items(ours), 60, "the definitions to be gone")

    def wait_served(self, spec):
        """If a definition is deleted before its storage is ready, the API server cleans it up only after five minutes.
        """
        version = next(v["name"] for v in spec["versions"] if v["served"])
        self.api.get(f"/apis/{spec['group']}/{version}/{spec['names']['plural']}?limit=1")

    def exists(self, path):
        try:
            return bool(self.api.get(path))
        except ApiError as error:
            if error.status != 404:
                raise
            return False

    def place(self, name, **labels):
        body = pod(name)
        body["metadata"].setdefault("labels", {}).update({key.replace("__", "/"): v for key, v in labels.items()})
        self.api.post(PODS, body)
        wait_until(lambda: is_running(self.api.get(f"{PODS}/{name}")), 30, f"{name} to run")


class Life(ClusterTest):
    def test_install_upgrade_uninstall(self):
        self.plane.add_nodes(1)
        spec = queue("any", 8, parent="")["spec"]
        (self.plane.directory / "values.yaml").write_text(yaml.safe_dump({"queues": [{"name": "research", "spec": spec}]}))
        self.helm.install("muster", "-f", self.plane.directory / "values.yaml")
        with Replica(self.plane, "muster") as replica:
            replica.wait_ready()
            wait_until(lambda: self.exists(f"{QUEUES}/research"), 10, "the queue")
            self.assertEqual(self.api.get(f"{QUEUES}/research")["spec"]["resources"]["gpu"]["quota"], 8)
            self.place("one", **{"kai.scheduler__queue": "research"})
            self.assertNotIn(": 403", replica.log())
        self.assertTrue(self.exists(f"{LEASES}/kai-scheduler"))

        # An administrator's changes of the queue stay, and a changed configuration replaces the pods.
        self.api.patch(f"{QUEUES}/research", {"spec": {"resources": {"gpu": {"quota": 5}}}})
        before = self.api.get(f"{DEPLOYMENTS}/muster")["spec"]["template"]
        self.helm.upgrade("muster", "-f", self.plane.directory / "values.yaml", "--set", "config.actions=allocate\\, reclaim")
        after = self.api.get(f"{DEPLOYMENTS}/muster")["spec"]["template"]
        self.assertNotEqual(before["metadata"]["annotations"], after["metadata"]["annotations"])
        self.assertEqual(self.api.get(f"{QUEUES}/research")["spec"]["resources"]["gpu"]["quota"], 5)
        with Replica(self.plane, "muster") as replica:
            replica.wait_ready()
            self.assertEqual(self.api.get(f"{QUEUES}/research")["spec"]["resources"]["gpu"]["quota"], 5)
            self.place("two", **{"kai.scheduler__queue": "research"})

        self.helm("rollback", "muster", "1")
        self.assertEqual(self.api.get(f"{DEPLOYMENTS}/muster")["spec"]["template"]["metadata"]["annotations"],
                         before["metadata"]["annotations"])
        self.helm("uninstall", "muster")
        left = self.plane.kubectl("get", "deployment,serviceaccount,role,rolebinding,configmap,poddisruptionbudget,"
                                  "networkpolicy,clusterrole,clusterrolebinding,priorityclass", "-A", "-o", "name",
                                  "-l", "app.kubernetes.io/part-of=muster")
        self.assertEqual(left, "")
        self.assertTrue(self.exists(f"{QUEUES}/research"), "queues outlive the release")
        self.assertNotIn("CRD ", self.helm.install("muster"), "its own CRDs are known again")

    def test_upgrade_from_an_older_chart_brings_its_crds(self):
        self.helm.install("muster", chart=older_chart(self.plane.directory))
        names = lambda: {column["name"] for column in self.queue_columns()}
        self.assertNotIn("Priority", names())
        self.helm.upgrade("muster")
        self.assertIn("Priority", names())
        self.assertTrue(self.exists(f"/apis/policy/v1/namespaces/{NAMESPACE}/poddisruptionbudgets/muster"))

    def queue_columns(self):
        return self.api.get(f"{CRDS}/queues.scheduling.run.ai")["spec"]["versions"][0]["additionalPrinterColumns"]

    def test_crds_and_classes_of_others_are_used_and_left_alone(self):
        self.plane.kubectl("apply", "-f", ROOT / "deploy/10-crd-queue.yaml", "-f", ROOT / "deploy/20-priorityclasses.yaml")
        path = f"{CRDS}/queues.scheduling.run.ai"
        self.api.patch(path, {"metadata": {"annotations": {"muster.dev/version": None, "by": "another team"}}})
        before = self.api.get(path)["metadata"]
        self.plane.kubectl("apply", "-f", ROOT / "deploy/13-crd-topology.yaml")
        self.api.patch(f"{CRDS}/topologies.kai.scheduler", {"metadata": {"annotations": {"muster.dev/version": "0.1.9"}}})
        said = self.helm.install("muster")
        self.assertIn("CRD queues.scheduling.run.ai already exists and was not installed by muster", said)
        self.assertIn("CRD topologies.kai.scheduler is from muster 0.1.9 and belongs to another installation", said)
        self.assertNotIn("CRD podgroups", said)
        self.assertEqual(self.api.get(path)["metadata"]["resourceVersion"], before["resourceVersion"])
        self.assertTrue(self.exists(f"{CRDS}/podgroups.scheduling.run.ai"))
        self.helm("uninstall", "muster")
        self.assertTrue(self.exists(path))
        self.assertTrue(self.exists(f"{CLASSES}/train"))

    def test_manifests_replace_those_of_version_0_1_0(self):
        self.plane.kubectl("create", "namespace", NAMESPACE, check=False)
        self.plane.kubectl("apply", "-f", ROOT / "tests/deploy/v0.1.0/manifests.yaml")
        self.addCleanup(self.plane.kubectl, "delete", "--ignore-not-found", "-f", ROOT / "deploy/30-rbac.yaml", "-f",
                        ROOT / "deploy/40-deployment.yaml", "-f", ROOT / "deploy/41-availability.yaml")
        self.plane.kubectl("apply", "-f", ROOT / "deploy")
        image = self.api.get(f"{DEPLOYMENTS}/muster")["spec"]["template"]["spec"]["containers"][0]["image"]
        self.assertRegex(image, r"^muster:\d")
        # Helm also adopts objects that kubectl created.
        self.helm.install("muster", "--take-ownership", "--set", "crds.install=always")
        self.assertIn("muster.dev/config-checksum", str(self.api.get(f"{DEPLOYMENTS}/muster")))


class Shards(ClusterTest):
    def test_two_node_pools_of_one_cluster(self):
        self.plane.add_nodes(1)
        self.plane.add_nodes(1, prefix="blue", labels={POOL_LABEL: "blue"})
        self.helm.install("muster")
        self.helm.install("muster-blue", "--set", "nodePool=blue")
        with Replica(self.plane, "muster") as rest, Replica(self.plane, "muster-blue") as blue:
            rest.wait_ready()
            for name in ("blue-parent", "blue-queue"):
                body = queue(name, 8, parent="blue-parent" if name == "blue-queue" else "")
                body["metadata"]["labels"] = {POOL_LABEL: "blue"}
                self.api.post(QUEUES, body)
            blue.wait_ready()
            self.place("of-blue", **{"kai.scheduler__node-pool": "blue", "kai.scheduler__queue": "blue-queue"})
            self.place("of-rest")
            nodes = {name: self.api.get(f"{PODS}/{name}")["spec"]["nodeName"] for name in ("of-blue", "of-rest")}
            self.assertEqual(nodes, {"of-blue": "blue-000", "of-rest": "node-000"})
            holders = {item["metadata"]["name"]: item["spec"]["holderIdentity"] for item in self.api.items(LEASES)}
            self.assertLessEqual({"kai-scheduler", "kai-scheduler-blue"}, set(holders))
            self.assertNotIn(": 403", rest.log() + blue.log())
        # The other pool's release continues after the release that installed the CRDs is gone.
        self.helm("uninstall", "muster")
        self.assertTrue(self.exists(f"{CRDS}/queues.scheduling.run.ai"))
        self.assertFalse(self.exists(f"{DEPLOYMENTS}/muster"))
        with Replica(self.plane, "muster-blue") as blue:
            blue.wait_ready()
            self.place("later", **{"kai.scheduler__node-pool": "blue", "kai.scheduler__queue": "blue-queue"})


class UnderLoad(ClusterTest):
    GANGS, SIZE = 12, 4

    def submit(self, gangs):
        for g in gangs:
            self.api.post(POD_GROUPS, group(f"gang-{g}", "team", self.SIZE))
            for i in range(self.SIZE):
                self.api.post(PODS, pod(f"gang-{g}-{i}", group=f"gang-{g}"))

    def test_upgrade_binds_nothing_twice_and_breaks_no_gang(self):
        self.plane.add_nodes(self.GANGS * self.SIZE // 8)
        self.helm.install("muster", chart=older_chart(self.plane.directory))
        replicas = [Replica(self.plane, "muster", f"old-{i}") for i in range(2)]
        for replica in replicas:
            replica.start()
            self.addCleanup(replica.stop)
        wait_until(lambda: any(r.is_ready() for r in replicas), 30, "a replica to be ready")
        self.api.post(QUEUES, queue("top", 64, parent=""))
        self.api.post(QUEUES, queue("team", 64, parent="top"))
        stages = [range(i, self.GANGS, 3) for i in range(3)]
        self.submit(stages[0])
        self.helm.upgrade("muster")
        # Like the Deployment: the next replica starts before the last one ends.
        for i, old in enumerate(replicas):
            new = Replica(self.plane, "muster", f"new-{i}")
            new.start()
            self.addCleanup(new.stop)
            self.submit(stages[i + 1])
            self.assertEqual(old.stop(), 0, old.log()[-2000:])
        pods = self.GANGS * self.SIZE
        wait_until(lambda: sum(map(is_running, self.plane.pods())) == pods, 60, f"{pods} pods to run")
        bound = self.plane.bindings()
        self.assertEqual((len(bound), len(set(bound))), (pods, pods), "bound twice")
        self.assertEqual([e for e in self.api.items("/api/v1/namespaces/default/events") if e["reason"] == "Evict"], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
