#!/bin/sh
# Installs atelier for the user who runs it, into ~/.local/bin:
#
#   curl -fsSL ADDRESS/install.sh | sh
#   sh install.sh --dir ~/bin --version 0.9.0 --from https://example.org/downloads
#
# It downloads the archive for this system and its checksum, compares, and puts the
# program into its place in one step. It asks for no rights: a folder of root needs
# that root runs it. --from (ATELIER_DOWNLOADS) names the folder of the files of a
# release; a path is one too.
set -eu

say() { printf '%s\n' "$*"; }
fail() {
	printf 'install.sh: %s\n' "$*" >&2
	exit 1
}

get() { # get ADDRESS FILE
	case $1 in
	http://* | https://*)
		if command -v curl >/dev/null 2>&1; then
			curl -fsSL --proto-redir =https --retry 2 -o "$2" "$1" || fail "$1 cannot be downloaded"
		elif command -v wget >/dev/null 2>&1; then
			wget -q -O "$2" "$1" || fail "$1 cannot be downloaded"
		else
			fail "neither curl nor wget is installed"
		fi
		;;
	*) cp -- "$1" "$2" || fail "$1 cannot be read" ;;
	esac
}

sum() {
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum "$1" | cut -d' ' -f1
	elif command -v shasum >/dev/null 2>&1; then
		shasum -a 256 "$1" | cut -d' ' -f1
	else
		fail "neither sha256sum nor shasum is installed: the download cannot be checked"
	fi
}

main() {
	version='@VERSION@' from='@DOWNLOADS@' dir=${HOME:-}/.local/bin
	# A script that no release made has its marks.
	case $version in @*) version='' ;; esac
	case $from in @*) from='' ;; esac
	from=${ATELIER_DOWNLOADS:-$from}
	while [ $# -gt 0 ]; do
		case $1 in
		--dir | --version | --from)
			[ $# -ge 2 ] || fail "$1 needs a value"
			case $1 in --dir) dir=$2 ;; --version) version=${2#v} ;; --from) from=$2 ;; esac
			shift
			;;
		-h | --help) say "usage: install.sh [--dir DIR] [--version VERSION] [--from ADDRESS]" && exit 0 ;;
		*) fail "unknown argument $1" ;;
		esac
		shift
	done
	[ -n "$from" ] || fail "name the folder of the release's files with --from or ATELIER_DOWNLOADS"
	[ -n "$version" ] || fail "name the version with --version"
	case $from in
	http://*@*) fail "--from must begin with https://" ;;
	http://localhost | http://localhost[:/]* | http://127.0.0.1 | http://127.0.0.1[:/]*) ;;
	http://*) fail "--from must begin with https://" ;;
	esac
	case $(uname -s) in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	*) fail "there is no program for $(uname -s); on Windows use install.ps1" ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) fail "there is no program for the processor $(uname -m)" ;;
	esac

	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 1' INT TERM HUP
	name=atelier_${version}_${os}_${arch}
	get "${from%/}/atelier_${version}_SHA256SUMS" "$tmp/sums"
	get "${from%/}/$name.tar.gz" "$tmp/archive"
	want=$(awk -v f="$name.tar.gz" '$2 == f || $2 == "*" f { print $1 }' "$tmp/sums")
	[ -n "$want" ] || fail "the checksums do not name $name.tar.gz"
	[ "$(sum "$tmp/archive")" = "$want" ] || fail "the checksum of $name.tar.gz is wrong: the download is damaged, or is not what was released. Nothing was installed"
	tar -xzf "$tmp/archive" -C "$tmp" "$name/atelier" || fail "the archive cannot be unpacked"
	"$tmp/$name/atelier" version >/dev/null || fail "the program does not run on this system. Nothing was installed"
	mkdir -p "$dir" || fail "$dir cannot be made: choose another folder with --dir"
	# First beside its place, since only within a file system is a rename one step.
	cp "$tmp/$name/atelier" "$dir/.atelier.$$" || fail "$dir cannot be written to: choose another folder with --dir"
	mv -f "$dir/.atelier.$$" "$dir/atelier" || { rm -f "$dir/.atelier.$$" && fail "$dir/atelier cannot be replaced"; }
	say "$("$dir/atelier" version | head -n 1) is in $dir"
	case :$PATH: in
	*:"$dir":*) ;;
	*) say "Add that folder to PATH, such as with: export PATH=\"$dir:\$PATH\"" ;;
	esac
}

# Last: a download that broke off runs nothing.
main "$@"
