package files

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/text"
	"atelier/workshop"
	"atelier/workshop/tools"
)

// ReadArgs are the arguments of read: a part in the format's own terms, or a
// window of the lines of the text.
type ReadArgs struct {
	Path   workshop.Path
	Select *formats.Selector // a part in the format's own terms
	Lines  *LineRange        // of the text; nil with nil Select is all of it
	Raw    *Raw              // the bytes as text, instead of the two above
}

// Content is the result of read.
type Content struct {
	Entry workshop.Entry // with its hash
	Kind  formats.Kind   // by content
	// Text is what was asked for, "" when the kind has no text.
	Text string
	// Chunk says which part it is, for a Select; nil when it is all. Notes say
	// what a reader should know of it.
	Chunk *formats.ChunkInfo
	Notes []string
	Blank []formats.BlankPage // pages of it without text (pdf)
	// Value is the content of a file that holds a JSON value (B-09); Text is
	// empty then.
	Value json.RawMessage
	// Extracted: the text was taken out of a document; its lines are those of
	// the extracted text.
	Extracted bool
	// Start0, End0 and Total describe a window of lines: its first line, the
	// one after its last, and the number of lines of the text; Truncated: lines
	// follow the window.
	Start0, End0, Total int
	Truncated           bool
}

// ChangedOutside is the note on a file whose published form is not what its
// draft was based on.
const ChangedOutside = "this is the draft; somebody has changed the published file since the draft was based on it"

// Calculated is the note on a workbook with values that Atelier calculated.
const Calculated = "calc: " + formats.CalcAtelier + " (values of formulas were calculated by Atelier)"

// MaxText is the most bytes of text that a read of lines takes in at once.
const MaxText = 64 << 20

// Read reads a file or a part of it.
func Read() *tools.Tool {
	return tools.New("read", "Read content from a file or a part of it.", tools.Read,
		func(ctx context.Context, env *tools.Env, a ReadArgs) (any, error) {
			e, src, err := Open(ctx, env, a.Path)
			if err != nil {
				return nil, err
			}
			defer src.Close()
			if a.Raw != nil {
				return readRaw(ctx, e, src, *a.Raw)
			}
			if a.Select != nil {
				return readPart(ctx, env, e, src, *a.Select)
			}
			var r LineRange
			if a.Lines != nil {
				r = *a.Lines
			}
			return window(ctx, env, e, src, r)
		})
}

// Open opens a file with an entry that has the size and hash of what was opened.
func Open(ctx context.Context, env *tools.Env, p workshop.Path) (workshop.Entry, workshop.Source, error) {
	e, err := statFile(ctx, env, p)
	if err != nil {
		return e, nil, err
	}
	src, err := env.View.Open(ctx, p)
	if workshop.IsFault(err, workshop.NotFound) { // gone while we looked
		return e, nil, missing(p)
	}
	if err != nil {
		return e, nil, err
	}
	e.Size, e.Hash = src.Size(), src.Hash()
	return e, src, nil
}

// window reads a window of the lines of an open file.
func window(ctx context.Context, env *tools.Env, e workshop.Entry, src workshop.Source, r LineRange) (Content, error) {
	if !e.JSON && textByName(string(e.Path)) && src.Size() > MaxText {
		if c, ok, err := longText(ctx, e, src, r); ok || err != nil {
			return c, err
		}
	}
	c, err := Text(ctx, env, e, src)
	if err == nil && c.Value == nil {
		c.Window(r)
	}
	return c, err
}

func readPart(ctx context.Context, env *tools.Env, e workshop.Entry, src workshop.Source, sel formats.Selector) (any, error) {
	f, err := env.Formats.Detect(ctx, src)
	if err != nil {
		return nil, err
	}
	c := Content{Entry: e, Kind: f.Kind, Extracted: f.Kind != formats.KindText}
	if f.Reader == nil {
		return c, nil
	}
	if e.ChangedOutside {
		c.Notes, sel.Limit.Whole = append(c.Notes, ChangedOutside), 0
	}
	if e.Calculated {
		c.Notes, sel.Limit.Whole = append(c.Notes, Calculated), 0
	}
	t, err := formats.ReadFitting(ctx, f.Reader, src, sel)
	c.Text, c.Chunk, c.Notes, c.Blank = t.Text, t.Chunk, append(c.Notes, t.Notes...), t.Blank
	return c, err
}

// Text gives the whole text of an open file: a text file's own bytes where they
// are UTF-8, else the text that its format extracts (A-12, B-09).
func Text(ctx context.Context, env *tools.Env, e workshop.Entry, src workshop.Source) (Content, error) {
	c := Content{Entry: e, Kind: formats.KindText}
	if e.JSON || textByName(string(e.Path)) {
		if src.Size() > MaxText {
			return c, workshop.Faultf(workshop.Invalid, "%s has %d bytes, too many to read at once; read some of its lines", e.Path, src.Size()).OnField("path")
		}
		b, err := formats.ReadAll(src, MaxText)
		if err != nil {
			return c, err
		}
		if e.JSON && json.Valid(b) {
			c.Value = b
			return c, nil
		}
		if utf8.Valid(b) && !binary(b) {
			c.Text = string(b)
			return c, nil
		}
	}
	f, err := env.Formats.Detect(ctx, src)
	if err != nil {
		return c, err
	}
	c.Extracted = true
	if f.Kind == formats.KindBinary && !binary(head(src)) { // in another encoding
		r, _, err := text.Decode(ctx, src)
		if err != nil {
			return c, err
		}
		b, err := io.ReadAll(io.LimitReader(r, 3*MaxText)) // no byte becomes more than 3
		c.Text = string(b)
		return c, err
	}
	if c.Kind = f.Kind; f.Reader == nil {
		return c, refuse(workshop.Invalid, NotText, e.Path, "%s is %s file, which has no text", e.Path, f.Kind.WithArticle()).OnField("path")
	}
	x, err := env.Document(ctx, src)
	c.Text = x.Text
	return c, err
}

// binary reports whether a file that begins with b is no text: NUL in the first
// 8 KiB, unless it is UTF-16 by its byte order mark.
func binary(b []byte) bool {
	if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		return false
	}
	return bytes.IndexByte(b[:min(len(b), headBytes)], 0) >= 0
}

const headBytes = 8 << 10

func head(src formats.Source) []byte {
	b := make([]byte, min(headBytes, src.Size()))
	n, _ := src.ReadAt(b, 0)
	return b[:n]
}

// Window cuts the text to a window of its lines. All of it stays as it is;
// a part is its lines joined with "\n" (C-44).
func (c *Content) Window(r LineRange) {
	c.Total = CountLines(c.Text)
	from, to := r.In(c.Total)
	c.Start0, c.End0, c.Truncated = from, to, to < c.Total
	if from > 0 || c.Truncated {
		c.Text = strings.Join(Lines(c.Text)[from:to], "\n")
	}
}
