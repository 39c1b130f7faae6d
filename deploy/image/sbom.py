"""Describes the contents of the image as SPDX 2.3, from dpkg's data about the packages in it."""
import functools
import hashlib
import re
import subprocess

import contents


@functools.cache
def debian(package):
    """Returns the version, the source package and its version."""
    fields = "${Version}\n${source:Package}\n${source:Version}\n${Maintainer}\n${Homepage}\n"
    said = subprocess.run(["dpkg-query", "-W", "-f", fields, package], capture_output=True, text=True, check=True)
    version, source, source_version, maintainer, homepage = said.stdout.split("\n")[:5]
    return {"version": version, "source": source, "source_version": source_version, "maintainer": maintainer,
            "homepage": homepage}


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def debian_entry(package):
    known = debian(package)
    return {"name": package, "SPDXID": identifier(f"deb-{package}"), "versionInfo": known["version"],
            "supplier": f"Organization: {known['maintainer']}", "downloadLocation": "NOASSERTION",
            "homepage": known["homepage"] or "NOASSERTION", "filesAnalyzed": False,
            "sourceInfo": f"built by Debian from {known['source']} {known['source_version']}",
            "externalRefs": [purl(f"pkg:deb/debian/{package}@{known['version']}?distro=bookworm")]}


def purl(locator):
    return {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}


def own_entry(version, commit, program_bytes):
    return {"name": "muster", "SPDXID": "SPDXRef-muster", "versionInfo": version, "supplier": "NOASSERTION",
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseDeclared": "Apache-2.0",
            "sourceInfo": f"commit {commit}", "primaryPackagePurpose": "APPLICATION",
            "checksums": [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(program_bytes).hexdigest()}]}


def curl_entry(version):
    return {"name": "curl", "SPDXID": "SPDXRef-curl", "versionInfo": version, "supplier": "Organization: Debian",
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "sourceInfo": f"Debian's source package curl {version}, built by deploy/image/curl with HTTP and TLS alone",
            "externalRefs": [purl(f"pkg:deb/debian/curl@{version}?arch=source&distro=bookworm")]}


def relation(first, kind, second):
    return {"spdxElementId": first, "relationshipType": kind, "relatedSpdxElement": second}


def describe(program, files, version, commit, created):
    packages_of = lambda paths: sorted({contents.package_of(path) for path in paths})
    shared, archives = packages_of(program.libraries.values()), packages_of(program.archives)
    headers = sorted(set(packages_of(program.headers)) - set(archives))
    of = lambda package: identifier(f"deb-{package}")
    relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-muster"),
                 relation("SPDXRef-muster", "STATIC_LINK", "SPDXRef-curl"),
                 relation("SPDXRef-muster", "DEPENDS_ON", of("ca-certificates")),
                 relation("SPDXRef-muster", "CONTAINS", of(contents.CHARTS)),
                 *(relation("SPDXRef-muster", "DYNAMIC_LINK", of(p)) for p in shared),
                 *(relation("SPDXRef-muster", "STATIC_LINK", of(p)) for p in archives),
                 *(relation(of(p), "BUILD_DEPENDENCY_OF", "SPDXRef-muster") for p in headers)]
    entries = [own_entry(version, commit, files["usr/bin/muster"][1]), curl_entry(program.curl_version),
               *map(debian_entry, sorted({*shared, *archives, *headers, "ca-certificates", contents.CHARTS}))]
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"muster-{version}", "documentNamespace": f"https://muster.dev/spdx/muster-{version}-{commit}",
            "creationInfo": {"created": created, "creators": ["Tool: muster deploy/image"]},
            "packages": entries, "relationships": relations}
