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

# A server that hangs, or whose answer never ends, holds nothing up for longer, and
# fills no disk.
stall=30          # seconds without progress
longest=1800      # seconds for a file
largest=314572800 # bytes of a file

get() { # get ADDRESS FILE
	case $1 in
	http://* | https://*) download "$@" ;;
	*) cp -- "$1" "$2" || fail "$1 cannot be read" ;;
	esac
}

download() { # download ADDRESS FILE
	status=0
	if command -v curl >/dev/null 2>&1; then
		(
			ulimit -f $((largest / 512)) || :
			exec curl -fsSL --globoff --proto-redir =https --connect-timeout "$stall" --speed-limit 1000 --speed-time "$stall" --max-time "$longest" --retry 2 --retry-max-time "$longest" -o "$2" "$1"
		) || status=$?
	elif command -v wget >/dev/null 2>&1; then
		limit='' idle=''
		if command -v timeout >/dev/null 2>&1; then limit="timeout $longest"; fi
		# That of BusyBox has -T too, and some of them crash with it.
		case $(wget --version 2>/dev/null || :) in *GNU*) idle="-T $stall" ;; esac
		(
			ulimit -f $((largest / 512)) || :
			exec $limit wget -S --tries=2 $idle -O "$2" "$1"
		) 2>"$tmp/said" || status=$?
		# It has no flag against this.
		if grep -qi '^ *location: *http://' "$tmp/said"; then fail "$1 redirects to an address that does not begin with https://"; fi
		if [ "$status" != 0 ]; then tail -n 3 "$tmp/said" >&2; fi
	else
		fail "neither curl nor wget is installed"
	fi
	[ "$status" = 0 ] || fail "$1 cannot be downloaded: it does not answer, is absent, or is longer than $((largest / 1048576)) MiB. Nothing was installed"
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
	version='@VERSION@' from='@DOWNLOADS@' dir=${HOME:+$HOME/.local/bin}
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
	case $version in *[!0-9A-Za-z.+-]*) fail "--version $version is not a version such as 0.9.0" ;; esac
	[ -n "$dir" ] || fail "HOME is not set, or --dir is empty: name the folder with --dir"
	case $dir in /*) ;; *) dir=$PWD/$dir ;; esac # for PATH too
	while [ "$dir" != "${dir%/}" ]; do dir=${dir%/}; done
	# A rename would move the program into it.
	[ ! -d "$dir/atelier" ] || fail "$dir/atelier is a folder: choose another folder with --dir"
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

	umask 022 # others may start it, and nobody else change it
	new=''
	tmp=$(mktemp -d)
	trap 'rm -rf "$tmp"; [ -z "$new" ] || rm -f "$new"' EXIT
	trap 'exit 1' INT TERM HUP
	name=atelier_${version}_${os}_${arch}
	get "${from%/}/atelier_${version}_SHA256SUMS" "$tmp/sums"
	get "${from%/}/$name.tar.gz" "$tmp/archive"
	want=$(awk -v f="$name.tar.gz" '$2 == f || $2 == "*" f { print $1 }' "$tmp/sums")
	[ -n "$want" ] || fail "the checksums do not name $name.tar.gz"
	[ "$(sum "$tmp/archive")" = "$want" ] || fail "the checksum of $name.tar.gz is wrong: the download is damaged, or is not what was released. Nothing was installed"
	tar -xzf "$tmp/archive" -C "$tmp" "$name/atelier" || fail "the archive cannot be unpacked"
	mkdir -p "$dir" || fail "$dir cannot be made: choose another folder with --dir"
	# First beside its place, since only within a file system is a rename one step; and
	# it may be forbidden to start programs in the folder of temporary files.
	new=$(mktemp "$dir/.atelier.XXXXXX") || fail "$dir cannot be written to: choose another folder with --dir"
	cp "$tmp/$name/atelier" "$new" && chmod 755 "$new" || fail "$dir cannot be written to, or its disk is full. Nothing was installed"
	"$new" version >"$tmp/said" || fail "the program does not run on this system, or not in $dir. Nothing was installed"
	mv -f "$new" "$dir/atelier" || fail "$dir/atelier cannot be replaced"
	new=''
	say "$(head -n 1 "$tmp/said") is in $dir"
	hint
}

hint() { # hint says what is missing to start it by its name
	case :$PATH: in
	*:"$dir":*)
		first=$(command -v atelier || :)
		case $first in '' | "$dir/atelier") ;; *) say "But 'atelier' starts $first, whose folder comes first in PATH" ;; esac
		;;
	*)
		case $dir in
		*:*) say "A folder with a colon in its name cannot be in PATH: start it by its whole path" ;;
		# What a shell would carry out, or take for the end of the text, is quoted.
		*[!A-Za-z0-9/._+\ -]*) say "Add that folder to PATH, such as with: export PATH='$(printf %s "$dir" | sed "s/'/'\\\\''/g")':\"\$PATH\"" ;;
		*) say "Add that folder to PATH, such as with: export PATH=\"$dir:\$PATH\"" ;;
		esac
		;;
	esac
}

# Last: a download that broke off runs nothing.
main "$@"
