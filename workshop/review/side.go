package review

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"

	"atelier/formats"
	"atelier/formats/text"
	"atelier/workshop"
	"atelier/workshop/review/textdiff"
)

// maxInMemory is how much of a text in another encoding than UTF-8 is held in
// memory; more goes to a temporary file.
const maxInMemory = 8 << 20

// side is the text of one side of a change, in UTF-8.
type side struct {
	textdiff.Text
	encoding string // of a text file
	partial  string // the part of a document that was read, "" for all
	closers  []func() error
}

// Close lets go of what the text is read from.
func (s *side) Close() {
	for _, f := range s.closers {
		_ = f() // only read from
	}
}

// openSide opens the text of one side, an empty one when that side does not
// exist. *formats.Error: it has no text.
func openSide(ctx context.Context, wb *workshop.Workbench, set *formats.Set, c workshop.Change, version string, absent bool) (*side, error) {
	if absent {
		return &side{Text: strings.NewReader("")}, nil
	}
	src, err := wb.OpenVersion(ctx, c.Path, version)
	if err != nil {
		return nil, err
	}
	return sideOf(ctx, set, src)
}

// sideOf is the text of src, which it closes with itself.
func sideOf(ctx context.Context, set *formats.Set, src workshop.Source) (_ *side, err error) {
	s := &side{closers: []func() error{src.Close}}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	f, err := set.Detect(ctx, src)
	if err != nil {
		return nil, err
	}
	if f.Kind == formats.KindText {
		return s, s.decode(ctx, src)
	}
	var t formats.Text
	if f.Reader == nil {
		err = formats.Errorf(formats.CodeUnsupported, "%s files have none", f.Kind)
	} else {
		t, err = f.Reader.Read(ctx, src, formats.Selector{})
	}
	switch formats.CodeOf(err) {
	case formats.CodeCorrupt, formats.CodeUnsupported: // a drawing in SVG, or text under the name of a document
		if plain, serr := formats.LooksLikeText(src, src.Size()); serr == nil && plain {
			return s, s.decode(ctx, src)
		}
	}
	if err != nil {
		return nil, err
	}
	s.Text = strings.NewReader(t.Text)
	if t.Chunk != nil && t.Chunk.HasMore {
		s.partial = t.Chunk.Range
	}
	return s, nil
}

// decode makes the text of a text file, read from where it is when it is UTF-8.
func (s *side) decode(ctx context.Context, src formats.Source) error {
	r, encoding, err := text.Decode(ctx, src)
	if err != nil {
		return err
	}
	s.encoding = encoding
	switch encoding {
	case "utf-8":
		s.Text = src
		return nil
	case "utf-8-bom":
		s.Text = io.NewSectionReader(src, 3, src.Size()-3)
		return nil
	}
	var buf bytes.Buffer
	n, err := io.CopyN(&buf, r, maxInMemory)
	if err == io.EOF {
		s.Text = bytes.NewReader(buf.Bytes())
		return nil
	}
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp("", "atelier-text-")
	if err != nil {
		return err
	}
	s.closers = append(s.closers, func() error { tmp.Close(); return os.Remove(tmp.Name()) })
	if _, err := buf.WriteTo(tmp); err != nil {
		return err
	}
	more, err := io.Copy(tmp, r)
	s.Text = io.NewSectionReader(tmp, 0, n+more)
	return err
}
