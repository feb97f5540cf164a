package page

import (
	"fmt"

	h "atelier/internal/htmlpage"
)

func (m mark) node() h.Node { return h.Mark(m.Class, m.Sign, m.Word) }

// body returns the content of the page; the rows are read while it is rendered.
func (p *printer) body(v head, r Report) []h.Node {
	documents := make(h.Group, 0, len(r.Files))
	for i, f := range r.Files {
		documents = append(documents, p.file(f, v.Files[i]))
	}
	return []h.Node{
		h.El("a", h.Attr("class", "skip"), h.Attr("href", "#documents"), h.Text("Skip to the documents")), h.Line,
		h.El("header", h.Attr("class", "top"),
			h.El("div",
				h.El("h1", h.Text("Translation of "), h.Bdi(v.Title)),
				h.El("p", h.Attr("class", "sub"), v.subtitle()),
			),
			v.search(),
		), h.Line,
		h.El("main", h.Focusable(),
			h.El("section", h.Attr("aria-labelledby", "overview"),
				h.El("h2", h.Attr("id", "overview"), h.Text("Summary")),
				v.figures(),
				v.table(),
			), h.Line,
			v.filter(),
			h.El("div", h.Attr("id", "documents"), h.Focusable(), h.Line, documents),
		), h.Line,
		h.El("footer",
			h.El("p", h.Text("A number in a box is formatting or a thing that is no text: it stands in both languages. The originals were not changed.")),
			h.El("p", h.Text("Made by Atelier"+before(" ", r.Version)+". This page loads nothing from elsewhere.")),
		),
	}
}

// before returns s with what separates it from the text before it, or nothing.
func before(separator, s string) string {
	if s == "" {
		return ""
	}
	return separator + s
}

func (v head) subtitle() h.Node {
	out := h.Group{h.Text(v.Count)}
	if v.Engine != "" {
		out = append(out, h.Text(" · by "), h.Bdi(v.Engine))
	}
	if v.Flagged != "" {
		out = append(out, h.Text(" · "), h.Tag("strong", "warn-text", "⚠ "+v.Flagged))
	}
	if v.Failed > 0 {
		out = append(out, h.Text(" · "), h.Tag("strong", "warn-text", fmt.Sprintf("✕ %d failed", v.Failed)))
	}
	return append(out, h.Text(" · made "+v.Made))
}

// search is what the script shows.
func (v head) search() h.Node {
	return h.El("div", h.Attr("class", "keys"), h.Attr("id", "searching"), h.Attr("hidden", ""),
		h.El("label", h.Attr("for", "search"), h.Text("Find in source and translation")), h.Text(" "),
		h.El("input", h.Attr("type", "search"), h.Attr("id", "search"), h.Attr("autocomplete", "off"), h.Attr("spellcheck", "false")), h.Line,
		h.El("label", h.Attr("for", "which"), h.Text("in")), h.Text(" "),
		h.El("select", h.Attr("id", "which"),
			h.El("option", h.Attr("value", ""), h.Text("all documents")),
			h.Map(v.Files, func(f fileView) h.Node {
				name := f.Input
				if v.Several {
					name += " → " + f.To
				}
				return h.El("option", h.Attr("value", f.ID), h.Text(name))
			}),
		), h.Line,
		h.El("span", h.Attr("id", "found"), h.Attr("role", "status"), h.Attr("aria-live", "polite")),
	)
}

func (v head) figures() h.Node {
	if len(v.Figures) == 0 {
		return nil
	}
	return h.El("dl", h.Attr("class", "figures"), h.Map(v.Figures, func(f Figure) h.Node {
		return h.El("div", h.El("dt", h.Text(f.Name)), h.El("dd", h.Text(f.Value)))
	}))
}

// table is the summary of all files.
func (v head) table() h.Node {
	var heads h.Group
	for _, c := range []struct{ name, class string }{{"Document", ""}, {"To", ""}, {"Status", ""}, {"Segments", "n"}, {"Words", "n"}, {"Repeated", "n"}, {"Memory", "n"}, {"Look at", ""}} {
		heads = append(heads, h.Head(c.class, h.Text(c.name)))
	}
	number := func(s string) h.Node { return h.Tag("td", "n", s) }
	return h.Scroll("Documents",
		h.El("table", h.Attr("class", "files"),
			h.El("thead", h.El("tr", heads)),
			h.El("tbody", h.Line, h.Map(v.Files, func(f fileView) h.Node {
				return h.Group{h.El("tr",
					h.El("th", h.Attr("scope", "row"), h.El("a", h.Attr("href", "#"+f.ID), h.Bdi(f.Input))),
					h.El("td", h.Text(f.To)),
					h.El("td", f.Mark.node()),
					number(f.Segments), number(f.Words), number(f.Rep), number(f.Memory),
					f.remarks(),
				), h.Line}
			})),
		),
	)
}

// remarks is the cell with what a person should look at.
func (f fileView) remarks() h.Node {
	out := h.Group{}
	if f.Error != "" {
		out = append(out, h.El("span", h.Attr("class", "warn-text"), h.Bdi(f.Error)))
	}
	for i, k := range f.Kinds {
		text := k.Name + ": " + k.Count
		if i > 0 {
			text = ", " + text
		}
		out = append(out, h.Text(text))
	}
	return h.El("td", out)
}

// filter chooses the segments by their remarks; the style sheet hides the others.
func (v head) filter() h.Node {
	if len(v.Kinds) == 0 {
		return nil
	}
	choice := func(id string, label ...h.Node) h.Node {
		var checked h.Node
		if id == "all" {
			checked = h.Attr("checked", "")
		}
		return h.Group{h.El("label", h.El("input", h.Attr("type", "radio"), h.Attr("name", "show"), h.Attr("id", "show-"+id), checked), h.Text(" "), h.Group(label)), h.Line}
	}
	return h.Group{h.El("form", h.Attr("class", "filter"), h.Attr("autocomplete", "off"), h.El("fieldset",
		h.El("legend", h.Text("Show")), h.Line,
		choice("all", h.Text("everything")),
		choice("flagged", h.Text("all with remarks")),
		h.Map(v.Kinds, func(k kindView) h.Node {
			return choice(k.Class, h.Text(k.Name+" "), h.Tag("span", "sub", k.Count))
		}),
		choice("plain", h.Text("without remarks")),
	)), h.Line}
}

// file is the section of one file.
func (p *printer) file(f File, v fileView) h.Node {
	warning := func(s string) h.Node { return h.El("p", h.Attr("class", "warning"), h.Bdi(s)) }
	sub := h.Group{h.Attr("class", "sub")}
	if v.Output != "" {
		sub = append(sub, h.Bdi(v.Output), h.Text(" · "))
	}
	sub = append(sub, h.Text(v.Segments+" segments, "+v.Words+" words, "+v.Rep+" repeated, "+v.Memory+" from the memory"))
	out := h.Group{h.Attr("open", ""),
		h.El("summary", h.El("h2", h.Attr("id", v.ID+"-h"), h.Bdi(v.Input), h.Text(" → "+v.To)), h.Text(" "), v.Mark.node()),
		h.El("p", sub),
	}
	if v.Error != "" {
		out = append(out, warning(v.Error))
	}
	out = append(out, h.Map(v.Warnings, warning), p.rows(f, v))
	return h.Group{h.El("section", h.Attr("class", "file"), h.Attr("id", v.ID), h.Attr("aria-labelledby", v.ID+"-h"), h.Focusable(), h.El("details", out)), h.Line}
}

// segmentTable is the table of a file around its rows.
func segmentTable(f File, v fileView, rows h.Node) h.Node {
	source := "Source"
	if f.From != "" {
		source += " (" + f.From + ")"
	}
	return h.Scroll("Segments of "+v.Input, h.El("table", h.Attr("class", "items"),
		h.El("thead", h.El("tr", h.Head("where", h.Text("Where")), h.Head("", h.Text(source)), h.Head("", h.Text("Translation ("+f.To+")")))),
		h.El("tbody", h.Line, rows),
	))
}

func (r rowView) node() h.Node {
	where := h.Group{h.Attr("scope", "row"), h.Attr("class", "where"), h.Bdi(r.Place)}
	for _, s := range []string{r.Part, r.Origin} {
		if s != "" {
			where = append(where, h.Tag("span", "at", s))
		}
	}
	source := h.Group{h.Attr("dir", "auto"), h.Attr("class", "text")}
	if r.From != "" {
		source = append(source, h.Attr("lang", r.From))
	}
	target := h.Tag("span", "sub", "left in the source language")
	if !r.Left {
		target = h.El("div", h.Attr("class", "text"), h.Attr("dir", r.Dir), h.Attr("lang", r.To), h.Map(r.Target, piece.node))
	}
	var flags h.Node
	if len(r.Flags) > 0 {
		flags = h.El("ul", h.Attr("class", "warnings"), h.Map(r.Flags, func(f flagView) h.Node {
			return h.El("li", h.El("span", h.Attr("aria-hidden", "true"), h.Text("⚠ ")), h.El("strong", h.Text(f.Name+":")), h.Text(" "), h.Bdi(f.Message))
		}))
	}
	return h.Group{h.El("tr", h.Attr("class", r.Class), h.El("th", where), h.El("td", source, h.Map(r.Source, piece.node)), h.El("td", target, flags)), h.Line}
}

func (p piece) node() h.Node {
	if p.Chip != "" {
		return h.Tag("span", "chip", p.Chip)
	}
	return h.Text(p.Text)
}
