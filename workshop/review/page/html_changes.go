package page

import (
	"strconv"

	h "atelier/internal/htmlpage"
)

// spanNodes marks what only one side has.
func spanNodes(spans []span) h.Node {
	return h.Map(spans, func(s span) h.Node {
		switch s.Class {
		case "ins":
			return h.El("ins", h.Text(s.Text))
		case "del":
			return h.El("del", h.Text(s.Text))
		}
		return h.Text(s.Text)
	})
}

func noteItems(notes []string) h.Node {
	if len(notes) == 0 {
		return nil
	}
	return h.El("ul", h.Attr("class", "notes"), bdiItems(notes))
}

func (v groupView) node() h.Node {
	head := h.Group{h.El("h3", h.Bdi(v.Name))}
	if v.Mark != nil {
		head = append(head, h.Text(" "), v.Mark.node())
	}
	if v.From != "" {
		head = append(head, h.Text(" "), h.El("span", h.Attr("class", "sub"), h.Text("was "), h.Bdi(v.From)))
	}
	if v.ID != "" {
		return h.El("div", h.Attr("class", "lone change"), h.Attr("id", v.ID), h.Focusable(), head)
	}
	out := h.Group{h.Attr("class", "group"), h.Attr("open", ""), h.El("summary", head, h.Text(" "), h.Tag("span", "sub", v.Count))}
	if v.Grid != nil {
		out = append(out, v.Grid.node())
	}
	if len(v.Items) > 0 {
		out = append(out, itemTable(v.Items))
	}
	return h.El("details", out)
}

// changeRow is the attributes of a row or cell that the keys stop at.
func (i itemView) changeRow() h.Node {
	return h.Group{h.Attr("class", "change "+i.Mark.Class), h.Attr("id", i.ID), h.Focusable()}
}

func itemTable(items []itemView) h.Node {
	text := func(spans []span, notes []string) h.Node {
		class := "text"
		if len(spans) == 0 {
			class += " none"
		}
		return h.El("td", h.Attr("dir", "auto"), h.Attr("class", class), spanNodes(spans), noteItems(notes))
	}
	return h.Scroll("",
		h.El("table", h.Attr("class", "items"),
			h.El("thead", h.El("tr", h.Head("where", h.Text("Where")), h.Head("", h.Text("Published")), h.Head("", h.Text("Draft")))),
			h.El("tbody", h.Line, h.Map(items, func(i itemView) h.Node {
				where := h.Group{h.Attr("scope", "row"), h.Attr("class", "where"), i.Mark.node()}
				if at := i.Where(); at != "" {
					where = append(where, h.El("span", h.Attr("class", "at"), h.Bdi(at)))
				}
				row := h.Group{i.changeRow(), h.El("th", where)}
				if i.One {
					row = append(row, h.El("td", h.Attr("colspan", "2"), h.Attr("dir", "auto"), h.Attr("class", "text"), spanNodes(i.New), noteItems(i.Notes)))
				} else {
					row = append(row, text(i.Old, nil), text(i.New, i.Notes))
				}
				return h.Group{h.El("tr", row), h.Line}
			})),
		),
	)
}

func (v *gridView) node() h.Node {
	out := h.Group{}
	if len(v.Others) > 0 {
		out = append(out, itemTable(v.Others))
	}
	return append(out, h.Scroll("Changed cells",
		h.El("table", h.Attr("class", "grid"),
			h.El("thead", h.El("tr",
				h.Head("row", h.Tag("span", "hide", "Row")),
				h.Map(v.Columns, func(c string) h.Node { return h.Head("", h.Text(c)) }),
			)),
			h.El("tbody", h.Line, h.Map(v.Rows, func(r gridRow) h.Node {
				number := h.El("th", h.Attr("scope", "row"), h.Attr("class", "row"), h.Text(r.Number))
				if r.Whole != nil {
					return h.Group{h.El("tr", r.Whole.changeRow(), number, r.Whole.wholeRow(len(v.Columns))), h.Line}
				}
				return h.Group{h.El("tr", number, h.Map(r.Cells, gridCell.node)), h.Line}
			})),
		),
	))
}

// wholeRow is the cell of a row that was added, deleted or moved.
func (i *itemView) wholeRow(columns int) h.Node {
	out := h.Group{h.Attr("colspan", strconv.Itoa(columns)), h.Attr("dir", "auto"), i.Mark.node(), h.Text(" ")}
	if i.From != "" {
		out = append(out, h.Tag("span", "sub", "was "+i.From))
	}
	return h.El("td", out, h.Text(" "), h.El("span", h.Attr("class", "text"), spanNodes(i.Old), spanNodes(i.New)), noteItems(i.Notes))
}

func (c gridCell) node() h.Node {
	i := c.Item
	if i == nil {
		return h.El("td", h.Attr("class", "same"), h.Tag("span", "hide", "unchanged"))
	}
	side := func(class string, spans []span) h.Node {
		return h.El("span", h.Attr("class", class), h.Attr("dir", "auto"), spanNodes(spans))
	}
	out := h.Group{i.changeRow(), h.El("span", h.Attr("class", "cellmark"), i.Mark.node())}
	switch {
	case i.One:
		out = append(out, side("text", i.New))
	default:
		if len(i.Old) > 0 {
			out = append(out, side("text old", i.Old))
		}
		if len(i.New) > 0 {
			out = append(out, side("text new", i.New))
		}
	}
	return h.El("td", out, noteItems(i.Notes))
}

// node shows two texts side by side.
func (v *textView) node() h.Node {
	line := func() h.Node { return h.Head("ln", h.Tag("span", "hide", "Line")) }
	return h.Group{
		h.Tag("p", "sub", v.Counts),
		h.Map(v.Hunks, func(hunk hunkView) h.Node {
			return h.Scroll("", h.El("table", h.Attr("class", "lines change"), h.Attr("id", hunk.ID), h.Focusable(),
				h.El("caption", h.Text(hunk.Label)),
				h.El("colgroup", h.El("col", h.Attr("class", "ln")), h.El("col"), h.El("col", h.Attr("class", "ln")), h.El("col")),
				h.El("thead", h.El("tr", line(), h.Head("", h.Text("Published")), line(), h.Head("", h.Text("Draft")))),
				h.El("tbody", h.Line, h.Map(hunk.Rows, lineRow.node)),
			))
		}),
		note(v.More),
	}
}

func (r lineRow) node() h.Node {
	return h.Group{h.El("tr",
		lineNumber(r.OldNumber), lineCell(r.OldNumber, r.OldMark, "removed", r.Old),
		lineNumber(r.NewNumber), lineCell(r.NewNumber, r.NewMark, "added", r.New),
	), h.Line}
}

func lineNumber(n int) h.Node {
	if n == 0 {
		return h.El("td", h.Attr("class", "ln"))
	}
	return h.Tag("td", "ln", strconv.Itoa(n))
}

// lineCell is the text of one side; changed is the class of a line with a mark.
func lineCell(number int, mark, changed string, spans []span) h.Node {
	class := "code"
	switch {
	case mark != "":
		class += " " + changed
	case number == 0:
		class += " none"
	}
	out := h.Group{h.Attr("dir", "auto"), h.Attr("class", class)}
	if mark != "" {
		out = append(out, h.Tag("span", "sign", mark))
	}
	return h.El("td", out, spanNodes(spans))
}
