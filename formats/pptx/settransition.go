package pptx

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// setTransitionArgs are the members of set_transition.
type setTransitionArgs struct {
	Slides    []lenient.Int  `json:"slides" usage:"slides? (else all)" jsonschema:"{ops}: only these slides"`
	Effect    string         `json:"effect" usage:"effect? (none, fade, push, wipe, split, cover, uncover, cut, dissolve, morph …)" jsonschema:"{ops}: none, fade, fade_through_black, push, wipe, split, cover, uncover, cut, dissolve, zoom, circle, diamond, plus, wedge, wheel, blinds, checker, comb, random_bars, strips, newsflash, random or morph"`
	Direction string         `json:"direction" usage:"direction? (left, right, up, down; horizontal, vertical; in, out)" jsonschema:"{ops}: where it moves: left, right, up, down, left_up …; horizontal or vertical; in or out"`
	Duration  *lenient.Float `json:"duration" usage:"duration? (seconds)" jsonschema:"{ops}: seconds that the effect takes"`
	OnClick   *lenient.Bool  `json:"on_click" usage:"on_click?" jsonschema:"{ops}: the next slide comes at a click"`
	After     *lenient.Float `json:"after" usage:"after? (seconds; -1 removes)" jsonschema:"{ops}: seconds after which the next slide comes by itself; -1: it does not"`
}

const (
	nsP159        = "http://schemas.microsoft.com/office/powerpoint/2015/09/main"
	maxTransition = 59.0  // seconds, as PowerPoint allows
	maxAdvance    = 86400 // seconds
)

// effect is a transition (19.5): its element, and the values of its attribute dir.
type effect struct {
	element string
	attrs   string
	dirs    map[string]string // attribute and value, by direction
}

var (
	fourSides  = map[string]string{"left": `dir="l"`, "right": `dir="r"`, "up": `dir="u"`, "down": `dir="d"`}
	corners    = map[string]string{"left_up": `dir="lu"`, "left_down": `dir="ld"`, "right_up": `dir="ru"`, "right_down": `dir="rd"`}
	eightSides = func() map[string]string {
		out := maps.Clone(fourSides)
		maps.Copy(out, corners)
		return out
	}()
	twoWays   = map[string]string{"horizontal": `dir="horz"`, "vertical": `dir="vert"`}
	inOrOut   = map[string]string{"in": `dir="in"`, "out": `dir="out"`}
	splitWays = map[string]string{"horizontal": `orient="horz"`, "vertical": `orient="vert"`, "in": `dir="in"`, "out": `dir="out"`}

	effects = map[string]effect{
		"fade": {"fade", "", nil}, "fade_through_black": {"fade", ` thruBlk="1"`, nil}, "cut": {"cut", "", nil}, "cut_through_black": {"cut", ` thruBlk="1"`, nil},
		"push": {"push", "", fourSides}, "wipe": {"wipe", "", fourSides}, "cover": {"cover", "", eightSides}, "uncover": {"pull", "", eightSides}, "pull": {"pull", "", eightSides},
		"split": {"split", "", splitWays}, "zoom": {"zoom", "", inOrOut}, "strips": {"strips", "", corners},
		"blinds": {"blinds", "", twoWays}, "checker": {"checker", "", twoWays}, "comb": {"comb", "", twoWays}, "random_bars": {"randomBar", "", twoWays},
		"dissolve": {"dissolve", "", nil}, "circle": {"circle", "", nil}, "diamond": {"diamond", "", nil}, "plus": {"plus", "", nil}, "wedge": {"wedge", "", nil}, "wheel": {"wheel", ` spokes="4"`, nil},
		"newsflash": {"newsflash", "", nil}, "random": {"random", "", nil}, "morph": {"morph", "", nil}, "none": {},
	}
)

// check says what of a transition cannot be set.
func (a *setTransitionArgs) check() error {
	a.Effect = strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(a.Effect)))
	a.Direction = strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(strings.TrimSpace(a.Direction)))
	e, known := effects[a.Effect]
	switch {
	case a.Effect == "" && a.Direction == "" && a.Duration == nil && a.OnClick == nil && a.After == nil:
		return formats.Errorf(formats.CodeInvalid, "nothing to set: give effect, duration, on_click or after")
	case a.Effect != "" && !known:
		return formats.Errorf(formats.CodeInvalid, "there is no effect %s; use %s", quote(a.Effect), strings.Join(slices.Sorted(maps.Keys(effects)), ", "))
	case a.Direction != "" && a.Effect == "":
		return formats.Errorf(formats.CodeInvalid, "direction needs effect")
	case a.Direction != "" && e.dirs == nil:
		return formats.Errorf(formats.CodeInvalid, "the effect %s has no direction", a.Effect)
	case a.Direction != "" && e.dirs[a.Direction] == "":
		return formats.Errorf(formats.CodeInvalid, "the directions of %s are %s, not %s", a.Effect, strings.Join(slices.Sorted(maps.Keys(e.dirs)), ", "), quote(a.Direction))
	case a.Duration != nil && (*a.Duration < 0.01 || *a.Duration > maxTransition):
		return formats.Errorf(formats.CodeInvalid, "duration must be 0.01 to %v seconds, not %v", maxTransition, float64(*a.Duration))
	case a.Duration != nil && a.Effect == "none":
		return formats.Errorf(formats.CodeInvalid, "without an effect there is no duration")
	case a.After != nil && *a.After != -1 && (*a.After < 0 || *a.After > maxAdvance):
		return formats.Errorf(formats.CodeInvalid, "after must be 0 to %d seconds, or -1, not %v", maxAdvance, float64(*a.After))
	}
	return nil
}

// setTransition sets how slides come and when the next one does (19.3.1.50). What is not
// named stays, also sounds.
func (d *deckEdit) setTransition(ctx context.Context, c *call, a setTransitionArgs) error {
	if err := a.check(); err != nil {
		return err
	}
	slides, err := d.slideList(a.Slides)
	if err != nil {
		return err
	}
	var bare []string
	for _, i := range slides {
		if err := ctx.Err(); err != nil {
			return err
		}
		t, err := d.tree(ctx, d.deck.slides[i].part)
		if err != nil {
			return err
		}
		was := transitionOf(t)
		if was.shown == nil && a.Effect == "" && a.Duration != nil {
			bare = append(bare, strconv.Itoa(i))
			if a.OnClick == nil && a.After == nil {
				continue
			}
		}
		before := d.edit.Edits()
		if xml := was.xml(t, a); xml != string(t.Raw(was.outer)) {
			out := t.Doc
			if was.outer != nil {
				out = xmlscan.Apply(out, []xmlscan.Splice{{Start: was.outer.Start, End: was.outer.After}})
			}
			if xml != "" {
				edit, ok := element.Insert(out, pageSchema, "transition", xml)
				if !ok {
					return formats.Errorf(formats.CodeCorrupt, "the part %q is damaged: its slide is empty", t.part)
				}
				out = xmlscan.Apply(out, []xmlscan.Splice{edit})
			}
			d.edit.Set(t.part, out)
			if err := d.dropUnusedRels(ctx, t, out); err != nil {
				return err
			}
		}
		if d.edit.Edits() != before {
			c.r.Hits++
		}
	}
	if len(bare) > 0 {
		c.warn("the slides %s have no effect; duration needs one", firstOf(bare))
	}
	return nil
}

// transition is how a slide comes: the element, which may be in alternate content.
type transition struct {
	outer *node // p:transition, or the mc:AlternateContent around it
	shown *node // the p:transition that a current program uses
}

func transitionOf(t *tree) transition {
	for k := range t.Root.Kids() {
		if k.Is(nsP, "transition") {
			return transition{k, k}
		}
		if !k.Is(nsMC, "AlternateContent") {
			continue
		}
		if b := shownBranch(k); b != nil && b.First.Is(nsP, "transition") {
			return transition{k, b.First}
		}
	}
	return transition{}
}

// xml returns the transition with what an operation sets; "" when nothing is left of it.
func (was transition) xml(t *tree, a setTransitionArgs) string {
	attrs, seconds := "", ""
	for at := range was.shown.Attributes() {
		prefix, local, ok := strings.Cut(at.Name, ":")
		if !ok {
			local = at.Name
		}
		switch {
		case ok && local == "dur" && was.shown.Namespace(prefix) == nsP14:
			seconds = at.Value()
		case ok || local == "xmlns":
		case local == "advClick" && a.OnClick != nil, local == "advTm" && a.After != nil, local == "spd" && (a.Duration != nil || a.Effect == "none"):
		default:
			attrs += " " + local + `="` + xmlscan.EscapeAttr(at.Value()) + `"`
		}
	}
	if a.OnClick != nil && !bool(*a.OnClick) {
		attrs += ` advClick="0"`
	}
	if a.After != nil && *a.After >= 0 {
		attrs += fmt.Sprintf(` advTm="%d"`, int(math.Round(float64(*a.After)*1000)))
	}
	switch {
	case a.Duration != nil:
		seconds = strconv.Itoa(int(math.Round(float64(*a.Duration) * 1000)))
	case a.Effect == "morph" && seconds == "":
		seconds = "2000"
	}
	inner, old := "", ""
	for k := range was.shown.Kids() {
		if raw := string(t.rawWith(was.outer, k)); k.Is(nsP, "sndAc") || k.Is(nsP, "extLst") {
			inner += raw
		} else {
			old = raw
		}
	}
	prefix := t.Root.Prefix
	e := effects[a.Effect]
	effect := reprefixed(prefix, e.xml(a.Direction))
	switch {
	case a.Effect == "" && was.outer != was.shown:
		return was.changed(t, a) // in each branch, with the effect that it has
	case a.Effect == "":
		effect = old
	case a.Effect == "none":
		seconds = ""
	}
	if a.Duration != nil || was.shown.Value("spd") == "" && a.Effect != "" && a.Effect != "none" {
		attrs = ` spd="` + speedOf(seconds) + `"` + attrs
	}
	if effect == "" && attrs == "" && inner == "" && a.Effect != "morph" {
		return ""
	}
	name := qualify(prefix, "transition")
	plain := func(more, effect string) string {
		if effect+inner == "" {
			return "<" + name + more + attrs + "/>"
		}
		return "<" + name + more + attrs + ">" + effect + inner + "</" + name + ">"
	}
	long := ` xmlns:p14="` + nsP14 + `" p14:dur="` + seconds + `"`
	choice, needs := plain(long, effect), `xmlns:p14="`+nsP14+`" Requires="p14"`
	switch {
	case a.Effect == "morph":
		choice, needs = plain(long, `<p159:morph option="byObject"/>`), `xmlns:p159="`+nsP159+`" Requires="p159"`
		effect = reprefixed(prefix, effects["fade"].xml(""))
	case seconds == "":
		return plain("", effect)
	}
	return `<mc:AlternateContent xmlns:mc="` + nsMC + `"><mc:Choice ` + needs + `>` + choice + `</mc:Choice><mc:Fallback>` + plain("", effect) + `</mc:Fallback></mc:AlternateContent>`
}

// changed returns alternate content with the attributes of its transitions changed.
func (was transition) changed(t *tree, a setTransitionArgs) string {
	var splices []xmlscan.Splice
	for n := range was.outer.All() {
		if !n.Is(nsP, "transition") {
			continue
		}
		tag := string(n.Bytes())
		e := element.Parse(tag, n.Name(), nil)
		set := func(name, value string, on bool) {
			if on {
				e.SetAttr(name, value)
			} else {
				e.DropAttrs(name)
			}
		}
		if a.OnClick != nil {
			set("advClick", "0", !bool(*a.OnClick))
		}
		if a.After != nil {
			set("advTm", strconv.Itoa(int(math.Round(float64(*a.After)*1000))), *a.After >= 0)
		}
		if a.Duration != nil {
			ms := strconv.Itoa(int(math.Round(float64(*a.Duration) * 1000)))
			e.SetAttr("spd", speedOf(ms))
			name := ""
			for at := range n.Attributes() {
				if prefix, local, ok := strings.Cut(at.Name, ":"); ok && local == "dur" && n.Namespace(prefix) == nsP14 {
					name = at.Name
				}
			}
			if name == "" && n == was.shown {
				name = "p14:dur"
				e.SetAttr("xmlns:p14", nsP14)
			}
			if name != "" {
				e.SetAttr(name, ms)
			}
		}
		now := strings.TrimSuffix(e.String(), "/>") + ">"
		if n.Empty {
			now = e.String()
		}
		splices = append(splices, xmlscan.Splice{Start: n.Start - was.outer.Start, End: n.End - was.outer.Start, New: []byte(now)})
	}
	return string(xmlscan.Apply(t.Raw(was.outer), splices))
}

// xml returns the element of an effect; "" of none and of those that are not of the
// standard.
func (e effect) xml(direction string) string {
	if e.element == "" || e.element == "morph" {
		return ""
	}
	if direction != "" {
		return "<p:" + e.element + e.attrs + " " + e.dirs[direction] + "/>"
	}
	return "<p:" + e.element + e.attrs + "/>"
}

func reprefixed(prefix, xml string) string { return reprefix(xml, prefix, "a") }

// speedOf returns the speed (19.7.26) of an effect that takes so many milliseconds.
func speedOf(ms string) string {
	switch n := intOr(ms, 700); {
	case n <= 500:
		return "fast"
	case n <= 750:
		return "med"
	}
	return "slow"
}

// rawWith returns an element with the namespaces that the elements around it declare, up
// to outer.
func (t *tree) rawWith(outer, n *node) []byte {
	raw := t.Raw(n)
	var splices []xmlscan.Splice
	declared := map[string]bool{}
	for up := n.Parent; up != nil; up = up.Parent {
		for _, s := range t.carryNamespaces(up, n) {
			for _, decl := range strings.SplitAfter(strings.TrimSpace(string(s.New)), `" `) {
				name, _, _ := strings.Cut(decl, "=")
				if decl = strings.TrimSpace(decl); !declared[name] && up != t.Root {
					declared[name] = true
					splices = append(splices, xmlscan.Splice{Start: s.Start - n.Start, End: s.End - n.Start, New: []byte(" " + decl)})
				}
			}
		}
		if up == outer {
			break
		}
	}
	return xmlscan.Apply(raw, splices)
}
