# Shared by ./run, ./test and .ci/run: installs the Debian packages that the project needs, and builds a preset.
# REQUIRES: sourced, with `root` set to the top of the repository.
set -euo pipefail
mkdir -p "$root/build"

packages=(
  g++ cmake ninja-build ccache mold
  libfmt-dev libyaml-cpp-dev libsimdjson-dev libabsl-dev nlohmann-json3-dev libcli11-dev libre2-dev
  zlib1g-dev libminizip-dev libzstd-dev
  libcurl4-openssl-dev libssl-dev prometheus-cpp-dev
  libjs-chart.js
  libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev
  python3 python3-venv python3-yaml python3-jsonschema jq openssl bubblewrap libfaketime dpkg-dev binutils ca-certificates  # tests only
)

# Needed only by the tests of the page, so ./run does not install them.
browser_packages=(chromium fonts-dejavu-core)

# A second compiler, for ./test --lint and .ci/run.
lint_packages=(clang-19 clang-tidy-19)

# Additional packages for tests/fuzz/run.
fuzz_packages=(clang-19 libclang-rt-19-dev)

say() { printf '%s\n' "$*" >&2; }

is_terminal() { [[ -t 2 && -z ${CI:-} ]]; }

show_end_of() {
  say "The last lines of $1:"
  tail -n 40 "$1" >&2
}

missing_packages() {
  local package
  for package; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || printf '%s\n' "$package"
  done
}

# Prints the prefix that runs a command as root, or nothing if we are root. Fails if there is no way to become root.
become_root() {
  ((EUID == 0)) && return
  command -v sudo >/dev/null || return 1
  if sudo -n true 2>/dev/null; then
    printf 'sudo -n'
  elif [[ -t 0 ]] && is_terminal && sudo -v; then
    printf 'sudo'
  else
    return 1
  fi
}

apt_install() {
  local as_root=$1
  shift
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q &&
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"
}

# require_packages [FURTHER...]: installs missing packages, and no others. Exits with status 3 on failure.
require_packages() {
  local missing as_root log=$root/build/packages.log needed=("${packages[@]}" "$@")
  if ! command -v dpkg-query >/dev/null; then
    say "Not a Debian system: continuing with the installed software. On Debian 12 the required packages are: ${needed[*]}"
    return
  fi
  mapfile -t missing < <(missing_packages "${needed[@]}")
  ((${#missing[@]})) || return 0
  if ! as_root=$(become_root); then
    say "Packages are missing, and they cannot be installed without root. Please run as root:"
    say "  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
    exit 3
  fi
  say "Installing ${#missing[@]} missing packages: ${missing[*]}"
  apt_install "$as_root" "${missing[@]}" >"$log" 2>&1 || { show_end_of "$log"; exit 3; }
}

# Turns the output of Ninja into progress: one changing line on a terminal, otherwise one line per 10 %.
show_progress() {
  local columns=0
  if is_terminal; then columns=$(tput cols 2>/dev/null || echo 80); fi
  awk -v columns="$columns" '
    !match($0, /^\[[0-9]+\/[0-9]+\]/) { next }
    columns { printf "\r\033[K%s", substr($0, 1, columns - 1); fflush(); next }
    {
      split(substr($0, 2, RLENGTH - 2), step, "/")
      tenth = int(10 * step[1] / step[2])
      if (tenth > shown) { shown = tenth; printf "  %d%%\n", 10 * tenth; fflush() }
    }
    END { if (columns) printf "\r\033[K" }' >&2
}

# build PRESET [TARGET...]: configures and builds with all cores.
build() {
  local preset=$1 log=$root/build/$1.log
  shift
  say "Building ${*:-everything}, preset $preset (log: ${log#"$PWD/"})"
  if ! (cd "$root" && cmake --preset "$preset") >"$log" 2>&1 ||
    ! (cd "$root" && cmake --build --preset "$preset" -j "$(nproc)" ${@:+--target "$@"}) 2>&1 | tee -a "$log" | show_progress
  then
    show_end_of "$log"
    return 1
  fi
}
