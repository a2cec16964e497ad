#!/usr/bin/env bash
# Installs what Dragoman needs from Debian 12's own packages, and nothing else. Costs nothing when all is there.
#   tools/install_packages.sh [build|test|fuzz|peers]...   (build is always included)
set -euo pipefail

build=(g++ cmake ninja-build ccache pkg-config
  libboost1.81-dev libboost-json1.81-dev libboost-test1.81-dev libboost-system1.81-dev
  libssl-dev unixodbc-dev unixodbc tdsodbc freetds-bin libcurl4-openssl-dev libfmt-dev libspdlog-dev libsqlite3-dev
  libicu-dev libyaml-cpp-dev libcli11-dev ca-certificates)
test=(python3)
fuzz=(clang libclang-rt-14-dev clang-format)
peers=(haproxy python3-venv)

wanted=("${build[@]}")
for set_name in "$@"; do
  case "$set_name" in
    build) ;;
    test) wanted+=("${test[@]}") ;;
    fuzz) wanted+=("${fuzz[@]}") ;;
    peers) wanted+=("${peers[@]}") ;;
    *) echo "install_packages.sh: unknown set '$set_name' (build, test, fuzz, peers)" >&2; exit 2 ;;
  esac
done

missing=()
for package in "${wanted[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "Missing packages: ${missing[*]}. Install them as root." >&2; exit 1; }
  as_root=(sudo)
fi
echo "Installing ${#missing[@]} Debian packages: ${missing[*]}"
# An index that is already there is tried first: it is the usual case and saves the slow step.
if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null 2>&1; then
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
