"""The page of a simulation, opened in a real browser.

MUSTER names the program. MUSTER_PICTURES, where set, is a directory for pictures of the pages.
"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import browser

MUSTER = os.environ["MUSTER"]
PICTURES = os.environ.get("MUSTER_PICTURES")
NODES = "gpus,cpu,memory,count\n8,128,1024,4\n"
HOSTILE = ["<script>window.hacked=1</script>", "</script><img src=x onerror=window.hacked=1>", "\"quo'tes\" & &amp;",
           "\u202eright-to-left שלום", "x" * 253, "{{data}}", "${1}`"]

# For every canvas: how many of its pixels are painted, and in how many colours.
PAINTED = """[...document.querySelectorAll("canvas")].map((canvas) => {
  const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height), colours = new Set();
  let painted = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 0) {
    ++painted;
    colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  }
  return {name: canvas.getAttribute("aria-label"), share: painted / (data.length / 4), colours: colours.size};
})"""
FIELDS = """Object.fromEntries([...document.querySelectorAll("[data-field]")].map(
  (node) => [node.dataset.field, [node.dataset.value ?? null, node.textContent]]))"""
# Contrast of text and background, as WCAG defines it.
CONTRAST = """(() => {
  const light = (colour) => {
    const part = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = colour.match(/[0-9.]+/g).map(Number);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const style = getComputedStyle(document.body), [a, b] = [light(style.color), light(style.backgroundColor)];
  return {ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), ground: b};
})()"""


def fields_of(report, name):
    """What the page must show of a report, by the names that the page uses."""
    expected = {f"{name}.cluster.{key}": report["cluster"][key]
                for key in ("gpuUtilisation", "gpuFragmentation", "gpus", "makespanSeconds")}
    for queue in report["queues"]:
        own = f"{name}.queues.{queue['name']}"
        expected |= {f"{own}.{key}": queue[key] for key in ("jobs", "finished", "neverStarted", "requeues")}
        for part, keys in (("waitSeconds", ("p50", "p95", "p99", "max")), ("slowdown", ("p50", "p95")),
                           ("gpuSeconds", ("used", "fair", "lost"))):
            expected |= {f"{own}.{part}.{key}": queue[part][key] for key in keys}
    return expected


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory()
        cls.home = pathlib.Path(cls.directory.name)
        (cls.home / "nodes.csv").write_text(NODES)
        trace = cls.muster("trace", "make", "--jobs", "400", "--days", "2", "--seed", "3", "--gangs", "1:8,2:3,4:1",
                           "--duration", "15m", "--duration-p90", "2h", "--duration-max", "12h")
        (cls.home / "jobs.csv").write_text(trace)
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.directory.cleanup()

    @classmethod
    def muster(cls, *arguments):
        done = subprocess.run([MUSTER, *arguments], capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise AssertionError(f"muster {' '.join(arguments)}: {done.returncode}\n{done.stderr}")
        return done.stdout

    def simulate(self, page, *more, jobs="jobs.csv"):
        return json.loads(self.muster("simulate", "--trace", str(self.home / jobs), "--trace-nodes", str(self.home / "nodes.csv"),
                                      "--now", "2025-06-02T00:00:00Z", "--until", "2d", "-o", "json",
                                      "--report", str(self.home / page), *more))

    def open(self, page, **how):
        self.browser.open(self.home / page, **how)
        self.assertEqual(self.browser.mistakes, [])
        self.assertEqual(self.browser.requests, [f"file://{self.home / page}"], "loads nothing else")
        if PICTURES:
            kind = how.get("media") or how.get("scheme", "light")
            self.browser.screenshot(os.path.join(PICTURES, f"{pathlib.Path(page).stem}-{kind}.png"))

    def expect_charts(self, count):
        charts = self.browser.value(PAINTED)
        self.assertEqual(len(charts), count)
        for chart in charts:
            self.assertGreater(chart["share"], 0.01, chart)
            self.assertGreater(chart["colours"], 3, chart)

    def expect_fields(self, expected):
        shown = self.browser.value(FIELDS)
        for field, value in expected.items():
            self.assertIn(field, shown)
            raw = shown[field][0]
            self.assertEqual(None if raw is None else float(raw), value, field)
        return shown


class OneRun(Pages):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.report = cls.simulate(cls, "one.html")

    def test_charts_are_drawn_in_light_dark_and_print(self):
        for how in ({"scheme": "light"}, {"scheme": "dark"}, {"scheme": "dark", "media": "print"}):
            self.open("one.html", **how)
            self.expect_charts(5 + (self.evictions() > 0))
            contrast = self.browser.value(CONTRAST)
            self.assertGreater(contrast["ratio"], 7, how)
            is_dark = how["scheme"] == "dark" and "media" not in how
            self.assertEqual(contrast["ground"] < 0.5, is_dark, how)

    def evictions(self):
        return sum(sum(queue["evictions"].values()) for queue in self.report["queues"])

    def test_numbers_are_those_of_the_json(self):
        self.open("one.html")
        shown = self.expect_fields(fields_of(self.report, "run0"))
        self.assertEqual(shown["run0.cluster.gpus"][1], "32")
        utilisation = f"{self.report['cluster']['gpuUtilisation'] * 100:.1f}".removesuffix(".0")
        self.assertEqual(shown["run0.cluster.gpuUtilisation"][1], f"{utilisation} %")
        jobs = sum(queue["jobs"] for queue in self.report["queues"])
        self.assertIn(f"of {jobs} jobs finished", self.browser.value("document.body.innerText"))

    def test_charts_have_the_numbers_of_the_json(self):
        self.open("one.html")
        drawn = self.browser.value("""Object.fromEntries([...document.querySelectorAll("canvas")].map((canvas) =>
          [canvas.getAttribute("aria-label"), Object.fromEntries(Chart.getChart(canvas).data.datasets.map(
            (set) => [set.label, set.data.map((point) => point.y ?? point)]))]))""")
        series = self.report["series"]
        gpus = drawn["GPUs used, requested and free"]
        self.assertEqual(gpus["used"], series["gpusUsed"])
        self.assertEqual(gpus["requested"], series["gpusWanted"])
        self.assertEqual([a + b for a, b in zip(gpus["used"], gpus["free"])], gpus["total"])
        self.assertEqual(drawn["Pending jobs"]["pending"], series["jobsWaiting"])
        for queue, of_queue in series["queues"].items():
            self.assertEqual(drawn["GPUs in use, by queue"][queue], of_queue["used"])
            self.assertEqual(drawn["Fair share, by queue"][queue], of_queue["fair"])
        self.assertEqual(sum(sum(counts) for counts in drawn["How long jobs waited, by queue"].values()),
                         len(self.report["jobs"]))

    def test_the_slowest_jobs_say_why(self):
        self.open("one.html")
        slowest = self.browser.value("""[...[...document.querySelectorAll("table")].pop().tBodies[0].rows].map(
          (row) => [row.cells[0].textContent, row.querySelectorAll("li").length])""")
        ending = self.report["to"]
        waits = {job["name"]: job["waitSeconds"] for job in self.report["jobs"] if job["firstStart"]}
        started = [name for name, _ in slowest if name in waits]
        self.assertTrue(0 < len(slowest) <= 20)
        self.assertEqual([waits[name] for name in started], sorted((waits[name] for name in started), reverse=True), ending)
        for name, reasons in slowest:
            self.assertGreater(reasons, 0, name)

    def test_what_is_printed_is_light(self):
        self.open("one.html", scheme="dark")
        self.browser.value("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.browser.value("Chart.defaults.color"), "#5c6570")
        self.expect_charts(5 + (self.evictions() > 0))
        self.browser.value("dispatchEvent(new Event('afterprint'))")
        self.assertEqual(self.browser.value("Chart.defaults.color"), "#9aa4b0")
        self.browser.print_to(self.home / "one.pdf")
        self.assertTrue((self.home / "one.pdf").read_bytes().startswith(b"%PDF"))

    def test_is_the_same_on_every_run(self):
        self.simulate("again.html")
        self.assertEqual((self.home / "again.html").read_text(), (self.home / "one.html").read_text())


class HostileNames(Pages):
    def test_do_nothing(self):
        with open(self.home / "hostile.csv", "w", newline="") as out:
            rows = csv.writer(out)
            rows.writerow(["submit", "job", "queue", "gpus", "pods", "duration"])
            for i, name in enumerate(HOSTILE):
                name = name.replace("/", "∕")  # no name has a slash
                rows.writerow([i, name, name, 8, 3, "1h"])
                rows.writerow([i, name[:250] + "-2", name, 8, 4, "3h"])
        report = self.simulate("hostile.html", jobs="hostile.csv")
        for scheme in ("light", "dark"):
            self.open("hostile.html", scheme=scheme)
            self.expect_fields(fields_of(report, "run0"))
            self.assertIsNone(self.browser.value("window.hacked ?? null"))
            self.assertEqual(self.browser.value("[document.scripts.length, document.images.length]"), [3, 0])
            self.assertLessEqual(self.browser.value("document.documentElement.scrollWidth"), 1240)
            text = self.browser.value("document.body.textContent")
            for name in HOSTILE:
                self.assertIn(name.replace("/", "∕"), text)


class Comparison(Pages):
    def test_shows_runs_side_by_side(self):
        first, second = self.home / "kai.yaml", self.home / "ours.yaml"
        first.write_text("schedulerParams: {kaiExact: true}\n")
        second.write_text("schedulerParams: {}\n")
        compared = self.simulate("compared.html", "--config", str(first), "--compare", str(second))
        self.open("compared.html")
        self.assertEqual(len(compared["runs"]), 2)
        expected = {}
        for i, run in enumerate(compared["runs"]):
            expected |= fields_of(run, f"run{i}")
        for difference in compared["differences"]:
            for i, value in enumerate(difference["values"]):
                if value is not None:
                    expected[f"differences.{difference['metric']}.{i}"] = value
        self.expect_fields(expected)
        for chart in self.browser.value(PAINTED):
            self.assertGreater(chart["share"], 0.01, chart)


if __name__ == "__main__":
    if browser.program() is None:
        sys.exit("there is no Chromium: install the package chromium")
    unittest.main()
