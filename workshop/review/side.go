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

// maxInMemory is the maximum size of a text that is converted to UTF-8 in
// memory; a larger text is converted into a temporary file.
const maxInMemory = 8 << 20

// side is the text of one side of a change, in UTF-8.
type side struct {
	textdiff.Text
	encoding string // of a text file
	partial  string // the part of a document that was read, "" for all of it
	closers  []func() error
}

// Close releases the sources of the text.
func (s *side) Close() {
	for _, f := range s.closers {
		_ = f() // only opened for reading
	}
}

// openSide opens the text of one side. A side that does not exist is an empty
// text. A file without text is a *formats.Error.
func openSide(ctx context.Context, wb *workshop.Workbench, set *formats.Set, c workshop.Change, version string, absent bool) (*side, error) {
	if absent {
		return &side{Text: strings.NewReader("")}, nil
	}
	src, err := wb.OpenVersion(ctx, c.Path, version)
	if err != nil {
		return nil, err
	}
	return newSide(ctx, set, src)
}

// newSide returns the text of src. Closing the side closes src.
func newSide(ctx context.Context, set *formats.Set, src workshop.Source) (_ *side, err error) {
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
	case formats.CodeCorrupt, formats.CodeUnsupported: // an SVG drawing, or plain text with the extension of a document
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

// decode prepares the text of a text file. UTF-8 is read from src without a
// copy.
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
