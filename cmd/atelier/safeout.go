package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"atelier/internal/textsafe"
)

// safeWriter spells out control characters. Names and texts of documents are
// printed, and a terminal would execute escape sequences in them (ECMA-48)
// that hide lines or change other text. The program's own colors pass,
// because they are harmless. JSON has no raw control characters except line
// ends.
//
// On a terminal it also spells out characters that are invisible or change
// the direction of text, because a name with them looks like another. Files
// and other programs get them unchanged.
type safeWriter struct {
	to     io.Writer
	unseen bool // spell these out too
}

// safeTo writes to a file of this process.
func safeTo(f *os.File) safeWriter { return safeWriter{f, term.IsTerminal(int(f.Fd()))} }

func (s safeWriter) spells(c rune) bool {
	return isControl(c) || s.unseen && c != '\r' && textsafe.Unseen(c)
}

// ours are the allowed sequences.
var ours = []string{bold, green, red, italic, cyan, plainText}

const (
	bold      = "\x1b[1m"
	green     = "\x1b[32m"
	red       = "\x1b[31m"
	italic    = "\x1b[3m"
	cyan      = "\x1b[36m"
	plainText = "\x1b[0m"
)

func (s safeWriter) Write(p []byte) (int, error) {
	if bytes.ContainsFunc(p, s.spells) {
		_, err := progressLine.write(s.to, []byte(s.safe(p)))
		return len(p), err
	}
	return progressLine.write(s.to, p)
}

// safe returns p with the unsafe characters spelled out.
func (s safeWriter) safe(p []byte) string {
	var out strings.Builder
	prev := rune(-1)
	for i := 0; i < len(p); {
		c, n := utf8.DecodeRune(p[i:])
		next, _ := utf8.DecodeRune(p[i+n:])
		ordinary := !isControl(c) && !textsafe.Hidden(prev, c, next)
		prev = c
		if ordinary || !s.spells(c) {
			out.Write(p[i : i+n])
			i += n
			continue
		}
		if m := passes(p[i:]); m > 0 {
			out.Write(p[i : i+m])
			i += m
			continue
		}
		fmt.Fprintf(&out, "⟦U+%04X⟧", c)
		i += n
	}
	return out.String()
}

// passes returns the length of the safe start of p.
func passes(p []byte) int {
	if bytes.HasPrefix(p, []byte("\r\n")) {
		return 2
	}
	for _, seq := range ours {
		if bytes.HasPrefix(p, []byte(seq)) {
			return len(seq)
		}
	}
	return 0
}

func isControl(c rune) bool {
	return c < 0x20 && c != '\n' && c != '\t' || c >= 0x7f && c < 0xa0
}

// terminal reports whether out is a terminal, and returns its file.
func terminal(out io.Writer) (*os.File, bool) {
	if s, ok := out.(safeWriter); ok {
		out = s.to
	}
	f, ok := out.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// styled is terminal for one that executes escape sequences.
func styled(out io.Writer) (*os.File, bool) {
	f, ok := terminal(out)
	return f, ok && takesSequences(f)
}

// columns returns the width of a terminal.
func columns(out io.Writer) int {
	if f, ok := terminal(out); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return w
		}
	}
	return 80
}

// name returns a file name that fits in one line: line ends are spelled out.
func name(s string) string { return strings.ReplaceAll(s, "\n", "⟦U+000A⟧") }
