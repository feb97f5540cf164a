#!/bin/sh
# What somebody does in the first hour with the program: each command with what it
# answers, as a transcript. Runs in a folder with documents in "olives", on any shell of
# POSIX (also Alpine's), without a network.
set -u
failed=0

# step COMMAND…: shows a command and runs it, which must succeed.
step() {
	echo "\$ $*"
	if ! eval "$*" 2>&1 </dev/null; then
		echo "(failed)"
		failed=1
	fi
	echo
}

# refused COMMAND…: as step, for a command that must fail.
refused() {
	echo "\$ $*"
	if eval "$*" 2>&1 </dev/null; then
		echo "(should have failed)"
		failed=1
	fi
	echo
}

step atelier version
step ls olives
step atelier translate olives --to en --out english
step ls english

step "atelier run 'Translate everything to English' --in olives --model pseudo"
step atelier review --names --in olives
step atelier review clientes.csv --in olives
step atelier review notas.md --changes --in olives
step atelier review notas.md --reject 1 --in olives
step atelier undo --in olives
step atelier publish notas.md --in olives
step atelier status --in olives
step atelier log notas.md --in olives
step atelier discard --in olives
step atelier review --in olives
step atelier checkpoints list --in olives

refused "atelier run 'Who owes us money?' --in olives --model gpt-5"
refused atelier review --in nothing
refused atelier translate olives --out twice
refused atelier pubish --in olives

step atelier usage --in olives
step atelier egress --in olives
step atelier doctor
step atelier doctor --in olives
step atelier list
exit $failed
