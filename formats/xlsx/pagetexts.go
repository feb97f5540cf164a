package xlsx

import (
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/reader"
	"atelier/formats/xlsx/internal/sheetml"
)

// headerElements are the children of headerFooter in order (18.3.1.46), with the
// members of set_page_setup.
var headerElements = []struct{ name, member string }{{"oddHeader", "header"}, {"oddFooter", "footer"}, {"evenHeader", "header.even"}, {"evenFooter", "footer.even"}, {"firstHeader", "header.first"}, {"firstFooter", "footer.first"}}

var headerSchema = element.NewSchema("oddHeader oddFooter evenHeader evenFooter firstHeader firstFooter")

// maxHeader is how many characters a header has in Excel at most.
const maxHeader = 255

// bracketFields are the fields that a read shows in brackets, and as Excel's window shows
// them, as codes.
var bracketFields = strings.NewReplacer("&[Page]", "&P", "&[Pages]", "&N", "&[Date]", "&D", "&[Time]", "&T", "&[File]", "&F", "&[Tab]", "&A", "&[Path]", "&Z",
	"&[page]", "&P", "&[pages]", "&N", "&[date]", "&D", "&[time]", "&T", "&[file]", "&F", "&[tab]", "&A", "&[sheet]", "&A", "&[path]", "&Z",
	"[page]", "&P", "[pages]", "&N", "[date]", "&D", "[time]", "&T", "[file]", "&F", "[sheet]", "&A", "[path]", "&Z")

// setHeaders sets headers and footers.
func (w *sheetWork) setHeaders(texts map[string]*PageSections) error {
	if len(texts) == 0 {
		return nil
	}
	t, end, ok := w.child("headerFooter")
	raw := "<" + w.prefix + "headerFooter></" + w.prefix + "headerFooter>"
	if ok {
		raw = string(w.skel.Doc[t.Start:end])
	}
	e := element.Parse(raw, w.prefix+"headerFooter", headerSchema)
	for _, h := range headerElements {
		text := texts[h.name]
		if text == nil {
			continue
		}
		now, err := text.over(headerNow(e.Get(h.name)))
		if err != nil {
			return formats.Errorf(formats.CodeInvalid, "%s: %w", h.member, err)
		}
		e.Drop(h.name)
		if now != "" {
			e.Set(h.name, "<"+w.prefix+h.name+">"+xmlscan.Escape(now)+"</"+w.prefix+h.name+">")
		}
		said := "nothing"
		if now != "" {
			said = reader.HeaderText(now)
		}
		w.rep.Notes = append(w.rep.Notes, h.member+": "+book.Clip(said, maxHeader))
	}
	for _, side := range []struct{ name, attr, word string }{{"first", "differentFirst", "the first page"}, {"even", "differentOddEven", "even pages"}} {
		if texts[side.name+"Header"] != nil || texts[side.name+"Footer"] != nil {
			if e.Get(side.name+"Header")+e.Get(side.name+"Footer") == "" {
				e.DropAttrs(side.attr)
			} else if v, _ := e.Attr(side.attr); !sheetml.IsTrue(v) {
				e.SetAttr(side.attr, "1")
			}
		} else if v, _ := e.Attr(side.attr); sheetml.IsTrue(v) && (texts["oddHeader"] != nil || texts["oddFooter"] != nil) {
			w.warn("%s of the sheet %q has a header and footer of its own, which header.%s and footer.%[3]s set", side.word, w.sheet.name, side.name)
		}
	}
	switch {
	case ok && e.Empty():
		w.edit(xmlscan.Splice{Start: t.Start, End: end})
	case ok:
		w.edit(xmlscan.Splice{Start: t.Start, End: end, New: []byte(e.String())})
	case !e.Empty():
		w.insert("headerFooter", e.String())
	}
	return nil
}

// headerNow is the text of a header element.
func headerNow(raw string) string {
	if raw == "" {
		return ""
	}
	return sheetml.CharData([]byte(strings.TrimSuffix(raw[strings.IndexByte(raw, '>')+1:], raw[max(0, strings.LastIndexByte(raw, '<')):])))
}

// over puts the sections that are given over those of a header.
func (p *PageSections) over(old string) (string, error) {
	parts := splitHeader(old)
	for i, text := range []*string{p.Left, p.Center, p.Right} {
		if text != nil {
			parts[i] = bracketFields.Replace(*text)
		}
	}
	out := ""
	for i, code := range []string{"&L", "&C", "&R"} {
		if parts[i] != "" {
			if again := splitHeader(code + parts[i]); again[i] != parts[i] {
				return "", formats.Errorf(formats.CodeInvalid, "&L, &C and &R begin another section of the page; give the texts as left, center and right, and write && for an ampersand")
			}
			out += code + parts[i]
		}
	}
	if n := sheetml.UTF16Len(out); n > maxHeader {
		return "", formats.Errorf(formats.CodeInvalid, "it has %d characters with its codes; Excel takes at most %d", n, maxHeader)
	}
	return out, nil
}

// splitHeader splits a header into left, center and right; text before the first
// code is in the center.
func splitHeader(s string) (parts [3]string) {
	in, start := 1, 0
	for i := 0; i+1 < len(s); i++ {
		if s[i] != '&' {
			continue
		}
		switch next := strings.IndexByte("LCR", s[i+1]); {
		case s[i+1] == '"': // the name of a font
			if n := strings.IndexByte(s[i+2:], '"'); n >= 0 {
				i += n + 1
			}
		case next >= 0:
			parts[in] += s[start:i]
			in, start = next, i+2
		}
		i++
	}
	parts[in] += s[start:]
	return parts
}

// printName is a defined name of a sheet that an operation sets, or removes when
// its text is empty.
type printName struct {
	sheet      *planSheet
	name, text string
}

// setPrintNames sets the print area and the titles (18.2.5).
func (w *sheetWork) setPrintNames(c *pageChange) {
	prefix := formula.SheetPrefix(w.sheet.name)
	if c.hasArea {
		var out []string
		for _, r := range c.area {
			out = append(out, prefix+absoluteLines(r))
		}
		w.setName("_xlnm.Print_Area", strings.Join(out, ","))
	}
	if c.rows == nil && c.columns == nil {
		return
	}
	columns, rows := w.titles()
	for i, set := range []*cellref.Range{c.columns, c.rows} {
		if set == nil {
			continue
		}
		text := ""
		if !set.Empty() {
			text = prefix + absoluteLines(*set)
		}
		*[]*string{&columns, &rows}[i] = text
	}
	w.setName("_xlnm.Print_Titles", strings.Trim(columns+","+rows, ","))
}

// titles are the columns and rows that the sheet repeats now.
func (w *sheetWork) titles() (columns, rows string) {
	text := w.nameText("_xlnm.Print_Titles")
	for t := range formula.Tokens(text) {
		switch {
		case t.Kind != formula.Ref:
		case t.From.Kind == cellref.ColumnEnd:
			columns = text[t.Start:t.End]
		case t.From.Kind == cellref.RowEnd:
			rows = text[t.Start:t.End]
		}
	}
	return columns, rows
}

// nameText is the text of a name of the sheet as the edit stands.
func (w *sheetWork) nameText(name string) string {
	for i := len(w.f.names) - 1; i >= 0; i-- {
		if n := w.f.names[i]; n.sheet == w.sheet && n.name == name {
			return n.text
		}
	}
	for _, n := range w.f.wb.Names {
		if w.sheet.orig >= 0 && n.Local == w.sheet.orig && strings.EqualFold(n.Name, name) {
			return n.Text
		}
	}
	return ""
}

// setName sets a name of the sheet.
func (w *sheetWork) setName(name, text string) {
	now := w.nameText(name)
	bare := strings.NewReplacer("'", "", "$", "")
	if bare.Replace(now) == bare.Replace(text) {
		return
	}
	w.f.names = append(w.f.names, printName{w.sheet, name, text})
}

// absoluteLines writes a block as absolute does, whole columns as $A:$B and whole
// rows as $1:$2.
func absoluteLines(r cellref.Range) string {
	switch {
	case r.R1 == 1 && r.R2 == cellref.MaxRow:
		return "$" + cellref.ColumnName(r.C1) + ":$" + cellref.ColumnName(r.C2)
	case r.C1 == 1 && r.C2 == cellref.MaxCol:
		return "$" + strconv.Itoa(r.R1) + ":$" + strconv.Itoa(r.R2)
	}
	return absolute(r)
}
