package main

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/internal/campaign"
	"atelier/workshop"
)

// edited returns a workbench on the generated documents with a draft that
// changes three office files and two texts.
func edited(t *testing.T, more ...[2]string) (*engine.Engine, *workshop.Workbench) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "olivares")
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "testdata", "documents"))))
	e, err := engine.New(engine.Options{Home: t.TempDir(), Model: engine.PseudoModel})
	require.NoError(t, err)
	t.Cleanup(func() { e.Close() })
	wb, err := e.OpenFolder(context.Background(), dir)
	require.NoError(t, err)
	calls := [][2]string{
		{"xlsx_operations", `{"path":"sales.xlsx","operations":[
			{"op":"set_cells","sheet":"Sales","cells":[{"cell":"E5","value":480},{"cell":"F5","value":9.2},{"cell":"I5","value":"=ROUND(H5*(1-G5)*1.04,2)"},{"cell":"J6","value":"Revisado con el cliente"},{"cell":"E9","value":75}]},
			{"op":"set_hyperlink","sheet":"Sales","cell":"A30","url":"https://olivares.example/tarifa","text":"Tarifa vigente"}]}`},
		{"docx_operations", `{"path":"contrato.docx","operations":[
			{"op":"set_paragraph","at":"p3","text":"En Jaén, a 9 de marzo de 2026."},
			{"op":"replace_text","search":"tres años","replace":"cinco años"},
			{"op":"replace_text","search":"distribución exclusiva","replace":"distribución no exclusiva"},
			{"op":"format_text","search":"capacidad legal suficiente","bold":true},
			{"op":"append_paragraph","text":"Adenda. Las partes revisarán los precios cada seis meses."}]}`},
		{"pptx_operations", `{"path":"presentacion.pptx","operations":[
			{"op":"replace_text","search":"15 de marzo","replace":"22 de marzo"},
			{"op":"replace_text","search":"Treinta y dos empleados","replace":"Treinta y cinco empleados en dos sedes"},
			{"op":"move_slide","index":4,"position":2}]}`},
		{"write_text_file", `{"path":"acta.txt","content":"Acta de la reunión\n\nSe aprueba el plan comercial.\n"}`},
	}
	for _, c := range append(calls, more...) {
		tool(t, e, wb, c[0], c[1])
	}
	notes, err := os.ReadFile(filepath.Join(dir, "notas.md"))
	require.NoError(t, err)
	notes = bytes.Replace(notes, []byte("2 de marzo de 2026"), []byte("9 de marzo de 2026"), 1)
	notes = bytes.Replace(notes, []byte("en abril, con la nueva etiqueta"), []byte("en mayo, con la etiqueta nueva"), 1)
	args, err := json.Marshal(map[string]string{"path": "notas.md", "content": string(notes)})
	require.NoError(t, err)
	tool(t, e, wb, "write_text_file", string(args))
	return e, wb
}

func tool(t *testing.T, e *engine.Engine, wb *workshop.Workbench, name, args string) {
	t.Helper()
	r, err := engine.CallAs[engine.ToolCallResult](context.Background(), e, "ToolCall", engine.ToolCallParams{WorkbenchID: wb.ID(), Tool: name, Args: json.RawMessage(args)})
	require.NoError(t, err)
	require.True(t, r.Success, "%s: %+v", name, r.Error)
}

// wholePage returns the page of the edited documents with pictures, generated
// once for all tests.
func wholePage(t *testing.T) (file, text string) {
	t.Helper()
	shared.Do(func() {
		e, wb := edited(t)
		_, shared.text = htmlOf(t, e, wb, true)
	})
	require.NotEmpty(t, shared.text)
	file = filepath.Join(t.TempDir(), "review.html")
	require.NoError(t, os.WriteFile(file, []byte(shared.text), 0o644))
	return file, shared.text
}

var shared struct {
	sync.Once
	text string
}

// htmlOf returns the review of a draft as a page.
func htmlOf(t *testing.T, e *engine.Engine, wb *workshop.Workbench, pictures bool) (file, text string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "review.html")
	var out bytes.Buffer
	require.NoError(t, reviewHTML(context.Background(), e, wb, &out, htmlOptions{File: file, Pictures: pictures}))
	require.Contains(t, out.String(), "Wrote "+file)
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	return file, string(b)
}

// RV-06: the page has every change side by side, in the terms of its format,
// and requests nothing from outside.
func TestRV06Page(t *testing.T) {
	campaign.Slow(t)
	_, s := wholePage(t)
	for _, want := range []string{
		"<del>tres</del>", "<ins>cinco</ins>", "<ins>no </ins>", // docx, word by word
		"bold added",
		`<th scope="col">E</th>`, "<del>420</del>", "<ins>480</ins>", "=ROUND(H5*(1-G5)", // xlsx, a grid
		"slide 3: Cómo trabajamos", "was <bdi>slide 5</bdi>", "<del>15</del>", // pptx
		"<del>abril</del>", "<ins>mayo</ins>", // text
		"acta.txt", "new external hyperlink: https://olivares.example/tarifa",
		`lang="en"`, "Skip to the changes", "Content-Security-Policy",
	} {
		require.Contains(t, s, want)
	}
	require.NotRegexp(t, `(?i)(src|href)="(https?:|//|file:)`, s)
	require.NotRegexp(t, `(?i)url\(|@import|<link|<iframe`, s)
}

// RV-06: text of a document stays text everywhere.
func TestRV06Escapes(t *testing.T) {
	const evil = `<script>alert(1)</script><img src=x onerror=alert(2)>&quot;'\"`
	quoted, err := json.Marshal(evil + "\u202e\u200b")
	require.NoError(t, err)
	q := string(quoted)
	name := "<svg onload=alert(1)>.txt"
	if runtime.GOOS == "windows" { // which has no such names
		name = "&svg onload=alert(1).txt"
	}
	e, wb := edited(t,
		[2]string{"docx_operations", `{"path":"contrato.docx","operations":[{"op":"append_paragraph","text":` + q + `}]}`},
		[2]string{"xlsx_operations", `{"path":"sales.xlsx","operations":[{"op":"ensure_sheet","sheet":"<b>&'x"},{"op":"set_cells","sheet":"Sales","cells":[{"cell":"J7","value":` + q + `}]},{"op":"set_hyperlink","sheet":"Sales","cell":"A31","url":"https://x.example/<script>","text":"x"}]}`},
		[2]string{"pptx_operations", `{"path":"presentacion.pptx","operations":[{"op":"set_slide_text","index":0,"title":` + q + `}]}`},
		[2]string{"write_text_file", `{"path":"` + name + `","content":` + q + `}`},
	)
	_, s := htmlOf(t, e, wb, false)
	require.Equal(t, 1, bytes.Count([]byte(s), []byte("<script")), "only the page's own")
	require.NotContains(t, s, "<img src=x")
	require.NotContains(t, s, "<svg")
	require.NotContains(t, s, "<b>&")
	require.Contains(t, s, "&lt;script&gt;alert(1)&lt;/script&gt;")
	require.Contains(t, html.UnescapeString(s), "⟦U+202E⟧⟦U+200B⟧")
	require.NotContains(t, s, "\u202e")
}
