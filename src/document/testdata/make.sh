#!/bin/bash
# Makes the archives of this directory with the tools that users have: gzip, zstd, zip, tar, xz, and Python's zipfile,
# which writes to a pipe as Go's archive/zip does: sizes behind the data.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'kind: Pod\nmetadata: {name: a}\n#%0200d\n' 0 >"$work/a.yaml"
printf '{"kind":"Pod","metadata":{"name":"b"}}%200s\n' '' >"$work/b.json"
printf 'not a manifest\n' >"$work/notes.txt"
mkdir "$work/sub" && cp "$work/b.json" "$work/sub/._b.json"
gzip -9 -c "$work/a.yaml" >a.yaml.gz
{ gzip -c "$work/b.json"; gzip -c "$work/b.json"; } >members.json.gz
{ cat members.json.gz; head -c 512 /dev/zero; } >padded.json.gz
zstd -q -c "$work/a.yaml" >a.yaml.zst
{ printf '\x50\x2a\x4d\x18\x04\x00\x00\x00skip'; zstd -q -c "$work/b.json"; zstd -q -c "$work/b.json"; } >frames.json.zst
rm -f several.zip encrypted.zip nested.zip other.zip bzipped.zip
(cd "$work" && zip -q -X several.zip a.yaml b.json notes.txt sub/._b.json && mv several.zip "$OLDPWD")
(cd "$work" && zip -q -X -P secret encrypted.zip a.yaml && zip -q -X encrypted.zip b.json && mv encrypted.zip "$OLDPWD")
(cd "$work" && gzip -c a.yaml >inner.yaml.gz && zip -q -X nested.zip inner.yaml.gz b.json && mv nested.zip "$OLDPWD")
(cd "$work" && zip -q -X other.zip notes.txt && mv other.zip "$OLDPWD")
(cd "$work" && zip -q -X -Z bzip2 bzipped.zip a.yaml b.json && mv bzipped.zip "$OLDPWD")
gzip -c a.yaml.gz >twice.yaml.gz
tar -C "$work" --format=ustar -czf tar.yaml.gz a.yaml
xz -c "$work/a.yaml" >a.yaml.xz
python3 - "$work" <<'PYTHON' | cat >streamed.zip
import sys, zipfile
with zipfile.ZipFile(sys.stdout.buffer, "w", zipfile.ZIP_DEFLATED) as archive:
    about = zipfile.ZipInfo("snapshot.json")
    about.compress_type = zipfile.ZIP_DEFLATED
    with archive.open(about, "w") as entry:
        entry.write(open(sys.argv[1] + "/b.json", "rb").read())
PYTHON
python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.stdout.buffer, "w").close()' >empty.zip
