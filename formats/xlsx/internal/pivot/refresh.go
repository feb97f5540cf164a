package pivot

import (
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/xmlscan"
	"atelier/formats/xlsx/internal/cellref"
)

// Refresh brings the shared items and groups of a cache up to date with its source:
// items that it has keep their places, so that what refers to them by number stays
// right. tables are those of the cache.
func (c *Cache) Refresh(d *Data, tables []*Table) error {
	n := 0
	for _, f := range c.Fields {
		if f.Column >= 0 {
			if n >= len(d.Columns) || !strings.EqualFold(d.Columns[n].Name, f.Name) {
				return c.otherColumns(d)
			}
			n++
		}
	}
	if n != len(d.Columns) {
		return c.otherColumns(d)
	}
	for i, f := range c.Fields {
		for _, t := range tables {
			if t.Fields[i].Axis != NoAxis {
				f.Axis = t.Fields[i].Axis
			}
		}
	}
	if err := (&Table{Fields: c.Fields}).Intern(d); err != nil {
		return err
	}
	for i, f := range c.Fields {
		var before []Value
		if f.Group != nil {
			before = f.Group.Labels
			base := c.Fields[f.Group.Base]
			if err := f.Group.Fit(base, d.Columns[base.Column], d.Date1904); err != nil {
				return err
			}
		}
		for _, t := range tables {
			t.Fields[i].Shared, t.Fields[i].Group = f.Shared, f.Group
			if f.Group != nil {
				t.Fields[i].regroup(before)
			}
		}
	}
	return nil
}

// otherColumns is the error of a source whose columns are not those of the cache.
func (c *Cache) otherColumns(d *Data) error {
	have := map[string]bool{}
	for _, col := range d.Columns {
		have[strings.ToLower(col.Name)] = true
	}
	var gone []string
	for _, f := range c.Fields {
		if f.Column >= 0 && !have[strings.ToLower(f.Name)] {
			gone = append(gone, fmt.Sprintf("%q", f.Name))
		}
		delete(have, strings.ToLower(f.Name))
	}
	why := "are in another order"
	switch {
	case len(gone) > 0:
		why = "lack " + strings.Join(gone[:min(len(gone), 10)], ", ")
	case len(have) > 0:
		why = fmt.Sprintf("have %s more", formats.Count(len(have), "field", "fields"))
	}
	return unsupported("reads a source whose columns %s: delete it and make it anew (delete_pivot, add_pivot)", why)
}

// regroup moves items to the groups of the same label.
func (f *Field) regroup(before []Value) {
	now := map[string]int{}
	for i, v := range f.Group.Labels {
		now[v.Text] = i
	}
	var kept []Item
	for _, it := range f.Items {
		switch {
		case it.Index == 0:
		case it.Index == len(before)-1:
			it.Index = len(f.Group.Labels) - 1
		case it.Index < len(before):
			i, ok := now[before[it.Index].Text]
			if !ok {
				continue
			}
			it.Index = i
		}
		kept = append(kept, it)
	}
	f.Items = kept
}

// RefreshedXML is the definition of a pivot table with the lines and items that a
// calculation gave; all else stays.
func (t *Table) RefreshedXML(doc []byte, g *Grid, at cellref.Cell) ([]byte, error) {
	var edits []xmlscan.Splice
	put := func(from, to int, s string) {
		if string(doc[from:to]) != s {
			edits = append(edits, xmlscan.Splice{Start: from, End: to, New: []byte(s)})
		}
	}
	prefix := ""
	field := -1
	written := map[string]bool{}
	sc := xmlscan.New(doc)
	for sc.Next() {
		tok := sc.Token()
		if tok.Kind != xmlscan.Start {
			continue
		}
		switch {
		case tok.Depth == 1 && tok.Prefix != "":
			prefix = tok.Prefix + ":"
		case tok.Depth == 2 && tok.Local == "location":
			end := sc.Skip()
			put(tok.Start, end, g.Location(at, prefix))
		case tok.Depth == 3 && tok.Local == "pivotField":
			field++
		case tok.Depth == 4 && tok.Local == "items" && field >= 0 && field < len(t.Fields):
			end := sc.Skip()
			if x := t.Fields[field].ItemsXML(prefix); x != "" {
				put(tok.Start, end, x)
			}
		case tok.Depth == 2 && (tok.Local == "rowItems" || tok.Local == "colItems"):
			end := sc.Skip()
			put(tok.Start, end, g.LinesXML(tok.Local == "rowItems", prefix))
			written[tok.Local] = true
		case tok.Depth == 2 && (tok.Local == "rowFields" || tok.Local == "colFields"):
			end := sc.Skip()
			list := strings.Replace(tok.Local, "Fields", "Items", 1)
			if !strings.HasPrefix(string(doc[end:]), "<"+prefix+list) && !strings.Contains(string(doc[end:min(len(doc), end+200)]), list) {
				put(end, end, g.LinesXML(tok.Local == "rowFields", prefix))
			}
		}
	}
	if err := sc.Err(); err != nil {
		return nil, err
	}
	return xmlscan.Apply(doc, edits), nil
}

// RefreshedCache is the definition of a cache with the values of its source; all
// else stays.
func (c *Cache) RefreshedCache(doc []byte, d *Data) ([]byte, error) {
	t := &Table{Fields: c.Fields, Date1904: d.Date1904}
	var edits []xmlscan.Splice
	put := func(from, to int, s string) {
		if string(doc[from:to]) != s {
			edits = append(edits, xmlscan.Splice{Start: from, End: to, New: []byte(s)})
		}
	}
	prefix, field := "", -1
	sc := xmlscan.New(doc)
	for sc.Next() {
		tok := sc.Token()
		if tok.Kind != xmlscan.Start {
			continue
		}
		switch {
		case tok.Depth == 1:
			if tok.Prefix != "" {
				prefix = tok.Prefix + ":"
			}
			for a := range tok.Attrs() {
				if a.Name == "recordCount" {
					put(a.ValStart, a.ValEnd, fmt.Sprint(d.Rows()))
				}
			}
		case tok.Local == "cacheField":
			field++
		case tok.Local == "sharedItems" && tok.Depth == 4 && field >= 0 && field < len(c.Fields):
			end := sc.Skip()
			if c.Fields[field].Column >= 0 {
				put(tok.Start, end, t.SharedItems(field, d, prefix))
			}
		case tok.Local == "fieldGroup" && tok.Depth == 4 && field >= 0 && field < len(c.Fields) && c.Fields[field].Group != nil:
			end := sc.Skip()
			put(tok.Start, end, t.FieldGroup(field, prefix))
		}
	}
	if err := sc.Err(); err != nil {
		return nil, err
	}
	return xmlscan.Apply(doc, edits), nil
}
