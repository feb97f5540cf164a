package reader

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/xlsxtest"
)

func TestPartsOfAWorkbook(t *testing.T) {
	b := xlsxtest.Raw(t, map[string]string{commentsPart: note}, xlsxtest.Grid("1|2", "", "x"), "<sheetData/>")
	var parts []formats.Part
	require.NoError(t, Reader{}.Parts(context.Background(), xlsxtest.Source(b), func(p formats.Part) error { parts = append(parts, p); return nil }))
	require.Equal(t, []formats.Part{
		{Kind: "sheet", Name: "S1", Text: "Sheet: S1\nA1: 1, B1: 2\nA3: x\nComments:\nB2 (Ana): two\\nlines\nA9: below", At: []string{"", "1", "3", "", "B2", "A9"}},
		{Kind: "sheet", Name: "S2", Text: "Sheet: S2", At: []string{""}},
	}, parts)
	stop := errors.New("stop")
	n := 0
	require.Equal(t, stop, errors.Unwrap(Reader{}.Parts(context.Background(), xlsxtest.Source(b), func(formats.Part) error { n++; return stop })), "the error of emit ends it")
	require.Equal(t, 1, n)
}

// A sheet of over 4 MiB is several parts; together they have each row once.
func TestPartsOfALongSheet(t *testing.T) {
	var sb strings.Builder
	sb.WriteString("<sheetData>")
	for r := 1; r <= 170; r++ {
		fmt.Fprintf(&sb, `<row r="%d"><c r="A%d" t="str"><v>%s</v></c><c r="B%d"><v>%d</v></c></row>`, r, r, xlsxtest.LongText(r, 31_500), r, r)
	}
	b := xlsxtest.Raw(t, nil, sb.String()+"</sheetData>")
	parts, seen := 0, map[string]int{}
	require.NoError(t, Reader{}.Parts(context.Background(), xlsxtest.Source(b), func(p formats.Part) error {
		require.Equal(t, "S1", p.Name)
		require.NotContains(t, p.Text, "truncated")
		for line := range strings.SplitSeq(strings.TrimPrefix(p.Text, "Sheet: S1\n"), "\n") {
			name, text, _ := strings.Cut(line, ": ")
			seen[name]++
			require.True(t, strings.HasSuffix(text, ", B"+name[1:]+": "+name[1:]), name)
		}
		parts++
		return nil
	}))
	require.Equal(t, 2, parts)
	require.Len(t, seen, 170)
	for r, n := range seen {
		require.Equal(t, 1, n, r)
	}
}

func TestLastLineOfARow(t *testing.T) {
	for text, want := range map[string]string{
		"Sheet: S\nA1: a\nA2: b": "Sheet: S\nA1: a",
		"Sheet: S\nAB2: b":       "Sheet: S",
		"Sheet: S\nA12: b":       "Sheet: S\nA12: b",
		"Sheet: S\nA1: a":        "Sheet: S\nA1: a",
		"A2: b":                  "A2: b",
		"Sheet: S\n(hidden)":     "Sheet: S\n(hidden)",
	} {
		require.Equal(t, want, withoutRow(text, 2), text)
	}
}
