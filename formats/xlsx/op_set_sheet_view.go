package xlsx

import (
	"bytes"
	"context"
	"strconv"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lenient"
)

type setSheetViewArgs struct {
	sheetArgs
	Zoom      *lenient.Int  `json:"zoom" jsonschema:"{ops}: percent, 10 to 400"`
	Gridlines *lenient.Bool `json:"gridlines" jsonschema:"{ops}: show the lines between cells"`
	Headings  *lenient.Bool `json:"headings" jsonschema:"{ops}: show row numbers and column letters"`
}

// setSheetView sets how programs show a sheet on the screen; what they print
// stays.
func (p *plan) setSheetView(_ context.Context, op setSheetViewArgs) (int, error) {
	switch {
	case op.Zoom == nil && op.Gridlines == nil && op.Headings == nil:
		return 0, formats.Errorf(formats.CodeInvalid, "zoom, gridlines or headings is required")
	case op.Zoom != nil && (*op.Zoom < 10 || *op.Zoom > 400):
		return 0, formats.Errorf(formats.CodeInvalid, "invalid zoom %d: expected 10 to 400 percent", *op.Zoom)
	}
	s, err := p.existing(op.Sheet)
	if err != nil {
		return 0, err
	}
	p.deferEdit(s, func(_ context.Context, w *sheetWork) error {
		w.setView(op)
		return nil
	})
	return 0, nil
}

// setView sets attributes of the sheet's first view (18.3.1.87).
func (w *sheetWork) setView(op setSheetViewArgs) {
	views := w.skel.Elements("sheetView")
	if len(views) == 0 {
		w.insert("sheetViews", "<"+w.prefix+"sheetViews><"+w.prefix+`sheetView workbookViewId="0"/></`+w.prefix+"sheetViews>")
		views = w.skel.Elements("sheetView")
	}
	view := views[0]
	tag := bytes.Clone(view.Bytes())
	set := func(name, value, normal string) {
		if now, there := view.Attr(name); there && now == value || !there && value == normal {
			return
		}
		tag = sheetml.EditTag(tag, " "+name+`="`+value+`"`, name)
	}
	if op.Zoom != nil {
		zoom := strconv.Itoa(int(*op.Zoom))
		set("zoomScale", zoom, "100")
		if in := view.AttrLocal("view"); in == "" || in == "normal" {
			set("zoomScaleNormal", zoom, "100") // the zoom to return to from another view
		}
	}
	for _, flag := range []struct {
		name string
		to   *lenient.Bool
	}{{"showGridLines", op.Gridlines}, {"showRowColHeaders", op.Headings}} {
		now, there := view.Attr(flag.name)
		if flag.to != nil && (!there || sheetml.IsTrue(now)) != bool(*flag.to) {
			set(flag.name, map[bool]string{true: "1", false: "0"}[bool(*flag.to)], "")
		}
	}
	if bytes.Equal(tag, view.Bytes()) {
		w.warn("the view of the sheet %q is so already; nothing was changed", w.sheet.name)
		return
	}
	w.edit(xmlscan.Splice{Start: view.Start, End: view.End, New: tag})
	w.rep.Hits = 1
}
