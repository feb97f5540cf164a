package inventory

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/ooxml/opc"
)

// compareReach reports what the packages lead to outside of themselves, run or
// carry, as far as no item reports it.
func compareReach(ctx context.Context, before, after *Inventory, facts []formats.Fact) ([]formats.Fact, error) {
	was, err := outside(ctx, before)
	if err != nil {
		return nil, err
	}
	now, err := outside(ctx, after)
	if err != nil {
		return nil, err
	}
	var out []formats.Fact
	var hyperlinks []formats.Fact
	for _, link := range sortedKeys(now.Links) {
		if _, had := was.Links[link]; had {
			continue
		}
		warning := "new external " + opc.ShownLink(link)
		if warnOf(facts, now.Links[link], warning) {
			continue
		}
		if f := reachFact(formats.FactLink, formats.Added, link, warning); strings.HasPrefix(link, "hyperlink: ") {
			hyperlinks = append(hyperlinks, f)
		} else {
			out = append(out, f)
		}
	}
	for _, link := range sortedKeys(was.Links) {
		_, has := now.Links[link]
		told := slices.ContainsFunc(facts, func(f formats.Fact) bool { return namesTarget(f.Old, was.Links[link]) })
		if !has && !told {
			out = append(out, reachFact(formats.FactLink, formats.Removed, link, ""))
		}
	}
	carried, err := compareCarried(ctx, before, after, was.Carried, now.Carried)
	// Last what waits for a click: a list of warnings ends after so many.
	return append(append(out, carried...), hyperlinks...), err
}

func outside(ctx context.Context, in *Inventory) (opc.Outside, error) {
	if in.pkg == nil {
		return opc.Outside{}, nil
	}
	return in.pkg.Outside(ctx)
}

// warnOf puts the warning on the facts that name the target, and reports whether
// there are any.
func warnOf(facts []formats.Fact, target, warning string) bool {
	hit := false
	for i := range facts {
		f := &facts[i]
		if f.Change == formats.Removed || !namesTarget(f.New, target) {
			continue
		}
		hit = true
		switch {
		case f.Warning == "":
			f.Warning = warning
		case !namesTarget(f.Warning, target):
			f.Warning += "; " + warning
		}
	}
	return hit
}

// namesTarget reports whether a text names the whole target, not a longer one of which
// it is a part.
func namesTarget(text, target string) bool {
	if target == "" {
		return false
	}
	goes := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(`/\?#&=%-_~:@+$.`, r)
	}
	for at := 0; ; {
		i := strings.Index(text[at:], target)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(target)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		behind, _ := utf8.DecodeRuneInString(text[end:])
		if (start == 0 || !goes(before)) && (end == len(text) || !goes(behind)) {
			return true
		}
		at = start + 1
	}
}

func reachFact(kind string, change formats.Change, what, warning string) formats.Fact {
	f := formats.Fact{ID: formats.FactID(kind, what, change, "", ""), Kind: kind, Change: change, Warning: warning}
	if kind == formats.FactLink {
		what = opc.ShownLink(what)
	}
	if f.New = what; change == formats.Removed {
		f.Old, f.New = what, ""
	}
	return f
}

var carriedFacts = map[string]string{"macros": formats.FactMacros, "sheet of Excel 4 macros": formats.FactMacros, "control": formats.FactControl, "data connections": formats.FactConnection}

// compareCarried compares the parts that run or are other files.
func compareCarried(ctx context.Context, before, after *Inventory, was, now map[string]string) ([]formats.Fact, error) {
	var out []formats.Fact
	add := func(name, what string, change formats.Change, warning string) {
		kind := carriedFacts[what]
		if kind == "" {
			kind = formats.FactObject
		}
		f := reachFact(kind, change, what+": "+name, warning)
		f.ID = formats.FactID(kind, name, change, sizeOf(before.pkg, name), sizeOf(after.pkg, name))
		out = append(out, f)
	}
	for _, name := range sortedKeys(now) {
		if after.covered[foldName(name)] {
			continue
		}
		what := now[name]
		switch _, had := was[name]; {
		case !had && what == "macros":
			add(name, what, formats.Added, "new macros")
		case !had:
			add(name, what, formats.Added, "new "+what+": "+name)
		default:
			same, err := samePart(ctx, before.pkg, after.pkg, name)
			if err != nil {
				return nil, err
			}
			if !same && what == "macros" {
				add(name, what, formats.Changed, "the macros changed")
			} else if !same {
				add(name, what, formats.Changed, "another "+what+": "+name)
			}
		}
	}
	for _, name := range sortedKeys(was) {
		if _, still := now[name]; !still && !before.covered[foldName(name)] {
			warning := "lost: " + name
			if was[name] == "macros" {
				warning = "lost: the macros"
			}
			add(name, was[name], formats.Removed, warning)
		}
	}
	for name := range was {
		before.Cover(name)
	}
	for name := range now {
		after.Cover(name)
	}
	return out, nil
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
