package template

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/tree"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx"
	"atelier/internal/lazyregexp"
)

const nsSheet = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"

// sheet is what filling has to know of a sheet of the template.
type sheet struct {
	name        string
	cells       []cell // by row and column
	right, last int
	heights     map[int]float64 // points, of rows that have their own
	tables      []rowSpan       // of tables without totals
}

// rowSpan are the rows of a table, with its header.
type rowSpan struct{ first, last int }

// endsTable reports whether a table ends with the last row of a block and begins above it.
func (s *sheet) endsTable(b block) bool {
	return slices.ContainsFunc(s.tables, func(t rowSpan) bool { return t.last == b.last && t.first < b.first })
}

type cell struct {
	row, col int
	text     string
	formula  string
	rich     bool
}

func (c cell) ref(down int) string { return xlsx.ColumnName(c.col) + strconv.Itoa(c.row+down) }

type bookModel struct {
	sheets []*sheet // those that may have placeholders in cells
	parts  []sheetPart
}

// sheetPart is the part of a sheet.
type sheetPart struct{ name, part string }

// readBook reads the texts and formulas of a template (18.3.1.4). A cell that a
// defined name of the data refers to counts as its placeholder.
func readBook(ctx context.Context, ed *opc.Edit, known map[string]bool) (*bookModel, error) {
	main, err := ed.Package().MainPart(ctx)
	if err != nil {
		return nil, err
	}
	parse := func(part string) (*tree.Tree, error) {
		doc, err := ed.ReadXML(ctx, part)
		if err != nil {
			return nil, err
		}
		if len(doc) > maxPart {
			return nil, partTooLarge(part)
		}
		return tree.Parse(ctx, doc, nil)
	}
	t, err := parse(main)
	if err != nil {
		return nil, err
	}
	rels, err := ed.Rels(ctx, main)
	if err != nil {
		return nil, err
	}
	var shared []cell
	asks, size := false, 0 // whether a shared string may have a placeholder; bytes of the sheets
	for _, r := range rels {
		if strings.HasSuffix(r.Type, "/sharedStrings") {
			st, err := parse(r.Target)
			if err != nil {
				return nil, err
			}
			asks = mayAsk(st.Doc)
			for si := range st.Root.Kids() {
				shared = append(shared, richText(st, si))
			}
		}
	}
	named := namedCells(t, known)
	b, seen := &bookModel{}, map[string]bool{}
	for k := range t.Root.Child(nsSheet, "sheets").Kids() {
		id := k.RelValue("id")
		i := slices.IndexFunc(rels, func(r opc.Relationship) bool { return r.ID == id && strings.HasSuffix(r.Type, "/worksheet") })
		if i < 0 || seen[rels[i].Target] {
			continue
		}
		seen[rels[i].Target] = true
		b.parts = append(b.parts, sheetPart{k.Value("name"), rels[i].Target})
		doc, err := ed.ReadXML(ctx, rels[i].Target)
		if err != nil {
			return nil, err
		}
		if !asks && len(named) == 0 && !mayAsk(doc) {
			continue
		}
		if size += len(doc); size > maxPart {
			return nil, formats.Errorf(formats.CodeTooLarge, "the sheets of the template have more than %d MiB together, which is too much to fill", maxPart>>20)
		}
		st, err := tree.Parse(ctx, doc, nil)
		if err != nil {
			return nil, err
		}
		made, err := readSheet(ctx, st, k.Value("name"), shared, named)
		if err != nil {
			return nil, err
		}
		if made.tables, err = tablesOf(ctx, ed, rels[i].Target); err != nil {
			return nil, err
		}
		b.sheets = append(b.sheets, made)
	}
	return b, nil
}

// tablesOf lists the rows of the tables of a sheet that have no totals (18.5.1.2).
func tablesOf(ctx context.Context, ed *opc.Edit, part string) (out []rowSpan, err error) {
	rels, err := ed.Rels(ctx, part)
	if err != nil {
		return nil, err
	}
	for _, r := range rels {
		if r.External || !strings.HasSuffix(r.Type, "/table") {
			continue
		}
		doc, err := ed.ReadXML(ctx, r.Target)
		if err != nil {
			return nil, err
		}
		sc := xmlscan.New(doc)
		for sc.Next() {
			t := sc.Token()
			if t.Kind != xmlscan.Start {
				continue
			}
			from, to, _ := strings.Cut(t.AttrLocal("ref"), ":")
			first, _, err := xlsx.ParseCell(from)
			last, _, err2 := xlsx.ParseCell(to)
			if totals := t.AttrLocal("totalsRowCount"); err == nil && err2 == nil && (totals == "" || totals == "0") {
				out = append(out, rowSpan{first, last})
			}
			break
		}
	}
	return out, nil
}

// mayAsk reports whether a part may have a placeholder.
func mayAsk(doc []byte) bool {
	return bytes.ContainsAny(doc, "{[") || bytes.Contains(doc, []byte("«"))
}

// richText reads a string item (18.4.8) without phonetic text.
func richText(t *tree.Tree, si *tree.Node) (c cell) {
	runs := 0
	for k := range si.Kids() {
		switch {
		case k.Is(nsSheet, "t"):
			c.text += t.Text(k)
		case k.Is(nsSheet, "r"):
			c.text += t.Text(k.Child(nsSheet, "t"))
			runs++
		}
	}
	c.rich = runs > 1
	return c
}

var nameOfCell = lazyregexp.New(`^(?:'((?:[^']|'')+)'|([^'!]+))!\$?([A-Z]{1,3})\$?(\d+)$`)

// namedCells returns "sheet!A1" → placeholder for the defined names (18.2.5) that
// the data has.
func namedCells(t *tree.Tree, known map[string]bool) map[string]string {
	out := map[string]string{}
	for k := range t.Root.Child(nsSheet, "definedNames").Kids() {
		name := k.Value("name")
		if m := nameOfCell.FindStringSubmatch(t.Text(k)); m != nil && known[normal(name)] {
			out[strings.ReplaceAll(m[1], "''", "'")+m[2]+"!"+m[3]+m[4]] = "{{" + name + "}}"
		}
	}
	return out
}

// readSheet reads the cells of a sheet that hold anything.
func readSheet(ctx context.Context, t *tree.Tree, name string, shared []cell, named map[string]string) (*sheet, error) {
	s := &sheet{name: name, heights: map[int]float64{}}
	taken := map[string]bool{}
	rows := 0
	for row := range t.Root.Child(nsSheet, "sheetData").Kids() {
		if rows++; rows&255 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if h, err := strconv.ParseFloat(row.Value("ht"), 64); err == nil {
			if r, err := strconv.Atoi(row.Value("r")); err == nil {
				s.heights[r] = h
			}
		}
		for c := range row.Kids() {
			r, col, err := xlsx.ParseCell(c.Value("r"))
			if err != nil {
				continue
			}
			got := cell{}
			v := t.Text(c.Child(nsSheet, "v"))
			switch c.Value("t") {
			case "s":
				if i, err := strconv.Atoi(v); err == nil && i >= 0 && i < len(shared) {
					got = shared[i]
				}
			case "inlineStr":
				got = richText(t, c.Child(nsSheet, "is"))
			}
			got.row, got.col, got.formula = r, col, t.Text(c.Child(nsSheet, "f"))
			if got.formula != "" {
				got.text = ""
			}
			if len(named) > 0 {
				at := name + "!" + got.ref(0)
				p, ok := named[at]
				if ok && got.formula == "" && !strings.Contains(got.text, "{{") {
					got.text, got.rich = p, false
				}
				taken[at] = ok
			}
			s.cells = append(s.cells, got)
			s.right, s.last = max(s.right, col), max(s.last, r)
		}
	}
	for at, p := range named {
		sheet, ref, _ := strings.Cut(at, "!")
		if r, col, err := xlsx.ParseCell(ref); err == nil && sheet == name && !taken[at] {
			s.cells = append(s.cells, cell{row: r, col: col, text: p})
			s.right, s.last = max(s.right, col), max(s.last, r)
		}
	}
	slices.SortFunc(s.cells, func(a, b cell) int {
		if a.row != b.row {
			return a.row - b.row
		}
		return a.col - b.col
	})
	return s, ctx.Err()
}

// width is how many cells of a block's rows there are.
func (s *sheet) width(b block) (n int) {
	for _, c := range s.cells {
		if c.row >= b.first && c.row <= b.last {
			n++
		}
	}
	return n / max(b.last-b.first+1, 1)
}
