# What Retracescope needs on Debian 12, and how to get it. Sourced by packaging/run and packaging/test.

set -euo pipefail

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

packages=(
    g++ cmake ninja-build pkg-config ccache
    qt6-base-dev qt6-svg-dev libqt6opengl6-dev libgl-dev
    libgraphviz-dev libeigen3-dev libsqlite3-dev libzstd-dev zlib1g-dev
    libprotobuf-dev protobuf-compiler nlohmann-json3-dev libsimdjson-dev libcli11-dev libfmt-dev
    fonts-dejavu-core
    libbenchmark-dev python3 graphviz
)

say() { printf '\n== %s\n' "$*"; }

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

# install_packages: installs what is missing; stops with the list on a system that is no Debian.
install_packages() {
    local id="" like="" missing=() package
    if [ -r /etc/os-release ]; then
        id=$(. /etc/os-release && printf '%s' "${ID:-}")
        like=$(. /etc/os-release && printf '%s' "${ID_LIKE:-}")
    fi
    if ! command -v dpkg-query >/dev/null || ! [[ " $id $like " == *" debian "* ]]; then
        fail "This script installs packages on Debian only. On ${id:-this system}, install what these Debian packages" \
             "hold, then build with: cmake --preset release && cmake --build --preset release" $'\n' "${packages[*]}"
    fi
    for package in "${packages[@]}"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "Installing packages needs root: run as root, or install sudo." \
                                           "Missing: ${missing[*]}"
        as_root=(sudo)
    fi
    say "Installing ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
        >/dev/null
}

# build PRESET [TARGET...]: configures once, builds what changed.
build() {
    local preset=$1
    shift
    cd "$project"
    say "Building ($preset)"
    cmake --preset "$preset" >"$project/build/$preset.configure.log" 2>&1 || {
        cat "$project/build/$preset.configure.log" >&2
        fail "Configuring failed; the text above says why."
    }
    cmake --build "build/$preset" ${1:+--target "$@"}
}

mkdir -p "$project/build"
