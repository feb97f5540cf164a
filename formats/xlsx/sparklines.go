package xlsx

import (
	"maps"
	"slices"
	"strings"

	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// The extension of a worksheet that has its sparklines ([MS-XLSX] 2.2.4.6).
const (
	sparklineURI = "{05C60535-1F16-4fd2-B633-F4F36F0B64E0}"
	x14NS        = "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"
	xmNS         = "http://schemas.microsoft.com/office/excel/2006/main"
)

// sparklineSchema has the children of a group ([MS-XLSX] 2.6.66).
var sparklineSchema = element.NewSchema("colorSeries colorNegative colorAxis colorMarkers colorFirst colorLast colorHigh colorLow f sparklines")

// sparklineGroup is a group of sparklines in a sheet.
type sparklineGroup struct {
	start, end int
	lines      []placedSparkline
}

// placedSparkline is a sparkline element.
type placedSparkline struct {
	start, end int
	at         []cellref.Range
}

// sparklineGroups are those of a sheet with the list around them.
type sparklineGroups struct {
	list       xmlscan.Token // sparklineGroups; Start tag
	listEnd    int
	ext        [2]int // the ext around it
	extension  [2]int // the extLst around that
	extensions int    // in it
	found      bool
	groups     []sparklineGroup
}

// findSparklines finds the groups of a sheet.
func findSparklines(doc []byte) (out sparklineGroups, err error) {
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		switch {
		case t.Kind == xmlscan.End:
			out.ends(t)
		case t.Kind != xmlscan.Start:
		case t.Depth == 2 && t.Local != "extLst":
			sc.Skip()
		case t.Depth == 2:
			out.extension[0] = t.Start
		case t.Depth == 3 && t.Local == "ext":
			out.extensions++
			if !out.found {
				out.ext[0] = t.Start
			}
		case t.Local == "sparklineGroups" && t.Space == x14NS && !out.found:
			out.list, out.found = t, true
			out.listEnd = t.End
		case t.Local == "sparklineGroup" && out.found:
			out.groups = append(out.groups, sparklineGroup{start: t.Start, end: t.End})
		case t.Local == "sparkline" && len(out.groups) > 0:
			end := max(t.End, sc.Skip())
			g := &out.groups[len(out.groups)-1]
			at := sheetml.TextsOf(doc[t.Start:end], "sqref")
			g.lines = append(g.lines, placedSparkline{t.Start, end, cellref.ParseList(strings.Join(at, " "))})
		}
	}
	return out, sc.Err()
}

// ends notes where elements end.
func (s *sparklineGroups) ends(t xmlscan.Token) {
	switch {
	case t.Local == "sparklineGroup" && len(s.groups) > 0:
		s.groups[len(s.groups)-1].end = t.End
	case t.Local == "sparklineGroups" && s.listEnd == s.list.End:
		s.listEnd = t.End
	case t.Local == "ext" && t.Depth == 3 && s.ext[1] == 0 && s.found:
		s.ext[1] = t.End
	case t.Local == "extLst" && t.Depth == 2:
		s.extension[1] = t.End
	}
}

// setSparklines writes, changes or removes the sparklines of cells. What a group has of
// other cells stays in it.
func (w *sheetWork) setSparklines(spec *sparklineSpec, remove bool) error {
	doc := w.skel.Doc
	have, err := findSparklines(doc)
	if err != nil {
		return book.CorruptPart(err, w.part)
	}
	var edits []xmlscan.Splice
	made, gone, kept := "", 0, 0
	base := ""
	for _, g := range have.groups {
		var in, out []placedSparkline
		for _, l := range g.lines {
			if len(l.at) > 0 && !slices.ContainsFunc(l.at, func(r cellref.Range) bool { return !insideAny(r, spec.cells) }) {
				in = append(in, l)
			} else {
				out = append(out, l)
			}
		}
		if kept += len(out); len(in) == 0 {
			continue
		}
		gone += len(in)
		raw := string(doc[g.start:g.end])
		if base == "" {
			base = raw
		}
		if len(out) == 0 {
			edits = append(edits, xmlscan.Splice{Start: g.start, End: g.end})
		} else {
			for _, l := range in {
				edits = append(edits, xmlscan.Splice{Start: l.start, End: l.end})
			}
		}
		if !remove && len(spec.lines) == 0 {
			lines := ""
			for _, l := range in {
				lines += string(doc[l.start:l.end])
			}
			made += spec.group(raw, lines)
		}
	}
	switch {
	case gone == 0 && len(spec.lines) == 0:
		w.warn("there are no sparklines in %s", cellref.FormatList(spec.cells))
		return nil
	case len(spec.lines) > 0:
		made = spec.group(base, newSparklines(base, spec.lines))
		w.rep.Hits = len(spec.lines)
	default:
		w.rep.Hits = gone
	}
	if made != "" {
		w.rep.Made = w.sheet.name + "!" + cellref.FormatList(spec.cells)
	}
	if made == "" && kept == 0 {
		edits = have.remove()
	}
	w.edit(append(edits, have.put(w.skel.Doc, made)...)...)
	if made != "" && !have.found {
		w.insertSparklines(made)
	}
	return nil
}

// insideAny reports whether one of blocks holds all of r.
func insideAny(r cellref.Range, blocks []cellref.Range) bool {
	return slices.ContainsFunc(blocks, func(b cellref.Range) bool { return r.Inside(b) })
}

// remove returns the edit that removes the list with the extension around it.
func (s *sparklineGroups) remove() []xmlscan.Splice {
	gone := s.ext
	if s.extensions == 1 {
		gone = s.extension
	}
	return []xmlscan.Splice{{Start: gone[0], End: gone[1]}}
}

// put returns the edit that puts new groups behind those that are there.
func (s *sparklineGroups) put(doc []byte, made string) []xmlscan.Splice {
	switch {
	case !s.found || made == "":
		return nil
	case s.list.Empty:
		name := s.list.Local
		if s.list.Prefix != "" {
			name = s.list.Prefix + ":" + name
		}
		return []xmlscan.Splice{{Start: s.list.End - len("/>"), End: s.list.End, New: []byte(">" + made + "</" + name + ">")}}
	}
	at := sheetml.EndTagStart(doc, s.listEnd)
	return []xmlscan.Splice{{Start: at, End: at, New: []byte(made)}}
}

// newSparklines writes sparkline elements, with the prefixes of a group that is there.
func newSparklines(like string, lines []sparkline) string {
	x14, xm := sparklinePrefixes(like)
	var sb strings.Builder
	for _, l := range lines {
		sb.WriteString("<" + x14 + "sparkline><" + xm + "f>" + xmlscan.Escape(l.formula) + "</" + xm + "f><" + xm + "sqref>" + cellref.Name(l.at.Row, l.at.Col) + "</" + xm + "sqref></" + x14 + "sparkline>")
	}
	return sb.String()
}

// sparklinePrefixes returns the prefixes of the elements of a group and of those within
// its sparklines; "x14:" and "xm:" for a new one, which declares them itself.
func sparklinePrefixes(like string) (x14, xm string) {
	x14, xm = "x14:", "xm:"
	if like == "" {
		return x14, xm
	}
	e := element.Parse(like, "", sparklineSchema)
	x14 = e.Prefix()
	sheetml.EachStartTag([]byte(like), func(t xmlscan.Token) bool {
		if t.Local != "f" && t.Local != "sqref" {
			return true
		}
		xm = ""
		if t.Prefix != "" {
			xm = t.Prefix + ":"
		}
		return false
	})
	return x14, xm
}

// group returns a group with sparklines, which looks like the group like but for what
// is to be set; "" for like makes one that looks as Excel's do.
func (spec *sparklineSpec) group(like, lines string) string {
	x14, xm := sparklinePrefixes(like)
	e := element.Parse(like, x14+"sparklineGroup", sparklineSchema)
	if like == "" {
		e.SetAttr("xmlns:x14", x14NS)
		e.SetAttr("xmlns:xm", xmNS)
		e.SetAttr("displayEmptyCellsAs", "gap")
		for _, c := range sparklineColors {
			e.Set(c[0], "<"+x14+c[0]+` rgb="`+c[1]+`"/>`)
		}
	}
	e.DropAttrs("xr2:uid") // it names one group
	for _, name := range slices.Sorted(maps.Keys(spec.attrs)) {
		if v := spec.attrs[name]; v == "" {
			e.DropAttrs(name)
		} else {
			e.SetAttr(name, v)
		}
	}
	for name, c := range spec.colors {
		e.Set(name, "<"+x14+name+` rgb="`+c+`"/>`)
	}
	switch {
	case spec.dates == nil:
	case *spec.dates == "":
		e.Drop("f")
	default:
		e.Set("f", "<"+xm+"f>"+xmlscan.Escape(*spec.dates)+"</"+xm+"f>")
	}
	e.Set("sparklines", "<"+x14+"sparklines>"+lines+"</"+x14+"sparklines>")
	return e.String()
}

// insertSparklines adds the extension with the first groups of a sheet.
func (w *sheetWork) insertSparklines(groups string) {
	groups = strings.ReplaceAll(groups, ` xmlns:x14="`+x14NS+`" xmlns:xm="`+xmNS+`"`, "") // declared around them
	w.appendTo("extLst", "<"+w.prefix+`ext xmlns:x14="`+x14NS+`" uri="`+sparklineURI+`"><x14:sparklineGroups xmlns:xm="`+xmNS+`">`+groups+"</x14:sparklineGroups></"+w.prefix+"ext>", false)
}
