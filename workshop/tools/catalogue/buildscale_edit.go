package catalogue

import (
	"atelier/internal/lenient"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
)

type editArgs struct {
	Path          string       `json:"path" jsonschema:"Full path of the file"`
	OldString     *string      `json:"old_string,omitempty" jsonschema:"Replace: the text to find, which must occur exactly once"`
	NewString     *string      `json:"new_string,omitempty" jsonschema:"Replace: what to put in its place; empty deletes"`
	InsertLine    *lenient.Int `json:"insert_line,omitempty" jsonschema:"Insert: before the line with this 0-based number; the number of lines appends"`
	InsertContent *string      `json:"insert_content,omitempty" jsonschema:"Insert: the lines to insert"`
	LastReadHash  string       `json:"last_read_hash,omitempty" jsonschema:"Hash from the last read; the edit fails when the content has changed since"`
	Literal       lenient.Bool `json:"literal,omitempty" jsonschema:"Write lines too that look like notes of Atelier's own"`
}

// edit returns the one of the two operations that the arguments ask for (B8-02).
func (a editArgs) edit() (files.TextEdit, error) {
	refuse := func(message string) (files.TextEdit, error) {
		return files.TextEdit{}, workshop.Faultf(workshop.Invalid, "%s", message).OnField("operation")
	}
	replaces, inserts := a.OldString != nil && a.NewString != nil, a.InsertLine != nil && a.InsertContent != nil
	switch {
	case (replaces || inserts) && (a.OldString != nil || a.NewString != nil) && (a.InsertLine != nil || a.InsertContent != nil):
		return refuse("Cannot specify both replace (old_string + new_string) and insert (insert_line + insert_content) operations")
	case replaces:
		return files.TextEdit{Old: *a.OldString, New: *a.NewString}, nil
	case inserts:
		return files.TextEdit{Insert: true, Line: bounded(a.InsertLine), New: *a.InsertContent}, nil
	}
	return refuse("Must specify either (old_string + new_string) for replace or (insert_line + insert_content) for insert")
}

func (a editArgs) parse() (out files.EditArgs, err error) {
	if out.Edit, err = a.edit(); err != nil {
		return out, err
	}
	out.LastReadHash, out.Literal = a.LastReadHash, bool(a.Literal)
	out.Path, err = clamp("path", a.Path)
	return out, err
}

func scaleEdit(t *tools.Tool) tools.Binding {
	return tools.Bind("edit", "Edit a text file: replace a string that occurs exactly once (old_string, new_string), or insert lines (insert_line, insert_content). Pass last_read_hash from read so that nobody's change is lost. Encoding and line ends of the file are kept.", t,
		func(_ *tools.Env, a editArgs) (files.EditArgs, error) { return a.parse() },
		func(_ *tools.Env, _ editArgs, e workshop.Entry) (any, error) { return written(e), nil }).
		Worded(worded(map[files.Why]word{
			files.IsFolder: {workshop.Invalid, "path", "Cannot edit a folder: %s"},
			files.Virtual:  {workshop.Invalid, "path", "Cannot edit a virtual file directly: %s is kept by the system. Virtual files can be read and searched only."},
		}))
}
