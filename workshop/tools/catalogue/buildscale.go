package catalogue

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
)

// newBuildscale returns the catalogue of the HTTP tools API (B-01…B20-02): absolute
// paths that cannot climb above the root, results as JSON values.
func newBuildscale(reg *tools.Registry) (*tools.Catalogue, error) {
	b := &binder{reg: reg}
	b.bind("list", scaleLs)
	b.bind("read", scaleRead)
	b.bind("write", scaleWrite)
	b.bind("remove", scaleRm)
	b.bind("move", scaleMv)
	b.bind("touch", scaleTouch)
	b.bind("mkdir", scaleMkdir)
	b.bind("edit", scaleEdit)
	b.bind("grep", scaleGrep)
	b.bind("glob", scaleGlob)
	b.bind("info", scaleFileInfo)
	b.bind("find", scaleFind)
	b.bind("read_many", scaleReadMany)
	b.bind("concat", scaleCat)
	b.bind("plan_write", scalePlanWrite)
	b.bind("plan_read", scalePlanRead)
	b.bind("plan_edit", scalePlanEdit)
	b.bind("plan_list", scalePlanList)
	b.bind("ask_user", askUser)
	b.bind("exit_plan_mode", exitPlanMode)
	return tools.NewCatalogue(tools.Style{
		Name:    "buildscale",
		Virtual: true,
		Missing: func(field string) string { return "missing field `" + field + "`" },
	}, b.list...)
}

// clamp reads a path argument by the catalogue's policy (B-01).
func clamp(field, s string) (workshop.Path, error) {
	p, err := workshop.ParseClamp(s)
	if err != nil {
		return "", workshop.AsFault(err).OnField(field)
	}
	return p, nil
}

// absolute returns a path as the catalogue shows it.
func absolute(p workshop.Path) string { return "/" + string(p) }

// word is how the catalogue words what stands in the way of a call: the text's
// %s is the path.
type word struct {
	code        workshop.FaultCode
	field, text string
}

// scaleWords are the words of all its tools; a tool may have others.
var scaleWords = map[files.Why]word{
	files.Missing:  {workshop.NotFound, "", "File not found: %s"},
	files.IsFile:   {workshop.Conflict, "", "%s is a file, not a folder"},
	files.IsFolder: {workshop.Invalid, "path", "%s is a folder"},
	files.IsRoot:   {workshop.Invalid, "path", "Cannot change the root folder"},
	files.Virtual:  {workshop.Invalid, "path", "Cannot change a virtual file directly: %s is kept by the system. Virtual files can be read and searched only."},
}

// worded puts the faults of a tool into the catalogue's words.
func worded(own map[files.Why]word) func(*workshop.Fault) *workshop.Fault {
	return func(f *workshop.Fault) *workshop.Fault {
		out := *f
		r, ok := files.RefusalOf(f)
		if !ok {
			if rest, cut := strings.CutPrefix(f.Message, "file not found: "); cut && f.Code == workshop.NotFound {
				out.Message = "File not found: /" + rest
			}
			return &out
		}
		if r.Why == files.NotText {
			out.Message = notTextHere(r.Path)
			return &out
		}
		w, ok := own[r.Why]
		if !ok {
			w, ok = scaleWords[r.Why]
		}
		if !ok {
			return &out
		}
		out.Code, out.Field, out.Message = w.code, w.field, w.text
		if strings.Contains(w.text, "%s") {
			out.Message = fmt.Sprintf(w.text, absolute(r.Path))
		}
		return &out
	}
}

// notTextHere says what to do with a file that this catalogue cannot change.
func notTextHere(p workshop.Path) string {
	switch kind := formats.KindOfName(string(p)); kind {
	case formats.KindXlsx, formats.KindDocx, formats.KindPptx:
		return fmt.Sprintf("%s is %s file and cannot be changed as text; use %s_operations of the workshop catalogue", absolute(p), kind.WithArticle(), kind)
	case formats.KindPDF, formats.KindImage, formats.KindODT:
		return fmt.Sprintf("%s is a file of kind %s, which cannot be read or changed as text here", absolute(p), kind)
	}
	return absolute(p) + " is a binary file, which has no text"
}

// fileTypes are the types a file can have (C-15).
var fileTypes = []string{"document", "folder", "canvas", "chat", "whiteboard", "agent", "skill", "plan"}

// knownType checks a file_type argument; "" stays "".
func knownType(s string) (string, error) {
	typ := strings.ToLower(strings.TrimSpace(s))
	if typ != "" && !slices.Contains(fileTypes, typ) {
		return "", workshop.Faultf(workshop.Invalid, "Invalid file type: %s", s).OnField("file_type")
	}
	return typ, nil
}

// idOf returns an id as JSON, null when there is none.
func idOf(id string) *string {
	if id == "" {
		return nil
	}
	return &id
}

// timestamp returns a time as JSON (B-07).
func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// notNegative checks a limit.
func notNegative(field string, n int) error {
	if n < 0 {
		return workshop.Faultf(workshop.Invalid, "%s must be 0 (unlimited) or more", field).OnField(field)
	}
	return nil
}
