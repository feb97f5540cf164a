package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// Text of a document cannot control the terminal.
func TestSafeWriter(t *testing.T) {
	for in, want := range map[string]string{
		"plain ñ 🙂\n\tx":                "plain ñ 🙂\n\tx",
		"\x1b[31m- old\x1b[0m\r\n":      "\x1b[31m- old\x1b[0m\r\n",
		"a\x1b[2K\rb":                   "a⟦U+001B⟧[2K⟦U+000D⟧b",
		"\x1b]0;title\x07":              "⟦U+001B⟧]0;title⟦U+0007⟧",
		"c1 \u009b31m":                  "c1 ⟦U+009B⟧31m",
		"\x1b[8mhidden":                 "⟦U+001B⟧[8mhidden",
		"bad utf-8 \xff\xfe and \x00 0": "bad utf-8 \xff\xfe and ⟦U+0000⟧ 0",
	} {
		var out bytes.Buffer
		n, err := safeWriter{to: &out}.Write([]byte(in))
		require.NoError(t, err)
		require.Equal(t, len(in), n)
		require.Equal(t, want, out.String())
	}
}

// On a terminal a name cannot look like another one; elsewhere it is printed
// unchanged.
func TestSafeWriterOnATerminal(t *testing.T) {
	for in, want := range map[string]string{
		"published invoice\u202excod.exe\n": "published invoice⟦U+202E⟧xcod.exe\n",
		"a\u200bb \ufeffc \u2066d\u2069":    "a⟦U+200B⟧b ⟦U+FEFF⟧c ⟦U+2066⟧d⟦U+2069⟧",
		"\x1b[31m- old\x1b[0m\r\n":          "\x1b[31m- old\x1b[0m\r\n",
		"plain ñ 🙂 العربية\n\tx":            "plain ñ 🙂 العربية\n\tx",
		"a\rb":                              "a⟦U+000D⟧b",
		"in\u00advoice.docx 👨\u200d👩":       "in⟦U+00AD⟧voice.docx 👨\u200d👩",
	} {
		var out, file bytes.Buffer
		_, err := safeWriter{to: &out, unseen: true}.Write([]byte(in))
		require.NoError(t, err)
		require.Equal(t, want, out.String())
		_, err = safeWriter{to: &file}.Write([]byte("\u202e"))
		require.NoError(t, err)
		require.Equal(t, "\u202e", file.String())
	}
}
