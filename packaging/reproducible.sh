#!/bin/sh
# Builds the release of this commit twice, in clones in different folders, and compares
# all files. The arguments are those of release.sh. The first result is left in dist.
set -eu
cd "$(dirname "$0")/.."
source=$PWD
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for clone in first second/in/a/longer/folder; do
	git clone --quiet --no-hardlinks "$source" "$tmp/$clone"
	(cd "$tmp/$clone" && packaging/release.sh "$@")
	# The files that goreleaser writes about its run contain paths and times.
	(cd "$tmp/$clone/dist" && find . -type f ! -name artifacts.json ! -name metadata.json ! -name config.yaml ! -name '*.asc' -print0 | sort -z | xargs -0 sha256sum) >"$tmp/sums.$(echo "$clone" | cut -d/ -f1)"
done
rm -rf dist
mv "$tmp/first/dist" dist
if ! diff "$tmp/sums.first" "$tmp/sums.second"; then
	echo "reproducible.sh: these files differ between two builds" >&2
	exit 1
fi
echo "two builds are equal: $(wc -l <"$tmp/sums.first") files"
