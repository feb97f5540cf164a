#!/bin/sh
# Installs what packaging/release.sh built for this machine, in each way, into empty
# folders, and starts it. Says what is not checked and why.
#
#   packaging/check.sh [DIST]
set -eu
dist=$(cd "${1:-dist}" && pwd)
version=$(sed -n 's/.*"version":"\([^"]*\)".*/\1/p' "$dist/metadata.json")
case $(uname -m) in x86_64) arch=amd64 ;; aarch64) arch=arm64 ;; *) arch=$(uname -m) ;; esac
tmp=$(mktemp -d)
server=''
trap 'rm -rf "$tmp"; [ -z "$server" ] || kill "$server"' EXIT
fail() {
	echo "check.sh: $*" >&2
	exit 1
}

works() { # works HOW PROGRAM…: it says its version, and does its work
	how=$1
	shift
	"$@" version --json | grep -q "\"version\":\"$version\".*\"commit\":\"[0-9a-f]\{40\}\".*\"date\":\"20" || fail "$how: the version is not $version with commit and date"
	mkdir -p "$tmp/$how.in"
	printf 'Guten Tag\n' >"$tmp/$how.in/a.txt"
	ATELIER_HOME=$tmp/$how.home "$@" translate "$tmp/$how.in" --to en --out "$tmp/$how.out" --engine pseudo >/dev/null 2>&1 || fail "$how: translate fails"
	[ -s "$tmp/$how.out/a.txt" ] || fail "$how: translate wrote nothing"
	echo "$how: ${put:-installed}, works"
}

(cd "$dist" && sha256sum --quiet --check --strict "atelier_${version}_SHA256SUMS") || fail "checksums differ"
echo "checksums: fit all $(wc -l <"$dist/atelier_${version}_SHA256SUMS") files"
if [ -e "$dist/atelier_${version}_SHA256SUMS.asc" ]; then
	gpg --verify "$dist/atelier_${version}_SHA256SUMS.asc" "$dist/atelier_${version}_SHA256SUMS" || fail "the signature does not fit"
else
	echo "signature: not checked, there is none"
fi

name=atelier_${version}_linux_$arch
tar -xzf "$dist/$name.tar.gz" -C "$tmp"
for f in README.md LICENSE CHANGELOG.md THIRD_PARTY_NOTICES.txt man/atelier-run.1 completions/_atelier completions/atelier.bash completions/atelier.fish completions/atelier.ps1; do
	[ -s "$tmp/$name/$f" ] || fail "archive: $f is missing"
done
bash -n "$tmp/$name/completions/atelier.bash" || fail "archive: bash cannot read its completions"
works archive "$tmp/$name/atelier"

# The program for servers has the NATS server inside, the other has not.
cluster=atelier-cluster_${version}_linux_$arch
tar -xzf "$dist/$cluster.tar.gz" -C "$tmp"
works archive-for-servers "$tmp/$cluster/atelier"
"$tmp/$cluster/atelier" version | grep -q ' build  *cluster$' || fail "the program for servers does not say that it is that"
go version -m "$tmp/$cluster/atelier" | grep -q 'nats-server' || fail "the program for servers has no NATS server inside"
if go version -m "$tmp/$name/atelier" | grep -q 'nats-server'; then fail "the program has a NATS server inside"; fi
grep -q 'nats-server' "$dist/$cluster.cdx.json" || fail "the bill of materials of the program for servers has no NATS server"

# Each module that the program was linked with, with a licence.
go version -m "$tmp/$name/atelier" | awk '$1 == "dep" { print $2 "@" $3 }' >"$tmp/modules"
[ -s "$tmp/modules" ] || fail "the program names no modules"
node -e '
	const bill = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
	const have = new Map(bill.components.map((c) => [c.purl, c.licenses[0].expression]));
	const modules = require("fs").readFileSync(process.argv[2], "utf8").trim().split("\n");
	const missing = modules.filter((m) => !have.get("pkg:golang/" + m));
	if (missing.length) { console.error("not in the bill of materials: " + missing); process.exit(1); }
	console.log(`bill of materials: ${modules.length} modules and ${bill.components.length - modules.length} other parts, each with its licence`);
' "$dist/$name.cdx.json" "$tmp/modules" || fail "the bill of materials is not complete"

deb=$(ls "$dist"/atelier_*_"$arch".deb 2>/dev/null || true)
if [ -z "$deb" ]; then
	echo "deb: not checked, there is none"
elif command -v dpkg >/dev/null; then
	root=$tmp/root
	mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info"
	touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
	dpkg --root="$root" --force-not-root --log=/dev/null --install "$deb" >/dev/null || fail "deb: dpkg does not install it"
	works deb "$root/usr/bin/atelier"
	for f in systemd/system/atelier-http.service systemd/system/atelier-watch@.service systemd/system/atelier-translate@.service systemd/system/atelier-translate@.timer sysusers.d/atelier.conf; do
		[ -s "$root/usr/lib/$f" ] || fail "deb: $f is missing"
	done
	[ -s "$root/usr/share/man/man1/atelier-run.1.gz" ] || fail "deb: there are no manual pages"
	dpkg --root="$root" --force-not-root --verify atelier || fail "deb: files differ"
	dpkg --root="$root" --force-not-root --log=/dev/null --purge atelier >/dev/null
	[ ! -e "$root/usr/bin/atelier" ] || fail "deb: the program is left behind"
else
	echo "deb: not checked, dpkg is absent"
fi
rpm=$(ls "$dist"/atelier*"$(uname -m).rpm" 2>/dev/null || true)
if [ -z "$rpm" ]; then
	:
elif command -v rpm >/dev/null; then
	# The database of an empty root knows no packages: there is nothing to depend on.
	root=$tmp/rpm
	mkdir "$root"
	[ -z "$(rpm -qp --requires "$rpm" 2>/dev/null | grep -v '^rpmlib(')" ] || fail "rpm: it depends on other packages"
	rpm --root "$root" --install "$rpm" 2>"$tmp/said" || fail "rpm: it does not install: $(cat "$tmp/said")"
	works rpm "$root/usr/bin/atelier"
	[ -s "$root/usr/lib/systemd/system/atelier-http.service" ] || fail "rpm: there are no units"
	[ -s "$root/usr/share/man/man1/atelier-run.1.gz" ] || fail "rpm: there are no manual pages"
	rpm --root "$root" --verify atelier 2>/dev/null || fail "rpm: files differ"
	rpm --root "$root" --erase atelier 2>/dev/null
	[ ! -e "$root/usr/bin/atelier" ] || fail "rpm: the program is left behind"
else
	echo "rpm: not checked, rpm is absent"
fi

apk=$(ls "$dist"/atelier*"$(uname -m).apk" 2>/dev/null || true)
if [ -n "$apk" ]; then
	# Compressed archives after each other, without an end in the first: what the package
	# is, and its files, whose SHA-256 the first names.
	node -e '
		const fs = require("fs"), zlib = require("zlib"), crypto = require("crypto");
		const all = fs.readFileSync(process.argv[1]), parts = [];
		for (let at = 0; at < all.length;) {
			if (all[at + 3] !== 0) throw new Error("its gzip header has fields");
			const { buffer, engine } = zlib.inflateRawSync(all.subarray(at + 10), { info: true });
			const size = 10 + engine.bytesWritten + 8;
			parts.push({ raw: all.subarray(at, at + size), tar: buffer });
			at += size;
		}
		if (parts.length !== 2) throw new Error(parts.length + " parts");
		const about = parts[0].tar.toString("latin1"), want = /^datahash = (.*)$/m.exec(about);
		if (!want || crypto.createHash("sha256").update(parts[1].raw).digest("hex") !== want[1]) throw new Error("the checksum of its files is wrong");
		if (!/(^|\0)pkgname = atelier$/m.test(about)) throw new Error("it has no name");
		fs.writeFileSync(process.argv[2], parts[1].tar);
	' "$apk" "$tmp/apk.tar" || fail "apk: it is damaged"
	mkdir "$tmp/apk"
	tar --warning=no-unknown-keyword -C "$tmp/apk" -xf "$tmp/apk.tar" || fail "apk: its files cannot be unpacked"
	cmp -s "$tmp/apk/usr/bin/atelier" "$tmp/$name/atelier" || fail "apk: its program is another"
	[ -s "$tmp/apk/usr/share/man/man1/atelier-run.1.gz" ] || fail "apk: there are no manual pages"
	put=unpacked works apk "$tmp/apk/usr/bin/atelier"
	if [ -n "${APK:-}" ] || command -v apk >/dev/null; then
		root=$tmp/alpine
		mkdir -p "$root/etc/apk"
		: >"$root/etc/apk/repositories"
		uname -m >"$root/etc/apk/arch"
		"${APK:-apk}" --root "$root" --initdb --allow-untrusted --no-network add "$apk" >/dev/null || fail "apk: it is not installed"
		works apk-installed "$root/usr/bin/atelier"
		"${APK:-apk}" --root "$root" --no-network del atelier >/dev/null
		[ ! -e "$root/usr/bin/atelier" ] || fail "apk: the program is left behind"
	else
		echo "apk: not installed, since Debian does not have Alpine's apk; APK can name one"
	fi
fi

if [ ! -e "$dist/scoop/atelier.json" ]; then
	echo "Scoop, Homebrew: not checked, goreleaser has not made them"
elif command -v python3 >/dev/null; then
	python3 "$(dirname "$0")/check-manifests" "$dist" || fail "a manifest does not fit its archives"
	if command -v ruby >/dev/null; then
		ruby -c "$dist/homebrew/Casks/atelier.rb" >/dev/null || fail "cask: ruby cannot read it"
	else
		echo "cask: its syntax is not checked, ruby is absent"
	fi
	echo "Scoop, Homebrew: hashes, addresses and paths fit the archives; not installed"
fi

if command -v npm >/dev/null; then
	mkdir "$tmp/npm"
	cpu=$(node -p process.arch)
	(cd "$tmp/npm" && npm install --offline --no-audit --no-fund --silent "$dist/npm/atelier-$version.tgz" "$dist/npm/atelier-linux-$cpu-$version.tgz") || fail "npm: does not install"
	cmp -s "$tmp/npm/node_modules/atelier-linux-$cpu/bin/atelier" "$tmp/$name/atelier" || fail "npm: its program is another"
	works npm "$tmp/npm/node_modules/.bin/atelier"
	if "$tmp/npm/node_modules/.bin/atelier" frobnicate 2>/dev/null; then fail "npm: the exit code is lost"; fi
	[ "$(cd "$tmp/npm" && npx --no-install atelier version | head -n 1 | cut -d' ' -f2)" = "$version" ] || fail "npm: npx does not start it"
else
	echo "npm: not checked, npm is absent"
fi

# PowerShell itself is not in Debian.
if command -v npm >/dev/null && npm install --prefix "$tmp/ps" --ignore-scripts --no-audit --no-fund --silent web-tree-sitter@0.25.10 tree-sitter-powershell@0.26.4 2>/dev/null; then
	parse() { node "$(dirname "$0")/install/parse.mjs" "$tmp/ps/node_modules" "$@"; }
	parse "$dist/install.ps1" "$tmp/$name/completions/atelier.ps1" || fail "install.ps1 or the completions of PowerShell"
	sed 's/{/(/' "$dist/install.ps1" >"$tmp/wrong.ps1"
	if parse "$tmp/wrong.ps1" 2>/dev/null; then fail "install.ps1: a mistake was not found"; fi
	echo "install.ps1: fits the grammar; not run, PowerShell is absent"
else
	echo "install.ps1: not checked, npm is absent or cannot reach its registry"
fi

# The install script, from a server.
mkdir "$tmp/www"
ln -s "$dist/$name.tar.gz" "$dist/atelier_${version}_SHA256SUMS" "$tmp/www/"
node -e '
	const fs = require("fs"), path = require("path");
	require("http").createServer((q, r) => fs.readFile(path.join(process.argv[1], path.basename(q.url)), (err, b) => { r.statusCode = err ? 404 : 200; r.end(b); }))
		.listen(0, "127.0.0.1", function () { fs.writeFileSync(process.argv[2], String(this.address().port)); });
' "$tmp/www" "$tmp/port.new" &
server=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -s "$tmp/port.new" ] || sleep 0.5; done
from=http://127.0.0.1:$(cat "$tmp/port.new")
sh "$dist/install.sh" --from "$from" --dir "$tmp/bin" >"$tmp/said" || fail "install.sh: fails"
grep -q "atelier $version .*is in $tmp/bin" "$tmp/said" || fail "install.sh: does not say what it did"
works install.sh "$tmp/bin/atelier"
if command -v busybox >/dev/null; then
	# As Alpine has it: its shell and its tools, without curl.
	mkdir "$tmp/busy"
	busybox --install -s "$tmp/busy"
	put='installed with BusyBox'
	env PATH="$tmp/busy" busybox sh "$dist/install.sh" --from "$from" --dir "$tmp/busybin" >"$tmp/said" || fail "install.sh: fails in BusyBox"
	works install.sh-busybox "$tmp/busybin/atelier"
	put=''
else
	echo "install.sh: not run in BusyBox, which is absent"
fi
if sh "$dist/install.sh" --from "$from" --version 0.0.1 --dir "$tmp/none" 2>/dev/null; then fail "install.sh: installs a version that does not exist"; fi
rm "$tmp/www/$name.tar.gz"
printf damaged >"$tmp/www/$name.tar.gz"
if sh "$dist/install.sh" --from "$from" --dir "$tmp/bad" 2>"$tmp/said"; then fail "install.sh: installs what is damaged"; fi
grep -q 'checksum .* is wrong' "$tmp/said" || fail "install.sh: does not say that the checksum is wrong"
if [ -e "$tmp/bad" ] || [ -e "$tmp/none" ]; then fail "install.sh: left something behind"; fi
for plain in http://example.org http://localhost.example.org http://127.0.0.1:80@example.org; do
	if sh "$dist/install.sh" --from "$plain" --dir "$tmp/bad" 2>"$tmp/said" || ! grep -q 'must begin with https' "$tmp/said"; then fail "install.sh: takes an address without encryption"; fi
done
echo "install.sh: refuses what is damaged, absent or not encrypted"
