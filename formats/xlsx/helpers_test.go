package xlsx

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// src makes a source of a workbook's bytes.
func src(b []byte) formats.Source { return formats.FromBytes("book.xlsx", b) }

// ops splits a JSON array of operations.
func ops(t testing.TB, js string) []json.RawMessage {
	t.Helper()
	var raw []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(js), &raw), js)
	return raw
}

// apply runs ops and fails the test on an error; in nil makes a new workbook.
func apply(t testing.TB, in []byte, js string) ([]byte, formats.Report) {
	t.Helper()
	out, rep, err := tryApply(t, in, js)
	require.NoError(t, err)
	return out, rep
}

func tryApply(t testing.TB, in []byte, js string) ([]byte, formats.Report, error) {
	t.Helper()
	var s formats.Source
	if in != nil {
		s = src(in)
	}
	var out bytes.Buffer
	rep, err := Format().Editor.Apply(context.Background(), s, &out, ops(t, js), formats.ApplyOptions{})
	return out.Bytes(), rep, err
}

func read(t testing.TB, in []byte, sel formats.Selector) string {
	t.Helper()
	text, err := Format().Reader.Read(context.Background(), src(in), sel)
	require.NoError(t, err)
	return text.Text
}

// fixture builds a workbook with excelize.
func fixture(t testing.TB, build func(f *excelize.File)) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	build(f)
	var buf bytes.Buffer
	require.NoError(t, f.Write(&buf))
	return buf.Bytes()
}

// excel opens a workbook with an independent reader.
func excel(t testing.TB, b []byte) *excelize.File {
	t.Helper()
	f, err := excelize.OpenReader(bytes.NewReader(b))
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// raw builds a minimal workbook around the given sheets' XML, each the content
// of <worksheet>; parts adds or replaces whole parts.
func raw(t testing.TB, parts map[string]string, sheets ...string) []byte {
	t.Helper()
	ctx := context.Background()
	ed := opc.NewEdit()
	main := `<workbook xmlns="` + sheetml.Namespace + `" xmlns:r="` + sheetml.RelNamespace + `"><sheets>`
	for i := range sheets {
		main += fmt.Sprintf(`<sheet name="S%d" sheetId="%d" r:id="rId%d"/>`, i+1, i+1, i+1)
	}
	main += `</sheets></workbook>`
	add := func(name, typ, from, rel, xml string) {
		ed.Set(name, []byte(xml))
		require.NoError(t, ed.AddContentType(ctx, name, typ))
		_, err := ed.AddRel(ctx, from, opc.Relationship{Type: rel, Target: name})
		require.NoError(t, err)
	}
	add("xl/workbook.xml", book.TypeBook, "", opc.RelOfficeDocument, main)
	for i, s := range sheets {
		add(fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1), book.TypeSheet, "xl/workbook.xml", book.RelWorksheet, `<worksheet xmlns="`+sheetml.Namespace+`" xmlns:r="`+sheetml.RelNamespace+`">`+s+`</worksheet>`)
	}
	for name, xml := range parts {
		switch name {
		case "xl/styles.xml":
			add(name, "application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml", "xl/workbook.xml", book.RelStyles, xml)
		case "xl/sharedStrings.xml":
			add(name, "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml", "xl/workbook.xml", book.RelStrings, xml)
		case "xl/calcChain.xml":
			add(name, "application/vnd.openxmlformats-officedocument.spreadsheetml.calcChain+xml", "xl/workbook.xml", book.RelCalcChain, xml)
		case "xl/tables/table1.xml":
			add(name, "application/vnd.openxmlformats-officedocument.spreadsheetml.table+xml", "xl/worksheets/sheet1.xml", book.RelTable, xml)
		case "xl/comments1.xml":
			add(name, "application/vnd.openxmlformats-officedocument.spreadsheetml.comments+xml", "xl/worksheets/sheet1.xml", book.RelComments, xml)
		default:
			ed.Set(name, []byte(xml))
		}
	}
	var out bytes.Buffer
	require.NoError(t, ed.Write(ctx, &out))
	return out.Bytes()
}

// part is one part of a workbook as text.
func part(t testing.TB, b []byte, name string) string {
	t.Helper()
	pkg, err := opc.Open(context.Background(), src(b))
	require.NoError(t, err)
	doc, err := pkg.ReadXML(context.Background(), name)
	require.NoError(t, err)
	return string(doc)
}

func load(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return b
}

func jsonString(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// cellsOf reads the first sheet with the independent reader.
func cellsOf(t testing.TB, b []byte) map[string]string {
	t.Helper()
	f := excel(t, b)
	rows, err := f.GetRows(f.GetSheetList()[0])
	require.NoError(t, err)
	m := map[string]string{}
	for r, row := range rows {
		for c, v := range row {
			if v != "" {
				m[cellref.Name(r+1, c+1)] = v
			}
		}
	}
	return m
}
