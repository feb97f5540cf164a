package template

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/docx"
	"atelier/formats/formatstest"
	"atelier/formats/pptx"
	"atelier/formats/xlsx"
	"atelier/internal/campaign"
)

// sample makes one of the templates of testdata and fills it. With
// ATELIER_SAMPLES=folder both files are kept there.
func sample(t *testing.T, name string) (*formats.Format, string, []byte, *Tally) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	require.NoError(t, err)
	var s struct {
		Kind, Language   string
		Operations, Data json.RawMessage
	}
	require.NoError(t, json.Unmarshal(b, &s))
	f := map[string]*formats.Format{"docx": docx.Format(), "xlsx": xlsx.Format(), "pptx": pptx.Format()}[s.Kind]
	file := name + "." + s.Kind
	blank := apply(t, f, string(s.Operations))
	made, tally := fill(t, file, blank, string(s.Data), s.Language)
	if dir := os.Getenv("ATELIER_SAMPLES"); dir != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), made, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "template-"+file), blank, 0o600))
	}
	return f, file, made, tally
}

func TestSamples(t *testing.T) {
	for name, want := range map[string][]string{
		"contract":    {"Lambert & Fils S.A.R.L., 12 rue Mercière, Lyon, and Northwind Studio Ltd., dated 1 December 2026.", "Website design\t12\t14,400.00", "Total\t\t18,450.00", "within 30 days", "Claire Lambert, telephone +33", "Marc Petit"},
		"invoice":     {"Invoice R-1007", "B3: 24 Nov 2026", "A9: Travel", "D10: 18,762.40", "D12: 22,514.88", "A13: Reverse charge"},
		"certificate": {"ADA BYRON", "36 hours.", "KURT GÖDEL", "40 hours and distinction.", "26 November 2026"},
	} {
		f, file, made, tally := sample(t, name)
		got := text(t, f, file, made)
		for _, w := range want {
			require.Contains(t, got, w)
		}
		require.NotContains(t, got, "{{", name)
		require.Empty(t, tally.Missing, name)
		require.Empty(t, tally.Loose, name)
	}
}

func TestLibreOfficeOpensSamples(t *testing.T) {
	campaign.Slow(t)
	for _, name := range []string{"contract", "invoice", "certificate"} {
		_, file, made, _ := sample(t, name)
		formatstest.LibreOfficeOpens(t, formatstest.Write(t, file, made))
	}
}
