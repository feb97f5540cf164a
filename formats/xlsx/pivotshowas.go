package xlsx

import (
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/pivot"
	"atelier/formats/xlsx/internal/sheetml"
)

// setCalculated adds calculated fields, or gives those that are there another formula.
func (p *pivotDesign) setCalculated(list []PivotCalculated) error {
	for n, in := range list {
		invalid := func(format string, args ...any) error {
			return formats.Errorf(formats.CodeInvalid, "calculated_fields[%d]: %w", n, fmt.Errorf(format, args...))
		}
		name, text := strings.TrimSpace(in.Name), strings.TrimPrefix(strings.TrimSpace(in.Formula), "=")
		switch {
		case name == "" || strings.TrimSpace(text) == "":
			return invalid("name and formula are required, such as Price and Amount/Units")
		case sheetml.UTF16Len(name) > 255:
			return invalid("a name has at most 255 characters")
		}
		i, err := p.field(name, "")
		if err != nil {
			i = len(p.t.Fields)
			p.t.Fields = append(p.t.Fields, pivot.NewField(name, -1))
			p.t.Fields[i].Subtotal = false
		} else if !p.t.Fields[i].Calculated() {
			return invalid("a field of the source is named %s; give another name", cellref.QuoteArg(name))
		}
		p.t.Fields[i].Formula = text
		if err := p.t.CheckFormula(i); err != nil {
			return invalid("the pivot table %v", err)
		}
	}
	return nil
}

// showAsWords are the words of operations for ways to show a value.
var showAsWords = []struct {
	word string
	as   pivot.ShowAs
}{
	{"percent_of_total", pivot.PercentOfTotal}, {"percent_of_row", pivot.PercentOfRow}, {"percent_of_column", pivot.PercentOfCol},
	{"percent_of_parent_row", pivot.PercentOfParentRow}, {"percent_of_parent_column", pivot.PercentOfParentCol}, {"percent_of_parent", pivot.PercentOfParent},
	{"difference", pivot.Difference}, {"percent", pivot.Percent}, {"percent_difference", pivot.PercentDiff},
	{"running_total", pivot.RunTotal}, {"percent_of_running_total", pivot.PercentOfRunningTotal},
	{"rank_ascending", pivot.RankAscending}, {"rank_descending", pivot.RankDescending}, {"index", pivot.Index},
}

// showAsOf reads a way to show a value; Excel's words and those of the file are taken
// too.
func showAsOf(s string) (pivot.ShowAs, error) {
	plain := strings.NewReplacer("_", "", " ", "", "-", "", "%", "percent").Replace
	word := strings.TrimSuffix(strings.ToLower(plain(s)), "total")
	word = strings.TrimSuffix(strings.TrimSuffix(word, "from"), "grand")
	switch word {
	case "", "normal", "value", "nocalculation":
		return pivot.Normal, nil
	case "percentof":
		if strings.HasSuffix(strings.ToLower(s), "total") {
			return pivot.PercentOfTotal, nil
		}
		return pivot.Percent, nil
	case "running", "run", "runningtotalin":
		return pivot.RunTotal, nil
	case "percentofrunning", "percentrunningtotalin", "percentrunning":
		return pivot.PercentOfRunningTotal, nil
	case "ranksmallesttolargest":
		return pivot.RankAscending, nil
	case "rank", "ranklargesttosmallest":
		return pivot.RankDescending, nil
	case "percentofparentcol":
		return pivot.PercentOfParentCol, nil
	case "percentofcol":
		return pivot.PercentOfCol, nil
	}
	var words []string
	for _, w := range showAsWords {
		if word == plain(w.word) || strings.EqualFold(word, string(w.as)) {
			return w.as, nil
		}
		words = append(words, w.word)
	}
	return "", fmt.Errorf("unknown show_as %s; use %s", cellref.QuoteArg(s), strings.Join(words, ", "))
}

// baseEntries remembers which entries the base items of the values are.
func (p *pivotDesign) baseEntries() []int {
	out := make([]int, len(p.t.Values))
	for n, m := range p.t.Values {
		out[n] = -1
		if f := p.baseField(m); f != nil && m.BaseItem >= 0 && m.BaseItem < len(f.Items) {
			out[n] = f.Items[m.BaseItem].Index
		}
	}
	return out
}

func (p *pivotDesign) baseField(m pivot.Measure) *pivot.Field {
	if !m.ShowAs.HasBase() || m.BaseField < 0 || m.BaseField >= len(p.t.Fields) {
		return nil
	}
	return p.t.Fields[m.BaseField]
}

// setBases sets what values are shown in relation to, when the fields of rows and
// columns are known. Values that stay keep the entries that their base items were.
func (p *pivotDesign) setBases(list []PivotValue, entries []int) error {
	if list == nil {
		for n := range p.t.Values {
			m := &p.t.Values[n]
			f := p.baseField(*m)
			if f == nil {
				continue
			}
			if f.Axis != pivot.RowAxis && f.Axis != pivot.ColAxis {
				return formats.Errorf(formats.CodeInvalid, "the value %s is shown in relation to the field %s, which would not be in the rows or columns any more; give value_fields anew too", cellref.QuoteArg(m.Name), cellref.QuoteArg(f.Name))
			}
			if entries[n] >= 0 {
				f.ListItems()
				m.BaseItem = slices.IndexFunc(f.Items, func(it pivot.Item) bool { return it.Index == entries[n] })
			}
		}
		return nil
	}
	for n, v := range list {
		if err := p.setBase(&p.t.Values[n], v); err != nil {
			return formats.Errorf(formats.CodeOf(err), "value_fields[%d]: %w", n, err)
		}
	}
	return nil
}

func (p *pivotDesign) setBase(m *pivot.Measure, v PivotValue) error {
	invalid := func(format string, args ...any) error { return formats.Errorf(formats.CodeInvalid, format, args...) }
	switch {
	case !m.ShowAs.HasBase() && (v.BaseField != "" || v.BaseItem != nil):
		return invalid("base_field and base_item are for show_as such as difference or running_total, and this value is not shown in relation to a field; leave them out")
	case !m.ShowAs.HasBase():
		return nil
	case !m.ShowAs.HasItem() && v.BaseItem != nil:
		return invalid("base_item is for difference, percent and percent_difference only; leave it out")
	}
	m.BaseField = -1
	for _, i := range slices.Concat(p.t.Columns, p.t.Rows) {
		if i != pivot.ValuesField {
			m.BaseField = i
		}
	}
	if v.BaseField != "" {
		i, err := p.field(v.BaseField, "base_field")
		if err != nil {
			return err
		}
		m.BaseField = i
	}
	f := p.baseField(*m)
	if f == nil || f.Axis != pivot.RowAxis && f.Axis != pivot.ColAxis {
		return invalid("base_field: a field of the rows or columns is needed to show the value in relation to")
	}
	if !m.ShowAs.HasItem() {
		return nil
	}
	switch label := strings.ToLower(itemLabel(v.BaseItem)); {
	case v.BaseItem == nil:
		return invalid("base_item is required: an item of %s, previous or next", cellref.QuoteArg(f.Name))
	case label == "previous" || label == "(previous)":
		m.BaseItem = pivot.PreviousItem
		return nil
	case label == "next" || label == "(next)":
		m.BaseItem = pivot.NextItem
		return nil
	}
	one, err := p.items(m.BaseField, []any{v.BaseItem}, "base_item")
	if err != nil {
		return err
	}
	if p.new && f.Group == nil {
		hidden := slices.ContainsFunc(f.Items, func(it pivot.Item) bool { return it.Hidden })
		if !hidden {
			f.SortShared()
			f.Items = nil
			if one, err = p.items(m.BaseField, []any{v.BaseItem}, "base_item"); err != nil {
				return err
			}
		}
	}
	f.ListItems()
	m.BaseItem = slices.IndexFunc(f.Items, func(it pivot.Item) bool { return one[it.Index] })
	if f.Items[m.BaseItem].Hidden {
		return invalid("base_item: the item %s of %s is hidden", cellref.QuoteArg(itemLabel(v.BaseItem)), cellref.QuoteArg(f.Name))
	}
	return nil
}
