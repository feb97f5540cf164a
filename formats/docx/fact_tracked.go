package docx

import (
	"strings"

	"atelier/formats"
)

var trackedNames = map[string][2]string{"ins": {"insertion", "insertions"}, "moveTo": {"move to here", "moves to here"}, "del": {"deletion", "deletions"}, "moveFrom": {"move from here", "moves from here"},
	"cellIns": {"inserted cell", "inserted cells"}, "cellDel": {"deleted cell", "deleted cells"}, "cellMerge": {"merged cell", "merged cells"}}

// trackedText reports text that a person inserted, deleted or moved as a
// tracked change (17.13.5).
func (c *collector) trackedText(e *el, kind string) {
	text := e.words()
	outcome := ""
	if c.before {
		outcome = c.became(kind, text)
	}
	names := trackedNames[kind]
	c.addTracked("tracked "+names[0], "tracked "+names[1], e, text, outcome)
}

// became returns what became of a tracked change that is gone: accepted, when
// its text is as it asked for.
func (c *collector) became(kind, text string) string {
	n := c.cur
	if n != nil && c.counterpart[n] == nil {
		return "gone with their paragraph"
	}
	words := ""
	if n != nil {
		words = c.other.textOf(c.counterpart[n])
	}
	stays := text != "" && strings.Contains(words, text)
	if kind == "ins" || kind == "moveTo" {
		if stays || text == "" {
			return "accepted"
		}
		return "rejected"
	}
	if stays {
		return "rejected"
	}
	return "accepted"
}

// textOf returns the text of a paragraph.
func (s *comparedSide) textOf(n *node) string {
	for _, st := range s.stories {
		if p := st.part; n.para < len(p.nodes) && p.nodes[n.para] == n {
			return p.paras[n.para].Text()
		}
	}
	return ""
}

// trackedProps reports tracked changes among properties: of formatting, of the
// paragraph's mark, of rows and cells.
func (c *collector) trackedProps(e *el) {
	if e == nil {
		return
	}
	for _, k := range e.kids {
		names, ok := trackedNames[k.local]
		switch {
		case k.space != nsW:
		case ok:
			what, many := "tracked "+names[0], "tracked "+names[1]
			switch {
			case e.local == "rPr":
				what, many = what+" of a paragraph mark", many+" of paragraph marks"
			case e.local == "trPr":
				what, many = what+" of a row", many+" of rows"
			}
			c.addTracked(what, many, k, "", "accepted or rejected")
		case strings.HasSuffix(k.local, "PrChange") || k.local == "tblGridChange" || k.local == "numberingChange":
			c.addTracked("tracked change of formatting", "tracked changes of formatting", k, "", "accepted or rejected")
		}
		if k.w("numPr") {
			c.trackedProps(k)
		}
	}
}

func (c *collector) addTracked(what, many string, e *el, text, outcome string) {
	by := ""
	if who := e.attr("author"); who != "" {
		by = " by " + who
	}
	sum := e.sum(c.relTargets(c.part), func(k *el) bool { return k.w("t", "delText", "rPr", "txbxContent") })
	c.tracked = append(c.tracked, repeatedFact{kind: formats.FactTracked, what: what, many: many, by: by, key: string(sum[:]), at: c.at, was: c.was, text: text, outcome: outcome,
		warnGone: func(string, string) string {
			if text, gone := strings.CutPrefix(outcome, "gone "); gone {
				return "tracked changes" + by + " went " + text
			}
			return "tracked changes" + by + " were " + outcome
		}})
}
