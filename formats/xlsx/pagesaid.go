package xlsx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
)

// said describes a checked change of the set-up of pages for the answer, but for
// headers and footers.
func (c *pageChange) said() []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, a := range c.setup {
		switch a.name {
		case "orientation":
			say("orientation: %s", a.value)
		case "paperSize":
			say("paper: %s", paperName(a.value))
		case "scale":
			say("scale: %s%%", a.value)
		case "pageOrder":
			say("page order: %s", map[bool]string{true: "down, then across", false: "across, then down"}[a.value == ""])
		case "firstPageNumber":
			if a.value == "" {
				say("first page number: automatic")
			} else {
				say("first page number: %s", a.value)
			}
		}
	}
	if c.fit != nil && *c.fit {
		say("fit: %s across, %s down", c.pages("fitToWidth"), c.pages("fitToHeight"))
	}
	var list []string
	for _, a := range c.margins {
		list = append(list, a.name+" "+a.value)
	}
	if len(list) > 0 {
		say("margins in inches: %s", strings.Join(list, ", "))
	}
	for _, a := range c.options {
		word := map[string]string{"horizontalCentered": "centered across the page", "verticalCentered": "centered down the page", "gridLines": "gridlines printed", "headings": "row numbers and column letters printed"}[a.name]
		say("%s: %s", word, map[bool]string{true: "yes", false: "no"}[a.value != ""])
	}
	if c.hasArea {
		var areas []string
		for _, r := range c.area {
			areas = append(areas, r.String())
		}
		say("print area: %s", orWord(listed(areas[:min(len(areas), 20)], len(areas)), "the whole sheet"))
	}
	for _, r := range []struct {
		lines *cellref.Range
		cols  bool
		word  string
	}{{c.rows, false, "rows"}, {c.columns, true, "columns"}} {
		if r.lines == nil {
			continue
		}
		text := "none"
		if !r.lines.Empty() {
			from, to := cellref.Shift{Cols: r.cols}.Side(*r.lines)
			text = runName(r.cols, from, to)
		}
		say("%s on each page: %s", r.word, text)
	}
	for _, b := range []struct {
		name, word string
		show       func(int) string
	}{{"rowBreaks", "rows", strconv.Itoa}, {"colBreaks", "columns", cellref.ColumnName}} {
		ids, ok := c.breaks[b.name]
		if !ok {
			continue
		}
		var names []string
		for _, id := range ids[:min(len(ids), 20)] {
			names = append(names, b.show(id))
		}
		say("page breaks after %s: %s", b.word, orWord(listed(names, len(ids)), "none"))
	}
	return out
}

// pages is the number of pages that the sheet is shrunk to in a direction.
func (c *pageChange) pages(name string) string {
	i := slices.IndexFunc(c.setup, func(a attr) bool { return a.name == name })
	if i < 0 || c.setup[i].value == "" {
		return "1 page"
	}
	n, _ := strconv.Atoi(c.setup[i].value)
	if n == 0 {
		return "any number of pages"
	}
	return formats.Count(n, "page", "pages")
}

// paperName is the name of a paper by its code.
func paperName(code string) string {
	for name, c := range paperSizes {
		if c == code {
			return strings.ToUpper(name[:1]) + name[1:]
		}
	}
	return code
}

func orWord(text, instead string) string {
	if text == "" {
		return instead
	}
	return text
}
