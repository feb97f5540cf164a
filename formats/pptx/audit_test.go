package pptx

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// Findings in real decks, by kind (ATELIER_REPORT).
func TestAuditCorpus(t *testing.T) {
	all := map[string]int{}
	for _, path := range append(formatstest.Corpus(t, "pptx"), filepath.Join(formatstest.Root(t), "testdata", "documents", "presentacion.pptx")) {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		out, err := Format().Auditor.Audit(t.Context(), formats.FromBytes("a.pptx", b), formats.AuditOptions{})
		if err != nil {
			require.NotEmpty(t, formats.CodeOf(err), "%v", err)
			continue
		}
		formatstest.Report(t, "audit %s: %v", path, out.Counts)
		t.Logf("%s: %v %v", filepath.Base(path), out.Counts, out.Unseen)
		for i, f := range out.Findings {
			all[f.Kind]++
			if i < 40 {
				t.Logf("  %s %s %s: %s → %s", f.Severity, f.Kind, f.At, f.Fact, f.Expected)
			}
		}
	}
	t.Logf("%v", all)
}
