#!/usr/bin/env bash
# Installs the programs that `go run ./testdata/peers` runs beside Atelier:
# Debian's with apt-get, the others with npm and pip into .peers of this folder.
# A program that cannot be installed is named at the end; its rows say "not here".
set -uo pipefail
cd "$(dirname "$0")"
if [ "$(id -u)" = 0 ]; then sudo=; else sudo=sudo; fi
export DEBIAN_FRONTEND=noninteractive
absent=()
$sudo apt-get update -qq
for package in poppler-utils mupdf-tools ripgrep fd-find pandoc apertium apertium-eng-spa \
	git sqlite3 nodejs npm python3 python3-pip python3-lxml python3-openpyxl python3-docx python3-fitz; do
	$sudo apt-get install -y -qq --no-install-recommends "$package" >/dev/null || absent+=("$package")
done
npm install --prefix .peers --no-audit --no-fund --silent @duckdb/node-api@1.5.6-r.1 || absent+=("@duckdb/node-api")
# Debian 12 has no package of python-pptx; later ones do.
$sudo apt-get install -y -qq --no-install-recommends python3-pptx >/dev/null 2>&1 ||
	/usr/bin/python3 -m pip install --quiet --target .peers/python python-pptx || absent+=("python-pptx")
if ((${#absent[@]})); then echo "not installed: ${absent[*]}"; fi
