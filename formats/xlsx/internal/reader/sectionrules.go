package reader

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/looks"
	"atelier/formats/xlsx/internal/rules"
	"atelier/formats/xlsx/internal/sheetml"
)

// Bounds of one line about a rule, in ranges and characters.
const (
	maxRuleRanges = 10
	maxRuleChars  = 500
)

// ruleLister lists the rules of a sheet.
type ruleLister struct {
	ctx         context.Context
	p           *page
	words       rules.Words
	formats     *sectionList
	validations *sectionList
	filters     *sectionList
	late        []string // lines of validations, which come behind the formats
	noPrompts   bool
	whole       bool // all of the sheet is read
	seen        int
}

// writeRules lists the conditional formats (18.3.1.18) and data validations
// (18.3.1.33) that touch the block, those of the 2009 extension too.
func (p *page) writeRules(ctx context.Context) error {
	doc, err := p.aroundXML(ctx)
	if err != nil {
		return err
	}
	lb, err := looks.Read(ctx, p.wb.Workbook)
	if err != nil {
		return err
	}
	l := &ruleLister{ctx: ctx, p: p, whole: p.block == cellref.WholeSheet, words: rules.Words{Looks: lb, Date1904: p.wb.Date1904},
		formats: p.list("Conditional formats", maxRulesShown), validations: p.list("Data validations", maxRulesShown), filters: p.list("Filters", maxRulesShown)}
	sc := xmlscan.New(doc)
	for sc.Next() {
		t := sc.Token()
		if t.Kind != xmlscan.Start {
			continue
		}
		err := l.check()
		switch {
		case err != nil:
		case t.Local == "conditionalFormatting" && !(l.whole && l.formats.full()):
			err = l.conditional(doc[t.Start:max(t.End, sc.Skip())])
		case t.Local == "cfRule": // of a block that is only counted
			l.formats.omitted++
		case t.Local == "dataValidations":
			l.noPrompts = l.noPrompts || sheetml.IsTrue(t.AttrLocal("disablePrompts"))
		case t.Local == "dataValidation" && l.whole && len(l.late) == maxRulesShown:
			l.validations.omitted++
		case t.Local == "dataValidation":
			err = l.validation(doc[t.Start:max(t.End, sc.Skip())])
		}
		if err != nil {
			return err
		}
	}
	if err := sc.Err(); err != nil {
		return book.CorruptPart(err, p.sheet.Part)
	}
	l.end()
	return l.writeFilters(doc)
}

// writeFilters lists the filters of the sheet and of its tables that choose rows.
func (l *ruleLister) writeFilters(doc []byte) error {
	docs, names, listed := [][]byte{doc}, []string{""}, false
	if l.p.sheet.Worksheet() {
		tabs, err := l.p.wb.TablesOf(l.ctx, l.p.sheet.Part)
		if err != nil {
			return err
		}
		for _, t := range tabs {
			docs, names = append(docs, t.Doc), append(names, " of the table "+t.Name)
		}
	}
	for i, doc := range docs {
		if err := l.check(); err != nil {
			return err
		}
		sc := xmlscan.New(doc)
		for sc.Next() {
			t := sc.Token()
			if t.Kind != xmlscan.Start || t.Depth == 1 {
				continue
			}
			raw := doc[t.Start:max(t.End, sc.Skip())]
			if t.Local != "autoFilter" && t.Local != "sortState" || !l.touched([]cellref.Range{cellref.ParseAttr(t.AttrLocal("ref"))}) {
				continue
			}
			text := rules.Filter(raw)
			if by := rules.Sorted(raw); by != "" {
				text = append(text, by)
			}
			if len(text) > 0 && l.filters.room() {
				listed = true
				fmt.Fprintf(l.p.sb, "\n%s%s: %s", book.Clip(t.AttrLocal("ref"), headChars), names[i], book.Clip(book.OneLine(strings.Join(text, ", ")), maxRuleChars))
			}
		}
	}
	if listed {
		l.filters.end()
	}
	return nil
}

// end writes the validations behind the formats.
func (l *ruleLister) end() {
	l.formats.end()
	omitted := l.validations.omitted
	l.validations.omitted = 0
	for _, line := range l.late {
		if l.validations.room() {
			l.p.sb.WriteString(line)
		}
	}
	l.validations.omitted += omitted
	l.validations.end()
	if l.noPrompts {
		l.p.sb.WriteString("\n(prompts of validations are switched off)")
	}
}

// check looks at the context now and then.
func (l *ruleLister) check() error {
	if l.seen++; l.seen%512 == 0 {
		return l.ctx.Err()
	}
	return nil
}

// conditional lists the rules of a conditionalFormatting.
func (l *ruleLister) conditional(raw []byte) error {
	if err := l.check(); err != nil {
		return err
	}
	at := sheetml.AttrOf(raw, "sqref")
	if at == "" {
		at = sqrefOf(raw)
	}
	cells := cellref.ParseList(at)
	if !l.touched(cells) {
		return nil
	}
	return sheetml.EachChild(raw, func(t xmlscan.Token, rule []byte) error {
		if err := l.check(); err != nil {
			return err
		}
		// An x14 data bar without a priority says more of one that is listed.
		if t.Local != "cfRule" || t.AttrLocal("priority") == "" && t.AttrLocal("type") == "dataBar" || !l.formats.room() {
			return nil
		}
		fmt.Fprintf(l.p.sb, "\n%s: %s", rangesText(cells), l.formatText(t, rule, cells))
		return nil
	})
}

// sqrefOf returns the cells of an element of the extension, which has them in a
// child.
func sqrefOf(raw []byte) string {
	out := ""
	_ = sheetml.EachChild(raw, func(t xmlscan.Token, one []byte) error {
		if t.Local == "sqref" {
			out = strings.Join(sheetml.TextsOf(one, "sqref"), " ")
		}
		return nil
	})
	return out
}

// touched reports whether any of the cells is in the block.
func (l *ruleLister) touched(cells []cellref.Range) bool {
	return len(cells) == 0 || slices.ContainsFunc(cells, l.p.touches)
}

// formatText says a conditional format: its test, its format, its rank.
func (l *ruleLister) formatText(t xmlscan.Token, raw []byte, cells []cellref.Range) string {
	out := l.words.Format(t, raw)
	if area := len(cells) > 0 && (len(cells) > 1 || cells[0].R1 != cells[0].R2 || cells[0].C1 != cells[0].C2); area && t.AttrLocal("type") == "expression" {
		c := cellref.TopLeft(cells)
		out += " (as written for " + cellref.Name(c.Row, c.Col) + ")"
	}
	look := ""
	if id := t.AttrLocal("dxfId"); id != "" {
		look = l.words.Looks.DXF(sheetml.Atoi([]byte(id)))
	} else if dxf := inlineDXF(raw); dxf != nil {
		look = l.words.Looks.DXFText(dxf)
	}
	if look != "" {
		out += " → " + look
	}
	var more []string
	if n := t.AttrLocal("priority"); n != "" {
		more = append(more, "priority "+book.Clip(n, 12))
	}
	if sheetml.IsTrue(t.AttrLocal("stopIfTrue")) {
		more = append(more, "stops further rules")
	}
	out = book.Clip(book.OneLine(out), maxRuleChars)
	if len(more) > 0 {
		out += " (" + strings.Join(more, ", ") + ")"
	}
	return out
}

// inlineDXF is the format that a rule of the extension holds itself.
func inlineDXF(raw []byte) (out []byte) {
	_ = sheetml.EachChild(raw, func(t xmlscan.Token, one []byte) error {
		if t.Local == "dxf" {
			out = one
		}
		return nil
	})
	return out
}

// validation lists a dataValidation.
func (l *ruleLister) validation(raw []byte) error {
	if err := l.check(); err != nil {
		return err
	}
	sc := xmlscan.New(raw)
	if !sc.Next() {
		return sc.Err()
	}
	t := sc.Token()
	at := t.AttrLocal("sqref")
	if at == "" {
		at = sqrefOf(raw)
	}
	cells := cellref.ParseList(at)
	if !l.touched(cells) {
		return nil
	}
	if len(l.late) == maxRulesShown {
		l.validations.omitted++
		return nil
	}
	out := book.Clip(book.OneLine(l.words.Validation(t, raw)), maxRuleChars)
	if typ := t.AttrLocal("type"); typ != "" && typ != "none" && !sheetml.IsTrue(t.AttrLocal("showErrorMessage")) {
		out += " (other values are not refused)"
	}
	if t.AttrLocal("type") == "list" && sheetml.IsTrue(t.AttrLocal("showDropDown")) {
		out += " (without a drop-down button)" // the attribute hides it (18.3.1.32)
	}
	l.late = append(l.late, fmt.Sprintf("\n%s: %s", rangesText(cells), out))
	return nil
}

// rangesText lists ranges, the first of many.
func rangesText(cells []cellref.Range) string {
	if len(cells) == 0 {
		return "(no cells)"
	}
	var out []string
	for _, r := range cells[:min(len(cells), maxRuleRanges)] {
		out = append(out, r.String())
	}
	if more := len(cells) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("%d more ranges", more))
	}
	return strings.Join(out, ", ")
}

// aroundXML is what the sheet's part holds before and behind its rows.
func (p *page) aroundXML(ctx context.Context) ([]byte, error) {
	if p.around != nil || p.sheet.Part == "" {
		return p.around, nil
	}
	var err error
	if !p.sheet.Worksheet() {
		if p.wb.Package.Size(p.sheet.Part) > book.MaxObjects {
			return nil, nil
		}
		p.around, err = p.wb.Package.ReadXML(ctx, p.sheet.Part)
		return p.around, err
	}
	p.around, err = p.wb.aroundRows(ctx, p.sheet.Part)
	return p.around, err
}

// aroundRows is what a worksheet part holds before and behind its rows.
func (wb reading) aroundRows(ctx context.Context, part string) ([]byte, error) {
	head, err := wb.SheetHead(ctx, part)
	if err != nil {
		return head, book.IgnoreNoCells(err)
	}
	head = slices.Clone(head)
	for s, err := range wb.Rows(ctx, part, book.Window{First: cellref.MaxRow}) {
		if err != nil {
			return nil, book.IgnoreNoCells(err)
		}
		if s.Event != sheetml.DataEnd {
			continue
		}
		tail, err := s.Tail()
		return append(head, tail...), err
	}
	return head, nil
}
