"""A headless Chromium, driven over its debugging pipe: no network, no further library."""
import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
         "--disable-extensions", "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--force-device-scale-factor=1", "--remote-debugging-pipe"]


def program():
    return next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)


class Browser:
    """One tab. `requests` has the address of everything that it tried to load, `mistakes` the exceptions of its
    scripts."""

    def __init__(self):
        self.home = tempfile.TemporaryDirectory(prefix="muster-browser-", ignore_cleanup_errors=True)
        to_browser, self.to = os.pipe()
        self.come, from_browser = os.pipe()

        def ends():  # the browser expects fixed file descriptors: move ours out of the way first
            high = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_browser, from_browser)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [program(), *FLAGS, f"--user-data-dir={self.home.name}", "about:blank"], preexec_fn=ends, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.home.name})
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.waiting, self.session = 0, b"", None
        self.requests, self.mistakes, self.loaded = [], [], False
        tab = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=tab, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.come)
        self.home.cleanup()

    def _read(self):
        while b"\0" not in self.waiting:
            piece = os.read(self.come, 1 << 20)
            if not piece:
                raise RuntimeError("the browser is gone")
            self.waiting += piece
        message, _, self.waiting = self.waiting.partition(b"\0")
        return json.loads(message)

    def _take_event(self, event):
        method, params = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.mistakes.append(params["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.mistakes.append(params["entry"]["text"])
        elif method == "Page.javascriptDialogOpening":
            self.mistakes.append("dialog: " + params["message"])
        elif method == "Page.loadEventFired":
            self.loaded = True

    def send(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self._take_event(answer)

    def open(self, file, width=1240, height=900, scheme="light", media=""):
        """`media`: "print" to see the page as it is printed."""
        self.requests, self.mistakes, self.loaded = [], [], False
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.send("Page.navigate", url="file://" + os.path.abspath(file))
        while not self.loaded:
            self._take_event(self._read())

    def value(self, expression):
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"]["description"])
        return result["result"].get("value")

    def screenshot(self, file, top=0, height=None):
        """The whole page, or the given part of it."""
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": top, "width": size["width"], "height": height or size["height"] - top, "scale": 1}
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        with open(file, "wb") as out:
            out.write(base64.b64decode(shot["data"]))

    def print_to(self, file):
        pdf = self.send("Page.printToPDF", printBackground=False, preferCSSPageSize=True)
        with open(file, "wb") as out:
            out.write(base64.b64decode(pdf["data"]))
