package docx

import (
	"context"
	"fmt"
	"math"
	"path"

	"atelier/formats"
	"atelier/formats/image"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// maxPicture bounds a picture in bytes.
const maxPicture = 64 << 20

const (
	nsWP  = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
	nsA   = "http://schemas.openxmlformats.org/drawingml/2006/main"
	nsPic = "http://schemas.openxmlformats.org/drawingml/2006/picture"
)

// addImageArgs are the members of add_image.
type addImageArgs struct {
	Path string `json:"path" usage:"path" jsonschema:"{ops}: picture file (png, jpeg, gif)"`
	placeArgs
	Width  *lenient.Float `json:"width" jsonschema:"inches"`
	Height *lenient.Float `json:"height" jsonschema:"inches"`
	Alt    string         `json:"alt" jsonschema:"description of the picture"`
	Layout
	trackingArgs
}

// addImage puts a picture in a paragraph of its own beside a block, or at the
// end (20.4.2.8).
func (e *editing) addImage(ctx context.Context, op addImageArgs) (formats.OpReport, error) {
	rep := formats.OpReport{Hits: 1}
	if op.Path == "" {
		return rep, formats.Errorf(formats.CodeInvalid, "path is required: the picture file")
	}
	b, err := e.opt.OpenFile(ctx, op.Path, maxPicture)
	if err != nil {
		return rep, err
	}
	pic, err := image.Probe(b)
	if err != nil {
		return rep, err
	}
	p, pl, at, err := e.drawingPlace(ctx, op.placeArgs)
	if err != nil {
		return rep, err
	}
	width, err := emu("width", op.Width)
	if err != nil {
		return rep, err
	}
	height, err := emu("height", op.Height)
	if err != nil {
		return rep, err
	}
	cx, cy := pic.Fit(width, height, int64(e.textWidth(p))*635)
	_, id, err := e.ed.AddPart(ctx, pl.name, "word/media/image%d."+pic.Ext, opc.RelPrefix+"image", pic.MIME, b)
	if err != nil {
		return rep, err
	}
	w := pl.prefix
	n := highestDocPr(pl.doc) + 1
	drawing := fmt.Sprintf(`<%[1]sdrawing><wp:inline%[2]s distT="0" distB="0" distL="0" distR="0"><wp:extent cx="%[3]d" cy="%[4]d"/><wp:docPr id="%[5]d" name="Picture %[5]d" descr="%[6]s"/><wp:cNvGraphicFramePr><a:graphicFrameLocks%[7]s noChangeAspect="1"/></wp:cNvGraphicFramePr><a:graphic%[7]s><a:graphicData uri="%[8]s"><pic:pic%[9]s><pic:nvPicPr><pic:cNvPr id="0" name="%[10]s"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="%[11]s"%[12]s/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="%[3]d" cy="%[4]d"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic></wp:inline></%[1]sdrawing>`,
		w, e.namespaceDecl("wp", nsWP), cx, cy, n, escape(op.Alt), e.namespaceDecl("a", nsA), e.uri(nsPic), e.namespaceDecl("pic", nsPic), escape(path.Base(op.Path)), id, e.namespaceDecl("r", nsR))
	err = e.putDrawing(ctx, op.placeArgs, op.Layout, pl, at, drawing, &rep)
	return rep, err
}

// drawingPlace returns the body and the place of a new picture or chart: beside a
// block, or the end.
func (e *editing) drawingPlace(ctx context.Context, op placeArgs) (body *part, pl place, at int, err error) {
	if body, err = e.body(ctx); err != nil {
		return nil, pl, 0, err
	}
	pl, at = place{body, body.stories[0]}, bodyEnd(body)
	if op.At != "" {
		pl, at, err = e.beside(ctx, besideArgs(op))
	}
	return body, pl, at, err
}

// putDrawing puts a drawing in a paragraph of its own at a place.
func (e *editing) putDrawing(ctx context.Context, op placeArgs, layout Layout, pl place, at int, drawing string, rep *formats.OpReport) error {
	w := pl.prefix
	spec := Paragraph{Layout: layout}
	para, err := e.paragraphXML(w, spec, "", "", rep)
	if err != nil {
		return err
	}
	run := "<" + w + "r>" + drawing + "</" + w + "r>"
	if e.rev != nil {
		run = "<" + w + "ins" + e.rev.Attrs(w) + ">" + run + "</" + w + "ins>"
	}
	para = para[:len(para)-len("</"+w+"p>")] + run + "</" + w + "p>"
	if op.At == "" {
		rep.Made = fmt.Sprintf("p%d", len(pl.kidsOf(paraNode)))
		e.put(pl.part, pl.node, at, at, para)
		return nil
	}
	if pl.kind == paraNode {
		rep.Made = e.addressOf(ctx, pl)
		if at == pl.end {
			rep.Made = nextAddress(rep.Made)
		}
	}
	e.splice(pl.part, xmlscan.Splice{Start: at, End: at, New: []byte(para)})
	return nil
}

// emu returns a length given in inches, in EMU; 0 when it is not given.
func emu(name string, v *lenient.Float) (int64, error) {
	if v == nil {
		return 0, nil
	}
	if *v <= 0 || *v > 22 {
		return 0, formats.Errorf(formats.CodeInvalid, "%s is %v inches; it must be more than 0 and at most 22", name, float64(*v))
	}
	return int64(math.Round(float64(*v) * 914400)), nil
}

// uri returns a namespace in the form the package uses.
func (e *editing) uri(ns string) string {
	if e.strict {
		return xmlscan.Strict(ns)
	}
	return ns
}

// highestDocPr returns the highest id of drawings in a part.
func highestDocPr(doc []byte) int {
	most := 0
	sc := xmlscan.New(doc)
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Local == "docPr" {
			if n := atoi(t.AttrLocal("id")); n > most && n < 1<<30 {
				most = n
			}
		}
	}
	return most
}
