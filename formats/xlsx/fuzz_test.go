package xlsx

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/numfmt"
	"atelier/formats/xlsx/internal/sheetml"
)

var fuzzSeeds = []string{
	`<worksheet><dimension ref="A1"/><sheetData><row r="1"><c r="A1" s="1" t="s"><v>1</v></c><c><f t="shared" si="0" ref="A1:B2">A1</f></c></row><row/></sheetData><x/></worksheet>`,
	`<x:worksheet xmlns:x="u"><x:sheetData/></x:worksheet>`,
	`<worksheet><sheetData><row r="3"><c r="C3" t="inlineStr"><is><t>a</t></is></c></row><row r="2"><!-- c --><c r="B2" t="b"><v><![CDATA[1]]></v></c></row></sheetData></worksheet>`,
}

// rowsOf scans a document to its end; ok is false when it is damaged.
func rowsOf(doc []byte) (cells map[cellref.Cell]string, head, tail int, ok bool) {
	s := sheetml.NewRowScanner(bytes.NewReader(doc))
	h, err := s.Head()
	if err != nil {
		return nil, 0, 0, false
	}
	cells = map[cellref.Cell]string{}
	for {
		ev, err := s.Next()
		if err != nil {
			return nil, 0, 0, false
		}
		if ev == sheetml.DataEnd {
			break
		}
		if ev == sheetml.WholeCell {
			cells[cellref.At(s.Cell.Row, s.Cell.Col)] = string(s.Text(s.Cell.Value)) + "|" + string(s.Text(s.Cell.Formula)) + "|" + string(s.Text(s.Cell.Inline))
		}
	}
	t, err := s.Tail()
	return cells, len(h), len(t), err == nil
}

func FuzzRowScanner(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		_, head, tail, ok := rowsOf(doc)
		if ok {
			require.LessOrEqual(t, head+tail, len(doc))
		}
		sheetml.PlainText(doc)
		numfmt.Parse(string(doc)).Number(43832.5, false)
		formula.Move(string(doc), 1, -1)
	})
}

func FuzzSplice(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add([]byte(s), 2, 2)
	}
	f.Fuzz(func(t *testing.T, doc []byte, row, col int) {
		before, head, _, ok := rowsOf(doc)
		if !ok || row < 1 || col < 1 || row > cellref.MaxRow || col > cellref.MaxCol || !wellFormed(doc) {
			return
		}
		s := sheetml.NewRowScanner(bytes.NewReader(doc))
		h, err := s.Head()
		require.NoError(t, err)
		at := cellref.At(row, col)
		_, there := before[at]
		e := &sheetEdit{cells: map[cellref.Cell]value{at: {kind: valNumber, s: "42"}}, exists: map[cellref.Cell]bool{at: there}, rowExists: rowsSeen(doc), selfData: s.SelfData}
		tail := doc[len(doc)-tailLen(doc):]
		k := sheetml.Skeleton{Doc: append(bytes.Clone(h), tail...), Cut: head}
		e.head, e.tail = k.Split(nil)
		var out bytes.Buffer
		require.NoError(t, splice(sheetml.NewRowScanner(bytes.NewReader(doc)).Rows(t.Context()), e, &out))
		after, _, _, ok := rowsOf(out.Bytes())
		require.True(t, ok, out.String())
		require.True(t, wellFormed(out.Bytes()), out.String())
		require.Equal(t, "42||", after[at], fmt.Sprint(at))
	})
}

func tailLen(doc []byte) int { _, _, n, _ := rowsOf(doc); return n }

func rowsSeen(doc []byte) map[int]bool {
	m := map[int]bool{}
	s := sheetml.NewRowScanner(bytes.NewReader(doc))
	_, _ = s.Head()
	for {
		ev, err := s.Next()
		if err != nil || ev == sheetml.DataEnd {
			return m
		}
		if ev == sheetml.RowStart {
			m[s.Row] = true
		}
	}
}

// wellFormed asks the standard library, which is stricter than the scanner.
func wellFormed(doc []byte) bool {
	d := xml.NewDecoder(bytes.NewReader(doc))
	for {
		if _, err := d.RawToken(); err == io.EOF {
			break
		} else if err != nil {
			return false
		}
	}
	sc := xmlscan.New(doc)
	for sc.Next() {
	}
	return sc.Err() == nil
}

func FuzzFollow(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add([]byte(s), "SUM('My S'!A1:B$2,T[[#This Row],[a]],S1:S3!A1)+#REF!", 2, -1, false)
	}
	f.Add([]byte(`<worksheet><cols><col min="1" max="3"/></cols><sheetData/><mergeCells count="2"><mergeCell ref="A1:B2"/><mergeCell ref="C3"/></mergeCells><conditionalFormatting sqref="A2:A9"><cfRule><formula>A2&gt;$B$1</formula></cfRule></conditionalFormatting><extLst><ext><a:sparklines xmlns:a="u"><a:sparkline><f>S1!A1</f><sqref>B1</sqref></a:sparkline></a:sparklines></ext></extLst></worksheet>`), "A1", 1, 3, true)
	f.Fuzz(func(t *testing.T, doc []byte, text string, at, n int, cols bool) {
		sh := &cellref.Shift{Cols: cols, At: at, Count: n}
		if at < 1 || at > sh.Limit() || n == 0 || n > sh.Limit() || n < -sh.Limit() {
			return
		}
		rw := &formula.Rewriter{Sheet: "s1", Shift: sh, Tables: map[string]formula.TableChange{"t": {Now: "U"}}, Order: []string{"s1"}}
		rw.Text(text, formula.Place{Sheet: "s1"})
		rw.Text(text, formula.Place{Sheet: "s1", Keep: true, Delta: n})
		(&formula.Rewriter{Names: map[string]string{"s1": "It's"}}).Text(text, formula.Place{})
		followVML(rw, doc, "s1")
		if !wellFormed(doc) {
			return
		}
		edits, err := (&walk{rw: rw, home: "s1", elems: formulaElems}).run(doc)
		require.NoError(t, err)
		require.True(t, wellFormed(xmlscan.Apply(doc, edits)))
	})
}
