#!/bin/sh
# Makes what archives and packages contain beside the program, in the folder build:
# manual pages and completions. Equal sources give equal files.
#
#   packaging/documents.sh SECONDS VERSION    the time of the commit since 1970
set -eu
cd "$(dirname "$0")/.."
seconds=$1 version=$2
day=$(date -u -d "@$seconds" +%Y-%m-%d 2>/dev/null || date -u -r "$seconds" +%Y-%m-%d)
rm -rf build
mkdir -p build/completions
# For this machine, whatever is released: it only writes texts. Without cgo as releases
# are, so that packages are compiled once.
program=$(mktemp)
env -u GOOS -u GOARCH CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-X atelier/internal/buildinfo.version=$version" -o "$program" ./cmd/atelier
trap 'rm -f "$program"' EXIT
"$program" docs man build/man --date "$day" >/dev/null
"$program" completion bash >build/completions/atelier.bash
"$program" completion zsh >build/completions/_atelier
"$program" completion fish >build/completions/atelier.fish
"$program" completion powershell >build/completions/atelier.ps1
gzip -n -9 -k build/man/*.1 # packages have them compressed
