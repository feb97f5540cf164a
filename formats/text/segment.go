package text

import (
	"context"
	"io"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"

	"atelier/formats"
	"atelier/internal/lazyregexp"
)

// maxSegmentBytes is the size up to which a text is held whole to be translated.
const maxSegmentBytes = 64 << 20

// segmenter finds the translatable text of .txt, .log, .md, .csv and .tsv.
var segmenter = Splicer{Find: findUnits}

func findUnits(ctx context.Context, d Document) (Found, error) {
	ext := strings.ToLower(path.Ext(d.Name))
	f := Found{UTF8: &Conversion{Mark: true}}
	var err error
	switch ext {
	case ".txt", ".log":
		f.Units, err = plainUnits(ctx, d.Text)
	case ".md", ".markdown":
		f.Units, err = markdownUnits(ctx, d.Text)
		f.UTF8.Mark = false // Markdown is UTF-8 by convention, and front matter must come first
	case ".csv", ".tsv":
		f.Units, err = tableUnits(ctx, d.Text, ext)
		if ext == ".csv" {
			f.Check = func(out string) error { return sameDelimiter(d, out, ext) }
		}
	default:
		err = formats.Errorf(formats.CodeUnsupported, "translatable text cannot be taken out of %s files; of text files it can of txt, md, csv, tsv, html, srt, vtt, po, xliff, json and properties", ext)
	}
	return f, err
}

func sameDelimiter(d Document, out, ext string) error {
	if delimiterOf(headOf(out), ext) == delimiterOf(headOf(d.Text), ext) {
		return nil
	}
	return formats.Errorf(formats.CodeInvalid, "with these texts it would be unclear what separates the columns of %s; leave out bars, semicolons and tabs", d.Name)
}

// document is a text in memory.
type document struct {
	cs       charset
	mark     string // the byte order mark
	text     string // in UTF-8, without byte order mark
	name     string
	declared bool // cs is what the file states
}

// loadDocument reads src, at most limit bytes. declared may be nil.
func loadDocument(ctx context.Context, src formats.Source, limit int64, declared func([]byte) string) (*document, error) {
	if src.Size() > limit {
		return nil, formats.Errorf(formats.CodeTooLarge, "%s has %d bytes; the limit here is %d", src.Name(), src.Size(), limit)
	}
	var sb strings.Builder // holds the text once, where a slice of bytes would be copied
	sb.Grow(int(src.Size()))
	if _, err := io.Copy(&sb, ctxReader{ctx, io.NewSectionReader(src, 0, src.Size())}); err != nil {
		return nil, err
	}
	raw := sb.String()
	if declared != nil {
		if d, ok := declaredDocument(src.Name(), raw, declared); ok {
			return d, nil
		}
	}
	cs, err := detectCharset(ctx, src)
	if err != nil {
		return nil, err
	}
	return decoded(src.Name(), raw, cs)
}

// declaredDocument decodes a text in the encoding that it declares; false when
// it declares none, or a wrong one.
func declaredDocument(name, raw string, declared func([]byte) string) (*document, bool) {
	head := []byte(raw[:min(len(raw), 4096)])
	if _, marked := charsetByMark(head); marked {
		return nil, false
	}
	label := declared(head)
	if label == "" {
		return nil, false
	}
	enc, err := htmlindex.Get(label)
	if err != nil {
		return nil, false
	}
	cs := charset{name: strings.ToLower(label), enc: enc}
	if canonical, _ := htmlindex.Name(enc); canonical == "utf-8" {
		cs.enc = nil
		if !utf8.ValidString(raw) {
			return nil, false
		}
	}
	d, err := decoded(name, raw, cs)
	if err != nil {
		return nil, false
	}
	d.declared = true
	return d, true
}

func decoded(name, raw string, cs charset) (*document, error) {
	bom := min(cs.bom, len(raw))
	d := &document{cs: cs, mark: raw[:bom], text: raw[bom:], name: name}
	if cs.enc == nil {
		return d, nil
	}
	s, err := cs.enc.NewDecoder().String(d.text)
	if err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s is damaged: it is not %s throughout: %w", name, cs.name, err)
	}
	d.text = s
	// A text that does not encode to the same bytes would be changed silently.
	if back, err := d.encode(s); err != nil || back != raw {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s is damaged: it holds bytes that are no %s; convert it to UTF-8 first", name, cs.name)
	}
	return d, nil
}

func (d *document) encode(text string) (string, error) {
	if d.cs.enc == nil {
		return d.mark + text, nil
	}
	s, err := d.cs.enc.NewEncoder().String(text)
	return d.mark + s, err
}

// encodes reports whether the file's encoding has all characters of s.
func (d *document) encodes(s string) bool {
	if d.cs.enc == nil {
		return true
	}
	_, err := d.cs.enc.NewEncoder().String(s)
	return err == nil
}

// firstUnencodable returns the first character of s that the file's encoding
// lacks.
func (d *document) firstUnencodable(s string) string {
	for _, r := range s {
		if !d.encodes(string(r)) {
			return string(r)
		}
	}
	return ""
}

// headOf returns the part of a text that its delimiter is guessed from.
func headOf(s string) []byte { return []byte(s[:min(len(s), 64<<10)]) }

// line is one line of a text: [start,end) without its terminator, next after
// it.
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

// trimBlanks narrows [start,end) by blanks at both ends.
func trimBlanks(s string, start, end int) (int, int) {
	for start < end && (s[start] == ' ' || s[start] == '\t' || s[start] == '\f') {
		start++
	}
	for end > start && (s[end-1] == ' ' || s[end-1] == '\t' || s[end-1] == '\r' || s[end-1] == '\f') {
		end--
	}
	return start, end
}

var (
	machineText = lazyregexp.New(`^(?i:[a-z][a-z0-9+.-]*://\S+|www\.\S+|mailto:\S+|[^\s@]+@[^\s@]+\.[a-z]{2,}|[\d-]+t[\d:.]+(z|[+-][\d:]+)?|[\w.\-/\\]+\.[a-z]{2,4})$`)
	code        = lazyregexp.New(`^[\pL\d_./#:+-]*\d[\pL\d_./#:+-]*$`)
)

// Translatable reports whether s is language: it has letters, and is not an
// address, date, file name or code such as AO-500.
func Translatable(s string) bool {
	s = strings.TrimSpace(s)
	if !utf8.ValidString(s) || !hasLetter(s) {
		return false
	}
	if !strings.ContainsAny(s, ":.@0123456789") { // one of which the patterns ask for
		return true
	}
	if machineText.MatchString(s) {
		return false
	}
	return !code.MatchString(s) || strings.IndexFunc(s, unicode.IsLower) >= 0 && !strings.ContainsAny(s, "_/#:+-")
}

// checkContext calls ctx.Err at some values of i, since calling it for each is
// slow.
func checkContext(ctx context.Context, i int) error {
	if i%256 == 0 {
		return ctx.Err()
	}
	return nil
}
