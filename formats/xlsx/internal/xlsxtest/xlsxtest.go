// Package xlsxtest makes small workbooks for tests.
package xlsxtest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// The names of parts that Raw makes.
const (
	Main   = "xl/workbook.xml"
	Sheet1 = "xl/worksheets/sheet1.xml"
	Sheet2 = "xl/worksheets/sheet2.xml"
	// Sheet1Rels has the relationships of Sheet1.
	Sheet1Rels = "xl/worksheets/_rels/sheet1.xml.rels"
)

// Source returns a source of a workbook's bytes.
func Source(b []byte) formats.Source { return formats.FromBytes("book.xlsx", b) }

// Fixture builds a workbook with excelize.
func Fixture(t testing.TB, build func(f *excelize.File)) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	build(f)
	var buf bytes.Buffer
	require.NoError(t, f.Write(&buf))
	return buf.Bytes()
}

// Excel opens a workbook with an independent reader.
func Excel(t testing.TB, b []byte) *excelize.File {
	t.Helper()
	f, err := excelize.OpenReader(bytes.NewReader(b))
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// known has the content type of a part and the relationship that leads to it,
// from the sheet where sheet is set, else from the workbook.
var known = []struct {
	name, typ, rel string
	sheet          bool
}{
	{"xl/styles.xml", "styles+xml", book.RelStyles, false},
	{"xl/sharedStrings.xml", "sharedStrings+xml", book.RelStrings, false},
	{"xl/calcChain.xml", "calcChain+xml", book.RelCalcChain, false},
	{"xl/tables/table1.xml", "table+xml", book.RelTable, true},
	{"xl/comments1.xml", "comments+xml", book.RelComments, true},
}

// Raw builds a minimal workbook around the given sheets' XML, each the content
// of <worksheet>; parts adds or replaces whole parts.
func Raw(t testing.TB, parts map[string]string, sheets ...string) []byte {
	t.Helper()
	ctx := context.Background()
	ed := opc.NewEdit()
	ed.Fast()
	add := func(name, typ, from, rel, xml string) {
		ed.Set(name, []byte(xml))
		require.NoError(t, ed.AddContentType(ctx, name, typ))
		_, err := ed.AddRel(ctx, from, opc.Relationship{Type: rel, Target: name})
		require.NoError(t, err)
	}
	var list strings.Builder
	for i := range sheets {
		fmt.Fprintf(&list, `<sheet name="S%d" sheetId="%d" r:id="rId%d"/>`, i+1, i+1, i+1)
	}
	add(Main, book.TypeBook, "", opc.RelOfficeDocument, Book(`<sheets>`+list.String()+`</sheets>`))
	for i, s := range sheets {
		add(fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1), book.TypeSheet, Main, book.RelWorksheet, Worksheet(s))
	}
	for _, k := range known {
		from := Main
		if k.sheet {
			from = Sheet1
		}
		if xml, ok := parts[k.name]; ok {
			add(k.name, "application/vnd.openxmlformats-officedocument.spreadsheetml."+k.typ, from, k.rel, xml)
		}
	}
	for name, xml := range parts {
		ed.Set(name, []byte(xml)) // also a part with relationships, instead of those above
	}
	var out bytes.Buffer
	require.NoError(t, ed.Write(ctx, &out))
	return out.Bytes()
}

const namespaces = ` xmlns="` + sheetml.Namespace + `" xmlns:r="` + sheetml.RelNamespace + `"`

// Book is a workbook part around its content.
func Book(content string) string { return `<workbook` + namespaces + `>` + content + `</workbook>` }

// Worksheet is a worksheet part around its content.
func Worksheet(content string) string {
	return `<worksheet` + namespaces + `>` + content + `</worksheet>`
}

// Styles is a style part whose cell formats, behind the default one, have the
// given number format codes.
func Styles(codes ...string) string {
	var fmts, xfs strings.Builder
	for i, c := range codes {
		fmt.Fprintf(&fmts, `<numFmt numFmtId="%d" formatCode="%s"/>`, 170+i, sheetml.EscapeAttr(c))
		fmt.Fprintf(&xfs, `<xf numFmtId="%d" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`, 170+i)
	}
	return StyleSheet(`<numFmts count="` + strconv.Itoa(len(codes)) + `">` + fmts.String() + `</numFmts><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="1"><fill><patternFill patternType="none"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="` + strconv.Itoa(len(codes)+1) + `"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` + xfs.String() + `</cellXfs>`)
}

// StyleSheet is a style part around its content.
func StyleSheet(content string) string {
	return `<styleSheet xmlns="` + sheetml.Namespace + `">` + content + `</styleSheet>`
}

// SharedStrings is a string table of the given items, each the content of <si>.
func SharedStrings(items ...string) string {
	return `<sst xmlns="` + sheetml.Namespace + `"><si>` + strings.Join(items, `</si><si>`) + `</si></sst>`
}

// Rels is a part with relationships rId1 and on, each "type target"; a target
// with a scheme is external.
func Rels(list ...string) string {
	var sb strings.Builder
	sb.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i, r := range list {
		typ, target, _ := strings.Cut(r, " ")
		if !strings.Contains(typ, ":") {
			typ = opc.RelPrefix + typ
		}
		mode := ""
		if strings.Contains(target, "://") {
			mode = ` TargetMode="External"`
		}
		fmt.Fprintf(&sb, `<Relationship Id="rId%d" Type="%s" Target="%s"%s/>`, i+1, typ, target, mode)
	}
	return sb.String() + `</Relationships>`
}

// Grid is the sheetData of rows whose cells have "|" between them: numbers, TRUE
// and FALSE, errors such as #N/A, formulas such as =A1+1 or with a result
// =A1+1→3, else texts. Nothing between two bars is no cell.
func Grid(rows ...string) string {
	var sb strings.Builder
	sb.WriteString("<sheetData>")
	for i, row := range rows {
		if row == "" {
			continue
		}
		fmt.Fprintf(&sb, `<row r="%d">`, i+1)
		for j, v := range strings.Split(row, "|") {
			if v != "" {
				sb.WriteString(gridCell(cellref.Name(i+1, j+1), v))
			}
		}
		sb.WriteString("</row>")
	}
	return sb.String() + "</sheetData>"
}

func gridCell(at, v string) string {
	if formula, ok := strings.CutPrefix(v, "="); ok {
		f, result, has := strings.Cut(formula, "→")
		typ, value := gridValue(result)
		if !has {
			typ, value = "", ""
		}
		return `<c r="` + at + `"` + typ + `><f>` + sheetml.Escape(f) + `</f>` + value + `</c>`
	}
	if typ, value := gridValue(v); typ != ` t="str"` {
		return `<c r="` + at + `"` + typ + `>` + value + `</c>`
	}
	return `<c r="` + at + `" t="inlineStr"><is>` + sheetml.TextElement("", v) + `</is></c>`
}

// gridValue is the type attribute and the element of a value.
func gridValue(v string) (typ, element string) {
	switch _, err := strconv.ParseFloat(v, 64); {
	case err == nil:
	case v == "TRUE", v == "FALSE":
		typ, v = ` t="b"`, map[string]string{"TRUE": "1", "FALSE": "0"}[v]
	case strings.HasPrefix(v, "#"):
		typ = ` t="e"`
	default:
		typ = ` t="str"`
	}
	return typ, `<v>` + sheetml.Escape(v) + `</v>`
}

// LongText is text of n letters that packs to about a fiftieth: a file that packs
// better is taken for a zip bomb. It differs from that of another seed.
func LongText(seed, n int) string {
	rnd := rand.New(rand.NewPCG(3, uint64(seed)))
	var sb strings.Builder
	for sb.Len() < n {
		sb.WriteString(letters(rnd, 150) + repeated())
	}
	return sb.String()[:n]
}

var repeated = sync.OnceValue(func() string { return letters(rand.New(rand.NewPCG(1, 2)), 8000) })

func letters(rnd *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + rnd.IntN(26))
	}
	return string(b)
}

// Part returns one part of a workbook as text.
func Part(t testing.TB, b []byte, name string) string {
	t.Helper()
	pkg, err := opc.Open(context.Background(), Source(b))
	require.NoError(t, err)
	doc, err := pkg.ReadXML(context.Background(), name)
	require.NoError(t, err)
	return string(doc)
}

// Edited changes one part of a workbook.
func Edited(t testing.TB, in []byte, name string, change func(string) string) []byte {
	t.Helper()
	pkg, err := opc.Open(context.Background(), Source(in))
	require.NoError(t, err)
	ed := pkg.Edit()
	doc := ""
	if pkg.Has(name) {
		doc = Part(t, in, name)
	}
	ed.Set(name, []byte(change(doc)))
	var out bytes.Buffer
	require.NoError(t, ed.Write(context.Background(), &out))
	return out.Bytes()
}

// CountedContext is done once it has been asked a number of times.
type CountedContext struct {
	context.Context
	asked atomic.Int64
	limit int64
	done  chan struct{}
}

// NewCounted returns a context that ends at the question of the given number.
func NewCounted(limit int64) *CountedContext {
	return &CountedContext{Context: context.Background(), limit: limit, done: make(chan struct{})}
}

// Asked returns how often the context was asked whether it is done.
func (c *CountedContext) Asked() int64 { return c.asked.Load() }

// Done implements context.Context.
func (c *CountedContext) Done() <-chan struct{} { return c.done }

// Err implements context.Context.
func (c *CountedContext) Err() error {
	n := c.asked.Add(1)
	if n == c.limit {
		close(c.done)
	}
	if n >= c.limit {
		return context.Canceled
	}
	return nil
}
