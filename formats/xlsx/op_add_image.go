package xlsx

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/image"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

const maxImage = 32 << 20

type addImageArgs struct {
	cornerArgs
	Path string `json:"path" usage:"path" jsonschema:"{ops}: png, jpeg or gif file"`
	sizeArgs
	altArgs
}

func (p *plan) addImage(ctx context.Context, op addImageArgs) (int, error) {
	if strings.TrimSpace(op.Path) == "" {
		return 0, formats.Errorf(formats.CodeInvalid, "path is required: a png, jpeg or gif file")
	}
	at, s, err := p.corner(op.cornerArgs)
	if err != nil {
		return 0, err
	}
	cx, cy, err := op.size()
	if err != nil {
		return 0, err
	}
	data, err := p.opt.OpenFile(ctx, op.Path, maxImage)
	if err != nil {
		return 0, err
	}
	pic, err := image.Probe(data)
	if err != nil {
		return 0, err
	}
	a := anchor{at: at, name: "Picture", alt: op.Alt}
	a.cx, a.cy = pic.Fit(cx, cy, 10*emuPerInch)
	p.deferEdit(s, func(ctx context.Context, w *sheetWork) error {
		part, err := w.drawing(ctx)
		if err != nil {
			return err
		}
		_, id, err := w.f.ed.AddPart(ctx, part, "xl/media/image%d."+pic.Ext, graphicRel("image"), pic.MIME, data)
		if err != nil {
			return err
		}
		return w.putAnchor(ctx, part, a, func(props string) string {
			return fmt.Sprintf(`<xdr:pic><xdr:nvPicPr>%s<xdr:cNvPicPr><a:picLocks noChangeAspect="1"/></xdr:cNvPicPr></xdr:nvPicPr><xdr:blipFill><a:blip xmlns:r="%s" r:embed="%s"/><a:stretch><a:fillRect/></a:stretch></xdr:blipFill><xdr:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="%d" cy="%d"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></xdr:spPr></xdr:pic>`, props, w.f.ns(sheetml.RelNamespace), id, a.cx, a.cy)
		})
	})
	return 0, nil
}

// corner is the cell and sheet where an operation puts an object.
func (p *plan) corner(op cornerArgs) (cellref.Cell, *planSheet, error) {
	if strings.TrimSpace(op.Cell) == "" {
		return cellref.Cell{}, nil, formats.Errorf(formats.CodeInvalid, "cell is required: where the top left corner goes, such as E2")
	}
	at, err := cellref.ParseCell(op.Cell)
	if err != nil {
		return cellref.Cell{}, nil, err
	}
	s, err := p.existing(op.Sheet)
	return at, s, err
}
