package xlsx

import (
	"strconv"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

func fmtInt(n int) string { return strconv.Itoa(n) }

// setName puts a planned text into the defined name at t, or takes it out; it
// reports whether the name was one of those planned.
func (b *bookEdit) setName(t xmlscan.Token, end int) bool {
	local, err := strconv.Atoi(t.AttrLocal("localSheetId"))
	if err != nil {
		return false
	}
	to, stays := b.newIndex[local]
	hit := false
	for _, n := range b.f.nameEdits {
		if !stays || !strings.EqualFold(n.name, t.AttrLocal("name")) || b.f.sheets[to] != n.sheet {
			continue
		}
		n.done = true
		if hit {
			continue
		}
		hit = true
		if last := b.f.lastName(n); last.text == "" {
			b.put(t.Start, end, "")
		} else {
			b.put(t.Start, end, b.nameXML(last, to))
		}
	}
	return hit
}

// lastName is the latest edit of the same name.
func (f *finisher) lastName(n *nameEdit) *nameEdit {
	for _, o := range f.nameEdits {
		if o.sheet == n.sheet && o.name == n.name {
			n = o
		}
	}
	return n
}

func (b *bookEdit) nameXML(n *nameEdit, sheet int) string {
	return "<" + b.prefix + `definedName name="` + n.name + `" localSheetId="` + strconv.Itoa(sheet) + `" hidden="1">` + xmlscan.Escape(n.text) + "</" + b.prefix + "definedName>"
}

// addNames writes the names that the workbook does not have yet in place of
// [from,to): in the list there, or as a new one.
func (b *bookEdit) addNames(from, to int, list bool) {
	var sb strings.Builder
	for _, n := range b.f.nameEdits {
		last := b.f.lastName(n)
		if n.done || last != n || n.text == "" {
			continue
		}
		for i, s := range b.f.sheets {
			if s == n.sheet {
				sb.WriteString(b.nameXML(n, i))
			}
		}
		n.done = true
	}
	if sb.Len() == 0 {
		return
	}
	xml := sb.String()
	if !list {
		xml = "<" + b.prefix + "definedNames>" + xml + "</" + b.prefix + "definedNames>"
	}
	b.put(from, to, xml)
}
