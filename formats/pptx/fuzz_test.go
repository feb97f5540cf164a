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
		segs, err := segmenter{}.Segments(ctx, source(file))
		typed(t, err)
		targets := map[string]string{}
		for _, s := range segs {
			targets[s.ID] = pseudo(s.Text)
		}
		var buf bytes.Buffer
		typed(t, segmenter{}.Replace(ctx, source(file), &buf, targets))
		out, _, err := tryEdit(file, `{"op":"set_slide_text","index":0,"title":"t","body":"a\n\tb"}`, `{"op":"append_bullets","index":0,"bullets":["c"]}`)
		typed(t, err)
		if err == nil {
			_, err = reader{}.Read(ctx, source(out), formats.Selector{})
			if err != nil {
				t.Fatalf("the edited slide cannot be read: %v", err)
			}
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
