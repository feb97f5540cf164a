package xlsx

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/xlsxtest"
)

var (
	src     = xlsxtest.Source
	fixture = xlsxtest.Fixture
	excel   = xlsxtest.Excel
	raw     = xlsxtest.Raw
	part    = xlsxtest.Part
	edited  = xlsxtest.Edited
)

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

// noValues is the note on formulas without a value, of which these tests have many.
var noValues = regexp.MustCompile(`\n\(no value for \d+ formulas? here\)`)

// read returns what a read says, without noValues.
func read(t testing.TB, in []byte, sel formats.Selector) string {
	t.Helper()
	text, err := Format().Reader.Read(context.Background(), src(in), sel)
	require.NoError(t, err)
	return noValues.ReplaceAllString(text.Text, "")
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
