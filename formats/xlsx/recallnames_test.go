package xlsx

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/formula"
)

// TR-02, TR-12: with all sheets of real workbooks renamed too, each file keeps
// to the schema, and no formula, name or chart mentions an old name.
func TestTR12NamesOfSheets(t *testing.T) {
	for _, path := range formatstest.Sample(t, "xlsx") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			in := load(t, path)
			list, err := segmenter{}.Segments(context.Background(), src(in), formats.SegmentOptions{SheetNames: true})
			if !typedError(t, err) {
				return
			}
			targets := map[string]string{}
			for _, s := range list {
				if s.Part == "sheet name" {
					targets[s.ID] = formatstest.Cipher(s.Text)
				}
			}
			var out bytes.Buffer
			require.NoError(t, segmenter{}.Replace(context.Background(), src(in), &out, targets, formats.ReplaceOptions{}))
			formatstest.Validate(t, formatstest.Write(t, "out.xlsx", out.Bytes()), path)
			before, err := open(context.Background(), src(in))
			require.NoError(t, err)
			old := map[string]bool{}
			for _, s := range before.Sheets {
				if formatstest.Cipher(s.Name) != s.Name {
					old[s.Name] = true
				}
			}
			p := formatstest.OpenPackage(t, out.Bytes())
			for _, name := range p.Reachable() {
				tree := p.Tree(name)
				if tree == nil {
					continue
				}
				for _, n := range tree.All("x:f", "x:formula", "x:formula1", "x:definedName", "c:f", "x:calculatedColumnFormula") {
					for tok := range formula.Tokens(n.Text) {
						require.False(t, old[tok.Sheet] || old[tok.LastSheet], "%s: %s", name, n.Text)
					}
				}
			}
		})
	}
}
