package xlifftest

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Problems returns the violations of constraints of XLIFF 2.1, or of 1.2 if
// the root is in that namespace: the place of elements and attributes, their
// values, unique ids, valid references, and matching codes.
func Problems(r io.Reader) []string {
	c := &checker{ids: map[string]map[string]bool{}, standard: newer}
	dec := xml.NewDecoder(r)
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			if !c.seen {
				c.problem("there is no xliff element")
			}
			return c.problems
		}
		if err != nil {
			c.problem("not well-formed: %v", err)
			return c.problems
		}
		switch t := tok.(type) {
		case xml.StartElement:
			c.start(t)
		case xml.EndElement:
			c.end()
		case xml.CharData:
			if n := len(c.open); n > 0 && strings.TrimSpace(string(t)) != "" && !c.open[n-1].foreign && !c.rules[c.open[n-1].name].text {
				c.problem("<%s> may not hold text", c.open[n-1].name)
			}
		}
	}
}

var forms sync.Map // of string → *regexp.Regexp

// compiled returns a regular expression that matches whole strings.
func compiled(form string) *regexp.Regexp {
	if re, ok := forms.Load(form); ok {
		return re.(*regexp.Regexp)
	}
	re := regexp.MustCompile(`^(?:` + form + `)$`)
	forms.Store(form, re)
	return re
}

type node struct {
	name     string
	foreign  bool
	children strings.Builder
	attrs    map[string]string
}

// standard has the rules of a version of XLIFF.
type standard struct {
	version  string
	prefixes map[string]string // of element names, by namespace
	rules    map[string]rule
	values   map[string]string
}

var (
	newer = standard{"2.1", map[string]string{core: "", matches: "mtc:", glossary: "gls:", size: "slr:", metadata: "mda:"}, rules, values}
	older = standard{"1.2", map[string]string{old: ""}, oldRules, oldValues}
)

type checker struct {
	standard
	problems []string
	open     []*node
	seen     bool
	trgLang  bool
	ids      map[string]map[string]bool // of the unit, by scope
	unit     *codes
}

// codes are the inline codes of the current unit, by side.
type codes struct{ source, target, startSource, startTarget map[string]bool }

func (c *checker) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

func (c *checker) start(t xml.StartElement) {
	if !c.seen && t.Name.Space == old {
		c.standard = older
	}
	prefix, known := c.prefixes[t.Name.Space]
	n := &node{name: prefix + t.Name.Local, foreign: !known, attrs: map[string]string{}}
	if len(c.open) > 0 {
		up := c.open[len(c.open)-1]
		child := n.name
		if n.foreign {
			child = "*"
		}
		up.children.WriteString(child + ";")
		n.foreign = n.foreign || up.foreign
	} else if c.seen = true; n.name != "xliff" {
		c.problem("the root is <%s>", n.name)
	}
	c.open = append(c.open, n)
	if n.foreign {
		return
	}
	r, ok := c.rules[n.name]
	if !ok {
		c.problem("XLIFF %s has no element <%s>", c.version, n.name)
		return
	}
	if len(c.open) > 1 && !slices.Contains(r.parents, c.open[len(c.open)-2].name) {
		c.problem("<%s> may not stand in <%s>", n.name, c.open[len(c.open)-2].name)
	}
	c.attributes(t, n, r)
	c.identity(n)
}

func (c *checker) attributes(t xml.StartElement, n *node, r rule) {
	for _, a := range t.Attr {
		name := a.Name.Local
		switch {
		case a.Name.Space == "xmlns" || name == "xmlns":
			continue
		case a.Name.Space == xmlNS:
			if name == "space" && a.Value != "preserve" && a.Value != "default" {
				c.problem(`xml:space="%s" of <%s>`, a.Value, n.name)
			}
			continue
		case a.Name.Space != "":
			if !r.other {
				c.problem("<%s> may not have %s of another namespace", n.name, name)
			}
			continue
		}
		n.attrs[name] = a.Value
		if !slices.Contains(r.needs, name) && !slices.Contains(r.may, name) {
			c.problem("<%s> has no attribute %s", n.name, name)
		}
		form, ok := c.values[n.name+"@"+name]
		if !ok {
			form, ok = c.values["@"+name]
		}
		if ok && !compiled(form).MatchString(a.Value) {
			c.problem(`%s="%s" of <%s> is no valid value`, name, a.Value, n.name)
		}
	}
	for _, name := range r.needs {
		if _, ok := n.attrs[name]; !ok {
			c.problem("<%s> lacks %s", n.name, name)
		}
	}
	if n.attrs["subState"] != "" && n.attrs["state"] == "" {
		c.problem("subState without state") // clause 4.3.1.31
	}
}

// identity checks ids and references (clause 4.3.1.16).
func (c *checker) identity(n *node) {
	switch n.name {
	case "xliff":
		c.trgLang = n.attrs["trgLang"] != ""
	case "file", "group":
		if c.version == older.version && n.name == "file" {
			c.trgLang = true // 1.2 has no such constraint
		} else {
			c.unique(n.name, n.attrs["id"])
		}
		if n.name == "file" {
			delete(c.ids, "unit")
			delete(c.ids, "group")
		}
	case "unit", "trans-unit":
		c.unique("unit", n.attrs["id"])
		c.ids["inside"] = map[string]bool{}
		c.unit = &codes{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	case "segment", "ignorable", "data":
		if n.attrs["id"] != "" {
			c.unique("inside", n.attrs["id"])
		}
	case "target":
		if !c.trgLang && !c.within("mtc:match") {
			c.problem("<target> without trgLang of <xliff>")
		}
	case "ph", "pc", "sc", "mrk", "sm", "g", "x", "bx", "bpt", "it":
		c.code(n)
	case "ec":
		starts := c.unit.startSource
		if c.within("target") {
			starts = c.unit.startTarget
		}
		if ref := n.attrs["startRef"]; n.attrs["isolated"] != "yes" && (ref == "" || !starts[ref]) {
			c.problem("<ec> has no <sc> with the id %q", ref)
		}
	}
}

func (c *checker) unique(scope, id string) {
	if c.ids[scope] == nil {
		c.ids[scope] = map[string]bool{}
	}
	if c.ids[scope][id] {
		c.problem("the id %q of a %s stands twice", id, scope)
	}
	c.ids[scope][id] = true
}

func (c *checker) code(n *node) {
	if c.within("mtc:match") || c.within("alt-trans") || c.within("seg-source") || c.unit == nil {
		return
	}
	side, starts := c.unit.source, c.unit.startSource
	if c.within("target") {
		side, starts = c.unit.target, c.unit.startTarget
	}
	id := n.attrs["id"]
	if n.name == "mrk" && c.version == older.version {
		return // it has no id
	}
	if side[id] || c.ids["inside"][id] {
		c.problem("the id %q of <%s> stands twice", id, n.name)
	}
	if n.name == "mrk" || n.name == "sm" {
		return // a target may have its own annotations
	}
	side[id] = true
	if n.name == "sc" {
		starts[id] = true
	}
}

func (c *checker) within(name string) bool {
	return slices.ContainsFunc(c.open, func(n *node) bool { return n.name == name })
}

func (c *checker) end() {
	n := c.open[len(c.open)-1]
	c.open = c.open[:len(c.open)-1]
	if n.foreign {
		return
	}
	if r, ok := c.rules[n.name]; ok && !compiled(r.children).MatchString(n.children.String()) {
		c.problem("<%s> holds %q", n.name, n.children.String())
	}
	if (n.name == "unit" || n.name == "trans-unit") && c.unit != nil {
		for id := range c.unit.target {
			if !c.unit.source[id] {
				c.problem("the target's code %q is not in the source", id)
			}
		}
		c.unit = nil
	}
}
