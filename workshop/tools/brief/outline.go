package brief

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	formatops "atelier/formats/ops"
	"atelier/llm"
)

// outlined is how long the description of a member may be in an outline, in bytes.
const outlined = 40

// outline returns a tool with operations with the usage lines of all but the rare ones,
// the names of these, and the types of their members, with short descriptions of the
// members whose name and type do not say enough. Objects within them become words:
// {cell, value, type?}. Other tools become short.
func outline(t llm.Tool) llm.Tool {
	f := t.Function
	var s schema
	if json.Unmarshal(f.Parameters, &s) != nil {
		return t
	}
	set := operationsOf(&s)
	if set == nil {
		return shorten(t, false)
	}
	f.Description = edits(f.Name) + " Operations with their members" + set.where + ": " + set.lines + ". " + set.more() + DescribeTool + " explains members."
	items := s.Properties["operations"].Items
	delete(s.Properties, "operations")
	s.trim(argumentMax)
	s.Properties["operations"] = &schema{Type: "array", Items: items}
	items.Description, items.Additional = "", true
	shown := set.shown(items)
	for name, p := range items.Properties {
		if !shown[name] {
			delete(items.Properties, name) // they go into formatops.More
			continue
		}
		switch {
		case slices.Contains(known, name):
		case slices.Contains(plain, name) || slices.Contains(obvious, name):
			p.Description = ""
		default:
			p.Description = clause(afterOps(p.Description), outlined)
		}
		items.Properties[name] = set.inWords(p)
	}
	items.Properties["op"] = &schema{Type: "string"}
	if set.rare != "" {
		items.Properties[formatops.More] = &schema{Type: "object", Additional: true}
	}
	b, err := json.Marshal(&s)
	if err != nil {
		return t
	}
	f.Parameters = b
	t.Function = f
	return t
}

// more names the rare operations.
func (set *operationSet) more() string {
	var names []string
	for _, o := range split(set.rare) {
		names = append(names, o.name)
	}
	if names == nil {
		return ""
	}
	return "More, with members in " + formatops.More + ": " + strings.Join(names, ", ") + ". "
}

// shown returns the members that operations take which are not rare.
func (set *operationSet) shown(items *schema) map[string]bool {
	shown := map[string]bool{"op": true}
	for _, o := range set.read(set.lines) {
		for _, m := range o.members(items) {
			shown[m] = true
		}
	}
	return shown
}

// obvious are members whose names and types say enough, known those whose description
// stays whole, since calls that guess at it fail or do something else than was meant.
var (
	obvious = []string{"text", "title", "author", "width", "height", "alt", "url", "count", "search", "replace", "regex", "hidden", "bullets",
		"x_title", "y_title", "new_name", "styles", "error", "prompt", "font_size", "remove", "match_case", "whole_word", "whole_cell", "gridlines",
		"headings", "tooltip", "name", "categories", "cells", "slides", "notes", "level", "shape_name", "header_row", "has_header", "list", "cell",
		"target", "target_sheet", "start", "column", "in_formulas", "id", "margin_left", "margin_right", "margin_top", "margin_bottom", "track_changes",
		"indent_left", "indent_right", "space_before", "space_after", "x", "value2"}
	known = []string{"at", "type", "style", "layout", "range"}
)

// inWords returns the schema of a member with the objects in it described in words.
func (set *operationSet) inWords(p *schema) *schema {
	w := &schema{Type: p.Type, Description: p.Description}
	switch {
	case len(p.Properties) > 0:
		w.Description = set.object(p)
	case p.Items != nil && len(p.Items.Properties) > 0:
		w.Description, w.Items = "of "+set.object(p.Items), &schema{Type: p.Items.Type}
	case p.Items != nil:
		w.Items = &schema{Type: p.Items.Type, Items: p.Items.Items.bare()}
	}
	return w
}

// bare returns the types of a schema.
func (s *schema) bare() *schema {
	if s == nil {
		return nil
	}
	return &schema{Type: s.Type, Items: s.Items.bare()}
}

// object describes an object by its members, those that it must have first: "{cell,
// value, type?}". Groups of members have their name.
func (set *operationSet) object(s *schema) string {
	rest := slices.Sorted(maps.Keys(s.Properties))
	words := slices.Clone(s.Required)
	take := func(name string) {
		if i := slices.Index(rest, name); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		}
	}
	for _, name := range s.Required {
		take(name)
	}
	var groups []string
	for _, g := range set.groups {
		names := strings.Split(strings.ReplaceAll(g.usage, "?", ""), ", ")
		if !slices.ContainsFunc(names, func(n string) bool { return !slices.Contains(rest, n) }) {
			groups = append(groups, g.name)
			for _, n := range names {
				take(n)
			}
		}
	}
	for _, name := range rest {
		words = append(words, name+"?")
	}
	return "{" + strings.Join(append(words, groups...), ", ") + "}"
}

// afterOps returns a description without the operations that it begins with: "set_cells,
// set_range: the value" is "the value".
func afterOps(s string) string {
	head, rest, ok := strings.Cut(s, ": ")
	if !ok || strings.ContainsAny(head, ".;(") || !strings.Contains(head, "_") {
		return s
	}
	return rest
}
