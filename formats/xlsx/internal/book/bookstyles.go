package book

import (
	"context"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/stylesheet"
)

const relTheme = opc.RelPrefix + "theme"

// themeOrder maps the theme attribute of a colour (18.8.3) to the names of the
// theme's colours.
var themeOrder = []string{"lt1", "dk1", "lt2", "dk2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6", "hlink", "folHlink"}

// readStyleBook reads the style part of a workbook as it is.
func (wb *Workbook) readStyleBook(ctx context.Context) (*stylesheet.Book, error) {
	doc := []byte(stylesheet.Empty)
	part := wb.RelPart(RelStyles)
	if part != "" {
		var err error
		if doc, err = wb.Package.ReadXML(ctx, part); err != nil {
			return nil, err
		}
	}
	b := stylesheet.NewBook(part, doc)
	if err := b.Parse(); err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", part, err)
	}
	return b, nil
}

// ForeignStyles reads the formats of wb for use in target.
func (wb *Workbook) ForeignStyles(ctx context.Context, target *Workbook) (*stylesheet.Foreign, error) {
	b, err := wb.readStyleBook(ctx)
	if err != nil {
		return nil, err
	}
	f := stylesheet.NewForeign(b)
	mine, err := wb.ThemeColors(ctx)
	if err != nil {
		return nil, err
	}
	theirs, err := target.ThemeColors(ctx)
	if err != nil {
		return nil, err
	}
	if strings.Join(mine, " ") != strings.Join(theirs, " ") {
		f.Colors = mine
	}
	return f, nil
}

// ThemeColors are the twelve colours of the workbook's theme as RRGGBB, in the
// order of themeOrder; those of Office when it has no theme.
func (wb *Workbook) ThemeColors(ctx context.Context) ([]string, error) {
	out := []string{"FFFFFF", "000000", "E7E6E6", "44546A", "5B9BD5", "ED7D31", "A5A5A5", "FFC000", "4472C4", "70AD47", "0563C1", "954F72"}
	part := wb.RelPart(relTheme)
	if part == "" {
		return out, nil
	}
	doc, err := wb.Package.ReadXML(ctx, part)
	if err != nil {
		return nil, err
	}
	name, in := "", false
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Local == "clrScheme":
			in = t.Kind == xmlscan.Start
		case !in || t.Kind != xmlscan.Start:
		case t.Local == "srgbClr" || t.Local == "sysClr":
			v := t.AttrLocal("val")
			if t.Local == "sysClr" {
				v = t.AttrLocal("lastClr")
			}
			if i := slices.Index(themeOrder, name); i >= 0 && len(v) == 6 {
				out[i] = strings.ToUpper(v)
			}
		default:
			name = t.Local
		}
	}
	return out, CorruptPart(sc.Err(), part)
}

// Styles reads the workbook's number formats; a workbook without a style part
// has General only.
func (wb *Workbook) Styles(ctx context.Context) (*stylesheet.Formats, error) {
	part := wb.RelPart(RelStyles)
	if part == "" {
		return stylesheet.NewFormats(wb.Date1904), nil
	}
	doc, err := wb.Package.ReadXML(ctx, part)
	if err != nil {
		return nil, err
	}
	st, err := stylesheet.ParseFormats(doc, wb.Date1904)
	if err != nil {
		return nil, formats.Errorf(formats.CodeCorrupt, "%s: %w", part, err)
	}
	return st, nil
}
