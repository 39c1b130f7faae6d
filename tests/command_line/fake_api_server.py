"""A fake API server on loopback: it answers what a test prepares, to tokens that the test allows."""
import http.server
import json
import pathlib
import queue
import ssl
import subprocess
import threading

CORE, RUN_AI = "/api/v1", "/apis/scheduling.run.ai"
KINDS = {f"{CORE}/nodes": "Node", f"{CORE}/pods": "Pod", f"{CORE}/configmaps": "ConfigMap",
         f"{CORE}/persistentvolumeclaims": "PersistentVolumeClaim", f"{RUN_AI}/v2/queues": "Queue",
         f"{RUN_AI}/v2alpha2/podgroups": "PodGroup", "/apis/scheduling.k8s.io/v1/priorityclasses": "PriorityClass"}


class FakeApiServer:
    """Lists and watches the objects of `add`, and accepts every write. A request without a token gets 403, one with a
    token that is not in `tokens` gets 401; `anonymous` counts the former."""

    def __init__(self, folder, tokens):
        self.tokens = set(tokens)
        self.anonymous, self.refused, self.accepted = 0, 0, []
        self.lock = threading.Lock()
        self.objects = {path: {} for path in KINDS}
        self.watches = []
        self.version = 100
        self.is_closed = threading.Event()
        self.certificate = pathlib.Path(folder) / "server.crt"
        key = pathlib.Path(folder) / "server.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
                        "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out",
                        self.certificate], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.api, self.server.context = self, context
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self):
        return f"https://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.is_closed.set()
        self.server.shutdown()
        self.server.server_close()

    def add(self, path, item):
        """Adds an object, or replaces the object of the same name; watches report it."""
        with self.lock:
            self.version += 1
            metadata = item["metadata"]
            metadata["resourceVersion"] = str(self.version)
            metadata.setdefault("uid", f"uid-{metadata['name']}")
            metadata.setdefault("creationTimestamp", "2025-06-01T12:00:00Z")
            key = (metadata.get("namespace", ""), metadata["name"])
            known = key in self.objects[path]
            self.objects[path][key] = item
            for watched, events in self.watches:
                if watched == path:
                    events.put({"type": "MODIFIED" if known else "ADDED", "object": json.loads(json.dumps(item))})

    def allows(self, authorization):
        with self.lock:
            if not authorization:
                self.anonymous += 1
                return 403
            token = authorization.removeprefix("Bearer ")
            self.refused += token not in self.tokens
            return 200 if token in self.tokens else 401

    def listed(self, path):
        with self.lock:
            return {"kind": f"{KINDS[path]}List", "metadata": {"resourceVersion": str(self.version)},
                    "items": list(self.objects[path].values())}

    def written(self, method, path):
        with self.lock:
            return [body for m, p, body in self.accepted if m == method and p.split("?")[0] == path]


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # a client that ends a watch


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        self.request = self.server.context.wrap_socket(self.request, server_side=True)
        super().setup()

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.take()

    do_POST = do_PATCH = do_PUT = do_DELETE = do_GET

    def take(self):
        api = self.server.api
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        allowed = api.allows(self.headers.get("Authorization", ""))
        path, _, query = self.path.partition("?")
        if allowed != 200:
            self.answer(allowed, {"kind": "Status", "message": "not allowed"})
        elif self.command != "GET":
            with api.lock:
                api.accepted.append((self.command, self.path, json.loads(body or "{}")))
            self.answer(201 if self.command == "POST" else 200, {"kind": "Status", "status": "Success"})
        elif path not in KINDS:
            self.answer(404, {"kind": "Status", "message": "not found"})
        elif "watch=1" in query:
            self.watch(path)
        else:
            self.answer(200, api.listed(path))

    def answer(self, status, content):
        text = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def watch(self, path):
        """Until the server closes. Objects that were added between the list and this call are reported again."""
        api, events = self.server.api, queue.Queue()
        with api.lock:
            for item in api.objects[path].values():
                events.put({"type": "MODIFIED", "object": item})
            api.watches.append((path, events))
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        while not api.is_closed.is_set():
            try:
                event = events.get(timeout=0.2)
            except queue.Empty:
                continue
            self.wfile.write(json.dumps(event).encode() + b"\n")
