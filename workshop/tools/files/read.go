package files

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"

	"atelier/formats"
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
	// Chunk says which part it is, for a Select; nil when it is all.
	Chunk *formats.ChunkInfo
	// Value is the content of a file that holds a JSON value (B-09); Text is
	// empty then.
	Value json.RawMessage
	// Extracted: the text was taken out of a document; its lines are those of
	// the extracted text.
	Extracted bool
	// Start0 and Total describe a window of lines: its first line and the
	// number of lines of the text; Truncated: lines follow the window.
	Start0, Total int
	Truncated     bool
}

// MaxText is the most bytes of text that a read of lines takes in at once.
const MaxText = 64 << 20

// Read reads a file or a part of it.
func Read() *tools.Tool {
	return tools.New("read", "Read content from a file or a part of it.", tools.Read,
		func(ctx context.Context, env *tools.Env, a ReadArgs) (any, error) {
			e, err := env.View.Stat(ctx, a.Path)
			if err != nil {
				return nil, err
			}
			src, err := env.View.Open(ctx, a.Path)
			if err != nil {
				return nil, err
			}
			defer src.Close()
			e.Size, e.Hash = src.Size(), src.Hash()
			if a.Raw != nil {
				return readRaw(ctx, e, src, *a.Raw)
			}
			if a.Select != nil {
				return readPart(ctx, env, e, src, *a.Select)
			}
			c, err := Text(ctx, env, e, src)
			if err != nil || c.Value != nil {
				return c, err
			}
			var r LineRange
			if a.Lines != nil {
				r = *a.Lines
			}
			c.window(r)
			return c, nil
		})
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
	t, err := f.Reader.Read(ctx, src, sel)
	c.Text, c.Chunk = t.Text, t.Chunk
	return c, err
}

// Text gives the whole text of an open file: a text file's own bytes where they
// are UTF-8, else the text that its format extracts (A-12, B-09).
func Text(ctx context.Context, env *tools.Env, e workshop.Entry, src workshop.Source) (Content, error) {
	c := Content{Entry: e, Kind: formats.KindText}
	if e.JSON || plain(e) {
		if src.Size() > MaxText {
			return c, workshop.Faultf(workshop.Invalid, "%s has %d bytes; read_file reads files of this size in parts", e.Path, src.Size()).OnField("path")
		}
		b := make([]byte, src.Size())
		if _, err := src.ReadAt(b, 0); err != nil && err != io.EOF {
			return c, err
		}
		if e.JSON && json.Valid(b) {
			c.Value = b
			return c, nil
		}
		if utf8.Valid(b) && !strings.Contains(string(b[:min(len(b), 8<<10)]), "\x00") {
			c.Text = string(b)
			return c, nil
		}
	}
	x, err := env.Formats.Extract(ctx, src)
	c.Text, c.Kind, c.Extracted = x.Text, x.Kind, true
	return c, err
}

// plain reports whether a file is text by its name, or has none of a document.
func plain(e workshop.Entry) bool {
	return e.Kind == formats.KindText || e.Kind == formats.KindBinary
}

// window cuts the text to a window of its lines. All of it stays as it is;
// a part is its lines joined with "\n" (C-44).
func (c *Content) window(r LineRange) {
	c.Total = CountLines(c.Text)
	from, to := r.In(c.Total)
	c.Start0, c.Truncated = from, to < c.Total
	if from > 0 || c.Truncated {
		c.Text = strings.Join(Lines(c.Text)[from:to], "\n")
	}
}
