"""A real control plane on loopback: etcd, kube-apiserver, kube-controller-manager, and KWOK for the kubelets."""
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time

import programs

CONTROLLERS = ",".join(f"{name}-controller" for name in (
    "job", "cronjob", "deployment", "replicaset", "statefulset", "disruption", "garbage-collector", "namespace",
    "resourceclaim", "serviceaccount", "serviceaccount-token", "root-ca-certificate-publisher", "pod-garbage-collector",
    "taint-eviction", "node-lifecycle", "persistentvolume-binder", "persistentvolume-protection",
    "persistentvolumeclaim-protection"))
ADMIN_TOKEN = "admin-token-of-the-tests"
WHAT_CHANGES = [  # as rules of an audit policy, with the request body for what a history needs
    {"level": "Request", "verbs": ["create"], "resources": [{"group": "", "resources": ["pods/binding", "pods/eviction"]}]},
    {"level": "Request", "verbs": ["delete"], "resources": [{"group": "", "resources": ["pods"]}]},
    {"level": "Request", "verbs": ["patch"], "resources": [{"group": "scheduling.run.ai", "resources": ["podgroups"]}]},
    {"level": "Request", "verbs": ["create", "update"], "resources": [{"group": "coordination.k8s.io", "resources": ["leases"]}]},
    {"level": "Metadata", "verbs": ["create", "update", "patch", "delete", "deletecollection"]},
    {"level": "None"}]
TENANTS = ("tenant", "neighbour")  # users without any rights; the token of each is "NAME-token-of-the-tests"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_until(condition, seconds=30, what="the condition", step=0.05):
    """The first true value of condition(); raises AssertionError after `seconds`."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s in vain for {what}")
        time.sleep(step)


class ApiError(Exception):
    def __init__(self, status, body):
        super().__init__(f"{status}: {body[:500]}")
        self.status = status


class Api:
    """Requests on a persistent connection. It is closed before the server does so after 90 idle seconds."""
    IDLE_SECONDS = 45

    def __init__(self, port, ca, token=ADMIN_TOKEN):
        self.port, self.token = port, token
        self.context = ssl.create_default_context(cafile=str(ca))
        self.connection = None
        self.used = time.monotonic()

    def request(self, method, path, body=None, content_type="application/json"):
        for _ in range(20):
            status, text = self.one_request(method, path, body, content_type)
            if status != 429:  # the server has just started
                break
            time.sleep(0.5)
        if status >= 300:
            raise ApiError(status, text.decode(errors="replace"))
        return json.loads(text) if text.startswith(b"{") else text.decode()

    def one_request(self, method, path, body, content_type):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": content_type}
        data = None if body is None else json.dumps(body)
        if time.monotonic() - self.used > self.IDLE_SECONDS:
            self.connection = None
        self.used = time.monotonic()
        for attempt in range(2):
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.context,
                                                                  timeout=30)
                self.connection.request(method, path, data, headers)
                answer = self.connection.getresponse()
                return answer.status, answer.read()
            except (OSError, http.client.HTTPException):
                self.connection = None
                if attempt or method != "GET":
                    raise

    def get(self, path):
        return self.request("GET", path)

    def items(self, path):
        return self.get(path)["items"]

    def post(self, path, body):
        return self.request("POST", path, body)

    def delete(self, path):
        return self.request("DELETE", path)

    def patch(self, path, body, kind="merge"):
        return self.request("PATCH", path, body, f"application/{kind}-patch+json")


class ControlPlane:
    """`audit`: True to record all changes, or the rules of an audit policy."""

    def __init__(self, kwok=True, controllers=True, audit=False, fast=False, api_flags=()):
        self.programs = programs.provide()
        shm = pathlib.Path("/dev/shm")
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="muster-kube-", dir=shm if shm.is_dir() else None))
        self.with_kwok, self.with_controllers, self.with_audit, self.fast = kwok, controllers, audit, fast
        self.api_flags = api_flags
        self.is_kept = bool(os.environ.get("MUSTER_KEEP"))
        self.processes = {}
        self.port = free_port()
        self.etcd_port = free_port()

    def __enter__(self):
        try:
            self.make_certificates()
            self.start_etcd()
            self.start_api_server()
            self.api = Api(self.port, self.directory / "ca.crt")
            wait_until(self.is_ready, 180, "the API server")
            if self.with_controllers:
                self.start_controllers()
            if self.with_kwok:
                self.start_kwok()
        except BaseException:
            self.show_logs()
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in list(reversed(self.processes)):
            self.stop(name, kill=name == "etcd")
        if not self.is_kept:
            shutil.rmtree(self.directory, ignore_errors=True)

    # ---- processes

    def start(self, name, *arguments, **options):
        with open(self.directory / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen([str(a) for a in arguments], stdout=log, stderr=log,
                                                    cwd=self.directory, start_new_session=True, **options)
        return self.processes[name]

    def stop(self, name, kill=False):
        process = self.processes.pop(name, None)
        if process is None:
            return
        process.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def show_logs(self):
        for name in self.processes:
            print(f"---- {name}\n{self.log(name)[-1500:]}", file=sys.stderr)

    def log(self, name):
        return (self.directory / f"{name}.log").read_text(errors="replace")

    # ---- parts

    def make_certificates(self):
        d = self.directory
        run = lambda *a: subprocess.run(a, cwd=d, check=True, capture_output=True)
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2", "-subj", "/CN=tests", "-keyout", "ca.key", "-out", "ca.crt")
        for name, subject in (("server", "/CN=kube-apiserver"), ("client", "/O=system:masters/CN=admin")):
            (d / f"{name}.ext").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
            run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
                subject, "-keyout", f"{name}.key", "-out", f"{name}.csr")
            run("openssl", "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key",
                "-CAcreateserial", "-days", "2", "-extfile", f"{name}.ext", "-out", f"{name}.crt")
        run("openssl", "genrsa", "-out", "sa.key", "2048")
        run("openssl", "rsa", "-in", "sa.key", "-pubout", "-out", "sa.pub")
        (d / "tokens.csv").write_text(f'{ADMIN_TOKEN},admin,admin,"system:masters"\n' + "".join(
            f"{name}-token-of-the-tests,{name},{name}\n" for name in TENANTS))
        self.kubeconfig = self.write_kubeconfig("admin.kubeconfig", ADMIN_TOKEN)

    def write_kubeconfig(self, name, token, port=None, ca=None, **user):
        """`user`: more of the user's entry; token is None if that says how to get one."""
        path = self.directory / name
        path.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "tests",
            "clusters": [{"name": "tests", "cluster": {"server": f"https://127.0.0.1:{port or self.port}",
                                                       "certificate-authority": str(ca or self.directory / "ca.crt")}}],
            "users": [{"name": "user", "user": {**({"token": token} if token else {}), **user}}],
            "contexts": [{"name": "tests", "context": {"cluster": "tests", "user": "user"}}]}))
        return path

    def start_etcd(self):
        peer = free_port()
        self.start("etcd", self.programs / "controlplane", "etcd", "--unsafe-no-fsync", "--log-level=error",
                   "--data-dir", self.directory / "etcd", f"--listen-client-urls=http://127.0.0.1:{self.etcd_port}",
                   f"--advertise-client-urls=http://127.0.0.1:{self.etcd_port}",
                   f"--listen-peer-urls=http://127.0.0.1:{peer}", f"--initial-advertise-peer-urls=http://127.0.0.1:{peer}",
                   f"--initial-cluster=default=http://127.0.0.1:{peer}", "--quota-backend-bytes=4294967296")

    def start_api_server(self):
        d = self.directory
        arguments = [
            "--bind-address=127.0.0.1", f"--secure-port={self.port}", f"--etcd-servers=http://127.0.0.1:{self.etcd_port}",
            "--endpoint-reconciler-type=none", f"--tls-cert-file={d}/server.crt", f"--tls-private-key-file={d}/server.key",
            f"--client-ca-file={d}/ca.crt", f"--token-auth-file={d}/tokens.csv", "--authorization-mode=Node,RBAC",
            "--service-account-issuer=https://kubernetes.default.svc", f"--service-account-key-file={d}/sa.pub",
            f"--service-account-signing-key-file={d}/sa.key", "--disable-admission-plugins=ServiceAccount",
            "--shutdown-delay-duration=0s", "--service-cluster-ip-range=10.0.0.0/24", "--v=1", *self.api_flags]
        if self.fast:
            arguments += ["--enable-priority-and-fairness=false", "--max-requests-inflight=4000",
                          "--max-mutating-requests-inflight=4000"]
        if self.with_audit:
            (d / "audit.yaml").write_text(json.dumps({
                "apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"],
                "rules": self.with_audit if isinstance(self.with_audit, list) else WHAT_CHANGES}))
            arguments += [f"--audit-policy-file={d}/audit.yaml", f"--audit-log-path={d}/audit.log"]
        self.start("kube-apiserver", self.programs / "controlplane", "kube-apiserver", *arguments)

    def is_ready(self):
        if self.processes["kube-apiserver"].poll() is not None:
            raise AssertionError("the API server ended: " + self.log("kube-apiserver")[-2000:])
        try:
            return self.api.get("/readyz") == "ok"
        except (OSError, http.client.HTTPException, ApiError):
            return False

    def restart_api_server(self):
        self.stop("kube-apiserver", kill=True)
        self.start_api_server()
        self.api.connection = None
        wait_until(self.is_ready, 180, "the API server to come back")

    def start_controllers(self):
        self.start("kube-controller-manager", self.programs / "controlplane", "kube-controller-manager",
                   f"--kubeconfig={self.kubeconfig}", "--use-service-account-credentials=true", "--leader-elect=false",
                   "--secure-port=0", "--kube-api-qps=2000", "--kube-api-burst=4000", f"--controllers={CONTROLLERS}",
                   f"--service-account-private-key-file={self.directory}/sa.key",
                   f"--root-ca-file={self.directory}/ca.crt", "--v=1")

    def start_kwok(self):
        # Leases are renewed after a quarter of their duration; a node without a lease is considered dead after 50 s.
        self.start("kwok", self.programs / "kwok", "--manage-all-nodes=true", f"--kubeconfig={self.kubeconfig}",
                   f"--config={self.programs}/stages.yaml", "--node-lease-duration-seconds=160", "--v=4")

    # ---- contents

    def kubectl(self, *arguments, check=True):
        done = subprocess.run([str(self.programs / "controlplane"), "kubectl", f"--kubeconfig={self.kubeconfig}",
                               *map(str, arguments)], capture_output=True, text=True, cwd=self.directory,
                              env=dict(os.environ, HOME=str(self.directory)))
        if check and done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout

    def install(self, deploy):
        self.kubectl("apply", "-f", deploy)
        self.wait_established("queues.scheduling.run.ai", "podgroups.scheduling.run.ai")

    def wait_established(self, *names):
        """Waits until the definitions are served. `kubectl wait` fails if one has no status yet."""
        def are_served():
            crds = {c["metadata"]["name"]: c for c in self.api.items("/apis/apiextensions.k8s.io/v1/customresourcedefinitions")}
            return all(any(c["type"] == "Established" and c["status"] == "True"
                           for c in crds[name].get("status", {}).get("conditions") or ()) for name in names)
        wait_until(are_served, 60, f"{', '.join(names)} to be served")

    def remove_policies(self):
        """Without them muster must hold as well."""
        for kind in ("validatingadmissionpolicybindings", "validatingadmissionpolicies"):
            self.api.delete(f"/apis/admissionregistration.k8s.io/v1/{kind}")
        wait_until(self.takes_odd_queues, 30, "the policies to be gone", 0.2)

    def takes_odd_queues(self):
        try:
            self.api.post("/apis/scheduling.run.ai/v2/queues?dryRun=All", {
                "apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": "odd-one"},
                "spec": {"resources": {"gpu": {"quota": 2, "limit": 1}}}})
        except ApiError:
            return False
        return True

    def delete_queue(self, name):
        """Retries, because the admission policy learns with a delay that the queue is unused or that its children are
        gone."""
        def deletes():
            try:
                return self.api.delete(f"/apis/scheduling.run.ai/v2/queues/{name}")
            except ApiError as error:
                if error.status != 422:
                    raise
        wait_until(deletes, 10, f"queue {name} to be deleted")

    def tenant(self, name, ns):
        """Requests as a user who may edit the namespace, including PodGroups, and nothing else."""
        rbac = "/apis/rbac.authorization.k8s.io/v1"
        role = {"metadata": {"name": "edit-podgroups"}, "rules": [
            {"apiGroups": ["scheduling.run.ai"], "resources": ["podgroups"], "verbs": ["*"]}]}
        with contextlib.suppress(ApiError):
            self.api.post("/api/v1/namespaces", {"metadata": {"name": ns}})
        with contextlib.suppress(ApiError):
            self.api.post(f"{rbac}/clusterroles", role)
        # The parts of the role edit: the controller that combines them does not run here.
        for granted in ("system:aggregate-to-edit", "system:aggregate-to-view", "edit-podgroups"):
            self.api.post(f"{rbac}/namespaces/{ns}/rolebindings", {
                "metadata": {"name": f"{name}-{granted}".replace("system:", "")},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": granted},
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name}]})
        return Api(self.port, self.directory / "ca.crt", f"{name}-token-of-the-tests")

    def audit_entries(self):
        return [json.loads(line) for line in (self.directory / "audit.log").read_text().splitlines()]

    def bindings(self, codes=(201,)):
        """UIDs of pods, one for each binding that the API server answered with one of the codes, except dry runs. With
        504 the binding may have been made."""
        return [entry["requestObject"]["metadata"]["uid"] for entry in self.audit_entries()
                if entry["objectRef"].get("subresource") == "binding" and entry["responseStatus"]["code"] in codes
                and "dryRun" not in entry["requestURI"]]

    def add_nodes(self, count, gpus=8, prefix="node", cpu="64", memory="512Gi", labels=None):
        for i in range(count):
            name = f"{prefix}-{i:03}"
            amounts = {"cpu": cpu, "memory": memory, "pods": "250", "nvidia.com/gpu": str(gpus)}
            self.api.post("/api/v1/nodes", {
                "apiVersion": "v1", "kind": "Node",
                "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})},
                             "annotations": {"kwok.x-k8s.io/node": "fake"}},
                "status": {"allocatable": amounts, "capacity": amounts}})
        wait_until(lambda: sum(self.is_usable(n) for n in self.api.items("/api/v1/nodes")) >= count, 60,
                   "all nodes to be ready", 0.2)

    @staticmethod
    def is_usable(node):
        ready = any(c["type"] == "Ready" and c["status"] == "True" for c in node["status"].get("conditions", []))
        return ready and not node["spec"].get("taints")

    def pods(self, ns="default", selector=""):
        query = f"?labelSelector={selector}" if selector else ""
        return self.api.items(f"/api/v1/namespaces/{ns}/pods{query}")


def phase(pod):
    return pod["status"].get("phase")


def is_bound(pod):
    return bool(pod["spec"].get("nodeName"))


def is_running(pod):
    return phase(pod) == "Running" and "deletionTimestamp" not in pod["metadata"]


class Muster:
    """A muster serve under test."""

    def __init__(self, plane, binary, *flags, kubeconfig=None, name="muster", environment=None):
        self.plane, self.binary, self.flags, self.name = plane, binary, flags, name
        self.environment = dict(os.environ, **(environment or {}))
        self.kubeconfig = kubeconfig or plane.kubeconfig
        self.process = None
        self.listen = free_port()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self.log_path = self.plane.directory / f"{self.name}.log"
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [self.binary, "serve", "--kubeconfig", str(self.kubeconfig), "--listen-address",
                 f"127.0.0.1:{self.listen}", *self.flags], stdout=log, stderr=log, env=self.environment,
                start_new_session=True)

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process = None

    def stop(self):
        """The exit code after SIGTERM."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(30)
        self.process = None
        return code

    def log(self):
        return self.log_path.read_text(errors="replace")

    def page(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.listen, timeout=5)
        with contextlib.closing(connection):
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def is_ready(self):
        if self.process.poll() is not None:
            raise AssertionError(f"muster ended with {self.process.returncode}: {self.log()[-3000:]}")
        try:
            return self.page("/readyz")[0] == 200
        except OSError:
            return False

    def wait_ready(self):
        try:
            wait_until(self.is_ready, 30, "muster to be ready")
        except AssertionError as error:
            raise AssertionError(f"{error}: {self.page('/readyz')[1]}\n{self.log()[-3000:]}") from error

    def metric(self, name, label=""):
        """The sum over all series with the label, such as queue="a", of a page that is made after this call; muster
        makes a page at most once a second."""
        time.sleep(1.1)
        lines = self.page("/metrics")[1].splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines
                   if line.startswith(name) and line[len(name)] in " {" and label in line)
