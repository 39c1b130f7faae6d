"""The program, the chart, the manifests and the Dockerfile have the same version. MUSTER names the program."""
import os
import pathlib
import subprocess
import sys
import unittest

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from version import ROOT, VERSION

MUSTER = os.environ.get("MUSTER", str(ROOT / "build/release/src/muster"))


class Version(unittest.TestCase):
    def test_of_the_program(self):
        said = subprocess.run([MUSTER, "version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(said, f"muster {VERSION}\n")

    def test_of_the_chart(self):
        chart = yaml.safe_load((ROOT / "deploy/chart/Chart.yaml").read_text())
        self.assertEqual((chart["version"], str(chart["appVersion"])), (VERSION, VERSION))

    def test_of_the_manifests(self):
        objects = [o for path in ROOT.glob("deploy/*.yaml") for o in yaml.safe_load_all(path.read_text())]
        crds = [o for o in objects if o["kind"] == "CustomResourceDefinition"]
        self.assertEqual({o["metadata"]["annotations"]["muster.dev/version"] for o in crds}, {VERSION})
        images = [o["spec"]["template"]["spec"]["containers"][0]["image"] for o in objects if o["kind"] == "Deployment"]
        self.assertEqual(images, [f"muster:{VERSION}"])

    def test_of_the_dockerfile(self):
        self.assertIn(f'org.opencontainers.image.version="{VERSION}"', (ROOT / "deploy/image/Dockerfile").read_text())


if __name__ == "__main__":
    unittest.main(verbosity=2)
