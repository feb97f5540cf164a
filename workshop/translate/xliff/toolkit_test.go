package xliff_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/need"
	"atelier/workshop/translate/xliff"
	"atelier/workshop/translate/xliff/xlifftest"
)

// toolkit runs a program of translate-toolkit, or a script with its library.
func toolkit(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Run(), "%s: %s", args[0], errs.String())
	return out.String()
}

// python returns an interpreter that has the library of translate-toolkit.
// Debian's package is for the system's Python.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import translate.storage.xliff").Run() == nil {
			if _, err := exec.LookPath("pocount"); err == nil {
				return name
			}
		}
	}
	need.Absent(t, "translate-toolkit", "translate-toolkit")
	return ""
}

// readUnits prints how translate-toolkit reads a document, as JSON.
const readUnits = `
import json, sys
from translate.storage import xliff
f = xliff.xlifffile.parsefile(sys.argv[1])
def codes(e):
    return [] if not hasattr(e, "sub") else [(type(e).__name__, e.id)] * (type(e).__name__ in ("G", "X")) + [c for s in e.sub for c in codes(s)]
print(json.dumps({"from": f.sourcelanguage, "to": f.targetlanguage, "units": [{
    "id": u.xmlelement.get("id"), "source": str(u.source), "target": str(u.target or ""),
    "sourceCodes": codes(u.rich_source[0]), "targetCodes": codes(u.rich_target[0]) if u.target else [],
    "state": u.get_state_n(), "approved": u.isapproved(), "locked": not u.istranslatable(),
    "notes": u.getnotes("developer"), "alternatives": [[a.source, a.target] for a in u.getalttrans()],
} for u in f.units]}))
`

type toolkitUnit struct {
	ID, Source, Target, Notes string
	SourceCodes, TargetCodes  [][]string
	State                     int
	Approved, Locked          bool
	Alternatives              [][]string
}

func toolkitDocument() xliff.Document {
	return xliff.Document{
		File: xliff.File{Version: xliff.V12, Original: "a.docx", Hash: "aa", From: "en", To: "es"},
		Units: []xliff.Unit{
			{ID: "p1", Place: "Sales!B3", Source: "Hello <1>you</1>", Target: "Hola <1>a ti</1>", HasTarget: true, State: xliff.Translated},
			{ID: "p2", Source: "  Price: {0} ", Target: "  Precio: {0} ", HasTarget: true, State: xliff.Reviewed},
			{ID: "p3", Source: "Total", Suggestions: []xliff.Suggestion{{Source: "Totals", Target: "Totales", Score: 0.8}}},
			{ID: "p4", Source: "Total", Target: "Suma", HasTarget: true, State: xliff.Translated, Flags: []string{"a remark"}},
			{ID: "p5", Source: "Name<1/>&lt;&amp;", Target: "<1/>&lt;&amp;", HasTarget: true, State: xliff.Final, MaxLength: 5},
			{ID: "p6", Source: "ACME", Locked: true},
		},
	}
}

// TR-10: translate-toolkit reads every unit of 1.2 with its texts, codes,
// states, notes and suggestions.
func TestTR10TranslateToolkitReads(t *testing.T) {
	py := python(t)
	path := filepath.Join(t.TempDir(), "a.docx.xlf")
	file := written(t, toolkitDocument())
	xlifftest.Conforms(t, file)
	require.NoError(t, os.WriteFile(path, file, 0o600))
	var got struct {
		From, To string
		Units    []toolkitUnit
	}
	require.NoError(t, json.Unmarshal([]byte(toolkit(t, py, "-c", readUnits, path)), &got))
	require.Equal(t, "en es", got.From+" "+got.To)
	g, x, none := [][]string{{"G", "1"}}, [][]string{{"X", "1"}}, [][]string{}
	const needsWork, needsReview, unreviewed, final = 30, 80, 100, 120 // translate.storage.workflow.StateEnum
	require.Equal(t, []toolkitUnit{
		{ID: "p1", Source: "Hello you", Target: "Hola a ti", SourceCodes: g, TargetCodes: g, State: unreviewed, Notes: "Sales!B3", Alternatives: none},
		{ID: "p2", Source: "  Price: {0} ", Target: "  Precio: {0} ", SourceCodes: none, TargetCodes: none, State: final, Approved: true, Alternatives: none},
		{ID: "p3", Source: "Total", SourceCodes: none, TargetCodes: none, State: needsWork, Alternatives: [][]string{{"Totals", "Totales"}}},
		{ID: "p4", Source: "Total", Target: "Suma", SourceCodes: none, TargetCodes: none, State: needsReview, Notes: "a remark", Alternatives: none},
		{ID: "p5", Source: "Name<&", Target: "<&", SourceCodes: x, TargetCodes: x, State: final + 1, Approved: true, Alternatives: none},
		{ID: "p6", Source: "ACME", SourceCodes: none, TargetCodes: none, State: needsWork, Locked: true, Alternatives: none},
	}, got.Units)

	// Its programs count and convert them: machine translations are fuzzy,
	// because no person has confirmed them.
	count := strings.Join(strings.Fields(toolkit(t, "pocount", "--no-color", path)), " ")
	require.Contains(t, count, "Total: 5", "without the locked one")
	require.Contains(t, count, "Fuzzy: 2", count)
	po := path + ".po"
	toolkit(t, "xliff2po", "--progress=none", "-i", path, "-o", po)
	b, err := os.ReadFile(po)
	require.NoError(t, err)
	require.Contains(t, string(b), "msgstr \"Suma\"")
	require.Contains(t, string(b), "#. Sales!B3")
}

// edit makes the changes of a person in an editor of translate-toolkit
// (Virtaal, Pootle): one text corrected, one confirmed, one translated, one
// broken.
const edit = `
import sys
from translate.storage import xliff
from translate.storage.placeables import xliff as codes, StringElem
f = xliff.xlifffile.parsefile(sys.argv[1])
u = {u.xmlelement.get("id"): u for u in f.units}
u["p1"].rich_target = [StringElem(["Buenas, ", codes.G(id="1", sub=["usted"]), "."])]
u["p2"].target = "  Precio: "
u["p3"].target = "Total & más"
u["p4"].markapproved(True)
f.savefile(sys.argv[2])
`

// TR-10: files that translate-toolkit saved are merged like those of 2.1.
func TestTR10TranslateToolkitEdits(t *testing.T) {
	py := python(t)
	dir := t.TempDir()
	before, after := filepath.Join(dir, "a.xlf"), filepath.Join(dir, "b.xlf")
	d := toolkitDocument()
	require.NoError(t, os.WriteFile(before, written(t, d), 0o600))
	toolkit(t, py, "-c", edit, before, after)
	doc, err := os.ReadFile(after)
	require.NoError(t, err)
	m := merge(t, doc, "aa", append(segs[:4:4], segs[4]))
	require.True(t, m.SameVersion)
	require.Equal(t, map[string]xliff.Accepted{
		"p1": {Target: "Buenas, <1>usted</1>.", State: xliff.Translated},
		"p3": {Target: "Total &amp; más", State: xliff.Reviewed},
		"p4": {Target: "Suma", State: xliff.Reviewed},
	}, m.Accepted)
	require.Len(t, m.Refused, 2)
	require.Equal(t, "p2", m.Refused[0].ID)
	require.Contains(t, m.Refused[0].Reason, "{0}")
	require.Equal(t, "p5", m.Refused[1].ID, "its source is another document's")
}
