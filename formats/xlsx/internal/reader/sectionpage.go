package reader

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/sheetml"
)

// maxBreaks is how many page breaks of a kind are listed.
const maxBreaks = 50

// paperNames are the common sizes of paper (18.3.1.63, paperSize).
var paperNames = map[string]string{"1": "Letter", "2": "Letter small", "3": "Tabloid", "4": "Ledger", "5": "Legal", "6": "Statement", "7": "Executive", "8": "A3", "9": "A4", "10": "A4 small", "11": "A5", "12": "B4", "13": "B5", "14": "Folio", "15": "Quarto", "19": "envelope #9", "20": "envelope #10", "27": "envelope DL", "28": "envelope C5", "66": "A2", "70": "A6"}

// pageSetup gathers what a sheet says of its printed pages.
type pageSetup struct {
	orientation, paper, scale   string
	fitWide, fitTall            string
	fit                         bool
	margins, options, more      []string
	headers                     []string
	rowBreaks, colBreaks        []string
	rowsOmitted, columnsOmitted int
}

// writePage says how the sheet is printed: page set-up (18.3.1.63), margins,
// options, headers and footers, page breaks, print area and titles.
func (p *page) writePage(ctx context.Context) error {
	doc, err := p.aroundXML(ctx)
	if err != nil {
		return err
	}
	s := &pageSetup{orientation: "portrait", paper: "default paper", scale: "100"}
	sc := xmlscan.New(doc)
	for n := 0; sc.Next(); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t := sc.Token()
		if t.Kind != xmlscan.Start || t.Depth == 1 {
			continue
		}
		switch t.Local {
		case "customSheetViews", "extLst": // views and extensions have set-ups of their own
			sc.Skip()
		case "headerFooter":
			s.headerFooter(t, doc[t.Start:max(t.End, sc.Skip())])
		case "rowBreaks", "colBreaks":
			if err := s.breaks(ctx, t.Local, doc[t.Start:max(t.End, sc.Skip())]); err != nil {
				return err
			}
		default:
			s.element(t)
		}
	}
	if err := sc.Err(); err != nil {
		return book.CorruptPart(err, p.sheet.Part)
	}
	p.sb.WriteString("\nPage set-up: " + s.line())
	for _, line := range slices.Concat(p.printNames(), s.lines()) {
		p.sb.WriteString("\n" + line)
	}
	return nil
}

// element takes in an element that says all in its attributes.
func (s *pageSetup) element(t xmlscan.Token) {
	switch t.Local {
	case "pageSetUpPr":
		s.fit = sheetml.IsTrue(t.AttrLocal("fitToPage"))
	case "pageSetup":
		s.setup(t)
	case "pageMargins":
		for _, side := range []string{"left", "right", "top", "bottom", "header", "footer"} {
			if v := t.AttrLocal(side); v != "" {
				s.margins = append(s.margins, side+" "+plainNumber(v))
			}
		}
	case "printOptions":
		for _, o := range []struct{ attr, word string }{{"gridLines", "grid lines"}, {"headings", "row and column headings"}} {
			if sheetml.IsTrue(t.AttrLocal(o.attr)) {
				s.options = append(s.options, "prints "+o.word)
			}
		}
		for _, o := range []struct{ attr, word string }{{"horizontalCentered", "horizontally"}, {"verticalCentered", "vertically"}} {
			if sheetml.IsTrue(t.AttrLocal(o.attr)) {
				s.options = append(s.options, "centred "+o.word)
			}
		}
	}
}

// setup takes in pageSetup.
func (s *pageSetup) setup(t xmlscan.Token) {
	for a := range t.Attrs() {
		v := book.Clip(book.OneLine(a.Value()), headChars)
		switch a.Name {
		case "orientation":
			if v == "landscape" {
				s.orientation = v
			}
		case "paperSize":
			if s.paper = paperNames[v]; s.paper == "" {
				s.paper = "paper size " + v
			}
		case "scale":
			s.scale = v
		case "fitToWidth":
			s.fitWide = v
		case "fitToHeight":
			s.fitTall = v
		case "firstPageNumber":
			s.more = append(s.more, "first page number "+v)
		case "pageOrder":
			if v == "overThenDown" {
				s.more = append(s.more, "pages over, then down")
			}
		case "blackAndWhite":
			if sheetml.IsTrue(v) {
				s.more = append(s.more, "black and white")
			}
		}
	}
}

// plainNumber writes a number without digits that only binary fractions have.
func plainNumber(v string) string {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil {
		return book.Clip(v, 20)
	}
	return strconv.FormatFloat(float64(int64(n*1000+.5))/1000, 'f', -1, 64)
}

// line is the first line: orientation, paper, scale, margins in inches, options.
func (s *pageSetup) line() string {
	out := []string{s.orientation, s.paper}
	if s.fit {
		out = append(out, "fit to "+fitWords(s.fitWide, "wide")+" and "+fitWords(s.fitTall, "tall"))
	} else {
		out = append(out, "scale "+s.scale+"%")
	}
	if len(s.margins) > 0 {
		out = append(out, "margins in inches: "+strings.Join(s.margins, " "))
	}
	return strings.Join(slices.Concat(out, s.options, s.more), ", ")
}

// fitWords says a number of pages, which is 1 where it is absent and any for 0.
func fitWords(v, way string) string {
	switch v {
	case "":
		v = "1"
	case "0":
		return "any number of pages " + way
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		return v + " pages " + way
	}
	return formats.Count(n, "page") + " " + way
}

// lines are those of headers, footers and page breaks.
func (s *pageSetup) lines() []string {
	out := s.headers
	for _, b := range []struct {
		label   string
		list    []string
		omitted int
	}{{"page breaks below rows", s.rowBreaks, s.rowsOmitted}, {"page breaks behind columns", s.colBreaks, s.columnsOmitted}} {
		if len(b.list) == 0 {
			continue
		}
		line := b.label + " " + strings.Join(b.list, ", ")
		if b.omitted > 0 {
			line += fmt.Sprintf(", %d more", b.omitted)
		}
		out = append(out, line)
	}
	return out
}

// breaks takes in page breaks (18.3.1.74): id is the row above, or the column
// before.
func (s *pageSetup) breaks(ctx context.Context, local string, raw []byte) error {
	n := 0
	return sheetml.EachChild(raw, func(t xmlscan.Token, _ []byte) error {
		if n++; n%512 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		id := sheetml.Atoi([]byte(t.AttrLocal("id")))
		if t.Local != "brk" || id < 1 {
			return nil
		}
		list, omitted, name := &s.rowBreaks, &s.rowsOmitted, strconv.Itoa(id)
		if local == "colBreaks" {
			list, omitted, name = &s.colBreaks, &s.columnsOmitted, cellref.ColumnName(min(id, cellref.MaxCol))
		}
		if len(*list) >= maxBreaks {
			*omitted++
			return nil
		}
		*list = append(*list, name)
		return nil
	})
}

// printNames are the print area and the titles of the sheet, which defined names
// hold (18.2.5).
func (p *page) printNames() (out []string) {
	for _, n := range p.wb.Names {
		if n.Local < 0 || n.Local >= len(p.wb.Sheets) || p.wb.Sheets[n.Local].Name != p.sheet.Name {
			continue
		}
		switch {
		case strings.EqualFold(n.Name, "_xlnm.Print_Area"):
			out = append(out, "print area "+p.withoutSheet(n.Text))
		case strings.EqualFold(n.Name, "_xlnm.Print_Titles"):
			out = append(out, "repeated on every page: "+p.withoutSheet(n.Text))
		}
	}
	return out
}

// withoutSheet writes the ranges of a defined name as a read takes them.
func (p *page) withoutSheet(text string) string {
	def := book.DefinedName{Text: text, Local: p.wb.Find(p.sheet.Name)}
	var out []string
	for _, k := range p.wb.rangesOf(&def, -1) {
		switch r := k.block; {
		case k.sheet.Name != p.sheet.Name:
			return book.Clip(book.OneLine(text), 200)
		case r.R1 == 1 && r.R2 == cellref.MaxRow:
			out = append(out, "columns "+cellref.ColumnName(r.C1)+":"+cellref.ColumnName(r.C2))
		case r.C1 == 1 && r.C2 == cellref.MaxCol:
			out = append(out, fmt.Sprintf("rows %d:%d", r.R1, r.R2))
		default:
			out = append(out, r.String())
		}
		if len(out) > maxRuleRanges {
			return book.Clip(book.OneLine(text), 200)
		}
	}
	if len(out) == 0 {
		return book.Clip(book.OneLine(text), 200)
	}
	return strings.Join(out, ", ")
}
