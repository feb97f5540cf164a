package files

import (
	"context"

	"atelier/workshop"
	"atelier/workshop/tools"
)

// Why is what stands in the way of a call, for catalogues that say it in words
// of their own.
type Why string

// What can stand in the way.
const (
	Missing  Why = "missing"     // there is nothing at the path
	NoParent Why = "no parent"   // the folder it should go into is missing
	NoFolder Why = "no folder"   // the destination folder is missing
	NotInto  Why = "not into"    // the destination is a file, not a folder
	IsFolder Why = "is folder"   // a folder where a file is needed
	IsFile   Why = "is file"     // a file where a folder is needed
	IsRoot   Why = "is root"     // the workbench itself
	Exists   Why = "exists"      // something is there already
	NotEmpty Why = "not empty"   // the folder has files in it
	Inside   Why = "inside"      // a folder cannot go into itself
	Virtual  Why = "virtual"     // the file is made by Atelier and only read
	NotText  Why = "not text"    // a document that has tools of its own, or none
	Changed  Why = "has changed" // the content is not what the caller read
)

// Refusal is the cause (Fault.Err) of a fault that says why a path could not be
// used.
type Refusal struct {
	Why  Why
	Path workshop.Path
}

// Error makes it an error; the fault around it has the words.
func (r Refusal) Error() string { return string(r.Path) + ": " + string(r.Why) }

// RefusalOf gives the refusal behind a fault.
func RefusalOf(f *workshop.Fault) (Refusal, bool) {
	r, ok := f.Err.(Refusal)
	return r, ok
}

func refuse(code workshop.FaultCode, why Why, p workshop.Path, format string, args ...any) *workshop.Fault {
	f := workshop.Faultf(code, format, args...)
	f.Err = Refusal{why, p}
	return f
}

func missing(p workshop.Path) *workshop.Fault {
	return refuse(workshop.NotFound, Missing, p, "file not found: %s", p)
}

func isFolder(p workshop.Path) *workshop.Fault {
	return refuse(workshop.Invalid, IsFolder, p, "%s is a folder, not a file", p)
}

// stat looks at a path; NotFound becomes a Missing refusal.
func stat(ctx context.Context, env *tools.Env, p workshop.Path) (workshop.Entry, error) {
	e, err := env.View.Stat(ctx, p)
	if workshop.IsFault(err, workshop.NotFound) {
		return e, missing(p)
	}
	return e, err
}

// statFile returns stat for what must be a file.
func statFile(ctx context.Context, env *tools.Env, p workshop.Path) (workshop.Entry, error) {
	e, err := stat(ctx, env, p)
	if err == nil && e.IsDir {
		return e, isFolder(p)
	}
	return e, err
}

// LookUp returns stat for what need not be there.
func LookUp(ctx context.Context, env *tools.Env, p workshop.Path) (e workshop.Entry, ok bool, err error) {
	e, err = env.View.Stat(ctx, p)
	if workshop.IsFault(err, workshop.NotFound) {
		return e, false, nil
	}
	return e, err == nil, err
}
