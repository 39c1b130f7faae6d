"""A small API server on loopback for tests of `muster serve`: constant lists, watches without events, and reviews with
answers that a test chooses. It uses TLS, because muster requires it.
"""
import http.server
import json
import pathlib
import ssl
import subprocess
import sys
import threading
import urllib.parse

TOKEN_REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews"
ACCESS_REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
LONGEST_WATCH = 600  # seconds


def make_certificate(folder, name="server"):
    """Writes NAME.crt and NAME.key, valid for 127.0.0.1, into the folder."""
    certificate, key = (pathlib.Path(folder) / f"{name}.{end}" for end in ("crt", "key"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
                   check=True, capture_output=True)
    return certificate, key


class FakeApiServer:
    """Serves from start() to stop(). `lists` maps the path of a kind to its items; other kinds have none. `answers` maps
    (method, path) to a function of the request's body, or None without one, that returns (status, bytes)."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.lists, self.answers, self.requests = {}, {}, []
        self.answers["POST", TOKEN_REVIEWS] = lambda body: (201, json_bytes({"status": {
            "authenticated": True, "user": {"username": "alice", "groups": ["system:authenticated"]}}}))
        self.answers["POST", ACCESS_REVIEWS] = lambda body: (201, json_bytes({"status": {"allowed": True}}))
        self.ended = threading.Event()

    def start(self):
        certificate, key = make_certificate(self.folder, "api-server")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.server = Server(("127.0.0.1", 0), handler_of(self))
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.kubeconfig = self.folder / "kubeconfig"
        self.kubeconfig.write_text(json.dumps({
            "current-context": "fake", "contexts": [{"name": "fake", "context": {"cluster": "fake", "user": "muster"}}],
            "clusters": [{"name": "fake", "cluster": {"server": f"https://127.0.0.1:{self.server.server_port}",
                                                      "certificate-authority": str(certificate)}}],
            "users": [{"name": "muster", "user": {"token": "muster-token"}}]}))
        return self

    def stop(self):
        self.ended.set()
        self.server.shutdown()
        self.server.server_close()

    def answer(self, method, path, body):
        self.requests.append((method, path, body))
        chosen = self.answers.get((method, path))
        if chosen:
            return chosen(body)
        if method == "GET":
            return 200, json_bytes({"kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"},
                                    "items": self.lists.get(path, [])})
        return 201, body or b"{}"


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """A client may disconnect at any time."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def json_bytes(value):
    return json.dumps(value).encode()


def handler_of(api):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            path, _, query = self.path.partition("?")
            if "watch" in urllib.parse.parse_qs(query):
                return self.watch()
            length = self.headers.get("Content-Length")
            status, body = api.answer(self.command, path, None if length is None else self.rfile.read(int(length)))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

        def watch(self):
            """Nothing changes."""
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            api.ended.wait(LONGEST_WATCH)
            self.close_connection = True

    return Handler
