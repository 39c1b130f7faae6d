"""The contents of the image: the program, the libraries it loads, certificates, licences. No shell, no package manager."""
import functools
import pathlib
import re
import subprocess

CHARTS = "libjs-chart.js"  # embedded in the program; draws the charts of its pages
AUTHORITIES = pathlib.Path("/usr/share/ca-certificates/mozilla")
INSTALLED = pathlib.Path("/var/lib/dpkg/info")


@functools.cache
def owners():
    """Returns file → the Debian package that contains it."""
    return {path: listing.name.removesuffix(".list").split(":")[0]
            for listing in INSTALLED.glob("*.list") for path in listing.read_text().splitlines()}


def package_of(path):
    """Returns the package of a file. dpkg may list its path before the /usr merge, or the target of a link."""
    resolved = str(pathlib.Path(path).resolve())
    for name in (str(path), resolved, str(path).removeprefix("/usr"), resolved.removeprefix("/usr"), f"/usr{path}"):
        if name in owners():
            return owners()[name]
    raise SystemExit(f"{path} belongs to no Debian package; dpkg must know every file in the image")


class Program:
    """muster_image in a build directory, and what it was built from."""

    def __init__(self, build_directory):
        self.build_directory = build_directory
        self.path = build_directory / "src/muster_image"
        self.curl_version = (build_directory / "image/curl/source-version").read_text().strip()
        self.curl_digest = (build_directory / "image/curl/source-digest").read_text().strip()

    @functools.cached_property
    def libraries(self):
        """Returns name as the loader requests it → file on this machine. The loader itself has its full path as name."""
        lines = subprocess.run(["ldd", self.path], capture_output=True, text=True, check=True).stdout.splitlines()
        found = {}
        for line in lines:
            words = line.split()
            if "=>" in words:
                found[words[0]] = pathlib.Path(words[2])
            elif words[0].startswith("/"):
                found[words[0]] = pathlib.Path(words[0])
        return found

    @functools.cached_property
    def archives(self):
        """Returns the static libraries of Debian that are linked into the program."""
        listed = (self.build_directory / "image/linked.d").read_text().replace("\\\n", " ").split()
        return sorted({path for path in listed if re.fullmatch(r"/usr/lib/.*\.a", path)})

    @functools.cached_property
    def headers(self):
        """Returns the headers of Debian that its sources include; some libraries consist only of headers."""
        said = subprocess.run(["ninja", "-C", self.build_directory, "-t", "deps"], capture_output=True, text=True,
                              check=True).stdout
        of_program = re.findall(r"^src/CMakeFiles/muster_\w+\.dir/\S+: #deps.*\n((?:    .*\n)*)", said, re.M)
        return sorted({line.strip() for block in of_program for line in block.splitlines()
                       if line.strip().startswith("/usr/include/")})


def authorities():
    """Returns the certificates of Debian's package, without those that an administrator added to this machine."""
    files = sorted(AUTHORITIES.glob("*.crt"))
    if not files:
        raise SystemExit("no certificates found: install ca-certificates")
    return b"".join(file.read_bytes() for file in files)


def files_of(program, user):
    """Returns path in the image → (mode, bytes)."""
    files = {"usr/bin/muster": (0o755, program.path.read_bytes()),
             "etc/ssl/certs/ca-certificates.crt": (0o644, authorities()),
             "etc/nsswitch.conf": (0o644, b"hosts: files dns\n"),
             "etc/passwd": (0o644, f"muster:x:{user}:{user}:muster:/:/none\n".encode()),
             "etc/group": (0o644, f"muster:x:{user}:\n".encode())}
    for name, path in program.libraries.items():
        place = name if name.startswith("/") else f"{path.parent}/{name}"
        files[place.lstrip("/")] = (0o755, path.read_bytes())
    for package in {*map(package_of, [*program.libraries.values(), *program.archives]), "ca-certificates"}:
        files[f"usr/share/doc/{package}/copyright"] = (0o644, copyright_of(package))
    files["usr/share/doc/curl/copyright"] = (0o644, copyright_of("libcurl4-openssl-dev"))
    files[f"usr/share/doc/{CHARTS}/copyright"] = (0o644, copyright_of(CHARTS))
    return files


def copyright_of(package):
    return pathlib.Path(f"/usr/share/doc/{package}/copyright").read_bytes()
