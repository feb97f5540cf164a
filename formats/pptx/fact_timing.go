package pptx

import (
	"fmt"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/inventory"
)

// addMotion reports transitions and animations, which newer programs wrap in
// alternate content; false when n is neither.
func (p *page) addMotion(n *node) bool {
	of := n
	if n.Is(nsMC, "AlternateContent") {
		if c := shownBranch(n); c != nil {
			of = c.First
		}
	}
	switch {
	case of.Is(nsP, "transition"):
		p.addProperty(nil, formats.FactTransition, "transition", p.transitionWords(of), p.sum(nil, n))
	case of.Is(nsP, "timing"):
		p.addProperty(nil, formats.FactAnimation, "timing", p.timingWords(of), p.sum(nil, n))
		p.timedSounds(of)
	default:
		return false
	}
	return true
}

// transitionWords returns how a slide comes (19.3.1.50).
func (p *page) transitionWords(n *node) string {
	out := []string{"no effect"}
	for k := range n.Kids() {
		switch {
		case k.Is(nsP, "sndAc"):
			sound := "ends the sound before"
			for s := range k.All() {
				if s.Local == "snd" {
					sound = "plays the sound " + quoted(s.Value("name"))
				}
			}
			out = append(out, sound)
		case k.Is(nsP, "extLst"):
		default:
			out[0] = p.describeElement(k, 60)
		}
	}
	for a := range n.Attributes() {
		switch v := a.Value(); {
		case a.Name == "spd":
			out = append(out, map[string]string{"slow": "slow", "med": "medium speed", "fast": "fast"}[v])
		case a.Name == "advClick" && !isTrue(v):
			out = append(out, "not at a click")
		case a.Name == "advTm":
			out = append(out, "goes on after "+hundredths(v, 1000)+" s")
		case strings.HasSuffix(a.Name, ":dur"):
			out = append(out, "takes "+hundredths(v, 1000)+" s")
		}
	}
	return strings.Join(out, ", ")
}

var effectClasses = map[string]string{"entr": "comes", "exit": "goes", "emph": "is emphasised", "path": "moves along a path", "verb": "runs", "mediacall": "plays"}

// timingWords counts the effects of a slide and says what the first ones do
// (19.5.33).
func (p *page) timingWords(n *node) string {
	names := map[string]string{}
	for _, s := range p.shapes {
		names[s.cnv.Value("id")] = s.name()
	}
	var out []string
	total := 0
	for c := range n.All() {
		class := c.Value("presetClass")
		if !c.Is(nsP, "cTn") || class == "" {
			continue
		}
		if total++; len(out) >= 5 {
			continue
		}
		who := ""
		for t := range c.All() {
			if t.Is(nsP, "spTgt") {
				who = quoted(names[t.Value("spid")])
				break
			}
		}
		verb := effectClasses[class]
		if verb == "" {
			verb = class
		}
		out = append(out, strings.TrimSpace(who+" "+verb))
	}
	text := formats.Count(total, "effect")
	if len(out) > 0 {
		text += ": " + strings.Join(slices.Compact(out), ", ")
	}
	if total > 5 {
		text += fmt.Sprintf(", and %d more", total-5)
	}
	return text
}

// timedSounds reports the sounds and films that play by themselves, each by its
// file.
func (p *page) timedSounds(n *node) {
	nth := 0
	for k := range n.All() {
		if id := k.RelValue("embed"); id != "" && (k.Local == "snd" || k.Local == "sndTgt") {
			p.addProperty(nil, formats.FactMedia, fmt.Sprintf("timed sound %d", nth), "plays the sound "+quoted(k.Value("name")), inventory.SumOf([]byte(p.relMeaning(id))))
			nth++
		}
	}
}

// background reports a p:bg (19.3.1.1).
func (p *page) background(n *node) {
	text := ""
	for k := range n.Kids() {
		switch {
		case k.Is(nsP, "bgRef"):
			text = "style " + k.Value("idx") + " of the theme in " + colorWords(k)
		case k.Is(nsP, "bgPr"):
			for f := range k.Kids() {
				if isFill(f) {
					text = p.fillWords(f)
				}
			}
		}
	}
	p.addProperty(nil, formats.FactFormat, "background", "background: "+text, p.sum(nil, n))
}
