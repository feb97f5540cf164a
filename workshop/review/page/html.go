package page

import (
	h "atelier/internal/htmlpage"
)

func (m mark) node() h.Node { return h.Mark(m.Class, m.Sign, m.Word) }

// body returns the content of the page.
func (v *view) body() []h.Node {
	sub := h.Group{h.Attr("class", "sub"), h.Text("The draft changes " + v.Changed)}
	if v.HasWarnings {
		sub = append(sub, h.Text(" · "), warnText("⚠ "+v.Warned))
	}
	return []h.Node{
		h.El("a", h.Attr("class", "skip"), h.Attr("href", "#changes"), h.Text("Skip to the changes")), h.Line,
		h.El("header", h.Attr("class", "top"),
			h.El("div",
				h.El("h1", h.Text("Review of "), h.Bdi(v.Title)),
				h.El("p", sub, h.Text(" · made "+v.Made)),
			),
			h.El("div", h.Attr("class", "keys"), h.Attr("id", "keys"), hidden(),
				keyButton("prev", "Previous change ", "p"), h.Line,
				keyButton("next", "Next change ", "n"), h.Line,
				h.El("span", h.Attr("id", "where"), h.Attr("role", "status"), h.Attr("aria-live", "polite")),
			),
		), h.Line,
		h.El("main", h.Attr("id", "changes"), h.Focusable(),
			h.El("section", h.Attr("aria-labelledby", "overview"),
				h.El("h2", h.Attr("id", "overview"), h.Text("Changed files")),
				v.overview(),
				legend(),
			), h.Line,
			h.Map(v.Files, (*fileView).node),
		), h.Line,
		h.El("footer", h.El("p", h.Text("Written by Atelier "+v.Version+". Left is the published file, right the draft. Nothing was sent anywhere to make this page, and it loads nothing."))),
	}
}

func hidden() h.Node { return h.Attr("hidden", "") }

func warnText(s string) h.Node { return h.Tag("strong", "warn-text", s) }

func keyButton(id, label, key string) h.Node {
	return h.El("button", h.Attr("type", "button"), h.Attr("id", id), h.Text(label), kbd(key))
}

func kbd(key string) h.Node { return h.El("kbd", h.Text(key)) }

// overview is the table of all files.
func (v *view) overview() h.Node {
	if len(v.Files) == 0 {
		return h.El("p", h.Text("The draft changes nothing."))
	}
	return h.Scroll("Changed files",
		h.El("table", h.Attr("class", "files"),
			h.El("thead", h.El("tr",
				h.Head("", h.Text("File")), h.Head("", h.Text("Change")), h.Head("", h.Text("What changed")), h.Head("", h.Text("Size")),
			)),
			h.El("tbody", h.Map(v.Files, func(f *fileView) h.Node {
				what := h.Group{h.Bdi(f.Summary)}
				if f.Conflict {
					what = append(what, h.Text(" "), warnText("⚠ conflict"))
				}
				if len(f.Warnings) > 0 {
					what = append(what, h.El("ul", h.Attr("class", "warnings"), h.Attr("aria-label", "Warnings"), h.Map(f.Warnings, func(w string) h.Node {
						return h.El("li", h.El("span", h.Attr("aria-hidden", "true"), h.Text("⚠ ")), h.Bdi(w))
					})))
				}
				return h.Group{h.El("tr",
					h.El("th", h.Attr("scope", "row"), h.El("a", h.Attr("href", "#"+f.ID), h.Bdi(f.Path))),
					h.El("td", f.Mark.node()),
					h.El("td", what),
					h.Tag("td", "num", f.Sizes),
				), h.Line}
			})),
		),
	)
}

// legend explains the marks, and the keys if the script runs.
func legend() h.Node {
	row := func(meaning string, sign ...h.Node) h.Node {
		return h.El("div", h.El("dt", sign...), h.El("dd", h.Text(meaning)))
	}
	text := func(s string) h.Node { return h.Text(s) }
	return h.El("details", h.Attr("class", "legend"),
		h.El("summary", h.Text("What the marks mean")),
		h.El("dl",
			row("is in the draft only (underlined)", markOf("added").node(), text(" "), h.El("ins", text("text"))),
			row("is in the published file only (struck through)", markOf("removed").node(), text(" "), h.El("del", text("text"))),
			row("is in both, and differs", markOf("modified").node()),
			row("is the same and stands elsewhere", markOf("moved").node()),
			row("has the same text and looks different", markOf("formatting").node()),
			row("a character that would not be seen, by its code", text("⟦U+200B⟧")),
		),
		h.El("p", h.Attr("class", "withkeys"), h.Attr("id", "help"), hidden(),
			kbd("n"), text(" or "), kbd("j"), text(" goes to the next change, "), kbd("p"), text(" or "), kbd("k"), text(" to the one before, "),
			kbd("N"), text(" and "), kbd("P"), text(" to the next file and the one before, "), kbd("t"), text(" to the top, "), kbd("?"), text(" to this help."),
		),
	)
}

// node is the section of one file.
func (f *fileView) node() h.Node {
	sub := h.Group{h.Attr("class", "sub"), h.Bdi(f.Summary)}
	if f.Kind != "" {
		sub = append(sub, h.Text(" · "+f.Kind))
	}
	sub = append(sub, h.Text(" · "+f.Sizes))
	if f.Hashes != "" {
		sub = append(sub, h.Text(" · "), h.Tag("span", "hash", "SHA-256 "+f.Hashes))
	}
	out := h.Group{
		h.Attr("class", "file"), h.Attr("id", f.ID), h.Attr("aria-labelledby", f.ID+"-h"), h.Focusable(),
		h.El("h2", h.Attr("id", f.ID+"-h"), h.Bdi(f.Path), h.Text(" "), f.Mark.node()),
		h.El("p", sub),
	}
	if f.Conflict {
		out = append(out, h.El("p", h.Attr("class", "warning"), h.El("strong", h.Text("⚠ Conflict:")), h.Text(" the published file has changed since the draft was based on it.")))
	}
	if len(f.Warnings) > 0 {
		out = append(out, h.El("div", h.Attr("class", "warning"), h.El("h3", h.Text("Warnings")), h.El("ul", bdiItems(f.Warnings))))
	}
	if f.Message != "" {
		out = append(out, h.El("p", h.Bdi(f.Message)))
	}
	if f.Note != "" {
		out = append(out, h.El("p", h.Attr("class", "note"), h.Bdi(f.Note)))
	}
	out = append(out, h.Map(f.Groups, groupView.node), note(f.Omitted))
	if f.Text != nil {
		out = append(out, f.Text.node())
	}
	if len(f.Pages) > 0 || f.PagesNote != "" {
		out = append(out, h.El("details", h.Attr("class", "pages"), h.Attr("open", ""),
			h.El("summary", h.El("h3", h.Text("Pages"))), h.Map(f.Pages, pageView.node), note(f.PagesNote)))
	}
	return h.Group{h.El("section", out), h.Line}
}

// note is a remark of the program, or nothing.
func note(s string) h.Node {
	if s == "" {
		return nil
	}
	return h.Tag("p", "note", s)
}

func bdiItems(list []string) h.Node {
	return h.Map(list, func(s string) h.Node { return h.El("li", h.Bdi(s)) })
}

// node is a page before and after.
func (p pageView) node() h.Node {
	side := func(picture *pictureView, none string) h.Node {
		if picture == nil {
			return h.El("figure", h.Tag("div", "nopage", none))
		}
		return h.El("figure", h.El("img", h.Attr("src", picture.URL), h.Attr("alt", picture.Alt)), h.El("figcaption", h.Text(picture.Caption)))
	}
	return h.Group{h.El("div", h.Attr("class", "pair"), h.Attr("role", "group"), h.Attr("aria-label", p.Name),
		side(p.Before, "not in the published file"), side(p.After, "not in the draft"),
	), h.Line}
}
