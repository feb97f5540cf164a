package docx

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// pageSetupArgs are the members of set_page_setup.
type pageSetupArgs struct {
	At           string         `json:"at" usage:"at? (a paragraph of the section; default all sections)"`
	Paper        string         `json:"paper" jsonschema:"{ops}: A3, A4, A5, letter, legal or tabloid"`
	Orientation  string         `json:"orientation" jsonschema:"{ops}: portrait or landscape"`
	MarginTop    *lenient.Float `json:"margin_top" jsonschema:"{ops}: inches"`
	MarginBottom *lenient.Float `json:"margin_bottom" jsonschema:"{ops}: inches"`
	MarginLeft   *lenient.Float `json:"margin_left" jsonschema:"{ops}: inches"`
	MarginRight  *lenient.Float `json:"margin_right" jsonschema:"{ops}: inches"`
}

// papers are the sizes of paper upright, in twentieths of a point.
var papers = map[string][2]int{"a3": {16838, 23811}, "a4": {11906, 16838}, "a5": {8391, 11906}, "letter": {12240, 15840}, "legal": {12240, 20160}, "tabloid": {15840, 24480}}

// maxMargin is the largest margin in inches; Word's largest page has 22.
const maxMargin = 22

// setPageSetup sets paper, orientation and margins of sections (17.6.11,
// 17.6.13). Members that are absent leave what the section has.
func (e *editing) setPageSetup(ctx context.Context, op pageSetupArgs) (formats.OpReport, error) {
	if err := op.check(); err != nil {
		return formats.OpReport{}, err
	}
	return e.changeSections(ctx, op.At, "the page setup", op.apply)
}

// check refuses values that no section can have.
func (op pageSetupArgs) check() error {
	if op.Paper != "" && papers[strings.ToLower(op.Paper)] == [2]int{} {
		return formats.Errorf(formats.CodeInvalid, "paper %q is not one of A3, A4, A5, letter, legal, tabloid", op.Paper)
	}
	if o := strings.ToLower(op.Orientation); o != "" && o != "portrait" && o != "landscape" {
		return formats.Errorf(formats.CodeInvalid, "orientation %q is not portrait or landscape", op.Orientation)
	}
	given := op.Paper != "" || op.Orientation != ""
	for _, m := range op.margins() {
		if m.inches == nil {
			continue
		}
		given = true
		if *m.inches < 0 || *m.inches > maxMargin {
			return formats.Errorf(formats.CodeInvalid, "margin_%s must be 0 to %d inches, not %v", m.side, maxMargin, *m.inches)
		}
	}
	if !given {
		return formats.Errorf(formats.CodeInvalid, "say what to set: paper, orientation, margin_top, margin_bottom, margin_left or margin_right")
	}
	return nil
}

// margin is a margin that an operation gives, nil for none.
type margin struct {
	side   string
	inches *lenient.Float
}

func (op pageSetupArgs) margins() []margin {
	return []margin{{"top", op.MarginTop}, {"right", op.MarginRight}, {"bottom", op.MarginBottom}, {"left", op.MarginLeft}}
}

// apply returns the properties of a section with the setup. raw is "" for a
// section without any.
func (op pageSetupArgs) apply(raw, prefix string) (string, error) {
	pr := sectProps(raw, prefix)
	size, err := lengthsOf(pr.Get("pgSz"), map[string]int{"w": papers["a4"][0], "h": papers["a4"][1]})
	if err != nil {
		return "", err
	}
	w, h := size["w"], size["h"]
	if op.Paper != "" {
		upright := papers[strings.ToLower(op.Paper)]
		if w > h {
			upright[0], upright[1] = upright[1], upright[0]
		}
		w, h = upright[0], upright[1]
	}
	if o := strings.ToLower(op.Orientation); o == "landscape" && w < h || o == "portrait" && w > h {
		w, h = h, w
	}
	orient := ""
	if w > h {
		orient = "landscape"
	}
	if op.Paper != "" {
		setAttrs(pr, "pgSz", attr{"code", ""}) // the printer's number of the old paper
	}
	if op.Paper != "" || op.Orientation != "" {
		setAttrs(pr, "pgSz", attr{"w", strconv.Itoa(w)}, attr{"h", strconv.Itoa(h)}, attr{"orient", orient})
	}
	// 1417 is 2.5 cm, which tables assume too where a section says nothing.
	margins, err := lengthsOf(pr.Get("pgMar"), map[string]int{"top": 1417, "right": 1417, "bottom": 1417, "left": 1417, "header": 708, "footer": 708, "gutter": 0})
	if err != nil {
		return "", err
	}
	changed := false
	for _, m := range op.margins() {
		if m.inches != nil {
			changed = true
			margins[m.side] = int(math.Round(float64(*m.inches) * 1440))
		}
	}
	if margins["left"]+margins["right"]+margins["gutter"] >= w || max(0, margins["top"])+max(0, margins["bottom"]) >= h {
		return "", formats.Errorf(formats.CodeInvalid, "the margins leave no room for text on a page of %.4g by %.4g inches", float64(w)/1440, float64(h)/1440)
	}
	var set []attr
	for _, name := range []string{"top", "right", "bottom", "left", "header", "footer", "gutter"} {
		set = append(set, attr{name, strconv.Itoa(margins[name])})
	}
	if changed {
		setAttrs(pr, "pgMar", set...)
	}
	return pr.Optional(), nil
}

// lengthsOf reads attributes of an element in twentieths of a point; def are
// the values of those that are absent.
func lengthsOf(xml string, def map[string]int) (map[string]int, error) {
	sc := xmlscan.New([]byte(xml))
	if xml == "" || !sc.Next() {
		return def, nil
	}
	t := sc.Token()
	for name := range def {
		s := t.AttrLocal(name)
		if s == "" {
			continue
		}
		n, err := strconv.Atoi(s)
		if err != nil { // such as 21cm (22.9.2.14)
			return nil, formats.Errorf(formats.CodeUnsupported, "the section has a length that cannot be changed here: %s", fmt.Sprintf("%s=%q", name, s))
		}
		def[name] = n
	}
	return def, nil
}
