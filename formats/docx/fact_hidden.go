package docx

import (
	"strconv"
	"strings"

	"atelier/formats"
)

// textLook is what decides whether text can be seen; "" is not set.
type textLook struct{ vanish, color, size, fill, mark string }

// under is l with what it does not set taken from base.
func (l textLook) under(base textLook) textLook {
	pick := func(a, b string) string {
		if a != "" {
			return a
		}
		return b
	}
	return textLook{pick(l.vanish, base.vanish), pick(l.color, base.color), pick(l.size, base.size), pick(l.fill, base.fill), pick(l.mark, base.mark)}
}

func lookOf(rPr *el) textLook {
	var l textLook
	if rPr == nil {
		return l
	}
	for _, k := range rPr.kids {
		switch k.local {
		case "vanish":
			l.vanish = "off"
			if k.on() {
				l.vanish = "on"
			}
		case "color":
			if l.color = k.attr("val"); k.attr("themeColor") != "" {
				l.color = "theme " + k.attr("themeColor")
				if k.attr("themeShade") == "" && k.attr("themeTint") == "" && strings.HasPrefix(k.attr("themeColor"), "background1") {
					l.color = "FFFFFF"
				}
			}
		case "sz":
			l.size = k.attr("val")
		case "shd":
			l.fill = fillOf(k)
		case "highlight":
			l.mark = k.attr("val")
		}
	}
	return l
}

func fillOf(shd *el) string {
	fill := shd.attr("fill")
	if shd.attr("themeFill") != "" || shd.attr("val") == "solid" {
		return "other"
	}
	if fill == "auto" {
		return ""
	}
	return fill
}

// styleLook returns the look of a style with those it is based on.
func (s *comparedSide) styleLook(id string) textLook {
	if l, ok := s.styleLooks[id]; ok {
		return l
	}
	s.styleLooks[id] = textLook{} // a circle ends here
	e := s.sheet.style(id)
	if e == nil {
		return textLook{}
	}
	l := lookOf(e.child("rPr"))
	if shd := e.child("pPr").child("shd"); shd != nil && l.fill == "" {
		l.fill = fillOf(shd)
	}
	if based := s.sheet.spans[id].based; based != "" {
		l = l.under(s.styleLook(based))
	}
	s.styleLooks[id] = l
	return l
}

// hiddenText finds text of a paragraph that a reader cannot see.
func (c *collector) hiddenText(n *node, e *el) {
	if n == nil {
		return
	}
	pPr := e.child("pPr")
	base := c.styleLook(c.sheet.defaultFor("paragraph"))
	if id := pPr.child("pStyle").attr("val"); id != "" {
		base = c.styleLook(id)
	}
	if shd := pPr.child("shd"); shd != nil {
		base.fill = fillOf(shd)
	}
	found := map[string]*strings.Builder{}
	var order []string
	var walk func(e *el)
	walk = func(e *el) {
		for _, k := range e.kids {
			switch {
			case k.w("r"):
				text := (&el{kids: flatText(k)}).words()
				if strings.TrimSpace(text) == "" {
					continue
				}
				rPr := k.child("rPr")
				l := base
				if id := rPr.child("rStyle").attr("val"); id != "" {
					l = c.styleLook(id).under(l)
				}
				why := c.whyInvisible(lookOf(rPr).under(l), n)
				if why == "" {
					continue
				}
				if found[why] == nil {
					found[why] = &strings.Builder{}
					order = append(order, why)
				}
				found[why].WriteString(text)
			case k.w("hyperlink", "ins", "moveTo", "smartTag", "customXml", "sdt", "sdtContent", "fldSimple", "dir", "bdo"):
				walk(k)
			}
		}
	}
	walk(e)
	for _, why := range order {
		c.addHidden(why, found[why].String())
	}
	if cell := n.parent; cell != nil && cell.kind == cellNode && len(order) == 0 && e.words() != "" && c.covered(cell) {
		c.addHidden("covered by a merged cell", e.words())
	}
}

// flatText returns the text elements of a run itself.
func flatText(r *el) []*el {
	var out []*el
	for _, k := range r.kids {
		if k.w("t", "tab", "br", "cr") {
			out = append(out, k)
		}
	}
	return out
}

func (c *collector) addHidden(why, text string) {
	c.hidden = append(c.hidden, repeatedFact{kind: formats.FactHiddenText, what: "text " + why, many: "texts " + why, key: c.key, at: c.at, was: c.was, text: text,
		warnNew: func(places, texts string) string { return places + ": text that cannot be seen, " + why + ": " + texts }})
}

// covered reports whether a cell continues the one above, so that its own text
// is not shown (17.4.84).
func (c *collector) covered(cell *node) bool {
	if cell.props.end == 0 {
		return false
	}
	for _, k := range c.part.elementAt(cell.props.start, cell.props.end).kids {
		if k.w("vMerge", "hMerge") && k.attr("val") != "restart" {
			return true
		}
	}
	return false
}

var highlightColors = map[string]string{"white": "FFFFFF", "black": "000000", "yellow": "FFFF00", "red": "FF0000", "blue": "0000FF", "green": "00FF00", "cyan": "00FFFF", "magenta": "FF00FF"}

// whyInvisible returns why text of a look cannot be seen, "" when it can.
func (c *collector) whyInvisible(l textLook, n *node) string {
	if l.vanish == "on" {
		return "formatted as hidden"
	}
	if v, err := strconv.ParseFloat(l.size, 64); err == nil && v <= 3 {
		return "of " + points(l.size, 2)
	}
	if len(l.color) != 6 {
		return ""
	}
	back := c.background(l, n)
	if back == "" || !alikeColors(l.color, back) {
		return ""
	}
	if strings.EqualFold(l.color, "FFFFFF") {
		return "white on white"
	}
	return "of the colour of its background"
}

// background returns the colour behind text, "" when it is not known: in
// shapes, and in tables whose style has colours.
func (c *collector) background(l textLook, n *node) string {
	switch {
	case l.mark != "" && l.mark != "none":
		return highlightColors[l.mark]
	case l.fill != "":
		return l.fill
	}
	for p := n.parent; p != nil; p = p.parent {
		switch p.kind {
		case boxNode:
			return ""
		case cellNode:
			if p.props.end > 0 {
				if shd := c.part.elementAt(p.props.start, p.props.end).child("shd"); shd != nil && fillOf(shd) != "" {
					return fillOf(shd)
				}
			}
		case tableNode:
			if p.props.end == 0 {
				continue
			}
			pr := c.part.elementAt(p.props.start, p.props.end)
			if shd := pr.child("shd"); shd != nil && fillOf(shd) != "" {
				return fillOf(shd)
			}
			if st := c.sheet.style(pr.child("tblStyle").attr("val")); st != nil && st.find(func(k *el) bool { return k.local == "shd" }, nil) != nil {
				return ""
			}
		}
	}
	return "FFFFFF"
}

// alikeColors reports whether two colours can hardly be told apart.
func alikeColors(a, b string) bool {
	x, errX := strconv.ParseUint(a, 16, 32)
	y, errY := strconv.ParseUint(b, 16, 32)
	if errX != nil || errY != nil {
		return false
	}
	for range 3 {
		if d := int(x&0xFF) - int(y&0xFF); d > 12 || d < -12 {
			return false
		}
		x, y = x>>8, y>>8
	}
	return true
}
