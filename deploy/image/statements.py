"""Statements about an image in in-toto format: how it was built (SLSA v1), what it contains (SPDX), and which known
vulnerabilities do not affect it (OpenVEX)."""
import json
import pathlib
import urllib.parse

import packages_lock

TYPE = "https://in-toto.io/Statement/v1"
PREDICATES = {"provenance": "https://slsa.dev/provenance/v1", "spdx": "https://spdx.dev/Document/v2.3",
              "openvex": "https://openvex.dev/ns/v0.2.0"}
# Any Debian 12 machine that ran deploy/image/build; the signing key identifies the owner.
BUILDER = "https://muster.dev/builders/generic/v1"
BUILD = "https://muster.dev/build/deploy-image/v1"  # docs/operations.md, Image, describes the parameters
REPOSITORY = "git+https://muster.dev/muster.git"
VULNERABILITIES = pathlib.Path(__file__).resolve().parent / "vulnerabilities.json"


def statement(kind, subjects, predicate):
    """`subjects` maps name → SHA-256."""
    return {"_type": TYPE, "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in subjects.items()],
            "predicateType": PREDICATES[kind], "predicate": predicate}


# ---- how it was built

def commit_material(commit):
    material = {"uri": f"{REPOSITORY}@{commit}", "name": "sources"}
    if not commit.endswith("-dirty"):
        material["digest"] = {"gitCommit": commit}
    return material


def package_material(name, version, locked):
    """`locked` is the version and SHA-256 of packages.lock. The digest is omitted for a package in another version."""
    material = {"uri": package_url(name, version), "name": name}
    if locked and locked[0] == version:
        material["digest"] = {"sha256": locked[1]}
    return material


def package_url(name, version):
    return f"pkg:deb/debian/{urllib.parse.quote(name)}@{urllib.parse.quote(version)}?distro=bookworm"


def curl_material(program):
    return {"uri": package_url("curl", program.curl_version) + "&arch=source", "name": "curl",
            "digest": {"sha256": program.curl_digest}}


def provenance(program, options, bill):
    locked, here = packages_lock.read()[1], packages_lock.installed()
    used = {p["name"] for p in bill["packages"] if p["SPDXID"].startswith("SPDXRef-deb-")} | set(locked)
    packages = [package_material(name, here[name], locked.get(name)) for name in sorted(used & set(here))]
    return {"buildDefinition": {
                "buildType": BUILD,
                "externalParameters": {"commit": options.commit, "version": options.version, "preset": "release",
                                       "target": "muster_image"},
                "internalParameters": {"sourceDateEpoch": options.epoch},
                "resolvedDependencies": [commit_material(options.commit), curl_material(program), *packages]},
            "runDetails": {"builder": {"id": BUILDER}, "metadata": {"invocationId": f"{options.commit}/{options.epoch}"}}}


# ---- vulnerabilities that do not affect the image

def exploitability(digest, options, bill, created):
    """Includes only packages that are in the image."""
    versions = {package["name"]: package["versionInfo"] for package in bill["packages"]}
    image = f"pkg:oci/muster@{urllib.parse.quote(digest, safe='')}?tag={options.version}"
    known = [entry for entry in json.loads(VULNERABILITIES.read_text()) if entry["package"] in versions]
    entries = [{"vulnerability": {"name": entry["vulnerability"]},
                "products": [{"@id": image, "subcomponents": [
                    {"@id": package_url(entry["package"], versions[entry["package"]])}]}],
                "status": "not_affected", "justification": entry["justification"], "impact_statement": entry["impact"]}
               for entry in known]
    return {"@context": PREDICATES["openvex"], "@id": f"https://muster.dev/vex/muster-{options.version}-{options.commit}",
            "author": "muster", "timestamp": created, "version": 1, "tooling": "deploy/image", "statements": entries}
