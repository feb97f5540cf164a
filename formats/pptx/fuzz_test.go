package pptx

import (
	"archive/zip"
	"bytes"
	"errors"
	"testing"

	"atelier/formats"
)

// FuzzSlide puts any bytes in the place of a slide: reading, mapping and
// editing end with a result or a typed error, never a panic, and what an edit
// writes can be read again.
func FuzzSlide(f *testing.F) {
	for _, objects := range []string{sp(2, "T", `type="title"`, para("x")), table, group(sp(3, "B", `idx="1"`, para("a")+para("b"))), `<p:pic/>`} {
		f.Add([]byte(`<p:sld xmlns:a="` + nsA + `" xmlns:r="` + nsR + `" xmlns:p="` + nsP + `"><p:cSld><p:spTree><p:grpSpPr/>` + objects + `</p:spTree></p:cSld></p:sld>`))
	}
	f.Add([]byte(chartXML))
	f.Add([]byte(`<a/>`))
	base := edit(f, nil, `{"op":"add_slide"}`)
	f.Fuzz(func(t *testing.T, slide []byte) {
		file := swapSlide(t, base, slide)
		_, err := mapper{}.Map(ctx, source(file), formats.MapOptions{})
		typed(t, err)
		_, err = reader{}.Read(ctx, source(file), formats.Selector{})
		typed(t, err)
		segs, err := segmenter{}.Segments(ctx, source(file), formats.SegmentOptions{})
		typed(t, err)
		targets := map[string]string{}
		for _, s := range segs {
			targets[s.ID] = pseudo(s.Text)
		}
		var buf bytes.Buffer
		typed(t, segmenter{}.Replace(ctx, source(file), &buf, targets, formats.ReplaceOptions{}))
		for _, list := range fuzzOps {
			out, _, err := tryEdit(file, list...)
			typed(t, err)
			if err != nil {
				continue
			}
			if _, err = (reader{}).Read(ctx, source(out), formats.Selector{Include: []string{formats.IncludeAll}}); err != nil {
				t.Fatalf("the slide edited with %v cannot be read: %v", list, err)
			}
		}
	})
}

// fuzzOps are operations that any slide may get; the ids are those of the seeds.
var fuzzOps = [][]string{
	{`{"op":"set_slide_text","index":0,"title":"t","body":"a\n\tb"}`, `{"op":"append_bullets","index":0,"bullets":["c"]}`},
	{`{"op":"set_shape_text","index":0,"shape_id":2,"text":"x","alignment":"center","bullet":"•"}`},
	{`{"op":"delete_shape","index":0,"shape_id":2}`, `{"op":"add_text_box","index":0,"text":"y"}`},
	{`{"op":"move_shape","index":0,"shape_id":2,"x":1,"y":1,"width":1,"height":1}`},
	{`{"op":"add_table","index":0,"rows":[["a"]]}`},
	{`{"op":"add_table_row","index":0,"row":1}`, `{"op":"delete_table_row","index":0,"row":0}`, `{"op":"set_table_cell","index":0,"row":0,"column":0,"text":"z"}`},
	{`{"op":"replace_text","search":"a","replace":"bb"}`, `{"op":"set_layout","index":0,"layout":"blank"}`, `{"op":"set_notes","index":0,"text":"n"}`},
	{`{"op":"duplicate_slide","index":0}`, `{"op":"hide_slide","index":0}`, `{"op":"move_slide","index":1,"position":0}`, `{"op":"delete_slide","index":1}`},
}

// FuzzOperation gives any JSON as an operation: it is done or refused with a
// typed error, and what is written can be read and edited again.
func FuzzOperation(f *testing.F) {
	for _, list := range fuzzOps {
		for _, op := range list {
			f.Add([]byte(op))
		}
	}
	f.Add([]byte(`{"op":"add_slide","position":1,"title_runs":[{"text":"a\n\tb","bold":1,"font_size":"12","font_color":"#fff"}],"paragraphs":["x",{"text":"y","level":3}]}`))
	f.Add([]byte(`{"op":"set_table_cell","index":0,"shape_id":8,"row":1,"column":0,"paragraphs":[{"runs":[{"text":""}]}],"line_spacing":1e3}`))
	f.Add([]byte(`{"op":"replace_text","search":"(?P<n>.)","replace":"${n}$n","regex":true,"slides":[0]}`))
	f.Add([]byte(`{"op":"add_text_box","index":0,"text":"\u000b\u0000","x":-100,"width":1e-1}`))
	base := deckOf1(f)
	f.Fuzz(func(t *testing.T, op []byte) {
		out, _, err := tryEdit(base, string(op))
		typed(t, err)
		if err != nil {
			return
		}
		again, _, err := tryEdit(out, `{"op":"add_slide","title":"Ende"}`, `{"op":"replace_text","search":"e","replace":"é"}`)
		if err != nil {
			t.Fatalf("what %s made cannot be edited: %v", op, err)
		}
		if _, err := (reader{}).Read(ctx, source(again), formats.Selector{}); err != nil {
			t.Fatalf("what %s made cannot be read: %v", op, err)
		}
	})
}

func typed(t *testing.T, err error) {
	t.Helper()
	var fe *formats.Error
	if err != nil && !errors.As(err, &fe) {
		t.Fatalf("an untyped error: %v", err)
	}
}

// swapSlide copies file with another first slide, fast enough for fuzzing.
func swapSlide(t *testing.T, file, slide []byte) []byte {
	zr, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	for _, e := range zr.File {
		if e.Name != slide1 {
			if err := zw.Copy(e); err != nil {
				t.Fatal(err)
			}
			continue
		}
		w, err := zw.Create(slide1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(slide); err != nil {
			t.Fatal(err)
		}
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}
