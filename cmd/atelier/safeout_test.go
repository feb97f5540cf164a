package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// A document's text cannot drive the terminal.
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
		n, err := safeWriter{&out}.Write([]byte(in))
		require.NoError(t, err)
		require.Equal(t, len(in), n)
		require.Equal(t, want, out.String())
	}
}
