package docx

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"atelier/formats"
	"atelier/formats/ooxml/paragraph"
	"atelier/formats/ooxml/xmlscan"
)

// setText replaces what a field shows: the runs of the first paragraph, which
// keeps its properties; further paragraphs go.
func (f *formField) setText(text string) ([]xmlscan.Splice, error) {
	w := f.part.prefix
	if f.content.end == 0 || f.content.end < f.content.start {
		return nil, formats.Errorf(formats.CodeUnsupported, "%q has no place for text", f.Name)
	}
	doc := f.part.doc
	xml := doc[f.content.start:f.content.end]
	run := "<" + w + "r>" + f.runProps() + paragraph.Content(paragraph.Word, w, text) + "</" + w + "r>"
	if f.legacy && strings.Contains(string(xml), "</"+w+"p>") {
		return nil, formats.Errorf(formats.CodeUnsupported, "%q goes over several paragraphs; change them with set_paragraph", f.Name)
	}
	first := blockIn(xml, f.content.start)
	switch {
	case first.p.end == 0: // runs
		return []xmlscan.Splice{{Start: f.content.start, End: f.content.end, New: []byte(run)}}, nil
	case first.table:
		return nil, formats.Errorf(formats.CodeUnsupported, "%q holds a table; change its cells with set_table_cell", f.Name)
	}
	para := "<" + w + "p>" + string(doc[first.pPr.start:first.pPr.end]) + run + "</" + w + "p>"
	return []xmlscan.Splice{{Start: first.p.start, End: first.last, New: []byte(para)}}, nil
}

// firstBlock is the first paragraph in a control.
type firstBlock struct {
	p, pPr span
	last   int // where the last paragraph beside it ends
	table  bool
}

// blockIn finds the first paragraph among elements that begin at an offset.
func blockIn(xml []byte, from int) firstBlock {
	var b firstBlock
	depth := 0
	sc := xmlscan.New(slices.Concat([]byte("<x>"), xml, []byte("</x>")))
	from -= len("<x>")
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		switch {
		case t.Local == "tbl":
			b.table = true
			return b
		case t.Local == "tcPr":
			sc.Skip()
		case t.Local == "p" && b.p.end == 0:
			depth = t.Depth
			b.p.start = from + t.Start
			b.p.end, b.last = from+t.End, from+t.End
			if !t.Empty {
				b.p.end, b.last = b.read(sc, from, depth)
			}
		case t.Local == "p" && t.Depth == depth:
			b.last = from + sc.Skip()
		}
	}
	return b
}

// read takes the properties of the paragraph that has begun, up to its end.
func (b *firstBlock) read(sc *xmlscan.Scanner, from, depth int) (end, last int) {
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.Start && t.Local == "pPr" && t.Depth == depth+1:
			b.pPr = span{from + t.Start, from + sc.Skip()}
		case t.Kind == xmlscan.End && t.Depth == depth:
			return from + t.End, from + t.End
		}
	}
	return 0, 0
}

// runProps returns the formatting of what is filled in: that of the control, else
// that of the text that is there.
func (f *formField) runProps() string {
	w := f.part.prefix
	find := func(at span, depth int) string {
		sc := xmlscan.New(slices.Concat([]byte("<x>"), f.part.doc[at.start:at.end], []byte("</x>")))
		for sc.Next() {
			t := sc.Token()
			if t.Kind == xmlscan.Start && t.Local == "rPr" && (depth == 0 || t.Depth == depth) {
				start := t.Start - len("<x>") + at.start
				return string(f.part.doc[start : sc.Skip()-len("<x>")+at.start])
			}
			if t.Kind == xmlscan.Start && t.Local == "pPr" {
				sc.Skip()
			}
		}
		return ""
	}
	if !f.legacy {
		if rPr := find(f.props, 3); rPr != "" || f.Empty {
			return cleanRun(rPr, w)
		}
	}
	return cleanRun(find(f.content, 0), w)
}

// unplaceholder says that a control no longer shows its placeholder.
func (f *formField) unplaceholder() []xmlscan.Splice {
	return f.inProps("showingPlcHdr", func(t xmlscan.Token, end int) []byte { return nil })
}

// inProps replaces elements in the properties of a field.
func (f *formField) inProps(local string, now func(t xmlscan.Token, end int) []byte) (out []xmlscan.Splice) {
	sc := xmlscan.New(f.part.doc[f.props.start:f.props.end])
	for sc.Next() {
		if t := sc.Token(); t.Kind == xmlscan.Start && t.Local == local {
			end := sc.Skip()
			out = append(out, xmlscan.Splice{Start: f.props.start + t.Start, End: f.props.start + end, New: now(t, end)})
		}
	}
	return out
}

// setDate sets the date behind what is shown (17.5.2.7).
func (f *formField) setDate(day string) []xmlscan.Splice {
	w := f.part.prefix
	var out []xmlscan.Splice
	sc := xmlscan.New(f.part.doc[f.props.start:f.props.end])
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Local != "date" {
			continue
		}
		tag := "<" + w + "date " + w + `fullDate="` + day + `T00:00:00Z"`
		if t.Empty {
			tag += "/"
		}
		out = append(out, xmlscan.Splice{Start: f.props.start + t.Start, End: f.props.start + t.End, New: []byte(tag + ">")})
	}
	return out
}

// check ticks a checkbox or takes the tick away ([MS-DOCX] 2.6.1.1; 17.16.8).
func (f *formField) check(on bool) []xmlscan.Splice {
	val := map[bool]string{true: "1", false: "0"}[on]
	if f.legacy {
		return f.setBox("checked", val)
	}
	sign, font := map[bool]string{true: "☒", false: "☐"}[on], "MS Gothic"
	state := map[bool]string{true: "checkedState", false: "uncheckedState"}[on]
	prefix, done := "", false
	out := f.inProps("checked", func(t xmlscan.Token, _ int) []byte {
		done = true
		return []byte("<" + colon(t.Prefix) + "checked " + colon(t.Prefix) + `val="` + val + `"/>`)
	})
	sc := xmlscan.New(f.part.doc[f.props.start:f.props.end])
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		switch t.Local {
		case "checkbox":
			if prefix = colon(t.Prefix); !done {
				one := "<" + prefix + "checked " + prefix + `val="` + val + `"/>`
				at := xmlscan.Splice{Start: f.props.start + t.End, End: f.props.start + t.End, New: []byte(one)}
				if t.Empty {
					at = xmlscan.Splice{Start: f.props.start + t.Start, End: f.props.start + t.End, New: []byte("<" + prefix + "checkbox>" + one + "</" + prefix + "checkbox>")}
				}
				out = append(out, at)
			}
		case state:
			if n, err := strconv.ParseUint(t.AttrLocal("val"), 16, 32); err == nil && n > 0 {
				sign = string(rune(n))
			}
			if name := t.AttrLocal("font"); name != "" {
				font = name
			}
		}
	}
	w := f.part.prefix
	rPr := runProps(f.runProps(), w)
	setAttrs(rPr, "rFonts", attr{"ascii", font}, attr{"hAnsi", font}, attr{"eastAsia", font}, attr{"hint", "eastAsia"})
	run := "<" + w + "r>" + rPr.Optional() + paragraph.Content(paragraph.Word, w, sign) + "</" + w + "r>"
	if first := blockIn(f.part.doc[f.content.start:f.content.end], f.content.start); first.p.end > 0 && !first.table {
		run = "<" + w + "p>" + string(f.part.doc[first.pPr.start:first.pPr.end]) + run + "</" + w + "p>"
		return append(out, xmlscan.Splice{Start: first.p.start, End: first.last, New: []byte(run)})
	}
	return append(out, xmlscan.Splice{Start: f.content.start, End: f.content.end, New: []byte(run)})
}

// setBox sets what a legacy checkbox or list has chosen.
func (f *formField) setBox(local, val string) []xmlscan.Splice {
	w := f.part.prefix
	now := "<" + w + local + " " + w + `val="` + val + `"/>`
	if f.box[1].end > 0 {
		return []xmlscan.Splice{{Start: f.box[1].start, End: f.box[1].end, New: []byte(now)}}
	}
	open := string(f.part.doc[f.box[0].start:f.box[0].end])
	if name, empty := strings.CutSuffix(open, "/>"); empty {
		name = strings.TrimRight(name, " ")
		return []xmlscan.Splice{{Start: f.box[0].start, End: f.box[0].end, New: []byte(name + ">" + now + "</" + name[1:] + ">")}}
	}
	at := f.box[0].end
	if local == "checked" { // behind the size and the default
		sc := xmlscan.New(f.part.doc[f.box[0].start:f.props.end])
		for sc.Next() {
			if t := sc.Token(); t.Kind == xmlscan.End && t.Depth == 1 {
				at = f.box[0].start + t.Start
				break
			}
		}
	}
	return []xmlscan.Splice{{Start: at, End: at, New: []byte(now)}}
}

// shownDate writes a date in the format of its control: d, dd, M, MM, MMM, MMMM,
// yy, yyyy, dddd and text (17.16.4.1), with English names.
func shownDate(day time.Time, format string) string {
	if format == "" {
		format = "yyyy-MM-dd"
	}
	layouts := map[string]string{"d": "2", "dd": "02", "ddd": "Mon", "dddd": "Monday", "M": "1", "MM": "01", "MMM": "Jan", "MMMM": "January", "yy": "06", "yyyy": "2006",
		"h": "3", "hh": "03", "H": "15", "HH": "15", "m": "4", "mm": "04", "s": "5", "ss": "05"}
	var sb strings.Builder
	for i := 0; i < len(format); {
		c := format[i]
		if c == '\'' {
			end := strings.IndexByte(format[i+1:], '\'')
			if end < 0 {
				break
			}
			sb.WriteString(format[i+1 : i+1+end])
			i += end + 2
			continue
		}
		if len(format) >= i+5 && strings.EqualFold(format[i:i+5], "am/pm") {
			sb.WriteString(day.Format("PM"))
			i += 5
			continue
		}
		n := i
		for n < len(format) && format[n] == c {
			n++
		}
		if layout, ok := layouts[format[i:n]]; ok {
			sb.WriteString(day.Format(layout))
		} else {
			sb.WriteString(format[i:n])
		}
		i = n
	}
	return sb.String()
}
