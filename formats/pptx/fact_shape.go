package pptx

import (
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
)

// describe reports all of a shape, each of its sides as its own item.
func (p *page) describe(s *placedShape) {
	if s.in != nil {
		p.addProperty(s, formats.FactShape, "group", "in the group "+quoted(s.in.name()), inventory.SumOf([]byte(s.in.key)))
	}
	p.addAttributes(s, formats.FactPart, "shape", "", s.n)
	p.addKids(s, formats.FactShape, "shape", "", s.n, func(n *node) bool {
		switch {
		case s.groups(n):
		case n.Space == nsP && strings.HasPrefix(n.Local, "nv"):
			p.identityOf(s, n)
		case n.Is(nsP, "spPr"), n.Is(nsP, "grpSpPr"):
			p.addLook(s, n)
		case n.Is(nsP, "xfrm"):
			p.addPosition(s, n)
		case n.Is(nsP, "txBody"):
			p.body(s, n)
		case n.Is(nsP, "blipFill"):
			p.picture(s, n)
		case n.Is(nsA, "graphic"):
			p.graphic(s, n)
		default:
			return false
		}
		return true
	})
}

// identityOf reports the non-visual properties of a shape: its name,
// alternative text, what a click does, locks, what placeholder it is.
func (p *page) identityOf(s *placedShape, nv *node) {
	p.addAttributes(s, formats.FactPart, "nv", "", nv)
	for k := range nv.Kids() {
		switch k.Local {
		case "cNvPr":
			p.addName(s, k)
		case "nvPr":
			p.addAttributes(s, formats.FactShape, "nvPr", "", k)
			p.addKids(s, formats.FactShape, "nvPr", "", k, func(n *node) bool {
				switch {
				case n.Is(nsP, "ph"):
					p.addProperty(s, formats.FactShape, "placeholder", "placeholder: "+placeholderWords(n), p.sum(nil, n))
				case strings.HasSuffix(n.Local, "File") || n.Local == "wavAudioFile" || n.Local == "audioCd":
					p.media(s, n)
				default:
					return false
				}
				return true
			})
		default:
			p.addAttributes(s, formats.FactShape, k.Local, "", k)
			p.addKids(s, formats.FactShape, k.Local, "", k, func(n *node) bool {
				if !strings.HasSuffix(n.Local, "Locks") {
					return false
				}
				p.addProperty(s, formats.FactProtection, "locks", "locked against: "+lockWords(n), p.sum(nil, n))
				return true
			})
		}
	}
}

func placeholderWords(ph *node) string {
	kind, ok := ph.Attr("type")
	if w := placeholderKinds[kind]; ok && w != "" {
		kind = strings.ReplaceAll(w, "_", " ")
	} else if !ok {
		kind = "content"
	}
	if idx := ph.Value("idx"); idx != "" {
		kind += " " + idx
	}
	return kind
}

func lockWords(locks *node) string {
	var out []string
	for a := range locks.Attributes() {
		if name, ok := strings.CutPrefix(a.Name, "no"); ok && isTrue(a.Value()) {
			w := splitCapitals(name)
			if l := lockNames[name]; l != "" {
				w = l
			}
			out = append(out, w)
		}
	}
	slices.Sort(out)
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, ", ")
}

var lockNames = map[string]string{"Grp": "grouping", "Select": "selecting", "Rot": "turning", "ChangeAspect": "changing its proportions", "Move": "moving", "Resize": "resizing", "EditPoints": "editing its points", "AdjustHandles": "adjusting", "ChangeArrowheads": "changing arrows", "ChangeShapeType": "changing its form", "TextEdit": "editing its text", "Crop": "cropping", "Ungrp": "ungrouping", "DrilldownSelect": "selecting inside"}

// addName reports a p:cNvPr (19.3.1.12).
func (p *page) addName(s *placedShape, n *node) {
	name, _ := n.Attr("name")
	p.addProperty(s, formats.FactShape, "name", "name "+quoted(name), inventory.SumOf([]byte(name)))
	if alt, ok := n.Attr("descr"); ok {
		text := "alt text " + quotedAll(alt)
		if alt == "" {
			text = "empty alt text"
		}
		p.addItem(inventory.Item{Kind: formats.FactShape, Key: s.key + " alt", At: s.at, Text: text, Sum: inventory.SumOf([]byte(alt)), Revertible: alt != ""})
	}
	if title, ok := n.Attr("title"); ok {
		p.addProperty(s, formats.FactShape, "title", "title of the alt text "+quoted(title), inventory.SumOf([]byte(title)))
	}
	if id := n.Value("id"); id != "" {
		p.addProperty(s, formats.FactShape, "id", "number "+id)
	}
	if v, ok := n.Attr("hidden"); ok && !isTrue(v) {
		p.addProperty(s, formats.FactPart, "hidden", "hidden: "+v)
	}
	p.addAttributes(s, formats.FactShape, "cNvPr", "", n, "name", "descr", "title", "id", "hidden")
	p.addKids(s, formats.FactShape, "cNvPr", "", n, func(k *node) bool {
		switch {
		case k.Is(nsA, "hlinkClick"):
			p.link(s, "click", "", k)
		case k.Is(nsA, "hlinkHover"):
			p.link(s, "hover", "", k)
		case k.Is(nsA, "extLst"):
			p.extensions(s, "cNvPr", k)
		default:
			return false
		}
		return true
	})
}

// quotedAll returns a text that facts show at length.
func quotedAll(s string) string { return "“" + clip(oneLine(s), 300) + "”" }

// extensions reports an extLst element by element; that a picture is decorative
// is one of them ([MS-ODRAWXML] 2.3.1.10).
func (p *page) extensions(s *placedShape, key string, list *node) {
	p.addAttributes(s, formats.FactPart, key+" extLst", "", list)
	nth := 0
	for ext := range list.Kids() {
		text := "extension data"
		if k := ext.First; k != nil {
			if text += ": " + elementName(k.Local); k.Local == "decorative" {
				if text = "marked as decorative"; !isTrue(k.Value("val")) {
					text = "not decorative"
				}
			}
		}
		p.addProperty(s, formats.FactShape, fmt.Sprintf("%s ext %d", key, nth), text, p.sum(nil, ext))
		nth++
	}
}

// addLook reports the visual properties of a shape (20.1.2.2.35).
func (p *page) addLook(s *placedShape, n *node) {
	p.addAttributes(s, formats.FactShape, "look", "", n)
	p.addKids(s, formats.FactShape, "look", "", n, func(k *node) bool {
		switch {
		case k.Is(nsA, "xfrm"):
			p.addPosition(s, k)
		case isFill(k):
			p.addProperty(s, formats.FactFormat, "fill", "fill: "+p.fillWords(k), p.sum(nil, k))
		case k.Is(nsA, "ln"):
			p.addProperty(s, formats.FactFormat, "line", "line: "+p.lineWords(k), p.sum(nil, k))
		case k.Is(nsA, "prstGeom"):
			p.addProperty(s, formats.FactShape, "form", "form: "+splitCapitals(k.Value("prst")), p.sum(nil, k))
		case k.Is(nsA, "custGeom"):
			p.addProperty(s, formats.FactShape, "form", "form: drawn by hand", p.sum(nil, k))
		case k.Is(nsA, "effectLst"):
			p.effects(s, k)
		case k.Is(nsA, "extLst"):
			p.extensions(s, "look", k)
		default:
			return false
		}
		return true
	})
}

func (p *page) effects(s *placedShape, n *node) {
	var list []string
	for k := range n.Kids() {
		list = append(list, elementName(k.Local)+" of "+colorWords(k))
	}
	text := strings.ReplaceAll(strings.Join(list, ", "), " of no colour", "")
	if text == "" {
		text = "none"
	}
	p.addProperty(s, formats.FactFormat, "effects", "effects: "+text, p.sum(nil, n))
}

// addPosition reports place, size and rotation (20.1.7.6).
func (p *page) addPosition(s *placedShape, xfrm *node) {
	f, ok := frameOf(xfrm)
	if ok {
		exact := fmt.Sprint(f)
		t := inventory.Item{Kind: formats.FactShape, Key: s.key + " place", At: s.at, Text: "at " + frameWords(f), Sum: inventory.SumOf([]byte(exact)), Revertible: s.in == nil}
		if p.outside(s) {
			t.Text += ", outside the slide"
			t.WarnAdded = "it lies outside the slide and is not seen"
		}
		p.addItem(t)
	}
	if rot := xfrm.Value("rot"); rot != "" && rot != "0" {
		p.addProperty(s, formats.FactShape, "rotation", "turned by "+degrees(rot), inventory.SumOf([]byte(rot)))
	} else if rot != "" {
		p.addProperty(s, formats.FactPart, "rotation 0", "", inventory.SumOf([]byte(rot)))
	}
	for _, a := range []struct{ name, text string }{{"flipH", "flipped left to right"}, {"flipV", "flipped upside down"}} {
		if v, has := xfrm.Attr(a.name); has && isTrue(v) {
			p.addProperty(s, formats.FactShape, a.name, a.text)
		} else if has {
			p.addProperty(s, formats.FactPart, a.name+" off", "", inventory.SumOf([]byte(v)))
		}
	}
	p.addAttributes(s, formats.FactShape, "xfrm", "", xfrm, "rot", "flipH", "flipV")
	p.addKids(s, formats.FactShape, "xfrm", "scale of the group:", xfrm, func(k *node) bool { return ok && p.plainPlace(k) })
}

// plainPlace reports whether k is an offset or a size and nothing more.
func (p *page) plainPlace(k *node) bool {
	if k.First != nil || k.Space != nsA || k.Local != "off" && k.Local != "ext" {
		return false
	}
	for a := range k.Attributes() {
		if v := strings.TrimSpace(a.Value()); fmt.Sprint(intOr(v, -1)) != v && !strings.HasPrefix(a.Name, "xmlns") {
			return false
		}
		if !slices.Contains([]string{"x", "y", "cx", "cy"}, a.Name) && !strings.HasPrefix(a.Name, "xmlns") {
			return false
		}
	}
	return true
}

// outside reports whether nothing of a shape is on the slide.
func (p *page) outside(s *placedShape) bool {
	f, w, h := s.frame, float64(p.d.width), float64(p.d.height)
	return p.isSlide() && s.ok && s.in == nil && (f.x+f.w <= 0 || f.y+f.h <= 0 || f.x >= w || f.y >= h)
}

func (p *page) isSlide() bool { return strings.HasPrefix(p.key, "slide") }

// addWhole reports a shape that is on this side only, in one item, and what it
// reaches, runs or hides.
func (p *page) addWhole(s *placedShape) {
	from := len(p.items)
	p.describe(s)
	details := slices.Clone(p.items[from:])
	p.items = p.items[:from]
	t := p.object(s, details)
	t.Key, t.At = "whole "+s.key, s.at
	// Objects may have moved here from another page, so the sum has no place.
	t.Key, t.Sum = p.key+" "+t.Key, p.sumBut(s.n, s.groups)
	p.items = append(p.items, t)
	for _, d := range details {
		if d.WarnAdded != "" || d.Kind == formats.FactLink {
			p.items = append(p.items, d)
		}
	}
}

// object returns the item of a whole shape.
func (p *page) object(s *placedShape, details []inventory.Item) inventory.Item {
	t := inventory.Item{Kind: formats.FactShape, Text: map[string]string{kindText: "text box", kindShape: "drawn shape", kindGroup: "group of shapes"}[s.kind()]}
	if t.Text == "" {
		t.Text = strings.ReplaceAll(s.kind(), "_", " ")
	}
	if s.ph != nil {
		t.Text = "placeholder for " + placeholderWords(s.ph)
	}
	for _, d := range details {
		switch d.Kind {
		case formats.FactPicture, formats.FactChart, formats.FactDiagram, formats.FactMedia, formats.FactObject, formats.FactTable:
			if strings.HasSuffix(d.Key, " what") {
				t.Kind, t.Text, t.WarnRemoved = d.Kind, d.Text, "lost: "+d.Text
			}
		}
	}
	if s.body != nil && !p.isSlide() {
		if text := p.t.oneLine(s.body); text != "" {
			t.Text += " " + quoted(text)
		}
	}
	if alt := s.cnv.Value("descr"); alt != "" {
		t.Text += ", alt text " + quotedAll(alt)
	}
	if s.ok && p.outside(s) {
		t.WarnAdded = "it lies outside the slide and is not seen"
	}
	return t
}

// addOrder reports where a shape stands from back to front.
func (p *page) addOrder(s *placedShape) {
	text := "behind all others"
	for i, o := range p.shapes {
		if o == s && i > 0 {
			text = "in front of " + quoted(p.shapes[i-1].name())
		}
	}
	p.addProperty(s, formats.FactShape, "order", text, inventory.SumOf([]byte(text)))
}

// newOrders finds the shapes that went to the front or the back: all but the
// longest list that keeps its order.
func newOrders(pairs []shapePair, before []*placedShape) map[*placedShape]bool {
	at := map[*placedShape]int{}
	for i, s := range before {
		at[s] = i
	}
	var list []*placedShape
	var seq []int
	for _, s := range pairs {
		if s.a != nil && s.b != nil {
			list, seq = append(list, s.b), append(seq, at[s.a])
		}
	}
	// The longest rising subsequence, by the last members of those of each length.
	var tails []int
	prev := make([]int, len(seq))
	for i, v := range seq {
		n, _ := slices.BinarySearchFunc(tails, v, func(t, v int) int { return seq[t] - v })
		if prev[i] = -1; n > 0 {
			prev[i] = tails[n-1]
		}
		if n == len(tails) {
			tails = append(tails, i)
		} else {
			tails[n] = i
		}
	}
	moved := map[*placedShape]bool{}
	for _, s := range list {
		moved[s] = true
	}
	if len(tails) > 0 {
		for i := tails[len(tails)-1]; i >= 0; i = prev[i] {
			delete(moved, list[i])
		}
	}
	return moved
}
