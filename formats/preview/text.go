package preview

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"atelier/formats"
	"atelier/formats/text"
)

// A page of plain text: A4 in points, in a typewriter face, so that columns of
// tables and code stand below each other.
const (
	pageWidth, pageHeight = 595, 842
	margin                = 42
	fontSize              = 9.0
	lineHeight            = 12
	linesPerPage          = (pageHeight - 2*margin) / lineHeight
	columns               = 94 // (pageWidth - 2*margin) / 5.4, the advance at 9 points
	tabStop               = 8
	// maxTextBytes bounds the text that is laid out; what is after it has no
	// page.
	maxTextBytes = 2 << 20
)

// drawText draws the text of a document, as much of it as a model would read.
func (m *Maker) drawText(ctx context.Context, f *formats.Format, src formats.Source, r Request) (Page, error) {
	s, notes, err := plainText(ctx, f, src)
	if err != nil {
		return Page{}, err
	}
	return drawPlain(s, notes, r)
}

// maxTextScale bounds the pixels of a page of text: 8 million.
const maxTextScale = 4

// drawPlain draws a page of a text.
func drawPlain(s string, notes []string, r Request) (Page, error) {
	r.Scale = min(r.Scale, maxTextScale)
	var lines []string // of the page; a text may have millions
	count := 0
	layOut(s, func(line string) {
		if count/linesPerPage == r.Page {
			lines = append(lines, line)
		}
		count++
	})
	p := Page{Count: max(1, (count+linesPerPage-1)/linesPerPage), Rendering: ByText}
	if r.Page >= p.Count {
		return p, noPage(r.Page, p.Count)
	}
	var missing int
	var err error
	if p.PNG, missing, err = drawLines(lines, r.Scale); err != nil {
		return Page{}, err
	}
	if missing > 0 {
		notes = append(notes, formats.Count(missing, "character")+" of scripts that the built-in font lacks shown as boxes")
	}
	p.Note = strings.Join(notes, "; ")
	return p, nil
}

// plainText returns the text of a document, cut at a limit; notes say so.
func plainText(ctx context.Context, f *formats.Format, src formats.Source) (string, []string, error) {
	var s string
	var notes []string
	switch {
	case f.Kind == formats.KindText, f.Kind == formats.KindImage: // svg
		in, _, err := text.Decode(ctx, src)
		if err != nil {
			return "", nil, err
		}
		b, err := io.ReadAll(io.LimitReader(in, maxTextBytes+1))
		if err != nil {
			return "", nil, err
		}
		s = string(b)
	case f.Reader == nil:
		return "", nil, formats.Errorf(formats.CodeUnsupported, "%s is of a kind (%s) that has no preview", src.Name(), f.Kind)
	default:
		t, err := f.Reader.Read(ctx, src, formats.Selector{})
		if err != nil {
			return "", nil, err
		}
		s = t.Text
		if t.Chunk != nil && t.Chunk.HasMore {
			notes = append(notes, "only "+t.Chunk.Range+" of it")
		}
	}
	if len(s) > maxTextBytes {
		s = s[:maxTextBytes]
		notes = append(notes, fmt.Sprintf("only the first %d MiB of its text", maxTextBytes>>20))
	}
	return strings.ToValidUTF8(s, "\uFFFD"), notes, nil
}

// layOut breaks a text into lines that fit the page, at blanks where there are
// any.
func layOut(s string, emit func(line string)) {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
	for line := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		r := []rune(expandTabs(line))
		for len(r) > columns {
			at := columns
			for k := columns; k > columns/2; k-- {
				if r[k] == ' ' {
					at = k
					break
				}
			}
			emit(string(r[:at]))
			r = r[at:]
			for len(r) > 0 && r[0] == ' ' && at < columns {
				r = r[1:]
			}
		}
		emit(string(r))
	}
}

func expandTabs(s string) string {
	if !strings.ContainsFunc(s, unicode.IsControl) {
		return s
	}
	var b strings.Builder
	col := 0
	for _, c := range s {
		switch {
		case c == '\t':
			n := tabStop - col%tabStop
			b.WriteString(strings.Repeat(" ", n))
			col += n
		case unicode.IsControl(c):
		default:
			b.WriteRune(c)
			col++
		}
	}
	return b.String()
}

var mono = sync.OnceValues(func() (*sfnt.Font, error) { return opentype.Parse(gomono.TTF) })

// drawLines draws one page; missing counts characters without a glyph.
func drawLines(lines []string, scale float64) (out []byte, missing int, err error) {
	f, err := mono()
	if err != nil {
		return nil, 0, err
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: fontSize, DPI: 72 * scale, Hinting: font.HintingNone})
	if err != nil {
		return nil, 0, err
	}
	defer face.Close()
	img := image.NewGray(image.Rect(0, 0, int(pageWidth*scale), int(pageHeight*scale)))
	for i := range img.Pix {
		img.Pix[i] = 0xff
	}
	d := font.Drawer{Dst: img, Src: image.Black, Face: face}
	var buf sfnt.Buffer
	for i, line := range lines {
		d.Dot = fixed.Point26_6{X: toFixed(margin, scale), Y: toFixed(margin+float64(i+1)*lineHeight-3, scale)}
		d.DrawString(line)
		for _, c := range line {
			if g, err := f.GlyphIndex(&buf, c); (err != nil || g == 0) && c != '\u00a0' {
				missing++
			}
		}
	}
	var w bytes.Buffer
	err = png.Encode(&w, img)
	return w.Bytes(), missing, err
}

func toFixed(v, scale float64) fixed.Int26_6 { return fixed.Int26_6(v * scale * 64) }
