package consent

import (
	"context"
	"slices"
	"strings"
	"sync"

	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/approvals"
	"atelier/workshop/openfiles"
	"atelier/workshop/secrets"
	"atelier/workshop/skills"
)

// agentAuthor is the author of changes by models.
const agentAuthor = "agent"

// Documents are the documents of a workbench, of which something could be sent to a
// model.
type Documents struct {
	Workbench *workshop.Workbench
	Approvals *approvals.Store // have the rules that unlock secret files
	Active    *openfiles.List  // open in an editor
}

// Guard returns what keeps secret files from models, by the rules and the list as
// they are now.
func (d Documents) Guard(ctx context.Context) (*secrets.Guard, error) {
	unlocked, err := d.Approvals.Unlocks(ctx)
	if err != nil {
		return nil, err
	}
	return secrets.Load(ctx, d.Workbench, unlocked)
}

// Scope returns the files of the workbench, the standing context, the skills, and the files that
// the user has open beside them.
func (d Documents) Scope(ctx context.Context) (Scope, error) {
	view := d.Workbench.DraftView(workshop.Cause{})
	entries, err := view.List(ctx, "", workshop.ListOptions{Recursive: true, NoHash: true})
	if err != nil {
		return Scope{}, err
	}
	var files []string
	for _, en := range entries {
		if !en.IsDir {
			files = append(files, string(en.Path))
		}
	}
	standing, err := d.Workbench.Standing(ctx)
	if err != nil {
		return Scope{}, err
	}
	for _, f := range standing {
		files = append(files, workshop.StandingDir+"/"+f.Name)
	}
	instructions, err := skills.FolderPaths(ctx, d.Workbench)
	if err != nil {
		return Scope{}, err
	}
	files = append(files, instructions...)
	elsewhere, err := d.openElsewhere(ctx, view)
	if err != nil {
		return Scope{}, err
	}
	files = append(files, elsewhere...)
	secret, err := d.secretNames(ctx, files, nil)
	return NewScope(append(files, secret...)), err
}

// openElsewhere returns the open files that are not in the workbench.
func (d Documents) openElsewhere(ctx context.Context, view workshop.View) (files []string, err error) {
	for _, f := range d.Active.All() {
		if !f.IsActive {
			continue // the workbench's copy counts
		}
		_, err := d.Workbench.FindDoc(ctx, view, workshop.DocPath(f.DocPath))
		switch {
		case workshop.IsFault(err, workshop.NotFound):
			files = append(files, openfiles.Elsewhere+f.DocPath)
		case err != nil:
			return nil, err
		}
	}
	return files, nil
}

// RunScope returns what a run could send: Scope, and the files that the conversation
// has content of.
func (d Documents) RunScope(ctx context.Context) (Scope, error) {
	s, err := d.Scope(ctx)
	if err != nil {
		return s, err
	}
	said, err := agent.Sources(ctx, d.Workbench)
	if err != nil {
		return s, err
	}
	secret, err := d.secretNames(ctx, nil, said)
	return s.and(secret).with(said), err
}

// secretPrefix begins the name by which a consent includes the content of a file
// that is kept from models unless the user unlocks it. No path begins like this, so
// an earlier consent to a folder's files does not include it.
const secretPrefix = "/secret: "

// secretNames returns the names by which a consent has to include the content of
// secret files: of those in the workbench, where a rule unlocks them, and of those
// that the conversation carries in any case.
func (d Documents) secretNames(ctx context.Context, there, carried []string) ([]string, error) {
	g, err := d.Guard(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, f := range there {
		if p := workshop.Path(f); g.Reason(p, false) != "" && g.Withheld(p, false) == "" {
			out = append(out, secretPrefix+f)
		}
	}
	for _, f := range carried {
		if g.Reason(workshop.Path(f), false) != "" {
			out = append(out, secretPrefix+f)
		}
	}
	return out, nil
}

// secretNamesIn returns the names by which a consent has to include the secret files
// whose content a request carries.
func (c *Consent) secretNamesIn(files []string) []string {
	if c.guard == nil {
		return nil
	}
	var out []string
	for _, f := range files {
		if c.guard.Reason(workshop.Path(f), false) != "" {
			out = append(out, secretPrefix+f)
		}
	}
	return out
}

// secretFiles returns the files of the names that are about secret files.
func secretFiles(names []string) []string {
	var out []string
	for _, n := range names {
		if f, ok := strings.CutPrefix(n, secretPrefix); ok {
			out = append(out, f)
		}
	}
	return out
}

// plainFiles returns the names that are not about secret files.
func plainFiles(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return strings.HasPrefix(n, secretPrefix) })
}

// Shown returns the files of the names of a scope, each once, for people.
func Shown(names []string) []string {
	out := append(plainFiles(names), secretFiles(names)...)
	slices.Sort(out)
	return slices.Compact(out)
}

// Restrict hides from a run the files, standing context and open files that are
// added while it works, if its model needs consent.
func (c *Consent) Restrict(ctx context.Context, cfg *agent.Config, d Documents) {
	known := c.Known()
	if known == nil {
		return
	}
	cfg.Unsaid, cfg.Withheld = plainFiles(c.Scope.Files), c.Withheld
	cfg.View = known.Over
	cfg.Standing = known.Has
	view, seen := d.Workbench.DraftView(workshop.Cause{}), sync.Map{} // docPaths that were found to be known
	cfg.Session.Active = cfg.Session.Active.Only(func(f openfiles.File) bool {
		if _, ok := seen.Load(f.DocPath); ok || !f.IsActive {
			return true
		}
		p, err := d.Workbench.FindDoc(ctx, view, workshop.DocPath(f.DocPath))
		if workshop.IsFault(err, workshop.NotFound) {
			p, err = workshop.Path(openfiles.Elsewhere+f.DocPath), nil
		}
		ok := err == nil && known.Has(p)
		if ok {
			seen.Store(f.DocPath, true)
		}
		return ok
	})
}
