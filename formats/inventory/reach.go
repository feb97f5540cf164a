package inventory

import (
	"context"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/opc"
)

// compareReach tells what the packages lead to outside of themselves, run or
// carry, as far as no thing tells it.
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
	for _, link := range keys(now.Links) {
		if _, had := was.Links[link]; had {
			continue
		}
		warning := "new external " + link
		if !warnOf(facts, now.Links[link], warning) {
			out = append(out, reachFact(formats.FactLink, formats.Added, link, warning))
		}
	}
	for _, link := range keys(was.Links) {
		_, has := now.Links[link]
		told := slices.ContainsFunc(facts, func(f formats.Fact) bool { return strings.Contains(f.Old, was.Links[link]) })
		if !has && !told {
			out = append(out, reachFact(formats.FactLink, formats.Removed, link, ""))
		}
	}
	carried, err := compareCarried(ctx, before, after, was.Carried, now.Carried)
	return append(out, carried...), err
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
		if strings.Contains(facts[i].New, target) && facts[i].Change != formats.Removed {
			hit = true
			if facts[i].Warning == "" {
				facts[i].Warning = warning
			}
		}
	}
	return hit
}

func reachFact(kind string, change formats.Change, what, warning string) formats.Fact {
	f := formats.Fact{ID: formats.FactID(kind, what, change, "", ""), Kind: kind, Change: change, Warning: warning}
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
	for _, name := range keys(now) {
		if after.told[fold(name)] {
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
	for _, name := range keys(was) {
		if _, still := now[name]; !still && !before.told[fold(name)] {
			warning := "lost: " + name
			if was[name] == "macros" {
				warning = "lost: the macros"
			}
			add(name, was[name], formats.Removed, warning)
		}
	}
	for name := range was {
		before.Told(name)
	}
	for name := range now {
		after.Told(name)
	}
	return out, nil
}

func keys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
