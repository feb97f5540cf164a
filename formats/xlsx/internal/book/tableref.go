package book

import (
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// Structured is the block that "[Column]", "[[First]:[Last]]", "[#Headers]",
// "[#Data]", "[#Totals]" or "[#All]" names. A column comes with its header, so
// that a reader sees what it is.
func (t *Table) Structured(spec string) (cellref.Range, error) {
	block := t.Ref
	body := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(spec), "["), "]")
	first, last := -1, -1
	for _, item := range structuredItems(body) {
		switch low := strings.ToLower(strings.TrimSpace(item)); low {
		case "", "#all":
		case "#headers":
			block.R2 = block.R1 + t.Headers - 1
		case "#data":
			block.R1, block.R2 = block.R1+t.Headers, block.R2-t.Totals
		case "#totals":
			block.R1 = block.R2 - t.Totals + 1
		default:
			i := slices.IndexFunc(t.Columns, func(c tableColumn) bool { return strings.EqualFold(c.Name, strings.TrimSpace(item)) })
			if i < 0 {
				return cellref.Range{}, formats.Errorf(formats.CodeNotFound, "the table %s has no column %s; it has %s", t.Name, cellref.QuoteArg(item), Clip(t.columnNames(), 300))
			}
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first >= 0 {
		block.C1, block.C2 = t.Ref.C1+min(first, last), t.Ref.C1+max(first, last)
	}
	if block.Empty() {
		return cellref.Range{}, formats.Errorf(formats.CodeNotFound, "the table %s has no such rows: %s", t.Name, cellref.QuoteArg(spec))
	}
	return block, nil
}

// structuredItems splits "[#All],[A]:[B]" or "A" into its items; a quote mark
// escapes the character behind it.
func structuredItems(body string) []string {
	if !strings.HasPrefix(strings.TrimSpace(body), "[") {
		return []string{unquoteItem(body)}
	}
	var out []string
	for {
		i := strings.IndexByte(body, '[')
		if i < 0 {
			return out
		}
		e := formula.BracketEnd(body, i)
		out = append(out, unquoteItem(strings.TrimSuffix(body[i+1:e], "]")))
		body = body[e:]
	}
}

func unquoteItem(s string) string {
	if !strings.Contains(s, "'") {
		return s
	}
	var sb strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\'' && i+1 < len(s) {
			i++
		}
		sb.WriteByte(s[i])
	}
	return sb.String()
}

func (t *Table) columnNames() string {
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}
