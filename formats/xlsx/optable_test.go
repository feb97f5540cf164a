package xlsx

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/sheetml"
)

const (
	sheet2   = "xl/worksheets/sheet2.xml"
	bookPart = "xl/workbook.xml"
	typesXML = "[Content_Types].xml"
	bookRels = "xl/_rels/workbook.xml.rels"
)

// smallBook has two sheets that refer to each other, a name for the workbook and
// one for the second sheet.
func smallBook(t testing.TB) []byte {
	return raw(t, map[string]string{bookPart: bookXML(`<definedNames><definedName name="Total">S1!$B$4</definedName><definedName name="Two" localSheetId="1">S2!$A$1</definedName></definedNames>`)},
		`<dimension ref="A1:C4"/><sheetData>`+
			`<row r="1"><c r="A1" t="inlineStr"><is><t>Name</t></is></c><c r="B1" t="inlineStr"><is><t>N</t></is></c></row>`+
			`<row r="2"><c r="A2" t="inlineStr"><is><t>ann</t></is></c><c r="B2" s="1"><v>3</v></c><c r="C2"><f>B2*2</f><v>6</v></c></row>`+
			`<row r="3"><c r="A3" t="inlineStr"><is><t>bob</t></is></c><c r="B3"><v>5</v></c></row>`+
			`<row r="4"><c r="B4"><f>SUM(B2:B3)</f><v>8</v></c></row>`+
			`</sheetData><mergeCells count="1"><mergeCell ref="E2:F3"/></mergeCells>`,
		`<sheetData><row r="1"><c r="A1"><f>S1!B3+1</f><v>6</v></c><c r="B1"><v>7</v></c></row></sheetData>`)
}

// bookXML is a workbook part with two sheets and what follows their list.
func bookXML(after string) string {
	return `<workbook xmlns="` + sheetml.Namespace + `" xmlns:r="` + sheetml.RelNamespace + `"><bookViews><workbookView activeTab="1"/></bookViews><sheets><sheet name="S1" sheetId="1" r:id="rId1"/><sheet name="S2" sheetId="2" r:id="rId2"/></sheets>` + after + `</workbook>`
}

// calcPr is the mark that formulas are to be calculated on load.
const calcPr = `<calcPr fullCalcOnLoad="1"/></workbook>`

// opTest is one call of Apply: the parts that it changes, and what it tells.
type opTest struct {
	name string
	in   []byte // nil: smallBook
	ops  string // JSON objects, with commas between them
	// files are other files that the operations name.
	files map[string][]byte
	// swap has, by part, old and new texts in turns; each old text is there once.
	// For a part that comes, the old text is "".
	swap  map[string][]string
	gone  []string         // parts
	rep   formats.OpReport // of the last operation, without its index and name
	warns []string         // how the warnings about the file begin
}

// runOps runs tests; parts that a test does not name must stay as they are.
func runOps(t *testing.T, tests []opTest) {
	t.Helper()
	for _, o := range tests {
		t.Run(o.name, o.run)
	}
}

func (o opTest) run(t *testing.T) {
	in := o.in
	if in == nil {
		in = smallBook(t)
	}
	out, rep, err := applyWith(t, in, o.files, "["+o.ops+"]")
	require.NoError(t, err)
	last := rep.Ops[len(rep.Ops)-1]
	o.rep.Index, o.rep.Op = last.Index, last.Op
	require.Equal(t, o.rep, last)
	require.Len(t, rep.Warnings, len(o.warns), "%q", rep.Warnings)
	for i, w := range o.warns {
		require.True(t, strings.HasPrefix(rep.Warnings[i], w), "%q begins with %q", rep.Warnings[i], w)
	}
	want, got := formatstest.Parts(t, in), formatstest.Parts(t, out)
	for _, name := range o.gone {
		require.Contains(t, want, name)
		delete(want, name)
	}
	for name, pairs := range o.swap {
		want[name] = swapped(t, name, string(want[name]), pairs)
	}
	require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)), "the parts of the file")
	for name := range want {
		require.Equal(t, string(want[name]), string(got[name]), name)
	}
}

// swapped puts new texts in place of old ones.
func swapped(t *testing.T, name, text string, pairs []string) []byte {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] == "" {
			require.Empty(t, text, "%s is there already", name)
			text = pairs[i+1]
			continue
		}
		require.Equal(t, 1, strings.Count(text, pairs[i]), "%s in %s", pairs[i], name)
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return []byte(text)
}

// refusal is an operation with a bad argument: nothing is written, and the error
// has a code and says what is wrong.
type refusal struct {
	op   string
	code formats.Code
	want string
}

func runRefusals(t *testing.T, in []byte, tests []refusal) {
	t.Helper()
	if in == nil {
		in = smallBook(t)
	}
	for _, r := range tests {
		out, _, err := tryApply(t, in, "["+r.op+"]")
		require.ErrorContains(t, err, r.want, r.op)
		require.Equal(t, r.code, formats.CodeOf(err), r.op)
		require.Empty(t, out, r.op)
	}
}

// valueless is a workbook without the values of its formulas and without the
// mark that they are to be calculated.
func valueless(t testing.TB, b []byte) []byte {
	t.Helper()
	for _, name := range []string{sheet1, sheet2, bookPart} {
		b = edited(t, b, name, func(s string) string {
			s = regexp.MustCompile(`</f><v>[^<]*</v>`).ReplaceAllString(s, "</f>")
			return strings.Replace(s, calcPr, "</workbook>", 1)
		})
	}
	return b
}
