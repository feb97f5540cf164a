package text

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/inline"
)

// maxSegmentBytes is the size up to which a text is held whole to be translated.
const maxSegmentBytes = 64 << 20

// unit is one segment with where it stands and how to write it back.
type unit struct {
	formats.Segment
	start, end int // bytes of the text that write's result replaces
	// write gives the new bytes for a target whose tags match.
	write func(target string) (string, error)
}

// Segments implements formats.Segmenter for .txt, .log, .md, .csv and .tsv.
func (format) Segments(ctx context.Context, src formats.Source, _ formats.SegmentOptions) ([]formats.Segment, error) {
	d, err := load(ctx, src)
	if err != nil {
		return nil, err
	}
	units, err := d.units(ctx)
	if err != nil {
		return nil, err
	}
	segs := make([]formats.Segment, len(units))
	for i, u := range units {
		segs[i] = u.Segment
	}
	return segs, nil
}

// Replace implements formats.Segmenter.
func (format) Replace(ctx context.Context, src formats.Source, dst io.Writer, targets map[string]string, _ formats.ReplaceOptions) error {
	if len(targets) == 0 {
		_, err := io.Copy(dst, ctxReader{ctx, io.NewSectionReader(src, 0, src.Size())})
		return err
	}
	d, err := load(ctx, src)
	if err != nil {
		return err
	}
	units, err := d.units(ctx)
	if err != nil {
		return err
	}
	out, err := d.replaced(units, targets)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, ctxReader{ctx, bytes.NewReader(out)})
	return err
}

// document is a text in memory.
type document struct {
	cs   charset
	raw  []byte // as in the file
	text string // in UTF-8, without byte order mark
	ext  string
	name string
}

func load(ctx context.Context, src formats.Source) (*document, error) {
	cs, err := detectCharset(ctx, src)
	if err != nil {
		return nil, err
	}
	raw, err := formats.ReadAll(src, maxSegmentBytes)
	if err != nil {
		return nil, err
	}
	d := &document{cs: cs, raw: raw, ext: ext(src), name: src.Name()}
	body := raw[min(cs.bom, len(raw)):]
	if cs.enc == nil {
		d.text = string(body)
		return d, nil
	}
	b, err := cs.enc.NewDecoder().Bytes(body)
	if err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s is damaged: it is not %s throughout: %w", d.name, cs.name, err)
	}
	d.text = string(b)
	// What does not come back the same would be changed in silence.
	if back, err := d.encode(d.text); err != nil || !bytes.Equal(back, raw) {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s is damaged: it holds bytes that are no %s; convert it to UTF-8 first", d.name, cs.name)
	}
	return d, nil
}

func (d *document) encode(text string) ([]byte, error) {
	bom := d.raw[:min(d.cs.bom, len(d.raw))]
	if d.cs.enc == nil {
		return append(bytes.Clone(bom), text...), nil
	}
	b, err := d.cs.enc.NewEncoder().Bytes([]byte(text))
	if err != nil {
		return nil, err
	}
	return append(bytes.Clone(bom), b...), nil
}

// units finds the segments of the document in order.
func (d *document) units(ctx context.Context) ([]unit, error) {
	switch d.ext {
	case ".txt", ".log":
		return plainUnits(ctx, d.text)
	case ".md", ".markdown":
		return markdownUnits(ctx, d.text)
	case ".csv", ".tsv":
		return tableUnits(ctx, d.text, d.ext)
	}
	return nil, formats.Errorf(formats.CodeUnsupported, "translatable text cannot be taken out of %s files; .txt, .md, .csv and .tsv can", d.ext)
}

// replaced is the file with the targets in place.
func (d *document) replaced(units []unit, targets map[string]string) ([]byte, error) {
	byID := make(map[string]int, len(units))
	for i, u := range units {
		byID[u.ID] = i
	}
	var hit []int
	for id, target := range targets {
		i, ok := byID[id]
		if !ok {
			return nil, formats.Errorf(formats.CodeInvalid, "there is no segment %q in %s", id, d.name)
		}
		if err := inline.Check(units[i].Text, target); err != nil {
			return nil, formats.Errorf(formats.CodeInvalid, "segment %s: %w", id, err)
		}
		hit = append(hit, i)
	}
	sort.Slice(hit, func(a, b int) bool { return units[hit[a]].start < units[hit[b]].start })
	var sb strings.Builder
	pos := 0
	for _, i := range hit {
		u := units[i]
		// The same text again must not be written in other bytes.
		if targets[u.ID] == u.Text {
			continue
		}
		target := strings.ReplaceAll(strings.ToValidUTF8(targets[u.ID], "\uFFFD"), "\x00", "")
		s, err := u.write(target)
		if err != nil {
			return nil, formats.Errorf(formats.CodeInvalid, "segment %s: %w", u.ID, err)
		}
		if _, err := d.encode(s); err != nil {
			return nil, formats.Errorf(formats.CodeInvalid, "segment %s: the file is in %s, which cannot hold the character %q; convert the file to UTF-8 first", u.ID, d.cs.name, d.misfit(s))
		}
		sb.WriteString(d.text[pos:u.start])
		sb.WriteString(s)
		pos = u.end
	}
	sb.WriteString(d.text[pos:])
	out := sb.String()
	if d.ext == ".csv" && delimiterOf(headOf(out), d.ext) != delimiterOf(headOf(d.text), d.ext) {
		return nil, formats.Errorf(formats.CodeInvalid, "with these texts it would be unclear what separates the columns of %s; leave out bars, semicolons and tabs", d.name)
	}
	return d.encode(out)
}

// headOf is the part of a text that its delimiter is guessed from.
func headOf(s string) []byte { return []byte(s[:min(len(s), 64<<10)]) }

// misfit is the first character of s that the file's encoding lacks.
func (d *document) misfit(s string) string {
	for _, r := range s {
		if _, err := d.encode(string(r)); err != nil {
			return string(r)
		}
	}
	return ""
}

// line is one line of a text: [start,end) without its terminator, next behind it.
type line struct{ start, end, next int }

func linesOf(s string) []line {
	var out []line
	for pos := 0; pos < len(s); {
		l := line{start: pos}
		if n := strings.IndexByte(s[pos:], '\n'); n >= 0 {
			l.end, l.next = pos+n, pos+n+1
			if l.end > pos && s[l.end-1] == '\r' {
				l.end--
			}
		} else {
			l.end, l.next = len(s), len(s)
		}
		out = append(out, l)
		pos = l.next
	}
	return out
}

// trimmed narrows [start,end) by blanks at both ends.
func trimmed(s string, start, end int) (int, int) {
	for start < end && (s[start] == ' ' || s[start] == '\t' || s[start] == '\f') {
		start++
	}
	for end > start && (s[end-1] == ' ' || s[end-1] == '\t' || s[end-1] == '\r' || s[end-1] == '\f') {
		end--
	}
	return start, end
}

var (
	machine = regexp.MustCompile(`^(?i:[a-z][a-z0-9+.-]*://\S+|www\.\S+|mailto:\S+|[^\s@]+@[^\s@]+\.[a-z]{2,}|[\d-]+t[\d:.]+(z|[+-][\d:]+)?|[\w.\-/\\]+\.[a-z]{2,4})$`)
	code    = regexp.MustCompile(`^[\pL\d_./#:+-]*\d[\pL\d_./#:+-]*$`)
)

// translatable says whether s is language: it has letters, and is no address,
// date, file name or code such as AO-500.
func translatable(s string) bool {
	s = strings.TrimSpace(s)
	if !utf8.ValidString(s) || !hasLetter(s) || machine.MatchString(s) {
		return false
	}
	return !code.MatchString(s) || strings.IndexFunc(s, unicode.IsLower) >= 0 && !strings.ContainsAny(s, "_/#:+-")
}

// every calls ctx.Err once in a while.
func every(ctx context.Context, i int) error {
	if i%256 == 0 {
		return ctx.Err()
	}
	return nil
}
