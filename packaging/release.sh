#!/bin/sh
# Builds a release into dist: archives, packages, bills of materials, checksums, the
# packages of npm and the install scripts. It publishes nothing.
#
#   packaging/release.sh                       of the tag of this commit
#   packaging/release.sh --snapshot            of any commit
#   packaging/release.sh --only linux/amd64    for one system
#   packaging/release.sh --quick               of any commit, for this machine, without
#                                              goreleaser, which takes minutes
#
# docs/releasing.md says which environment variables it reads.
set -eu
cd "$(dirname "$0")/.."
goreleaser=github.com/goreleaser/goreleaser/v2@v2.16.0
# What goreleaser makes packages with. The program of the version that it uses (2.46)
# needs a module that the Go proxy does not serve.
nfpm=github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.4
config=.goreleaser.yaml only='' snapshot='' quick=''
while [ $# -gt 0 ]; do
	case $1 in
	--snapshot) snapshot=--snapshot ;;
	--quick) quick=1 snapshot=--snapshot ;;
	--only) only=$2 && shift ;;
	*)
		echo "release.sh: unknown argument $1" >&2
		exit 2
		;;
	esac
	shift
done
number=$(sed -n 's/^const next = "\(.*\)"$/\1/p' internal/buildinfo/buildinfo.go)
if [ -n "$snapshot" ]; then
	export ATELIER_SNAPSHOT="$number"
	version=$number-dev
	# goreleaser wants a tag, and counts from it; the name of a snapshot is ours.
	export GORELEASER_CURRENT_TAG="v$number"
else
	version=$(git describe --tags --exact-match 2>/dev/null | sed 's/^v//')
	case $version in
	"$number" | "$number"-alpha[1-9] | "$number"-beta[1-9] | "$number"-rc[1-9]) ;;
	'') echo "release.sh: this commit has no tag; --snapshot needs none" >&2 && exit 1 ;;
	*) echo "release.sh: the tag is v$version, but internal/buildinfo leads to $number, or $number-alpha1, -beta1, -rc1: apk cannot order other names" >&2 && exit 1 ;;
	esac
fi
# The packages of npm and the scripts, which goreleaser does not make.
finish() {
	node packaging/npm/build.mjs dist "$version"
	for script in install.sh install.ps1; do
		sed -e "s|@VERSION@|$version|" -e "s|@DOWNLOADS@|${ATELIER_DOWNLOADS:-}|" "packaging/install/$script" >"dist/$script"
	done
	chmod +x dist/install.sh
}

# packages NAME: deb, rpm and apk of dist/NAME, as .goreleaser.yaml describes them.
packages() {
	tools=$(mktemp -d)
	date=$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ)
	{
		printf 'name: atelier\nplatform: linux\narch: %s\nversion: "%s"\n' "$arch" "$version"
		sed -n '/^nfpms:/,/^# /p' .goreleaser.yaml | grep '^    ' | grep -vE '^    (ids|file_name_template|formats):' |
			sed -e 's/^    //' -e "s|{{ .Env.HOMEPAGE }}|${ATELIER_HOMEPAGE:-https://atelier.invalid}|" -e "s|{{ .CommitDate }}|$date|"
		printf '  - { src: dist/%s/atelier, dst: /usr/bin/atelier, file_info: { mode: 0755, mtime: "%s" } }\n' "$1" "$date"
	} >"$tools/nfpm.yaml"
	GOBIN=$tools go install "$nfpm"
	for kind in deb rpm apk; do
		SOURCE_DATE_EPOCH=$seconds "$tools/nfpm" package --config "$tools/nfpm.yaml" --packager "$kind" --target dist >/dev/null
	done
	rm -rf "$tools"
}

# program NAME FLAG…: builds the program into dist/NAME, with its bill of materials and archive.
program() {
	to=$1
	shift
	mkdir -p "dist/$to/man" "dist/$to/completions"
	CGO_ENABLED=0 go build -trimpath -buildvcs=false "$@" -o "dist/$to/atelier" -ldflags "-s -w -funcalign=16 \
		-X atelier/internal/buildinfo.version=$version -X atelier/internal/buildinfo.commit=$(git rev-parse HEAD) \
		-X atelier/internal/buildinfo.date=$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ) \
		-X atelier/internal/buildinfo.releases=${ATELIER_RELEASES:-}" ./cmd/atelier
	cp README.md LICENSE CHANGELOG.md packaging/notices/THIRD_PARTY_NOTICES.txt "dist/$to"
	cp build/man/*.1 "dist/$to/man"
	cp build/completions/* "dist/$to/completions"
	SOURCE_DATE_EPOCH=$seconds go run ./packaging/notices -sbom "dist/$to.cdx.json" -program "dist/$to/atelier" -version "$version"
	tar -C dist -cf - "$to" | gzip -n -1 >"dist/$to.tar.gz"
}

if [ -n "$quick" ]; then
	os=$(go env GOOS) arch=$(go env GOARCH) seconds=$(git log -1 --format=%ct)
	name=atelier_${version}_${os}_${arch}
	packaging/documents.sh "$seconds" "$version"
	rm -rf dist
	program "$name"
	[ "$os" != linux ] || program "atelier-cluster_${version}_${os}_${arch}" -tags=cluster
	[ "$os" != linux ] || packages "$name"
	(cd dist && sha256sum -- *.tar.gz *.cdx.json $(ls -- *.deb *.rpm *.apk 2>/dev/null) >"atelier_${version}_SHA256SUMS")
	printf '{"version":"%s"}\n' "$version" >dist/metadata.json
	printf '[{"type":"Binary","goos":"%s","goarch":"%s","path":"dist/%s/atelier"}]\n' "$os" "$arch" "$name" >dist/artifacts.json
	finish
	exit 0
fi

# goreleaser does not read the commit where no remote is configured.
if [ -z "$(git remote)" ]; then
	export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.url GIT_CONFIG_VALUE_0=https://atelier.invalid/atelier.git
fi
skip=publish
[ -n "${ATELIER_SIGN_KEY:-}" ] || {
	echo "release.sh: the checksums are not signed: ATELIER_SIGN_KEY is not set" >&2
	skip=publish,sign
}
if [ -n "$only" ]; then
	config=$(mktemp)
	trap 'rm -f "$config"' EXIT
	sed -e "s|^    goos: .*|    goos: [${only%/*}]|" -e "s|^    goarch: .*|    goarch: [${only#*/}]|" .goreleaser.yaml |
		# The program for servers is for Linux only.
		awk -v linux="$([ "${only%/*}" = linux ] && echo 1)" '/^  - id: atelier-cluster/ { skip = !linux } !/^  - id: atelier-cluster/ && !/^    / { skip = 0 } !skip' >"$config"
	# A cask and a manifest are for the systems of all.
	skip=$skip,homebrew,scoop
fi
run=${GORELEASER:-}
[ -n "$run" ] || run="go run $goreleaser"
# shellcheck disable=SC2086
$run release --clean --config "$config" $snapshot --skip="$skip"
finish
