package engine

import (
	"context"
	"slices"
	"strings"

	"atelier/workshop"
	"atelier/workshop/openfiles"
	"atelier/workshop/secrets"
	"atelier/workshop/translate"
)

// secretScope begins the name by which a consent to the content of a file goes
// that is kept from models unless the user unlocks it. No path begins so: a
// consent to a folder's files, given before, does not extend to it.
const secretScope = "/secret: "

// guardOf returns what keeps files of a workbench from models, by the rules and the
// list as they are now; locked: as if no rule unlocked any.
func guardOf(ctx context.Context, wb *openWorkbench, locked bool) (*secrets.Guard, error) {
	var unlocked func(p, beside workshop.Path) bool
	var err error
	if !locked {
		if unlocked, err = wb.approvals.Unlocks(ctx); err != nil {
			return nil, err
		}
	}
	return secrets.Load(ctx, wb.Workbench, unlocked)
}

// secretNames returns the names under which a consent has to cover the content of
// files: of those that are there, where a rule unlocks it, and of those that the
// conversation carries in any case.
func secretNames(ctx context.Context, wb *openWorkbench, there, carried []string) ([]string, error) {
	g, err := guardOf(ctx, wb, false)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range there {
		if p := workshop.Path(f); g.Reason(p, false) != "" && g.Withheld(p, false) == "" {
			out = append(out, secretScope+f)
		}
	}
	for _, f := range carried {
		if g.Reason(workshop.Path(f), false) != "" {
			out = append(out, secretScope+f)
		}
	}
	return out, nil
}

// secretsIn returns the names under which a consent has to cover what a request
// carries.
func (c *consent) secretsIn(files []string) []string {
	if c.guard == nil {
		return nil
	}
	var out []string
	for _, f := range files {
		if c.guard.Reason(workshop.Path(f), false) != "" {
			out = append(out, secretScope+f)
		}
	}
	return out
}

// secretsOf returns the files of the names that are about secrets.
func secretsOf(names []string) []string {
	var out []string
	for _, n := range names {
		if f, ok := strings.CutPrefix(n, secretScope); ok {
			out = append(out, f)
		}
	}
	return out
}

// onlyFiles returns the names that are those of files.
func onlyFiles(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return strings.HasPrefix(n, secretScope) })
}

// shown returns names for people: the files, each once.
func shown(names []string) []string {
	out := append(onlyFiles(names), secretsOf(names)...)
	slices.Sort(out)
	return slices.Compact(out)
}

// mayTell reports whether a model may see an active file: whether it is not kept
// back, by its path, or where it has none by its docPath as a whole.
func (e *Engine) mayTell(ctx context.Context, wb *openWorkbench, f openfiles.File) bool {
	ctx = context.WithoutCancel(ctx)
	g, err := guardOf(ctx, wb, false)
	if err != nil {
		return false
	}
	p, err := wb.FindDoc(ctx, wb.DraftView(workshop.Cause{}), workshop.DocPath(f.DocPath))
	if workshop.IsFault(err, workshop.NotFound) {
		p, err = workshop.Path(f.DocPath), nil
	}
	return err == nil && g.Check(p) == nil
}

// withheld says why models are not given a document of a workbench, "" where they
// are, by the rules and the list as they are now.
func (e *Engine) withheld(ctx context.Context, workbench string) (func(translate.Document) string, error) {
	wb, err := e.workbench(ctx, workbench)
	if err != nil {
		return nil, err
	}
	g, err := guardOf(ctx, wb, false)
	if err != nil {
		return nil, err
	}
	return func(d translate.Document) string { return g.Withheld(workshop.Path(d.Path), false) }, nil
}
