package audit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/xlsxtest"
)

func audit(t testing.TB, book []byte, opt formats.AuditOptions) *formats.Audit {
	t.Helper()
	out, err := Auditor{}.Audit(context.Background(), xlsxtest.Source(book), opt)
	require.NoError(t, err)
	return out
}

// planted is a grid of a sheet that faults are planted into: n items with a
// quantity, a price and an amount, and a total; turned, items are columns.
type planted struct {
	cells  map[cellref.Cell]string
	turned bool
	r, c   int // where the block begins
}

func (p *planted) at(item, field int) cellref.Cell {
	if p.turned {
		return cellref.At(p.r+field, p.c+item)
	}
	return cellref.At(p.r+item, p.c+field)
}

func (p *planted) name(item, field int) string {
	c := p.at(item, field)
	return cellref.Name(c.Row, c.Col)
}

func (p *planted) set(item, field int, v string) { p.cells[p.at(item, field)] = v }

func (p *planted) book(t testing.TB) []byte {
	var rows []string
	for r := 1; r < 60; r++ {
		line := make([]string, 60)
		for c := 1; c < 60; c++ {
			line[c-1] = p.cells[cellref.At(r, c)]
		}
		rows = append(rows, strings.TrimRight(strings.Join(line, "|"), "|"))
	}
	return xlsxtest.Raw(t, nil, xlsxtest.Grid(rows...))
}

func newPlanted(rnd *rand.Rand, n int) *planted {
	p := &planted{cells: map[cellref.Cell]string{}, turned: rnd.IntN(2) == 0, r: 2 + rnd.IntN(6), c: 2 + rnd.IntN(6)}
	for f, label := range []string{"Quantity", "Price", "Amount"} {
		p.set(-1, f, label)
	}
	for i := range n {
		p.set(i, 0, fmt.Sprint(100+rnd.IntN(200)))
		p.set(i, 1, fmt.Sprint(40+rnd.IntN(90)))
		p.set(i, 2, fmt.Sprintf("=%s*%s→7", p.name(i, 0), p.name(i, 1)))
	}
	for _, f := range []int{0, 2} {
		p.set(n, f, fmt.Sprintf("=SUM(%s:%s)→7", p.name(0, f), p.name(n-1, f)))
	}
	return p
}

// At least 95 % of planted faults are found where they are, and a workbook
// without faults has no findings.
func TestPlantedFaults(t *testing.T) {
	rnd := rand.New(rand.NewPCG(62, 1))
	kinds := []string{kindPattern, kindTyped, kindTotal, kindSign}
	found, all := map[string]int{}, map[string]int{}
	for round := range 160 {
		n := 6 + rnd.IntN(30)
		p := newPlanted(rnd, n)
		require.Empty(t, audit(t, p.book(t), formats.AuditOptions{Kinds: kinds}).Findings)
		kind := kinds[round%len(kinds)]
		i := rnd.IntN(n)
		at := p.name(i, 2)
		switch kind {
		case kindPattern:
			p.set(i, 2, fmt.Sprintf([]string{"=%s*%s+1→7", "=%s+%s→7"}[rnd.IntN(2)], p.name(i, 0), p.name(i, 1)))
		case kindTyped:
			p.set(i, 2, "7123")
		case kindTotal:
			at = p.name(n, 0)
			p.set(n, 0, fmt.Sprintf("=SUM(%s:%s)→7", p.name(0, 0), p.name(n-2, 0)))
		case kindSign:
			at = p.name(i, 0)
			p.set(i, 0, "-"+p.cells[p.at(i, 0)])
		}
		all[kind]++
		for _, f := range audit(t, p.book(t), formats.AuditOptions{Kinds: []string{kind}}).Findings {
			if f.At == "'S1'!"+at {
				found[kind]++
			}
		}
	}
	for _, k := range kinds {
		t.Logf("%s: %d of %d found", k, found[k], all[k])
		require.GreaterOrEqual(t, found[k]*100, all[k]*95, k)
	}
}

// Each kind of finding has its place and its words.
func TestKindsOfFindings(t *testing.T) {
	for name, tt := range map[string]struct {
		rows           []string
		kind, at, fact string
	}{
		"error at its source": {[]string{"0", "=1/A1→#DIV/0!", "=A2+1→#DIV/0!"}, kindError, "'S1'!A2", "2 cells of the workbook have errors"},
		"lost reference":      {[]string{"=#REF!+1→#REF!"}, kindError, "'S1'!A1", "has lost a reference"},
		"circular":            {[]string{"=A2→1", "=A3→1", "=A1→1"}, kindCircular, "'S1'!A1", "'S1'!A1 reads 'S1'!A2 reads 'S1'!A3 reads 'S1'!A1"},
		"number as text":      {[]string{"Amount|x", "1|a", "2|b", "=\"12\"→12|c"}, "", "", ""},
		"stale":               {[]string{"1", "2", "=SUM(A1:A2)→4"}, kindStale, "'S1'!A3", "stored value 4"},
		"scale":               {[]string{"10", "12", "14", "11", "13000", "12", "15"}, kindScale, "'S1'!A5", "1000 times"},
		"no value":            {[]string{"1", "=A1+1", "=A2+1"}, kindNoValue, "'S1'!A2", "2 formulas"},
		"external":            {[]string{"=[1]Sheet1!A1→4"}, kindExternal, "'S1'!A1", "[1]"},
		"moving sums":         {[]string{"1", "2|=SUM(A1:A3)→6", "3|=SUM(A2:A4)→9", "4"}, "", "", ""},
		"year above a range":  {[]string{"2019", "5", "6", "=SUM(A2:A3)→11"}, "", "", ""},
		"opening balance":     {[]string{"100", "=A1+1→101", "=A2+1→102", "=A3+1→103", "=A4+1→104"}, "", "", ""},
	} {
		got := audit(t, xlsxtest.Raw(t, nil, xlsxtest.Grid(tt.rows...)), formats.AuditOptions{}).Findings
		if tt.kind == "" {
			require.Empty(t, got, name)
			continue
		}
		require.Len(t, got, 1, name)
		require.Equal(t, tt.kind, got[0].Kind, name)
		require.Equal(t, tt.at, got[0].At, name)
		require.Contains(t, got[0].Fact, tt.fact, name)
	}
}

// A formula without a value that names what is not defined is an error before anybody
// calculates it.
func TestUndefinedNames(t *testing.T) {
	names := map[string]string{xlsxtest.Main: xlsxtest.Book(`<sheets><sheet name="S1" sheetId="1" r:id="rId1"/></sheets><definedNames><definedName name="Known">'S1'!$A$1</definedName></definedNames>`)}
	book := xlsxtest.Raw(t, names, xlsxtest.Grid("1", "=Rate*A1", "=known+A1", "=Rate+1→2", "=_xlfn.LET(_xlpm.x,1,_xlpm.x)", "=LET(y,1,y)", "=Rate*A2"))
	got := audit(t, book, formats.AuditOptions{Kinds: []string{kindError}}).Findings
	require.Len(t, got, 2)
	require.Equal(t, "'S1'!A2", got[0].At)
	require.Equal(t, "'S1'!A7", got[1].At)
	require.Contains(t, got[0].Fact, "=Rate*A1 names Rate, which is not defined in the workbook")
}

// A number that begins a chain anew is likely meant; one in a run of other formulas is
// not. Numbers of a row may differ by any factor.
func TestTypedNumbersInChains(t *testing.T) {
	chain, others := []string{"1"}, []string{}
	for i := 2; i <= 12; i++ {
		chain = append(chain, fmt.Sprintf("=A%d+1→%d", i-1, i))
	}
	chain[6] = "50"
	for i := 1; i <= 12; i++ {
		others = append(others, fmt.Sprintf("%d|=A%d*2→%d", i, i, 2*i))
	}
	others[6] = "7|99"
	for want, rows := range map[formats.Severity][]string{formats.SeverityLow: chain, formats.SeverityHigh: others} {
		got := audit(t, xlsxtest.Raw(t, nil, xlsxtest.Grid(rows...)), formats.AuditOptions{Kinds: []string{kindTyped}}).Findings
		require.Len(t, got, 1)
		require.Equal(t, want, got[0].Severity)
	}
	require.Empty(t, audit(t, xlsxtest.Raw(t, nil, xlsxtest.Grid("10|12|14|11|13000|12|15")), formats.AuditOptions{Kinds: []string{kindScale}}).Findings)
}

// A trace has precedents and dependents of other sheets, the map what flows
// between them.
func TestTraceAndMap(t *testing.T) {
	book := xlsxtest.Raw(t, nil, xlsxtest.Grid("5"), xlsxtest.Grid("=S1!A1*2→10", "=A1+1→11"))
	tr := audit(t, book, formats.AuditOptions{Cell: "'S2'!A1"}).Trace.(*Trace)
	require.Equal(t, &Trace{Cell: "'S2'!A1", Value: "10", Formula: "=S1!A1*2", Reads: []Linked{{At: "'S1'!A1", Value: "5"}}, ReadBy: []Linked{{At: "'S2'!A2", Value: "11", Formula: "=A1+1"}}}, tr)
	m := audit(t, book, formats.AuditOptions{}).Map.(*Map)
	require.Equal(t, []string{"S1 → S2: 1 formulas"}, m.Flows)
	require.Equal(t, "inputs", m.Sheets[0].Role)
}

// An audit ends soon after its context.
func TestAuditCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Auditor{}.Audit(ctx, xlsxtest.Source(xlsxtest.Raw(t, nil, xlsxtest.Grid("1", "=A1→1"))), formats.AuditOptions{})
	require.ErrorIs(t, err, context.Canceled)
}

// Findings in real workbooks, by kind (ATELIER_REPORT).
func TestAuditCorpus(t *testing.T) {
	for _, path := range formatstest.Sample(t, "xlsx") {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		out, err := Auditor{}.Audit(context.Background(), xlsxtest.Source(b), formats.AuditOptions{})
		if err != nil {
			continue
		}
		counts := map[string]int{}
		for _, f := range out.Findings {
			counts[f.Kind]++
		}
		formatstest.Report(t, "audit %s: %v", path, counts)
		for i, f := range out.Findings {
			if i < 12 {
				t.Logf("  %s %s %s: %s → %s", f.Severity, f.Kind, f.At, f.Fact, f.Expected)
			}
		}
	}
}
