package pptx

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

var ctx = context.Background()

// ops makes the operations of an Apply from JSON texts.
func ops(texts ...string) []json.RawMessage {
	out := make([]json.RawMessage, len(texts))
	for i, t := range texts {
		out[i] = json.RawMessage(t)
	}
	return out
}

// edit applies operations to a file (nil: a new deck) and returns the result.
func edit(t testing.TB, file []byte, texts ...string) []byte {
	t.Helper()
	out, _ := editReport(t, file, texts...)
	return out
}

func editReport(t testing.TB, file []byte, texts ...string) ([]byte, formats.Report) {
	t.Helper()
	out, rep, err := tryEdit(file, texts...)
	require.NoError(t, err)
	return out, rep
}

func tryEdit(file []byte, texts ...string) ([]byte, formats.Report, error) {
	var buf bytes.Buffer
	rep, err := editor{}.Apply(ctx, source(file), &buf, ops(texts...), formats.ApplyOptions{})
	return buf.Bytes(), rep, err
}

// source is nil for a nil file.
func source(file []byte) formats.Source {
	if file == nil {
		return nil
	}
	return formats.FromBytes("deck.pptx", file)
}

// readSlide returns the text of one slide.
func readSlide(t testing.TB, file []byte, i int) string {
	t.Helper()
	text, err := reader{}.Read(ctx, source(file), formats.Selector{SlideIndex: &i})
	require.NoError(t, err)
	return text.Text
}

// mapOf returns the map of a file as a model sees it.
func mapOf(t testing.TB, file []byte) deckMap {
	t.Helper()
	m, err := mapper{}.Map(ctx, source(file), formats.MapOptions{})
	require.NoError(t, err)
	b, err := json.Marshal(m)
	require.NoError(t, err)
	require.LessOrEqual(t, len(b), formats.MaxMap)
	var back deckMap
	require.NoError(t, json.Unmarshal(b, &back))
	return back
}

// with returns a package with some parts replaced, added or (nil) dropped; new
// parts come last.
func with(t testing.TB, file []byte, parts map[string]func(string) string) []byte {
	t.Helper()
	zr, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	have := formatstest.Parts(t, file)
	var names []string
	for _, f := range zr.File {
		names = append(names, f.Name)
	}
	for name := range parts {
		if _, ok := have[name]; !ok {
			names = append(names, name)
		}
	}
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	for _, name := range names {
		data := have[name]
		if change := parts[name]; change != nil {
			data = []byte(change(string(data)))
		}
		w, err := zw.Create(name)
		require.NoError(t, err)
		_, err = w.Write(data)
		require.NoError(t, err)
	}
	require.NoError(t, zw.Close())
	return buf.Bytes()
}

// always returns a change that does not look at the old text.
func always(s string) func(string) string { return func(string) string { return s } }

// replace returns a change that must find what it replaces.
func replace(t testing.TB, old, new string) func(string) string {
	return func(s string) string {
		t.Helper()
		require.Contains(t, s, old)
		return strings.ReplaceAll(s, old, new)
	}
}

const slide1, slide2 = "ppt/slides/slide1.xml", "ppt/slides/slide2.xml"

// deckWith returns a new deck whose only slide has the given objects on it; p,
// a and r are bound.
func deckWith(t testing.TB, objects string) []byte {
	t.Helper()
	file := edit(t, nil, `{"op":"add_slide","layout":"blank"}`)
	return with(t, file, map[string]func(string) string{slide1: replace(t, `</p:spTree>`, objects+`</p:spTree>`)})
}

// sp returns a shape; ph are the attributes of its p:ph, "" for a text box.
func sp(id int, name, ph, paragraphs string) string {
	if ph != "" {
		ph = "<p:ph " + ph + "/>"
	}
	return fmt.Sprintf(`<p:sp><p:nvSpPr><p:cNvPr id="%d" name="%s"/><p:cNvSpPr/><p:nvPr>%s</p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:lstStyle/>%s</p:txBody></p:sp>`, id, name, ph, paragraphs)
}

// para returns a paragraph with one plain run.
func para(text string) string { return "<a:p><a:r><a:t>" + text + "</a:t></a:r></a:p>" }

// corpus calls fn for a sample of the real decks.
func corpus(t *testing.T, fn func(t *testing.T, path string, file []byte)) {
	for _, path := range formatstest.Sample(t, "pptx") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".pptx"), func(t *testing.T) {
			file, err := os.ReadFile(path)
			require.NoError(t, err)
			fn(t, path, file)
		})
	}
}

// part returns the text of one part of a file.
func part(t testing.TB, file []byte, name string) string {
	t.Helper()
	data, ok := formatstest.Parts(t, file)[name]
	require.True(t, ok, "no part %s", name)
	return string(data)
}

func num(f lenient.Float) *lenient.Float { return &f }

// encode returns the JSON of an operation.
func encode(op map[string]any) string {
	b, err := json.Marshal(op)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// applied returns the part of a tree with splices applied.
func applied(tr *tree, splices ...xmlscan.Splice) []byte { return xmlscan.Apply(tr.Doc, splices) }
