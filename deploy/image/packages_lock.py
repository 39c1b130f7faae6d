"""deploy/image/packages.lock: the Debian packages of a build, each with its version and SHA-256."""
import pathlib
import re
import subprocess

LOCK = pathlib.Path(__file__).resolve().parent / "packages.lock"


def read(path=LOCK):
    """Returns the date of the snapshot, and name → (version, SHA-256)."""
    text = path.read_text()
    packages = dict(re.findall(r"^([a-z0-9][a-z0-9+.-]*)=(\S+ [0-9a-f]{64})$", text, re.M))
    return re.search(r"^SNAPSHOT (\S+)$", text, re.M).group(1), {n: tuple(v.split()) for n, v in packages.items()}


def installed():
    """Returns name → version."""
    said = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Package} ${Version}\n"], capture_output=True,
                          text=True, check=True).stdout
    return dict(line.split()[1:] for line in said.splitlines() if line.startswith("installed "))


def differences():
    """Returns (name, locked version, installed version) of packages that differ."""
    here = installed()
    return [(name, version, here[name]) for name, (version, _) in read()[1].items() if here.get(name, version) != version]
