package template

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	stdpath "path"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/image"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lazyregexp"
)

// The limits of pictures in one call.
const (
	maxPictures = 64 << 20 // bytes of the files, each counted once
	maxWidth    = 16 * emuPerCm
	emuPerCm    = 360_000
	emuPerInch  = 914_400
)

// picture is a placeholder that a picture takes the place of: {{photo|image:4cm}}. One
// of width and height that is 0 follows from the other.
type picture struct {
	path          string
	width, height int64 // EMU
}

var (
	imageFilter = lazyregexp.New(`^\s*image\s*(?::\s*["']?([^"']*)["']?\s*)?$`)
	length      = lazyregexp.New(`^([0-9]+(?:\.[0-9]+)?)\s*(cm|mm|in)$`)
)

// isPicture reports whether the filters of a placeholder ask for a picture.
func isPicture(filters string) bool { return imageFilter.MatchString(straight.Replace(filters)) }

// pictureOf reads the size in the filter image: a width, or width x height.
func pictureOf(filters string) (p picture, err error) {
	text := strings.TrimSpace(imageFilter.FindStringSubmatch(straight.Replace(filters))[1])
	if text == "" {
		return p, nil
	}
	w, h, both := strings.Cut(strings.ToLower(text), "x")
	for _, side := range []struct {
		text string
		to   *int64
	}{{w, &p.width}, {h, &p.height}} {
		t := strings.TrimSpace(side.text)
		m := length.FindStringSubmatch(t)
		if m == nil {
			if t == "" && both {
				continue // x3cm is a height alone
			}
			return p, formats.Errorf(formats.CodeInvalid, "the size %q of a picture is not understood; write a width such as image:4cm, or width and height such as image:4cm x 3cm (cm, mm or in)", text)
		}
		n, _ := strconv.ParseFloat(m[1], 64)
		unit := map[string]float64{"cm": emuPerCm, "mm": emuPerCm / 10, "in": emuPerInch}[m[2]]
		if *side.to = int64(n * unit); *side.to <= 0 || *side.to > 55*emuPerCm {
			return p, formats.Errorf(formats.CodeInvalid, "the size %q of a picture must be above 0 and at most 55 cm", text)
		}
		if !both {
			break
		}
	}
	return p, nil
}

// file is a picture file that was read.
type file struct {
	bytes []byte
	image.Picture
}

// open reads a picture file, once in a call.
func (f *filler) open(ctx context.Context, name string, place func() string) (*file, error) {
	if got := f.files[name]; got != nil {
		return got, nil
	}
	fail := func(err error) error {
		return fmt.Errorf("the picture %s for %s: %w", clip(name), place(), err)
	}
	b, err := formats.ApplyOptions{Open: f.opener}.OpenFile(ctx, name, maxPictures)
	if err != nil {
		return nil, fail(err)
	}
	pic, err := image.Probe(b)
	if err != nil {
		return nil, formats.Errorf(formats.CodeOf(err), "%w", fail(err))
	}
	if f.pictured += len(b); f.pictured > maxPictures {
		return nil, formats.Errorf(formats.CodeTooLarge, "the pictures have more than %d MiB together; give fewer rows, or smaller pictures", maxPictures>>20)
	}
	got := &file{b, pic}
	f.files[name] = got
	return got, nil
}

// mark returns a text that stands for a picture until the text of the part is filled.
// No data and no template can have it, because it has a random number.
func (f *filler) mark(ctx context.Context, t token, name string, place func() string) (string, error) {
	p, err := pictureOf(t.filters)
	if err != nil {
		return "", err
	}
	if !f.pictures {
		return "", formats.Errorf(formats.CodeUnsupported, "%s: pictures are put into the text of docx files, into cells of xlsx files and in place of a shape of a slide that has no other text, not here", place())
	}
	if _, err := f.open(ctx, name, place); err != nil {
		return "", err
	}
	if f.nonce == "" {
		f.nonce = "\ufdd0" + rand.Text()
	}
	p.path = name
	f.marks = append(f.marks, p)
	return f.nonce + ":" + strconv.Itoa(len(f.marks)-1) + "\ufdd1", nil
}

// drawPictures puts the pictures of a part of Word in the places of their marks: the
// run is cut in two, with a run for the picture between (20.4.2.8).
func (e *expander) drawPictures(ctx context.Context, ed *opc.Edit, doc []byte) ([]byte, error) {
	if e.nonce == "" || !bytes.Contains(doc, []byte(e.nonce)) {
		return doc, nil
	}
	ids := map[string]string{} // of relationships of this part
	var edits []xmlscan.Splice
	var run xmlscan.Token
	props := ""
	sc := xmlscan.New(doc)
	for n := 0; sc.Next(); n++ {
		if n&4095 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t := sc.Token()
		switch {
		case t.Kind != xmlscan.Start || t.Empty:
		case t.Local == "r":
			run, props = t, ""
		case t.Local == "rPr" && t.Depth == run.Depth+1:
			props = string(doc[t.Start:sc.Skip()])
		case t.Local == "t" && t.Depth == run.Depth+1:
			from := t.End
			end := from + bytes.IndexByte(doc[from:], '<')
			for at := from; ; {
				i := bytes.Index(doc[at:end], []byte(e.nonce))
				if i < 0 {
					break
				}
				if _, kept := t.Attr("xml:space"); !kept && at == from {
					edits = append(edits, xmlscan.Splice{Start: from - 1, End: from - 1, New: []byte(` xml:space="preserve"`)})
				}
				start := at + i
				stop := start + bytes.Index(doc[start:end], []byte("\ufdd1"))
				k, _ := strconv.Atoi(string(doc[start+len(e.nonce)+1 : stop]))
				at = stop + len("\ufdd1")
				drawing, err := e.drawing(ctx, ed, e.marks[k], ids, bytes.Contains(doc[:min(len(doc), 4096)], []byte("purl.oclc.org/ooxml")))
				if err != nil {
					return nil, err
				}
				w := ""
				if t.Prefix != "" {
					w = t.Prefix + ":"
				}
				edits = append(edits, xmlscan.Splice{Start: start, End: at, New: []byte("</" + w + "t></" + w + "r><" + w + "r><" + w + "drawing>" + drawing + "</" + w + "drawing></" + w + "r><" + w + "r>" + props + "<" + w + `t xml:space="preserve">`)})
			}
		}
	}
	if err := sc.Err(); err != nil {
		return nil, err
	}
	return xmlscan.Apply(doc, edits), nil
}

// drawing is the inline picture of a mark.
func (e *expander) drawing(ctx context.Context, ed *opc.Edit, p picture, ids map[string]string, strict bool) (string, error) {
	f := e.files[p.path]
	id := ids[p.path]
	if id == "" {
		var err error
		if _, id, err = ed.AddPart(ctx, e.name, "word/media/image%d."+f.Ext, opc.RelPrefix+"image", f.MIME, f.bytes); err != nil {
			return "", err
		}
		ids[p.path] = id
	}
	ns := func(s string) string {
		if s = "http://schemas.openxmlformats.org/" + s; strict {
			s = xmlscan.Strict(s)
		}
		return s
	}
	cx, cy := f.Fit(p.width, p.height, maxWidth)
	e.ids++
	name := xmlscan.EscapeAttr(stdpath.Base(p.path))
	return fmt.Sprintf(`<wp:inline xmlns:wp="%s" distT="0" distB="0" distL="0" distR="0"><wp:extent cx="%[2]d" cy="%[3]d"/><wp:docPr id="%[4]d" name="Picture %[4]d" descr="%[5]s"/><wp:cNvGraphicFramePr><a:graphicFrameLocks xmlns:a="%[6]s" noChangeAspect="1"/></wp:cNvGraphicFramePr><a:graphic xmlns:a="%[6]s"><a:graphicData uri="%[7]s"><pic:pic xmlns:pic="%[7]s"><pic:nvPicPr><pic:cNvPr id="0" name="%[5]s"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip xmlns:r="%[8]s" r:embed="%[9]s"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="%[2]d" cy="%[3]d"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline>`,
		ns("drawingml/2006/wordprocessingDrawing"), cx, cy, 1_000_000+e.ids, name, ns("drawingml/2006/main"), ns("drawingml/2006/picture"), ns("officeDocument/2006/relationships"), id), nil
}
