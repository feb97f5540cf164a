package all

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
)

// pivotEdits makes random pivot tables over random data and changes both.
type pivotEdits struct {
	t    *testing.T
	r    *rand.Rand
	file []byte
	sum  *reviewCounter
	did  map[string]int
}

// apply applies operations and holds the review against the independent reader.
func (e *pivotEdits) apply(ops ...string) []byte {
	e.t.Helper()
	var list []json.RawMessage
	for _, op := range ops {
		list = append(list, json.RawMessage(op))
	}
	var out bytes.Buffer
	src := formats.FromBytes("list.xlsx", e.file)
	_, err := editorOf(e.t, formats.KindXlsx).Apply(e.t.Context(), src, &out, list, formats.ApplyOptions{})
	require.NoError(e.t, err, ops)
	d, err := set.Kind(formats.KindXlsx).Differ.Diff(e.t.Context(), src, formats.FromBytes("list.xlsx", out.Bytes()), formats.DiffOptions{MaxItems: 1 << 20})
	require.NoError(e.t, err, ops)
	e.sum.edits++
	a, b := formatstest.OpenPackage(e.t, e.file), formatstest.OpenPackage(e.t, out.Bytes())
	found := differences(formats.KindXlsx, a, b)
	for _, x := range found {
		n := e.sum.aspects[x.aspect]
		n[0]++
		e.sum.differ++
		if told(d, formats.KindXlsx, x) {
			n[1]++
			e.sum.toldDiffs++
		} else if len(e.sum.untold) < 40 {
			e.sum.untold = append(e.sum.untold, fmt.Sprintf("%s: %s %s %s (%s) is not told", ops, x.aspect, x.place, x.cell, x.part))
		}
		e.sum.aspects[x.aspect] = n
	}
	require.Equal(e.t, len(found) > 0, len(d.Facts)+len(d.Groups) > 0, "%s: the review says something where nothing differs, or the other way round", ops)
	return out.Bytes()
}

// pick returns some of the names, each at most once and at least least.
func (e *pivotEdits) pick(names []string, least int) []string {
	list := append([]string(nil), names...)
	e.r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:least+e.r.IntN(len(list)-least+1)]
}

// one returns one of the list.
func (e *pivotEdits) one(list ...string) string { return list[e.r.IntN(len(list))] }

// design is a random layout, as the members of an operation.
func (e *pivotEdits) design() string {
	names := e.pick([]string{"Region", "Product", "Seller", "Day", "Size"}, 1)
	cut := e.r.IntN(len(names) + 1)
	field := func(name string) string {
		more := ""
		switch {
		case name == "Day" && e.r.IntN(2) == 0:
			more = `,"group":["years","months"]`
		case name == "Size" && e.r.IntN(2) == 0:
			more = `,"step":5,"start":0,"end":30`
		case name == "Day" || name == "Size":
			more = `,"group":"none"`
		case e.r.IntN(3) == 0:
			more = `,"sort":"descending"`
		}
		return fmt.Sprintf(`{"field":%q%s}`, name, more)
	}
	var rows, cols, filters []string
	for i, n := range names {
		switch {
		case i < min(cut, 2):
			rows = append(rows, field(n))
		case i < 4 && len(cols) < 1:
			cols = append(cols, field(n))
		default:
			filters = append(filters, fmt.Sprintf("%q", n))
		}
	}
	var values []string
	for i, n := range e.pick([]string{"Amount", "Size", "Product"}, 1) {
		values = append(values, fmt.Sprintf(`{"field":%q,"function":%q,"name":"Value %d"}`, n, e.one("sum", "count", "max", "countNums"), i))
	}
	list := func(l []string) string { return "[" + strings.Join(l, ",") + "]" }
	return fmt.Sprintf(`"row_fields":%s,"column_fields":%s,"filter_fields":%s,"value_fields":%s,"layout":%q,"grand_totals":%q,"subtotals":%t`,
		list(rows), list(cols), list(filters), list(values), e.one("compact", "outline", "tabular"), e.one("both", "rows", "columns", "none"), e.r.IntN(2) == 0)
}

// record is a random row of the source.
func (e *pivotEdits) record() []any {
	day := fmt.Sprintf("%d-%02d-%02d", 2022+e.r.IntN(3), 1+e.r.IntN(12), 1+e.r.IntN(28))
	return []any{e.one("North", "South", "East"), e.one("Pear", "Fig", "apple", "Apple"), e.one("Ann", "Bob", "Kim", ""), day, e.r.IntN(30), float64(e.r.IntN(9999)) / 8}
}

func (e *pivotEdits) setRows(first int, rows [][]any) string {
	b, err := json.Marshal(rows)
	require.NoError(e.t, err)
	return fmt.Sprintf(`{"op":"set_range","sheet":"List","start":"A%d","values":%s}`, first, b)
}

// step makes one random edit, with its inverse where it has one.
func (e *pivotEdits) step(n int) {
	name := fmt.Sprintf("P%d", n)
	switch op := e.one("add", "change", "refresh", "data"); op {
	case "add":
		before := e.file
		e.file = e.apply(fmt.Sprintf(`{"op":"add_pivot","source":"List!A1:F41","sheet":"Empty","cell":"B2","name":%q,%s}`, name, e.design()))
		e.file = e.apply(fmt.Sprintf(`{"op":"delete_pivot","name":%q}`, name))
		e.same(before, e.file)
		e.did["added and deleted"]++
	case "change":
		first, second := e.design(), e.design()
		e.file = e.apply(fmt.Sprintf(`{"op":"change_pivot","name":"Base",%s}`, first))
		before := e.file
		e.file = e.apply(fmt.Sprintf(`{"op":"change_pivot","name":"Base",%s}`, second))
		back := e.apply(fmt.Sprintf(`{"op":"change_pivot","name":"Base",%s}`, first))
		e.cells(before, back, first+" "+second)
		e.did["changed and changed back"]++
	case "refresh":
		e.file = e.apply(`{"op":"refresh_pivot"}`)
		require.Equal(e.t, e.file, e.apply(`{"op":"refresh_pivot"}`), "a second refresh changes nothing")
		e.did["refreshed"]++
	case "data":
		row := 2 + e.r.IntN(40)
		e.file = e.apply(e.setRows(row, [][]any{e.record()}))
		e.did["source changed"]++
	}
}

// same requires that the workbook is that of before: the same parts, byte for byte but
// for the lists of strings and styles and the rows where the table was, which are empty.
func (e *pivotEdits) same(before, after []byte) {
	e.t.Helper()
	a, b := formatstest.Parts(e.t, before), formatstest.Parts(e.t, after)
	maps.DeleteFunc(b, func(name string, doc []byte) bool { // a list of relationships that is empty now
		return a[name] == nil && strings.HasSuffix(name, ".rels") && !bytes.Contains(doc, []byte("<Relationship "))
	})
	require.Equal(e.t, slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b)))
	for name, doc := range a {
		if strings.HasPrefix(name, "xl/worksheets/sheet") && !bytes.Contains(doc, []byte("<c ")) {
			require.NotContains(e.t, string(b[name]), "<c ", name)
		} else if name != "xl/styles.xml" && name != "xl/sharedStrings.xml" {
			require.Equal(e.t, string(doc), string(b[name]), name)
		}
	}
}

// cells requires that the cells of two workbooks have the same values.
func (e *pivotEdits) cells(before, after []byte, what string) {
	e.t.Helper()
	for _, x := range cellDifferences(formatstest.OpenPackage(e.t, before), formatstest.OpenPackage(e.t, after)) {
		require.NotEqual(e.t, "cell", x.aspect, "%s %s: changed and changed back: %s", x.place, x.cell, what)
	}
}

// RV-01: random pivot tables over random data: the review carries all that an
// independent reader finds, a table that is added and deleted leaves the workbook as it
// was, one that is changed and changed back shows the same, and a refresh of a fresh
// table changes no byte.
func TestReviewOfRandomPivots(t *testing.T) { t.Run("xlsx", randomPivots) } // in the campaign of workbooks

func randomPivots(t *testing.T) {
	seed := campaign.Seed()
	sum := &reviewCounter{aspects: map[string][2]int{}}
	did := map[string]int{}
	own, err := os.ReadFile(filepath.Join(formatstest.Root(t), "testdata", "documents", "sales.xlsx"))
	require.NoError(t, err)
	for round := range campaign.Of(6, 60) {
		e := &pivotEdits{t: t, r: rand.New(rand.NewPCG(seed, uint64(round))), file: own, sum: sum, did: did}
		rows := [][]any{{"Region", "Product", "Seller", "Day", "Size", "Amount"}}
		for range 40 {
			rows = append(rows, e.record())
		}
		e.file = e.apply(`{"op":"ensure_sheet","sheet":"List"}`, e.setRows(1, rows), `{"op":"ensure_sheet","sheet":"Table"}`, `{"op":"ensure_sheet","sheet":"Empty"}`)
		e.file = e.apply(fmt.Sprintf(`{"op":"add_pivot","source":"List!A1:F41","sheet":"Table","cell":"A1","name":"Base",%s}`, e.design()))
		for n := range 6 {
			e.step(n)
		}
	}
	sum.report(t, formats.KindXlsx, seed)
	formatstest.Report(t, "random pivot tables: %v (seed %d)", did, seed)
}

// listPlace is a block of a sheet with a row of names.
type listPlace struct {
	source string
	names  []string
}

// list returns a block whose first row has two names or more.
func (p *place) list() listPlace {
	if len(p.lists) == 0 {
		return listPlace{p.sheet() + "!A1:B3", []string{"none", "here"}}
	}
	return p.lists[p.r.IntN(len(p.lists))]
}

// listsOf finds rows with texts in neighbouring cells, over rows that have more.
func (p *place) listsOf(sheet string, cells map[string]cellState) {
	for row := 1; row < 30; row++ {
		for col := 1; col < 8; col++ {
			l := listPlace{}
			for c := col; cells[columnName(c)+strconv.Itoa(row)].value != "" && len(l.names) < 8; c++ {
				l.names = append(l.names, cells[columnName(c)+strconv.Itoa(row)].value)
			}
			if _, err := strconv.ParseFloat(strings.Join(l.names, ""), 64); len(l.names) < 2 || err == nil || cells[columnName(col)+strconv.Itoa(row+1)].value == "" {
				continue
			}
			l.source = fmt.Sprintf("'%s'!%s%d:%s%d", strings.ReplaceAll(sheet, "'", "''"), columnName(col), row, columnName(col+len(l.names)-1), row+20)
			p.lists = append(p.lists, l)
			return
		}
	}
}
