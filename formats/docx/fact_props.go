package docx

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"atelier/formats/inventory"
)

// prop is one property in words. Two properties are equal when their keys are.
type prop struct {
	label, value string
	off          bool // a switch that is off
	key          inventory.Sum
}

// propSet is the properties of an element by name.
type propSet map[string]prop

// handledElsewhere are children of properties that are reported otherwise, not
// as properties.
var handledElsewhere = map[string]bool{"rPr": true, "sectPr": true, "pPrChange": true, "rPrChange": true, "tblPrChange": true, "trPrChange": true, "tcPrChange": true, "sectPrChange": true, "tblPrExChange": true, "tblGridChange": true,
	"ins": true, "del": true, "moveFrom": true, "moveTo": true, "cellIns": true, "cellDel": true, "cellMerge": true, "numberingChange": true}

// props takes the children of e apart.
func (w *describer) props(e *el, table map[string]wording, target func(string) string) propSet {
	out := propSet{}
	if e != nil {
		for _, k := range e.kids {
			if k.local != "" && !k.irrelevant() && !handledElsewhere[k.local] {
				w.addProp(out, k, table, target)
			}
		}
	}
	return out
}

func (w *describer) addProp(out propSet, k *el, table map[string]wording, target func(string) string) {
	known, ok := table[k.local]
	p := prop{label: known.label, key: k.sum(target, func(e *el) bool { return handledElsewhere[e.local] && e != k })}
	switch {
	case !ok:
		if p.label = splitWords(k.local); len(k.attrs) > 0 || len(k.kids) > 0 {
			p.value = strings.TrimSpace(attrsWord(nil, k) + " " + clip(kidsWord(nil, k), 120))
		}
	case known.value == nil:
		p.off = !k.on()
		p.key = inventory.SumOf([]byte(fmt.Sprint(k.local, p.off)))
	default:
		p.value = known.value(w, k)
	}
	name := k.local
	if t := k.attr("type"); strings.HasSuffix(name, "Reference") {
		name += " " + t
		if t != "default" && t != "" {
			p.label = t + " page " + p.label
			if t == "even" {
				p.label = "even pages' " + known.label
			}
		}
	}
	for n := 2; ; n++ {
		if _, taken := out[name]; !taken {
			break
		}
		name = fmt.Sprintf("%s %d", k.local, n)
	}
	out[name] = p
}

func (p prop) String() string {
	if p.off {
		return "no " + p.label
	}
	return strings.TrimSpace(p.label + " " + p.value)
}

// String lists the properties of a set.
func (s propSet) String() string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(s)) {
		base, has := s[complexScript[k]]
		if has && base.value == s[k].value && base.off == s[k].off {
			continue
		}
		out = append(out, s[k].String())
	}
	return strings.Join(out, ", ")
}

// complexScript are the properties that programs write twice, for Latin and for
// complex scripts.
var complexScript = map[string]string{"szCs": "sz", "bCs": "b", "iCs": "i", "mark szCs": "mark sz", "mark bCs": "mark b", "mark iCs": "mark i"}

// propChange is one property that differs.
type propChange struct{ name, old, now, note string }

// changesTo lists what differs from s to now.
func (s propSet) changesTo(now propSet) []propChange {
	names := map[string]bool{}
	for k, p := range s {
		if now[k].key != p.key {
			names[k] = true
		}
	}
	for k, p := range now {
		if s[k].key != p.key {
			names[k] = true
		}
	}
	var out []propChange
	for _, k := range slices.Sorted(maps.Keys(names)) {
		a, had := s[k]
		b, has := now[k]
		if base, ok := complexScript[k]; ok && names[base] && s[base].value == a.value && now[base].value == b.value && s[base].off == a.off && now[base].off == b.off {
			continue
		}
		out = append(out, changeOf(k, a, b, had, has))
	}
	return out
}

func changeOf(name string, a, b prop, had, has bool) propChange {
	c := propChange{name: name}
	if had {
		c.old = a.String()
	}
	if has {
		c.now = b.String()
	}
	switch {
	case had && has && c.old == c.now && name == "numPr":
		c.now = b.label + " " + b.value + ", another one of the same look"
		c.note = c.now
	case had && has && c.old == c.now:
		c.now += " (in its details)"
		c.note = c.now
	case had && has && a.value == "" && b.value == "":
		c.note = spaced(b.label, map[bool]string{true: "switched off", false: "switched on"}[b.off])
	case had && has:
		c.note = fmt.Sprintf("%s %s → %s", b.label, a.value, b.value)
	case has && b.off:
		c.note = b.label + " switched off"
	case has && b.value == "":
		c.note = b.label + " added"
	case has:
		c.note = b.label + " → " + b.value
	case a.off:
		c.note = a.label + " no longer switched off"
	default:
		c.note = a.String() + " removed"
	}
	return c
}

func spaced(words ...string) string {
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// oldAndNew joins changes to the two states.
func oldAndNew(list []propChange) (old, now string) {
	var a, b []string
	for _, c := range list {
		if c.old != "" {
			a = append(a, c.old)
		}
		if c.now != "" {
			b = append(b, c.now)
		}
	}
	return strings.Join(a, ", "), strings.Join(b, ", ")
}
