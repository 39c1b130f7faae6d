#!/usr/bin/env bash
# Builds every fuzz target of tests/fuzz/CMakeLists.txt with its corpus, as OSS-Fuzz asks for it: flags come in CXX and
# CXXFLAGS, results go to OUT.
set -euo pipefail
cd "$SRC/muster"
mapfile -t targets < <(sed -nE 's/^muster_fuzz\(([a-z_]+).*/\1/p' tests/fuzz/CMakeLists.txt)

# The libraries of the distribution are built with libstdc++.
CXXFLAGS=${CXXFLAGS/-stdlib=libc++/} cmake -S . -B "$WORK/muster" -G Ninja -DCMAKE_BUILD_TYPE=None -DMUSTER_FUZZ=ON \
  -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_COMPILE_WARNING_AS_ERROR=OFF -DMUSTER_PRECOMPILE=OFF -DMUSTER_BATCH=1 \
  -DMUSTER_TEST_BATCH=1 -DCMAKE_EXE_LINKER_FLAGS="-Wl,-rpath,\$ORIGIN/lib"
cmake --build "$WORK/muster" --target "${targets[@]/#/fuzz_}"

# Where the targets run there are no libraries beside the system's own.
mkdir -p "$OUT/lib"
for target in "${targets[@]}"; do
  program=$WORK/muster/tests/fuzz/fuzz_$target
  cp "$program" "$OUT/"
  ldd "$program" | awk '$2 == "=>" && $3 ~ /^\// && $1 !~ /^lib(c|m|pthread|dl|rt)\.so/ { print $3 }' | xargs -r cp -t "$OUT/lib"
  (cd "tests/fuzz/corpus/$target" && zip -q -r "$OUT/fuzz_${target}_seed_corpus.zip" .)
done
