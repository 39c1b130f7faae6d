"""Writes that are refused, late or interrupted. Run by ctest; by hand: test_trouble.py [Class[.test]]."""
import json
import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cluster import ADMIN_TOKEN, ApiError, Muster, is_bound, wait_until
from history import History
from proxy import FaultyProxy
from test_serve import BINARY, KubeTest, token_of
from workloads import JOBS, POD_GROUPS, PODS, QUEUES, group, job, pod, queue

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"


class TroubleTest(KubeTest):
    AUDIT = True

    def through_proxy(self, name="proxy"):
        proxy = FaultyProxy(self.plane, faults=0)
        self.addCleanup(proxy.stop)
        return proxy, self.plane.write_kubeconfig(f"{name}.kubeconfig", ADMIN_TOKEN, port=proxy.port)

    def condition(self, group_name):
        """The last condition of a PodGroup that says why the job is pending."""
        found = self.api.get(f"{POD_GROUPS}/{group_name}").get("status", {}).get("schedulingConditions")
        return found[-1] if found else None

    def entries(self, resource, subresource="", verb=None):
        """Of the audit log, oldest first."""
        return [e for e in self.plane.audit_entries()
                if (e["objectRef"]["resource"], e["objectRef"].get("subresource", "")) == (resource, subresource)
                and verb in (None, e["verb"])]

    def tries(self, prefix):
        """Requested bindings, accepted or not."""
        return [e for e in self.entries("pods", "binding") if e["objectRef"]["name"].startswith(prefix)]

    def binds(self, prefix):
        """Accepted bindings that were not dry runs."""
        return [e for e in self.tries(prefix) if e["responseStatus"]["code"] == 201 and "dryRun" not in e["requestURI"]]


    def refuse(self, api_group, version, resource, operation, expression):
        """An admission policy that refuses what does not satisfy the expression."""
        self.api.post(f"{ADMISSION}/validatingadmissionpolicies", {
            "metadata": {"name": "no"}, "spec": {
                "failurePolicy": "Fail",
                "matchConstraints": {"resourceRules": [{"apiGroups": [api_group], "apiVersions": [version],
                                                        "operations": [operation], "resources": [resource]}]},
                "validations": [{"expression": expression, "message": "not this one"}]}})
        self.api.post(f"{ADMISSION}/validatingadmissionpolicybindings", {
            "metadata": {"name": "no"}, "spec": {"policyName": "no", "validationActions": ["Deny"]}})
        self.addCleanup(self.allow)

    def allow(self):
        for kind in ("validatingadmissionpolicybindings", "validatingadmissionpolicies"):
            try:
                self.api.delete(f"{ADMISSION}/{kind}/no")
            except ApiError as error:
                if error.status != 404:
                    raise

    def refuse_binding(self, prefix):
        self.refuse("", "v1", "pods/binding", "CREATE", f"!object.metadata.name.startsWith('{prefix}')")
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


class RefusedBinds(TroubleTest):
    """An admission policy refuses some bindings: all other pods are bound, and the refused binds are retried less and
    less often."""

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
        self.allow()
        self.wait_running(1, "refused", 30)
        wait_until(lambda: not self.condition("refused"), 10, "the condition to go")

    def test_a_token_that_ran_out_is_no_fault_of_the_pod(self):
        proxy, kubeconfig = self.through_proxy()
        end = time.monotonic() + 6
        proxy.refuses = lambda method, path: path.endswith("/binding") and time.monotonic() < end and 401
        self.serve(kubeconfig=kubeconfig)
        self.submit_gang("patient", 1)
        while time.monotonic() < end:
            self.assertEqual([r["reason"] for r in (self.condition("patient") or {"reasons": []})["reasons"]], [])
            time.sleep(0.1)
        self.assertTrue([r for r in proxy.requests if r[2].endswith("/binding")], "was tried")
        self.wait_running(1, "patient", 10)

    def test_a_refused_pod_gives_its_devices_back(self):
        self.refuse_binding("with-nic")
        self.serve()
        path, claims = "/apis/resource.k8s.io/v1", "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
        self.api.post(f"{path}/deviceclasses", {"metadata": {"name": "nic"}, "spec": {"selectors": [
            {"cel": {"expression": "device.driver == 'nic.example.com'"}}]}})
        self.api.post(f"{path}/resourceslices", {"metadata": {"name": "of-node-002"}, "spec": {
            "driver": "nic.example.com", "nodeName": "node-002", "devices": [{"name": "nic-0"}],
            "pool": {"name": "node-002", "generation": 1, "resourceSliceCount": 1}}})
        self.api.post(claims, {"metadata": {"name": "one-nic"}, "spec": {"devices": {"requests": [
            {"name": "nic", "exactly": {"deviceClassName": "nic"}}]}}})
        self.api.post(POD_GROUPS, group("with-nic", "team-a", 1))
        self.api.post(PODS, pod("with-nic-0", group="with-nic",
                                resourceClaims=[{"name": "nic", "resourceClaimName": "one-nic"}]))
        wait_until(lambda: self.tries("with-nic-0"), 20, "a try")
        writes = lambda: [e for e in self.entries("resourceclaims", "status") if e["responseStatus"]["code"] == 200]
        wait_until(lambda: len(writes()) >= 2, 10, "the devices to be given and given back")
        wait_until(lambda: not self.api.get(f"{claims}/one-nic").get("status", {}).get("allocation"), 10,
                   "a claim without devices")
        self.allow()
        self.wait_running(1, "with-nic", 30)
        self.api.patch(f"{claims}/one-nic", {"metadata": {"finalizers": []}})

    def test_a_gang_with_a_refused_member_is_not_started_again_and_again(self):
        self.refuse_binding("gang-2-")
        self.serve()
        self.api.post(POD_GROUPS, group("gang", "team-a", 4, stalenessGracePeriod="1s"))
        owner = job("gang", 4)
        owner["spec"].update(completionMode="Indexed", backoffLimit=1000)
        owner["spec"]["template"]["metadata"]["annotations"] = {"pod-group-name": "gang"}
        self.api.post(JOBS, owner)
        wait_until(lambda: len(self.binds("gang-")) == 3 and self.tries("gang-2-"), 20, "a first try")
        # The bound pods are deleted, and the Job creates new ones in its own time.
        members = lambda: self.plane.pods(selector="of=gang")
        evicted = lambda: [e for e in self.entries("pods", verb="delete") if e["responseStatus"]["code"] == 200]
        wait_until(lambda: len(evicted()) >= 3 and len(members()) == 4 and not any(map(is_bound, members())), 60,
                   "the whole gang to wait")
        tries = len(self.tries("gang-2-"))
        wait_until(lambda: len(self.tries("gang-2-")) > tries, 60, "another try")
        time.sleep(3)
        self.assertFalse(any(map(is_bound, members())))
        self.assertLessEqual(len(self.binds("gang-")), 3, "bound and taken off over and over")
        self.assertEqual(self.condition("gang")["reasons"][0]["reason"], "BindRefused")
        self.allow()
        self.wait_running(4, "gang", 90)


class StatusInTime(TroubleTest):
    """What is reported about a pod is true when it arrives."""

    def test_no_pod_is_called_unschedulable_after_its_bind(self):
        proxy, kubeconfig = self.through_proxy()
        proxy.delay = lambda method, path: 1 if method == "PATCH" and path.endswith("/status") else 0
        self.api.post(QUEUES, queue("narrow", 0, limit=0))
        self.addCleanup(self.plane.delete_queue, "narrow")
        self.serve(kubeconfig=kubeconfig)
        for i in range(30):
            self.api.post(PODS, pod(f"late-{i}", queue="narrow"))
        wait_until(lambda: self.entries("pods", "status", "patch"), 20, "the first to be told")
        self.api.patch(f"{QUEUES}/narrow", {"spec": {"resources": queue("any", 32)["spec"]["resources"]}})
        self.wait_running(30, "late", 30)
        time.sleep(6)
        self.assertEqual([p["metadata"]["name"] for p in self.plane.pods() if self.is_called_unschedulable(p)], [])

    def test_what_another_shard_says_meanwhile_is_kept(self):
        proxy, kubeconfig = self.through_proxy()
        proxy.delay = lambda method, path: 2 if method == "PATCH" and path.endswith("/podgroups/shared/status") else 0
        self.serve(kubeconfig=kubeconfig)
        self.submit_gang("shared", 9, gpus=8)
        under_way = lambda: [r for r in proxy.requests if r[1] == "PATCH" and r[2].endswith("/podgroups/shared/status")]
        wait_until(under_way, 20, "our condition to be under way")
        theirs = {"type": "UnschedulableOnNodePool", "nodePool": "other", "reason": "Unschedulable", "status": "True",
                  "message": "full", "transitionID": "7"}
        self.api.patch(f"{POD_GROUPS}/shared/status", {"status": {"schedulingConditions": [theirs]}})
        pools = lambda: [c["nodePool"] for c in self.api.get(f"{POD_GROUPS}/shared")["status"]["schedulingConditions"]]
        wait_until(lambda: pools() == ["other", "default"], 20, "both conditions")

    def test_preemptibility_is_shown_of_a_job_that_never_waited(self):
        self.serve()
        self.submit_gang("quick", 2)
        self.wait_running(2, "quick")
        shown = lambda: tuple(self.api.get(f"{POD_GROUPS}/quick").get("status", {}).get(key)
                              for key in ("preemptibility", "preemptibilitySource"))
        wait_until(lambda: shown() == ("preemptible", "priority"), 20, "the status")
        self.api.patch(f"{POD_GROUPS}/quick", {"spec": {"preemptibility": "non-preemptible"}})
        wait_until(lambda: shown() == ("non-preemptible", "spec"), 20, "the status to follow the spec")

    @staticmethod
    def is_called_unschedulable(p):
        return any(c["type"] == "PodScheduled" and c["status"] == "False" for c in p["status"].get("conditions", []))


class RefusedEvictions(TroubleTest):
    """A pod that may not be evicted stays, with its whole gang and its status."""

    def fill(self, name="batch", count=4, **annotations):
        for i in range(count):
            body = group(f"{name}-{i}", "team-b", 8)
            body["metadata"]["annotations"] = annotations
            self.api.post(POD_GROUPS, body)
            for k in range(8):
                self.api.post(PODS, pod(f"{name}-{i}-{k}", group=f"{name}-{i}", labels={"gang": f"{name}-{i}"}))
        self.wait_running(8 * count, name)

    def protect(self, name, labels, healthy, **spec):
        self.api.post(BUDGETS, {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name},
                                "spec": {**spec, "selector": {"matchLabels": labels}}})
        self.addCleanup(self.api.delete, f"{BUDGETS}/{name}")
        wait_until(lambda: self.api.get(f"{BUDGETS}/{name}").get("status", {}).get("currentHealthy") == healthy, 20,
                   "the budget to count its pods")

    def test_a_cooldown_that_cannot_be_written_is_undone(self):
        m = self.serve()
        self.fill("overdue", **{"kai.scheduler/expected-runtime": "1s", "kai.scheduler/requeue-delay": "10m"})
        time.sleep(2)  # the expected runtime, in whole seconds
        key = "kai.scheduler/requeue-not-before"
        self.refuse("scheduling.run.ai", "v2alpha2", "podgroups", "UPDATE",
                    f"!has(object.metadata.annotations) || !('{key}' in object.metadata.annotations)")
        wait_until(lambda: self.is_annotation_refused("overdue-0", key), 30, "the policy to be in force", 0.5)
        self.submit_gang("next", 8, "team-a", priority_class="build")
        wait_until(lambda: "could not annotate a PodGroup" in m.log(), 20, "a try")
        time.sleep(5)
        self.assertEqual(len(self.running("overdue")), 32, "no job may be requeued without its cooldown")
        self.assertEqual(m.metric("kai_scheduler_requeue_commits_total"), 0)
        self.assertLessEqual(m.log().count("requeue committed"), 5)
        self.allow()
        self.wait_running(8, "next", 60)
        self.assertEqual(m.metric("kai_scheduler_requeue_commits_total"), 1)

    def is_annotation_refused(self, name, key):
        try:
            self.api.patch(f"{POD_GROUPS}/{name}?dryRun=All", {"metadata": {"annotations": {key: "x"}}})
        except ApiError as error:
            return error.status in (403, 422)
        return False

    def test_an_eviction_is_recorded_before_it_happens(self):
        proxy, kubeconfig = self.through_proxy()
        self.serve(kubeconfig=kubeconfig)
        self.fill("told")
        proxy.delay = lambda method, path: 1 if method == "PATCH" and "/podgroups/told" in path else 0
        self.submit_gang("owed", 8, "team-a")
        self.wait_running(8, "owed", 40)
        history = History(self.plane.audit_entries())
        told = [name for _, name in history.evictions().values() if name.startswith("default/told")]
        self.assertEqual(len(told), 8)
        self.assertEqual([name for name in history.evictions_without_receipt() if name in told], [])

    def test_rights_that_a_new_server_does_not_know_yet_are_waited_for(self):
        proxy, kubeconfig = self.through_proxy()
        self.serve(kubeconfig=kubeconfig)
        self.fill("patient")
        refused = []

        def refuses(method, path):
            if method != "PATCH" or "/podgroups/patient" not in path or refused and time.monotonic() > refused[0] + 2:
                return False
            refused.append(time.monotonic())
            return 403

        proxy.refuses = refuses
        self.submit_gang("owed", 8, "team-a")
        self.wait_running(8, "owed", 40)
        history = History(self.plane.audit_entries())
        self.assertTrue(refused)
        self.assertEqual([n for n in history.evictions_without_receipt() if n.startswith("default/patient")], [])

    def test_a_victim_without_eviction_record_is_evicted_nevertheless(self):
        m = self.serve()
        self.fill()
        key = "muster.dev/last-eviction"
        self.refuse("scheduling.run.ai", "v2alpha2", "podgroups", "UPDATE",
                    f"!has(object.metadata.annotations) || !('{key}' in object.metadata.annotations)")
        wait_until(lambda: self.is_annotation_refused("batch-0", key), 30, "the policy to be in force", 0.5)
        self.submit_gang("owed", 8, "team-a")
        self.wait_running(8, "owed", 40)
        self.assertIn("could not annotate a PodGroup", m.log())

    def test_a_budget_for_one_pod_does_not_break_a_gang(self):
        self.serve("--eviction", "api")
        self.fill()
        for i in range(4):
            self.protect(f"one-of-{i}", {"gang": f"batch-{i}"}, 8, minAvailable=7)
        self.submit_gang("owed", 8, "team-a")
        time.sleep(8)
        self.assertEqual(len(self.running("batch")), 32, "a gang lost a member")
        self.api.delete(f"{BUDGETS}/one-of-2")
        self.api.post(BUDGETS, {"metadata": {"name": "one-of-2"}, "spec": {
            "minAvailable": 0, "selector": {"matchLabels": {"gang": "batch-2"}}}})
        self.wait_running(8, "owed", 90)
        self.assertEqual(len(self.running("batch-2")), 0)
        self.assertEqual(len(self.running("batch")), 24)

    def test_two_budgets_on_a_pod_protect_it(self):
        m = self.serve("--eviction", "api")
        self.fill()
        for i in (0, 1, 3):
            self.protect(f"first-{i}", {"gang": f"batch-{i}"}, 8, minAvailable=0)
            self.protect(f"second-{i}", {"gang": f"batch-{i}"}, 8, minAvailable=0)
        self.submit_gang("owed", 8, "team-a")
        self.wait_running(8, "owed", 40)
        for i in (0, 1, 3):
            self.assertEqual(len(self.running(f"batch-{i}")), 8)
        self.assertIn("a disruption budget protects a victim", m.log())

    def test_a_stale_gang_is_not_taken_off_in_part(self):
        self.serve("--eviction", "api")
        self.submit_gang("worn", 4, "team-a", stalenessGracePeriod="1s")
        for i in range(4):
            self.api.patch(f"{PODS}/worn-{i}", {"metadata": {"labels": {"gang": "worn"}}})
        self.wait_running(4, "worn")
        self.protect("most", {"gang": "worn"}, 4, minAvailable=2)
        self.api.delete(f"{PODS}/worn-0")
        time.sleep(8)
        self.assertEqual(len(self.running("worn")), 3)
        self.api.patch(f"{BUDGETS}/most", {"spec": {"minAvailable": 0}})
        self.wait_running(0, "worn", 60)


class EndsInOrder(TroubleTest):
    """A replica that gives up the lease writes nothing afterwards."""
    BIND_REQUESTS = "/apis/scheduling.run.ai/v1alpha2/namespaces/default/bindrequests"

    def test_nothing_is_written_after_the_lease_is_given_up(self):
        self.api.post("/api/v1/namespaces/kai-scheduler/serviceaccounts", {"metadata": {"name": "leaving"}})
        self.plane.kubectl("create", "clusterrolebinding", "leaving", "--clusterrole=cluster-admin",
                           "--serviceaccount=kai-scheduler:leaving")
        proxy = FaultyProxy(self.plane, faults=0)
        self.addCleanup(proxy.stop)
        proxy.delay = lambda method, path: 0.2 if method != "GET" and "leases" not in path else 0
        kubeconfig = self.plane.write_kubeconfig("leaving.kubeconfig", token_of(self.api, "leaving"), port=proxy.port)
        m = self.serve("--leader-elect", kubeconfig=kubeconfig)
        wait_until(lambda: m.metric("kai_muster_leader") == 1, 20, "the lead")
        for i in range(60):
            self.api.post(PODS, pod(f"many-{i}", queue="team-a" if i % 2 else "team-b"))
        wait_until(lambda: any(map(is_bound, self.plane.pods())), 20, "the first to be bound")
        self.assertEqual(m.stop(), 0)
        time.sleep(2)
        writes = [e for e in self.plane.audit_entries() if e["user"]["username"].endswith(":leaving")]
        leases = [e for e in writes if e["objectRef"]["resource"] == "leases"]
        released = max(e["requestReceivedTimestamp"] for e in leases)
        late = [f"{e['verb']} {e['objectRef']['resource']}" for e in writes
                if e["requestReceivedTimestamp"] > released and e["objectRef"]["resource"] != "leases"]
        self.assertEqual(late, [])
        lease = self.api.get("/apis/coordination.k8s.io/v1/namespaces/kai-scheduler/leases/kai-scheduler")
        self.assertEqual(lease["spec"].get("holderIdentity", ""), "")

    def test_a_bind_request_for_a_node_that_vanished_goes(self):
        self.plane.add_nodes(1, gpus=16, prefix="brief")
        self.addCleanup(self.remove_node, "brief-000")
        self.serve("--binding", "bindrequest", "--pod-grouper", "on")
        self.submit_gang("large", 1, gpus=16)
        request = wait_until(lambda: self.api.items(self.BIND_REQUESTS), 20, "the BindRequest")[0]
        self.assertEqual(request["spec"]["selectedNode"], "brief-000")
        self.remove_node("brief-000")
        wait_until(lambda: not self.api.items(self.BIND_REQUESTS), 20, "the BindRequest to go")

    def test_a_bind_request_is_deleted_by_its_uid(self):
        proxy, kubeconfig = self.through_proxy()
        self.serve("--binding", "bindrequest", "--pod-grouper", "on", kubeconfig=kubeconfig)
        self.submit_gang("one", 1)
        old = wait_until(lambda: self.api.items(self.BIND_REQUESTS), 20, "the BindRequest")[0]
        # While the deletion is under way, another pod takes the name.
        proxy.delay = lambda method, path: 3 if method == "DELETE" else 0
        self.api.patch(f"{self.BIND_REQUESTS}/one-0/status", {"status": {"phase": "Failed", "failedAttempts": 1}})
        wait_until(lambda: any(r[1] == "DELETE" for r in proxy.requests), 20, "the deletion")
        self.api.delete(f"{self.BIND_REQUESTS}/one-0")
        new = self.api.post(self.BIND_REQUESTS, {
            "apiVersion": old["apiVersion"], "kind": "BindRequest", "metadata": {"name": "one-0"}, "spec": old["spec"]})
        time.sleep(5)
        self.assertEqual(self.api.get(f"{self.BIND_REQUESTS}/one-0")["metadata"]["uid"], new["metadata"]["uid"])

    def remove_node(self, name):
        try:
            self.api.delete(f"/api/v1/nodes/{name}")
        except ApiError as error:
            if error.status != 404:
                raise

    def tearDown(self):
        self.api.delete(self.BIND_REQUESTS)
        super().tearDown()


class Watches(TroubleTest):
    """What the API server does not report, or reports late."""

    def test_a_silent_watch_is_begun_anew(self):
        proxy, kubeconfig = self.through_proxy()
        self.serve(kubeconfig=kubeconfig)
        muted = {"since": time.monotonic()}
        is_old = lambda path: muted["since"] > 0 and "/pods?" in path and "watch=1" in path
        proxy.mutes = is_old
        self.api.post(PODS, pod("unseen", queue="team-a"))
        # The open watch stays silent; the next one may report.
        wait_until(lambda: [r for r in proxy.requests if r[0] > muted["since"] + 1 and is_old(r[2])], 120,
                   "another watch", 0.5)
        self.assertLess(time.monotonic() - muted["since"], 110)
        muted["since"] = 0
        self.wait_running(1, "unseen")

    def test_lists_heed_how_long_a_server_wants_to_be_left_alone(self):
        proxy, kubeconfig = self.through_proxy()
        begin = time.monotonic()
        is_list = lambda path: path.startswith("/apis/scheduling.run.ai/v2/queues?limit")
        proxy.busy = lambda method, path: 4 if is_list(path) and time.monotonic() < begin + 3 else 0
        self.serve(kubeconfig=kubeconfig)
        self.assertLessEqual(len([r for r in proxy.requests if is_list(r[2])]), 2)

    def test_what_a_pod_belongs_to_is_asked_until_there_is_an_answer(self):
        proxy, kubeconfig = self.through_proxy()
        self.serve(kubeconfig=kubeconfig)
        for status in (410, 503):
            end = time.monotonic() + 3
            proxy.refuses = lambda method, path: "/apis/batch/v1" in path and time.monotonic() < end and status
            self.api.post(JOBS, job(f"of-{status}", 2, queue="team-a"))
            self.wait_running(2, f"of-{status}", 40)
            self.assertEqual(len([g for g in self.api.items(POD_GROUPS) if g["metadata"]["name"].startswith(f"pg-of-{status}")]), 1)
            time.sleep(max(0, end - time.monotonic()))

    def test_a_new_leader_does_not_wait_for_a_kind_that_is_not_there(self):
        """It lists everything again, including what it is about to learn."""
        proxy, kubeconfig = self.through_proxy()
        is_absent = lambda path: "/topologies?" in path
        proxy.hides, proxy.delay = is_absent, lambda method, path: 2 if is_absent(path) else 0
        begin = time.monotonic()
        self.serve("--leader-elect", kubeconfig=kubeconfig)
        self.assertLess(time.monotonic() - begin, 15)


class KnowsItsServer(TroubleTest):
    """The certificate of the tests' API server is for 127.0.0.1 and localhost."""

    def kubeconfig(self, **cluster):
        path = self.plane.write_kubeconfig("named.kubeconfig", ADMIN_TOKEN)
        config = json.loads(path.read_text())
        config["clusters"][0]["cluster"].update(cluster)
        path.write_text(json.dumps(config))
        return path

    def test_the_name_in_the_certificate_may_be_given(self):
        self.serve(kubeconfig=self.kubeconfig(**{"tls-server-name": "localhost"}))
        self.api.post(PODS, pod("one", queue="team-a"))
        self.wait_running(1)

    def test_another_name_is_not_the_server(self):
        m = Muster(self.plane, BINARY, kubeconfig=self.kubeconfig(**{"tls-server-name": "elsewhere"}))
        m.start()
        self.musters.append(m)
        wait_until(lambda: "no alternative certificate subject name matches" in m.log(), 15, "a word about it")
        self.assertEqual(m.page("/readyz")[0], 503)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
