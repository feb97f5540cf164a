package docs

import (
	"context"

	"atelier/workshop"
	"atelier/workshop/openfiles"
	"atelier/workshop/provenance"
	"atelier/workshop/tools"
)

// Source is where the truth about a docPath is.
type Source string

// The sources. What retrieval finds is never one (F-32, F-33).
const (
	Active Source = "active" // the copy the person has open
	Cloud  Source = "cloud"  // the workbench's file
	None   Source = ""
)

// Doc is what a docPath stands for.
type Doc struct {
	DocPath workshop.DocPath
	Source  Source
	File    openfiles.File // when Source is Active
	Path    workshop.Path  // when Source is Cloud
}

// Resolve finds the copy that counts: an active file, else the workbench's, else
// none (F-20). The workbench is not asked when the file is active (T-05).
func Resolve(ctx context.Context, env *tools.Env, doc workshop.DocPath) (Doc, error) {
	d := Doc{DocPath: doc}
	if f, ok := env.Session.ActiveFile(doc); ok {
		if err := checkActive(ctx, env, doc); err != nil {
			return d, err
		}
		d.Source, d.File = Active, f
		provenance.AddDoc(ctx, doc)
		return d, nil
	}
	if env.Session == nil || env.Session.Docs == nil {
		return d, nil
	}
	p, err := env.Session.Docs.FindDoc(ctx, env.View, doc)
	switch {
	case workshop.IsFault(err, workshop.NotFound):
		return d, nil
	case err != nil:
		return d, err
	}
	d.Source, d.Path = Cloud, p
	return d, nil
}

// checkActive refuses an active file that is kept from the model: by its path in
// the workbench, or where it has none by its docPath as a whole.
func checkActive(ctx context.Context, env *tools.Env, doc workshop.DocPath) error {
	if env.Guard == nil {
		return nil
	}
	p := workshop.Path(doc)
	if env.Session.Docs != nil {
		in, err := env.Session.Docs.FindDoc(ctx, env.View, doc)
		switch {
		case err == nil:
			p = in
		case !workshop.IsFault(err, workshop.NotFound):
			return err
		}
	}
	return env.Guard.Check(p)
}
