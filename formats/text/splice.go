package text

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"atelier/formats"
	"atelier/formats/tags"
)

// Unit is one segment of a text with its place and a function to write it back.
type Unit struct {
	formats.Segment
	Start, End int // bytes of the text that Write's result replaces
	// Write gives the new text for a target whose tags match. A unit may be
	// inside another, as the title of a link does: inside gives the text of
	// [start,end) with what was replaced in it.
	Write func(target string, inside func(start, end int) string) (string, error)
}

// Edit replaces the bytes [Start,End) of a text.
type Edit struct {
	Start, End int
	Text       string
}

// Document is a text to be searched for units.
type Document struct {
	Name string // of the file
	Text string // in UTF-8, without byte order mark
	// Declared says that the file states its encoding: by a byte order mark, or
	// as Splicer.Declared reads it.
	Declared bool
	// Language is that of the targets (ReplaceOptions), "" when it is unknown
	// and when segments are listed. Segments must not depend on it.
	Language string
}

// Found is the result of Splicer.Find. All fields except Units may be zero.
type Found struct {
	Units []Unit // in any order; sorted by Start afterwards
	// Edits are further changes for targets in Document.Language, such as an
	// attribute that names the language.
	Edits []Edit
	// Escape writes a character that the file's encoding lacks, with characters
	// that it has.
	Escape func(r rune) string
	// UTF8 says how a file without Escape turns into UTF-8 when its encoding
	// lacks a character of the targets: with these edits, and with a byte order
	// mark or not. Nil: such targets are refused.
	UTF8 *Conversion
	// Check returns an error when the whole result is not valid.
	Check func(out string) error
}

// Conversion describes how to convert a file to UTF-8.
type Conversion struct {
	Mark  bool   // begin it with a byte order mark
	Edits []Edit // of a declared encoding
}

// Splicer is a formats.Segmenter made of a function that finds the units of a
// text. Replace splices targets into the text and writes it in the encoding it
// had; all other bytes stay.
type Splicer struct {
	Find func(ctx context.Context, d Document) (Found, error)
	// Declared reads the encoding's name that a file states in its first bytes
	// (4096 at most), "" when it states none. May be nil.
	Declared func(head []byte) string
	Limit    int64 // bytes of a file; 0: 64 MiB
}

// Segments implements formats.Segmenter.
func (sp Splicer) Segments(ctx context.Context, src formats.Source, _ formats.SegmentOptions) ([]formats.Segment, error) {
	_, f, err := sp.open(ctx, src, "")
	if err != nil {
		return nil, err
	}
	segs := make([]formats.Segment, len(f.Units))
	for i, u := range f.Units {
		segs[i] = u.Segment
	}
	return segs, nil
}

// Replace implements formats.Segmenter.
func (sp Splicer) Replace(ctx context.Context, src formats.Source, dst io.Writer, targets map[string]string, opt formats.ReplaceOptions) error {
	if len(targets) == 0 {
		_, err := io.Copy(dst, ctxReader{ctx, io.NewSectionReader(src, 0, src.Size())})
		return err
	}
	d, f, err := sp.open(ctx, src, opt.Language)
	if err != nil {
		return err
	}
	out, err := d.replaced(f, targets, opt)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, ctxReader{ctx, strings.NewReader(out)})
	return err
}

func (sp Splicer) open(ctx context.Context, src formats.Source, language string) (*document, Found, error) {
	limit := sp.Limit
	if limit == 0 {
		limit = maxSegmentBytes
	}
	d, err := loadDocument(ctx, src, limit, sp.Declared)
	if err != nil {
		return nil, Found{}, err
	}
	f, err := sp.Find(ctx, Document{Name: d.name, Text: d.text, Declared: d.declared || d.cs.bom > 0, Language: language})
	if err != nil {
		return nil, Found{}, err
	}
	sort.SliceStable(f.Units, func(a, b int) bool { return f.Units[a].Start < f.Units[b].Start })
	return d, f, nil
}

// splice is an Edit, or the target of a unit that is not written yet.
type splice struct {
	Edit
	unit   *Unit
	target string
}

// replaced returns the file with the targets in place.
func (d *document) replaced(f Found, targets map[string]string, opt formats.ReplaceOptions) (string, error) {
	splices, err := d.splices(f, targets)
	if err != nil {
		return "", err
	}
	if opt.Language != "" {
		for _, e := range f.Edits {
			splices = append(splices, splice{Edit: e})
		}
	}
	w := &spliceWriter{d: d, f: f, convert: f.UTF8 != nil && opt.Language != ""}
	out, err := w.write(splices)
	if err != nil {
		return "", err
	}
	if w.unencodable != "" { // again, with what a conversion changes
		for _, e := range f.UTF8.Edits {
			splices = append(splices, splice{Edit: e})
		}
		if out, err = w.write(splices); err != nil {
			return "", err
		}
		if opt.Warn != nil {
			opt.Warn(fmt.Sprintf("%s was in %s, which cannot hold the character %q; the translation is in UTF-8", d.name, d.cs.name, w.unencodable))
		}
		if f.UTF8.Mark {
			out = "\ufeff" + out
		}
	}
	if f.Check != nil {
		if err := f.Check(out); err != nil {
			return "", err
		}
	}
	if w.unencodable != "" {
		return out, nil
	}
	return d.encode(out)
}

// splices returns a splice for each target, after checking it against its unit.
func (d *document) splices(f Found, targets map[string]string) ([]splice, error) {
	byID := make(map[string]int, len(f.Units))
	for i, u := range f.Units {
		byID[u.ID] = i
	}
	var out []splice
	for id, target := range targets {
		i, ok := byID[id]
		if !ok {
			return nil, formats.Errorf(formats.CodeInvalid, "there is no segment %q in %s", id, d.name)
		}
		u := &f.Units[i]
		if err := tags.Check(u.Text, target); err != nil {
			return nil, formats.Errorf(formats.CodeInvalid, "segment %s: %w", id, err)
		}
		if target == u.Text {
			continue // the same text again must not be written in other bytes
		}
		target = strings.ReplaceAll(strings.ToValidUTF8(target, "\uFFFD"), "\x00", "")
		out = append(out, splice{Edit: Edit{Start: u.Start, End: u.End}, unit: u, target: target})
	}
	return out, nil
}

// spliceWriter writes a text with splices, those inside others too.
type spliceWriter struct {
	d           *document
	f           Found
	convert     bool   // what the encoding lacks may turn the file into UTF-8
	unencodable string // the first character that did
	err         error
}

func (w *spliceWriter) write(splices []splice) (string, error) {
	slices.SortStableFunc(splices, func(a, b splice) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return b.End - a.End
	})
	out := w.writeRange(0, len(w.d.text), splices)
	return out, w.err
}

// writeRange is [start,end) with the splices that lie in it, which are sorted.
func (w *spliceWriter) writeRange(start, end int, splices []splice) string {
	var sb strings.Builder
	pos := start
	for i := 0; i < len(splices) && w.err == nil; {
		s := splices[i]
		i++
		if s.Start < pos || s.End > end {
			continue // outside, or of a piece that a larger one has replaced
		}
		from := i
		for i < len(splices) && splices[i].Start < s.End {
			i++
		}
		sb.WriteString(w.d.text[pos:s.Start])
		sb.WriteString(w.writeSplice(s, splices[from:i]))
		pos = s.End
	}
	sb.WriteString(w.d.text[pos:end])
	return sb.String()
}

// writeSplice writes one splice, within which the given others may lie.
func (w *spliceWriter) writeSplice(s splice, within []splice) string {
	if s.unit == nil {
		return s.Text
	}
	out, err := s.unit.Write(s.target, func(start, end int) string { return w.writeRange(start, end, within) })
	if err != nil {
		w.err = formats.Errorf(formats.CodeInvalid, "segment %s: %w", s.unit.ID, err)
		return ""
	}
	if w.unencodable != "" || w.d.encodes(out) {
		return out
	}
	switch {
	case w.f.Escape != nil:
		var sb strings.Builder
		for _, r := range out {
			if w.d.encodes(string(r)) {
				sb.WriteRune(r)
			} else {
				sb.WriteString(w.f.Escape(r))
			}
		}
		return sb.String()
	case w.convert:
		w.unencodable = w.d.firstUnencodable(out)
		return out
	}
	w.err = formats.Errorf(formats.CodeInvalid, "segment %s: the file is in %s, which cannot hold the character %q; convert the file to UTF-8 first", s.unit.ID, w.d.cs.name, w.d.firstUnencodable(out))
	return ""
}
