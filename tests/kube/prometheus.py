"""A real Prometheus on loopback that scrapes a muster under test."""
import json
import urllib.parse
import urllib.request

import programs
from cluster import free_port, wait_until


class Prometheus:
    def __init__(self, plane, target):
        """`target`: the port that muster's metrics are on."""
        self.plane, self.port = plane, free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.program = programs.provide_prometheus()
        self.directory = plane.directory / f"prometheus-{self.port}"
        self.directory.mkdir()
        (self.directory / "prometheus.yml").write_text(json.dumps({
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s"},
            "scrape_configs": [{"job_name": "muster", "static_configs": [{"targets": [f"127.0.0.1:{target}"]}]}]}))

    def start(self):
        self.plane.start("prometheus", self.program, f"--config.file={self.directory}/prometheus.yml",
                         f"--storage.tsdb.path={self.directory}/data", f"--web.listen-address=127.0.0.1:{self.port}",
                         "--log.level=warn")
        wait_until(self.is_ready, 30, "Prometheus")

    def kill(self):
        self.plane.stop("prometheus", kill=True)

    def is_ready(self):
        try:
            with urllib.request.urlopen(f"{self.address}/-/ready", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False

    def value(self, query):
        """The first value of an instant query; None: there is none."""
        url = f"{self.address}/api/v1/query?" + urllib.parse.urlencode({"query": query})
        with urllib.request.urlopen(url, timeout=5) as answer:
            result = json.load(answer)["data"]["result"]
        return float(result[0]["value"][1]) if result else None
