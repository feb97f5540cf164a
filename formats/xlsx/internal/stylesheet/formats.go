package stylesheet

import (
	"strconv"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/numfmt"
)

// Formats knows the number format of each cell style.
type Formats struct {
	Date1904 bool
	xf       []int          // numFmtId by style index
	custom   map[int]string // numFmtId → format code
	cache    map[int]*numfmt.Format
}

// NewFormats returns formats in which every style is General.
func NewFormats(date1904 bool) *Formats {
	return &Formats{Date1904: date1904, custom: map[int]string{}, cache: map[int]*numfmt.Format{}}
}

// ParseFormats reads the number formats of a style part.
func ParseFormats(doc []byte, date1904 bool) (*Formats, error) {
	st := NewFormats(date1904)
	sc := xmlscan.New(doc)
	inXfs := false
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Local == "cellXfs" && t.Depth == 2:
			inXfs = t.Kind == xmlscan.Start && !t.Empty
		case t.Kind != xmlscan.Start:
		case t.Local == "numFmt" && t.Depth == 3:
			if id, err := strconv.Atoi(t.AttrLocal("numFmtId")); err == nil {
				st.custom[id] = t.AttrLocal("formatCode")
			}
		case t.Local == "xf" && inXfs && t.Depth == 3:
			id, _ := strconv.Atoi(t.AttrLocal("numFmtId"))
			st.xf = append(st.xf, id)
		}
	}
	return st, sc.Err()
}

// Format returns the number format of a style index.
func (st *Formats) Format(style int) *numfmt.Format {
	if f := st.cache[style]; f != nil {
		return f
	}
	id := 0
	if style >= 0 && style < len(st.xf) {
		id = st.xf[style]
	}
	code, ok := st.custom[id]
	if !ok {
		code = BuiltinFormats[id]
	}
	f := numfmt.Parse(code)
	st.cache[style] = f
	return f
}

// BuiltinFormats are the format codes of 18.8.30 as Excel shows them in
// English; the East Asian ids have their ISO-like forms.
var BuiltinFormats = map[int]string{
	1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00",
	5: `"$"#,##0_);("$"#,##0)`, 6: `"$"#,##0_);[Red]("$"#,##0)`, 7: `"$"#,##0.00_);("$"#,##0.00)`, 8: `"$"#,##0.00_);[Red]("$"#,##0.00)`,
	9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
	14: "m/d/yyyy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "m/d/yyyy h:mm",
	27: "yyyy/m/d", 28: "yyyy/m/d", 29: "yyyy/m/d", 30: "m/d/yy", 31: "yyyy/m/d", 32: "h:mm", 33: "h:mm:ss", 34: "h:mm", 35: "h:mm:ss", 36: "yyyy/m/d",
	37: "#,##0_);(#,##0)", 38: "#,##0_);[Red](#,##0)", 39: "#,##0.00_);(#,##0.00)", 40: "#,##0.00_);[Red](#,##0.00)",
	41: `_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)`, 42: `_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)`,
	43: `_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)`, 44: `_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)`,
	45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
	50: "yyyy/m/d", 51: "m/d", 52: "yyyy/m", 53: "m/d", 54: "m/d", 55: "yyyy/m", 56: "m/d", 57: "yyyy/m", 58: "m/d",
}

// Code returns the format code of a style index.
func (st *Formats) Code(style int) string {
	id := 0
	if style >= 0 && style < len(st.xf) {
		id = st.xf[style]
	}
	return st.CodeOf(id)
}

// CodeOf returns the number format with an id.
func (st *Formats) CodeOf(id int) string {
	code, ok := st.custom[id]
	if !ok {
		code = BuiltinFormats[id]
	}
	if code == "" {
		return "General"
	}
	return code
}

// Clone returns the same formats for another goroutine.
func (st *Formats) Clone() *Formats {
	return &Formats{Date1904: st.Date1904, xf: st.xf, custom: st.custom, cache: map[int]*numfmt.Format{}}
}
