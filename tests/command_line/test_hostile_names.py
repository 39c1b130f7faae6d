"""Names that would control a terminal: text output escapes them, and JSON keeps them unchanged.

MUSTER names the program.
"""
import copy
import http.server
import json
import os
import pathlib
import pty
import re
import subprocess
import tempfile
import termios
import threading
import unicodedata
import unittest

from timed import START, job, node, pod, queue, step

MUSTER = os.environ["MUSTER"]
# Colours, the window title, a forged line, C1, DEL, text directions, separators, and the first byte of each kind of
# escape sequence.
STEERING = ("\x1b[31m\x1b]0;title\x07\nFORGED: all is well\r\tFORGED\x00\x08\x0b\x7f\x80\x85FORGED\x9b2J"
            "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c\u2028FORGED\u2029FORGED")
IN_ARGUMENTS = STEERING.replace("\x00", "") + "\udcff\udc9b"  # and bytes that are not UTF-8
IN_CSV = STEERING.replace("\x00", "")
MARKS = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c\u2028\u2029")
OUR_COLOURS = re.compile(r"\x1b\[(0|1|2|31|32|33)m")
NOW = ("--now", START)


def name(word):
    return word + STEERING


def leaves(value, path=()):
    """The paths of all keys and values of text."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield path + (("key", key),)
            yield from leaves(below, path + (("value", key),))
    elif isinstance(value, list):
        for i, below in enumerate(value):
            yield from leaves(below, path + (("value", i),))
    elif isinstance(value, str):
        yield path


def made_hostile(objects, path):
    """A copy of the objects with hostile text at the path."""
    objects = copy.deepcopy(objects)
    at = objects
    for _, step_ in path[:-1]:
        at = at[step_]
    kind, last = path[-1]
    if kind == "key":
        at[last + STEERING] = at.pop(last)
    else:
        at[last] = at[last] + STEERING
    return objects


def queue_of(parent="", **annotations):
    return {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": "team", "annotations": annotations},
            "spec": {"displayName": "Team", "parentQueue": parent, "preemptMinRuntime": "1h",
                     "resources": {r: {"quota": -1, "limit": -1} for r in ("gpu", "cpu", "memory")}}}


METADATA = {"creationTimestamp": START, "labels": {"user": "ann", "kai.scheduler/queue": "team"}}
# One object of every kind, with text in every field that can contain text.
OF_EVERY_KIND = {
    "Node": [{"apiVersion": "v1", "kind": "Node",
              "metadata": {"name": "n", "labels": {"zone": "a", "nvidia.com/gpu.product": "H100"},
                           "annotations": {"muster.dev/mtbf": "10d"}},
              "spec": {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]},
              "status": {"allocatable": {"cpu": "8", "memory": "8Gi", "pods": "10", "nvidia.com/gpu": "2"},
                         "conditions": [{"type": "Ready", "status": "True"}]}}],
    "Queue": [queue_of("above", **{"kai.scheduler/requeue-delay": "1h"})],
    "PriorityClass": [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "c"}, "value": 7,
                       "preemptionPolicy": "Never"}],
    "PodGroup": [{"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup",
                  "metadata": {"name": "g", "namespace": "team", **METADATA, "annotations": {
                      "muster.dev/duration": "1h", "muster.dev/checkpoint-every": "10m",
                      "kai.scheduler/expected-runtime": "1h", "kai.scheduler/requeue-delay": "1h",
                      "kai.scheduler/last-start-timestamp": START, "kai.scheduler/topology-required-placement": "rack"}},
                  "spec": {"queue": "team", "minMember": 1, "priorityClassName": "c", "preemptibility": "preemptible",
                           "topologyConstraint": {"topology": "t", "requiredTopologyLevel": "rack",
                                                  "preferredTopologyLevel": "zone"},
                           "subGroups": [{"name": "s", "minMember": 1}]}}],
    "Pod": [{"apiVersion": "v1", "kind": "Pod",
             "metadata": {"name": "p", "namespace": "default", **METADATA,
                          "annotations": {"pod-group-name": "j", "gpu-fraction": "0.5", "gpu-memory": "x"}},
             "spec": {"schedulerName": "kai-scheduler", "nodeSelector": {"zone": "a"}, "priorityClassName": "c",
                      "runtimeClassName": "r", "preemptionPolicy": "Never",
                      "schedulingGates": [{"name": "wait"}],
                      "tolerations": [{"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule"}],
                      "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                          {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]}}},
                      "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}},
                                  {"name": "m", "configMap": {"name": "map"}}],
                      "resourceClaims": [{"name": "d", "resourceClaimName": "devices"}],
                      "containers": [{"name": "m", "image": "work", "resources": {
                          "limits": {"nvidia.com/gpu": "1", "example.com/other": "1"}, "requests": {"cpu": "1"}}}]},
             "status": {"phase": "Pending", "startTime": START}}],
    "Bound": [pod("bound", "j", where="n1")],
    "BindRequest": [{"apiVersion": "scheduling.run.ai/v1alpha2", "kind": "BindRequest", "metadata": {"name": "b"},
                     "spec": {"podName": "j-0", "selectedNode": "n1", "receivedResourceType": "Regular"}}],
    "Topology": [{"apiVersion": "kai.scheduler/v1alpha1", "kind": "Topology", "metadata": {"name": "t"},
                  "spec": {"levels": [{"nodeLabel": "zone"}, {"nodeLabel": "rack"}]}}],
    "Storage": [{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
                 "spec": {"storageClassName": "fast", "volumeName": "v", "accessModes": ["ReadWriteOnce"],
                          "resources": {"requests": {"storage": "1Gi"}}}, "status": {"phase": "Bound"}},
                {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"},
                 "spec": {"storageClassName": "fast", "capacity": {"storage": "1Gi"}, "csi": {"driver": "d"}}},
                {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast"},
                 "provisioner": "d", "volumeBindingMode": "WaitForFirstConsumer"}],
    "Devices": [{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"},
                 "spec": {"selectors": [{"cel": {"expression": "device.driver == 'd'"}}]}},
                {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "devices"},
                 "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}}},
                {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "s"},
                 "spec": {"driver": "d", "nodeName": "n1", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
                          "devices": [{"name": "d0", "attributes": {"model": {"string": "x"}}}]}}],
    "Workload": [{"apiVersion": "batch/v1", "kind": "Job",
                  "metadata": {"name": "w", "labels": {"kai.scheduler/queue": "team"}},
                  "spec": {"parallelism": 2, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {
                      "schedulerName": "kai-scheduler", "containers": [
                          {"name": "m", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}}}}],
    "Unknown": [{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "x"}, "spec": {"a": "b"}}],
    "Step": [step("+1h", delete=[{"kind": "PodGroup", "name": "j"}]), step("+2h", set={"kind": "Queue", "name": "team"})],
}
AROUND = [node("n1", gpus=2), queue("team"), *job("j", pods=2, duration="1h")]


def hostile_cluster():
    """All names are hostile and consistent, so that jobs run, wait and are evicted."""
    team, idle = name("team"), name("idle")
    gone = {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup",
            "metadata": {"name": name("gone"), "annotations": {"kai.scheduler/stale-podgroup-timestamp": name("when")}},
            "spec": {"queue": name("nowhere"), "minMember": 1, "topologyConstraint": {
                "topology": name("topology"), "requiredTopologyLevel": name("rack")}}}
    above = queue(name("above"), displayName=name("Above"))
    return [node(name("n"), gpus=2), node(name("small"), gpus=1, **{"zone": name("zone")}), above,
            queue(team, quota=1, parentQueue=name("above"), displayName=name("Team")),
            queue(idle, quota=2, parentQueue=name("above")),
            {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name("class")}, "value": 60},
            *job(name("runs"), team, pods=2, where=name("n"), user=name("ann")),
            *job(name("waits"), team, pods=1, gpus=9, priority=name("class"), duration="1h"),
            *job(name("reclaims"), idle, pods=1, gpus=2, duration="1h", expected=name("soon")),
            *job(name("ends"), team, pods=1, gpus=1, duration="1h", created=-7200),
            *job(name("odd"), team, pods=1, gpus=1, duration=name("long"), checkpoint_every=name("often")),
            gone, pod(name("lost"), name("gone")), pod(name("stray"), name("nowhere")),
            {"apiVersion": "example.com/v1", "kind": name("Thing"), "metadata": {"name": name("x")}}]


class Server(http.server.BaseHTTPRequestHandler):
    """A `muster serve` or an API server that answers with the attributes of the class."""
    status, reason, body = 200, "OK", b""

    def do_GET(self):
        self.send_response(self.status, self.reason)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_):
        pass


class HostileNames(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.home = pathlib.Path(directory.name)

    def write(self, file, text):
        path = os.path.join(str(self.home), file)
        with open(path, "wb") as out:
            out.write(text.encode(errors="surrogateescape"))
        return path

    def cluster(self, objects):
        return self.write("cluster.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))

    def run_muster(self, *arguments, stdin=None, env=None):
        ran = subprocess.run([MUSTER, *arguments], capture_output=True, input=stdin, timeout=120, env=env)
        self.assertIn(ran.returncode, (0, 1, 2, 3), (arguments, ran.stderr))
        return ran

    def expect_harmless(self, output, about, is_coloured=False):
        text = output.decode()  # only UTF-8
        if is_coloured:
            text = OUR_COLOURS.sub("", text)
        for character in text:
            is_control = unicodedata.category(character) == "Cc" and character != "\n"
            if is_control or character in MARKS:
                around = text[max(0, text.index(character) - 80):][:160]
                self.fail(f"{about}: wrote {character!r} in {around!r}")
        for line in text.split("\n"):
            self.assertFalse(line.lstrip().startswith("FORGED"), (about, line))

    def expect_text(self, *arguments, exits=None, **options):
        """Runs the command; its output must contain no control characters."""
        ran = self.run_muster(*arguments, **options)
        self.expect_harmless(ran.stdout, arguments)
        self.expect_harmless(ran.stderr, arguments)
        if exits is not None:
            self.assertEqual(ran.returncode, exits, (arguments, ran.stderr))
        return ran

    def on_a_terminal(self, *arguments):
        """Everything that the command sends to a terminal, on standard output and standard error."""
        ours, theirs = pty.openpty()
        modes = termios.tcgetattr(theirs)
        modes[1] &= ~termios.OPOST  # unchanged line ends
        termios.tcsetattr(theirs, termios.TCSANOW, modes)
        env = {key: value for key, value in os.environ.items() if key != "NO_COLOR"} | {"TERM": "xterm"}
        with subprocess.Popen([MUSTER, *arguments], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=env) as process:
            os.close(theirs)
            output = b""
            try:
                while chunk := os.read(ours, 65536):
                    output += chunk
            except OSError:  # Linux reports this if the other end is closed
                pass
        os.close(ours)
        return output

    # ---------------------------------------------------------------- every command, on one cluster

    def test_are_shown_as_escapes(self):
        cluster = self.cluster(hostile_cluster())
        said = self.expect_text("simulate", cluster, *NOW, exits=0).stdout.decode()
        self.assertIn(r"runs\x1b[31m\x1b]0;title\x07\nFORGED: all is well\r\tFORGED\x00\x08\x0b\x7f\u0080\u0085FORGED", said)
        self.assertIn(r"\u009b2J\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c\u2028FORGED\u2029", said)

    def test_do_nothing_in_any_command(self):
        cluster = self.cluster(hostile_cluster())
        record, page = str(self.home / "run.jsonl"), str(self.home / "page.html")
        self.expect_text("validate", cluster)
        self.expect_text("validate", cluster, "--strict", exits=1)
        self.expect_text("simulate", cluster, *NOW, "--cycles", "3", "--all", "--wide", "--timing", exits=0)
        self.expect_text("simulate", cluster, *NOW, "--strict", exits=1)
        self.expect_text("simulate", cluster, *NOW, "--until", "3h", "--record", record, "--report", page, exits=0)
        self.expect_text("simulate", cluster, *NOW, "--until", "1h", "--compare",
                         self.write(IN_ARGUMENTS.replace("/", "") + ".yaml", "actions: allocate\n"), exits=0)
        self.expect_text("simulate", "--replay", record, exits=0)
        self.expect_text("top", cluster, *NOW, exits=0)
        self.expect_text("top", cluster, *NOW, "--all", exits=0)
        self.expect_text("what-if", cluster, *NOW, "--advance", "1h", exits=0)
        self.expect_text("what-if", cluster, *NOW, "--advance", "1h", "--until", "2h", exits=0)
        self.expect_text("what-if", cluster, *NOW, "--submit", self.write("more.json", "\n".join(
            json.dumps(o) for o in job(name("more"), name("team"), gpus=9))), exits=1)
        with open(record) as lines:
            self.assertIn(name("default/ends"), [json.loads(line).get("job") for line in lines])

    def test_do_nothing_in_questions_about_a_job(self):
        cluster = self.cluster(hostile_cluster())
        for start in ("runs", "waits", "reclaims", "ends", "odd", "gone", "nowhere"):
            # An argument cannot contain NUL. No command finds pods of a job by a prefix of their name.
            renamed = json.loads(json.dumps(hostile_cluster()).replace("\\u0000", ""))
            cluster = self.cluster(renamed)
            wanted = start + IN_CSV
            self.expect_text("explain", wanted, cluster, *NOW)
            self.expect_text("simulate", cluster, *NOW, "--job", wanted)
            self.expect_text("top", cluster, *NOW, "--job", wanted, "--queue", "team" + IN_CSV)
            for arguments in (("--set", f"job/default/{wanted}.priority=train"), ("--delete", f"job/default/{wanted}"),
                              ("--drain", "n" + IN_CSV), ("--remove", "n" + IN_CSV), ("--add", "2:like=n" + IN_CSV),
                              ("--set", f"queue/team{IN_CSV}.gpu.quota=9")):
                self.expect_text("what-if", cluster, *NOW, *arguments)

    def test_do_nothing_on_a_terminal(self):
        """All colours in the output are muster's."""
        cluster = self.cluster(hostile_cluster())
        for arguments in (("simulate", cluster, *NOW), ("top", cluster, *NOW), ("validate", cluster),
                          ("simulate", cluster, *NOW, "--until", "2h"), ("what-if", cluster, *NOW, "--advance", "1h"),
                          ("explain", IN_ARGUMENTS, cluster), (IN_ARGUMENTS,)):
            output = self.on_a_terminal(*arguments)
            self.assertTrue(output, arguments)
            self.expect_harmless(output, arguments, is_coloured=True)
        self.assertRegex(self.on_a_terminal("simulate", cluster, *NOW).decode(), OUR_COLOURS)

    def test_stay_what_they_are_in_json(self):
        cluster = self.cluster(hostile_cluster())

        def answer(*arguments):
            return json.loads(self.run_muster(*arguments, *NOW, "-o", "json").stdout)

        simulated = answer("simulate", cluster)
        self.assertIn(name("default/runs"), [j["name"] for j in simulated["jobs"]])
        self.assertIn(name("n"), [n["name"] for n in simulated["nodes"]])
        self.assertIn(name("team"), [q["name"] for q in simulated["queues"]])
        self.assertIn(name("default/waits"), [w["job"] for w in answer("top", cluster)["waiting"]])
        played = answer("simulate", cluster, "--until", "2h")
        self.assertIn(name("default/ends"), [j["name"] for j in played["jobs"]])
        validated = json.loads(self.run_muster("validate", cluster, "-o", "json").stdout)
        self.assertIn(name("example.com/v1 Thing"), validated["unknownKinds"])
        beginning = name("long")[:40]  # messages quote at least this much of a long value
        self.assertTrue(any(beginning in warning["message"] for warning in validated["warnings"]), validated["warnings"])

    # ---------------------------------------------------------------- every field

    def test_do_nothing_in_any_field(self):
        for kind, objects in OF_EVERY_KIND.items():
            for path in leaves(objects):
                cluster = self.cluster(AROUND + made_hostile(objects, path))
                with self.subTest(kind=kind, path=path):
                    self.expect_text("simulate", cluster, *NOW)
                    self.expect_text("validate", cluster)
                    json.loads(self.run_muster("validate", cluster, "-o", "json").stdout)

    def test_are_not_cut_within_a_character(self):
        for start in range(3):
            long = "x" * start + "…" * 3000
            cluster = self.cluster([
                {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"memory": long}}},
                step(long), *job("j", duration=long, checkpoint_every=long),
                {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"kai.scheduler/" + long: long},
                                                                 "annotations": {"kai.scheduler/" + long: long}}}])
            said = self.expect_text("validate", cluster, exits=1).stdout.decode()
            self.assertNotIn("\\x", said)
            whole = self.run_muster("validate", cluster, "-o", "json").stdout.decode()
            self.assertNotIn("\ufffd", whole)
            self.assertTrue(json.loads(whole)["errors"])

    def test_do_nothing_in_yaml(self):
        escaped = json.dumps(STEERING).replace("\\u0000", "\\0")
        for text in (f"kind: {escaped}\n", f"{escaped}: 1\n", f"apiVersion: v1\nkind: Node\nmetadata: {{name: {escaped}}}\n",
                     f"a: &{IN_CSV} 1\n", f"!{IN_CSV} a\n", f"a: *{IN_ARGUMENTS}\n", f"%{IN_ARGUMENTS}\n", "\x1b[31m\n",
                     "kind: \udcff\n", '{"kind": "\udcff"}', f'{{"kind": "{IN_ARGUMENTS}"}}', f"a: b: {IN_ARGUMENTS}"):
            for command in ("validate", "simulate"):
                self.expect_text(command, self.write("cluster.yaml", text))

    def test_do_nothing_in_configurations(self):
        cluster, escaped = self.cluster(AROUND), json.dumps(IN_CSV)
        for text in (f"actions: {escaped}\n", f"{escaped}: 1\n", f"tiers: [{{plugins: [{{name: {escaped}}}]}}]\n",
                     f"tiers: [{{plugins: [{{name: gpupack, arguments: {{{escaped}: {escaped}}}}}]}}]\n",
                     f"usageDBConfig: {{clientType: {escaped}}}\n", f"queueDepthPerAction: {{{escaped}: 1}}\n",
                     f"schedulerParams: {{schedulePeriod: {escaped}, {escaped}: 1}}\n", IN_ARGUMENTS):
            config = self.write("config.yaml", text)
            self.expect_text("validate", "--config", config)
            self.expect_text("simulate", cluster, "--config", config)
            self.expect_text("serve", "--scheduler-conf", config, "--kubeconfig", str(self.home / "none"))
        for text in (f"{escaped}: {{gpu: 0.4}}\n", f"team: {{{escaped}: 1}}\n", f"team: {{gpu: {escaped}}}\n"):
            self.expect_text("simulate", cluster, "--usage", self.write("usage.yaml", text))

    def test_do_nothing_in_kubeconfigs(self):
        escaped = json.dumps(IN_CSV)
        for text in (f"current-context: {escaped}\n", f"contexts: {escaped}\n", IN_ARGUMENTS,
                     f"current-context: c\ncontexts: [{{name: c, context: {{cluster: {escaped}, user: u}}}}]\n",
                     "current-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n"
                     f"clusters: [{{name: c, cluster: {{server: {escaped}}}}}]\nusers: [{{name: u, user: {{}}}}]\n"):
            config = self.write("kubeconfig", text)
            for command in (("top",), ("snapshot", str(self.home / "out.json")), ("serve",)):
                self.expect_text(*command, "--kubeconfig", config)

    def test_do_nothing_in_traces(self):
        rows = "submit,job,queue,gpus,pods,duration,priority,user\n"
        quoted = '"' + IN_CSV.replace('"', "") + '"'
        trace = self.write("jobs.csv", rows + f"0,{quoted},{quoted},1,1,1h,{quoted},{quoted}\n10,j,team,9,1,1h,,\n")
        nodes = self.write("nodes.csv", f"node,gpus,cpu,memory,model\n{quoted},8,64,512,{quoted}\n")
        self.expect_text("trace", "check", trace, "--trace-nodes", nodes, exits=0)
        self.expect_text("simulate", "--trace", trace, "--trace-nodes", nodes, "--until", "idle", exits=0)
        said = self.run_muster("trace", "check", trace, "-o", "json")
        self.assertEqual(json.loads(said.stdout)["skipped"], 1)  # names with invisible characters are refused
        for row in (f"{quoted},a,q,1,1,1h,,", f"0,a,q,{quoted},1,1h,,", f"0,a,q,1,1,{quoted},,", f"0,{IN_ARGUMENTS}"):
            bad = self.write("bad.csv", rows + row + "\n")
            self.expect_text("trace", "check", bad)
            self.expect_text("simulate", "--trace", bad, "--trace-nodes", nodes, "--until", "idle")
        self.expect_text("trace", "check", self.write("bad.csv", f"submit,{quoted},{IN_ARGUMENTS}\n1,2,3\n"))
        self.expect_text("trace", "check", trace, "--trace-map", "submit=" + IN_ARGUMENTS)
        self.expect_text("trace", "make", "--queues", IN_ARGUMENTS)

    def test_do_nothing_in_records(self):
        run = {"at": START, "kind": "run", "files": [name("nowhere")], "seed": 1, "until": "3h"}
        rows = [{"at": name("now"), "kind": name("start"), "job": name("j"), "pod": name("p"), "node": name("n"),
                 "action": name("a"), "for": name("f")}]
        record = self.write("run.jsonl", "".join(json.dumps(line) + "\n" for line in (run, *rows)))
        self.expect_text("simulate", "--replay", record, exits=0)
        self.expect_text("explain", "j", "--record", record, "--at", "1h")
        self.expect_text("explain", "j", "--record", record, "--at", IN_ARGUMENTS)
        cluster = self.cluster(AROUND)
        record = self.write("run.jsonl", json.dumps(run | {"files": [cluster]}) + "\n" + IN_ARGUMENTS + "\n" + json.dumps(rows[0]))
        self.expect_text("explain", "j", "--record", record, "--at", "2h", exits=1)
        self.expect_text("simulate", "--replay", record, exits=1)

    # ---------------------------------------------------------------- what is typed

    def test_do_nothing_in_arguments(self):
        cluster = self.cluster(AROUND)
        bad = IN_ARGUMENTS
        of_jobs = ("--namespace", "--queue", "--user", "--job", "--state", "--sort", "--now", "--output", "--config", "--usage")
        for arguments in (
                (bad,), ("--" + bad,), ("-" + bad,), ("help", bad), ("completion", bad), ("version", bad), ("version", "-o", bad),
                ("trace", bad), ("trace", "make", bad), ("trace", "make", "--jobs", bad), ("trace", "check", bad),
                ("trace", "make", "--gangs", bad), ("trace", "make", "--duration", bad), ("trace", "check", cluster, "-o", bad),
                ("simulate", bad), ("validate", bad), ("explain", bad, bad), ("top", bad),
                ("simulate", cluster, "--" + bad), ("simulate", cluster, "--cycles", bad), ("simulate", cluster, "--interval", bad),
                ("simulate", cluster, "--" + bad + "=1"), ("simulate", "--replay", bad), ("simulate", cluster, "--until", bad),
                *((("simulate", cluster, option, bad)) for option in of_jobs), ("simulate", cluster, "--queue=" + bad),
                ("simulate", cluster, "--until", "1h", "--seed", bad), ("simulate", cluster, "--until", "1h", "--period", bad),
                ("simulate", cluster, "--until", "1h", "--compare", bad), ("simulate", "--trace", bad, "--until", "1h"),
                ("simulate", cluster, "--until", "1h", "--record", "/nowhere/" + bad),
                ("simulate", cluster, "--until", "1h", "--report", "/nowhere/" + bad),
                ("explain", bad, cluster), ("explain", bad + "/" + bad, cluster), ("explain", "j", cluster, "-n", bad),
                ("explain", "j", "--record", bad, "--at", "1h"), ("top", cluster, "--user", bad),
                ("what-if", cluster), ("what-if", cluster, bad), ("what-if", cluster, "--advance", bad),
                *(("what-if", cluster, option, value + bad) for option in ("--set", "--drain", "--remove", "--add", "--delete",
                                                                           "--submit", "--config", "--until")
                  for value in ("", "queue/", "job/default/", "2:like=", "2:gpus=", "queue/team.", "queue/team.gpu.quota=",
                                "job/default/j.priority=")),
                ("snapshot", bad), ("snapshot", bad, "--kubeconfig", bad), ("top", "--context", bad),
                ("top", "--kubeconfig", bad), ("top", "--server", "http://127.0.0.1:1/" + bad),
                ("top", "--server", bad), ("top", "--server", "http://127.0.0.1:1", "--token-file", bad),
                ("serve", "--kubeconfig", bad), ("serve", "--scheduler-conf", bad), ("serve", "--" + bad), ("serve", "--v", bad),
                ("serve", "--queue-file", bad), ("serve", "--web-address", bad, "--web-auth", "none"),
                ("reserve-gpu", "--pod-name", bad, "--pod-namespace", bad, "--kubeconfig", bad)):
            self.expect_text(*arguments)

    def test_do_nothing_in_the_names_of_files(self):
        directory = self.home / "files"
        directory.mkdir()
        for i, text in enumerate(("{", "kind: [", "apiVersion: v1\nkind: Node\nmetadata: {}\n", "PK\x03\x04", "\x1f\udc8b")):
            self.write(f"files/{i}{IN_ARGUMENTS.replace('/', '')}.yaml", text)
        for arguments in (("validate",), ("validate", "-o", "json"), ("simulate",)):
            ran = self.run_muster(*arguments, str(directory))
            self.expect_harmless(ran.stderr, arguments)
            if "json" in arguments:
                self.assertIn("FORGED", json.loads(ran.stdout)["errors"][0]["file"])
            else:
                self.expect_harmless(ran.stdout, arguments)

    def test_are_no_words_for_a_shell_to_complete(self):
        directory = self.home / "kubectl_complete-muster"
        directory.symlink_to(MUSTER)
        for words in ((IN_ARGUMENTS,), ("simulate", IN_ARGUMENTS), (IN_ARGUMENTS, "--queue", ""), ("simulate", "--" + IN_ARGUMENTS)):
            ran = subprocess.run([str(directory), *words], capture_output=True, timeout=60)
            self.expect_harmless(ran.stdout + ran.stderr, words)

    # ---------------------------------------------------------------- what a server says

    def test_do_nothing_from_a_server(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        where = ("--server", f"http://127.0.0.1:{server.server_port}")
        whole = json.dumps({"apiVersion": "v1", "kind": "List", "items": hostile_cluster()}).encode()
        status = json.dumps({"kind": "Status", "message": STEERING, "reason": STEERING}).encode()
        raw = IN_ARGUMENTS.encode(errors="surrogateescape")
        for code, reason, body in ((200, "OK", whole), (200, "OK", raw), (200, "OK", b"[]"), (401, "Unauthorized", status),
                                   (403, "\x1b[31m\x9b", raw), (500, "\x1b]0;title\x07", status), (503, "x", raw)):
            Server.status, Server.reason, Server.body = code, reason, body
            with self.subTest(code=code, body=body[:20]):
                self.expect_text("top", *where)
                self.expect_text("explain", name("runs").replace("\x00", ""), *where)
                self.expect_text("snapshot", str(self.home / IN_ARGUMENTS.replace("/", "")) + ".json", *where)
        Server.status, Server.reason, Server.body = 200, "OK", whole
        written = json.loads(self.run_muster("snapshot", "-", *where).stdout)
        self.assertIn(name("team"), [item["metadata"]["name"] for item in written["items"]])


if __name__ == "__main__":
    unittest.main()
