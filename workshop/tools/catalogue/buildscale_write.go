package catalogue

import (
	"bytes"
	"encoding/json"
	"strings"

	"atelier/internal/lenient"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
)

type writeArgs struct {
	Path      string          `json:"path" jsonschema:"Full path of the file; folders are made as needed"`
	Content   json.RawMessage `json:"content" jsonschema:"The whole content: text as a string, or any other JSON value but null, stored as it is"`
	FileType  string          `json:"file_type,omitempty" jsonschema:"document (default), folder, canvas, chat, whiteboard, agent, skill or plan"`
	Overwrite lenient.Bool    `json:"overwrite,omitempty" jsonschema:"Replace the file when it exists, default false; prefer edit for changes"`
	Literal   lenient.Bool    `json:"literal,omitempty" jsonschema:"Write lines too that look like notes of Atelier's own"`
}

type writeResult struct {
	Path      string  `json:"path"`
	FileID    *string `json:"file_id"`
	VersionID *string `json:"version_id"`
	Hash      *string `json:"hash"`
}

func written(e workshop.Entry) writeResult {
	return writeResult{absolute(e.Path), idOf(e.FileID), idOf(e.VersionID), idOf(e.Hash)}
}

func scaleWrite(t *tools.Tool) tools.Binding {
	return tools.Bind("write", `Create a file, or replace the whole of one with overwrite: true. For changes within a file use edit. A plan needs both the extension .plan and file_type: "plan".`, t, scaleWriteArgs,
		func(_ *tools.Env, _ writeArgs, e workshop.Entry) (any, error) { return written(e), nil }).
		Worded(worded(map[files.Why]word{
			files.IsFolder: {workshop.Invalid, "path", "Cannot write text content to a folder path"},
			files.Virtual:  {workshop.Invalid, "path", "Cannot write to a virtual file directly: %s is kept by the system. Virtual files can be read and searched only."},
			files.Exists:   {workshop.Invalid, "path", "File already exists: %s. To overwrite, set overwrite=true. However, for modifying existing files, the 'edit' tool is recommended instead of overwriting."},
		}))
}

func scaleWriteArgs(_ *tools.Env, a writeArgs) (files.WriteArgs, error) {
	typ, err := knownType(a.FileType)
	if err != nil {
		return files.WriteArgs{}, err
	}
	p, err := clamp("path", a.Path)
	out := files.WriteArgs{Path: p, Type: typ, CreateOnly: !bool(a.Overwrite), AnyName: true, Literal: bool(a.Literal)}
	if err != nil {
		return out, err
	}
	if typ == "folder" {
		out.Folder = true
		return out, nil
	}
	out.Content, out.JSON, err = stored(a.Content)
	return out, err
}

// stored returns the text to store for a content: that of a string, the compact
// JSON of any other value.
func stored(v json.RawMessage) (text string, isJSON bool, err error) {
	if json.Unmarshal(v, &text) == nil {
		return text, false, nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, v); err != nil {
		return "", false, workshop.Faultf(workshop.Invalid, "content is not a JSON value").OnField("content")
	}
	return b.String(), true, nil
}

type pathOnly struct {
	Path string `json:"path" jsonschema:"Full path"`
}

func (a pathOnly) parse(*tools.Env) (files.PathArgs, error) {
	p, err := clamp("path", a.Path)
	return files.PathArgs{Path: p}, err
}

// pathResult is the result of tools that answer with a path and the file's id.
type pathResult struct {
	Path   string  `json:"path"`
	FileID *string `json:"file_id"`
}

func bindPath(name, description string, t *tools.Tool, own map[files.Why]word) tools.Binding {
	return tools.Bind(name, description, t,
		func(env *tools.Env, a pathOnly) (files.PathArgs, error) { return a.parse(env) },
		func(_ *tools.Env, _ pathOnly, e workshop.Entry) (any, error) {
			return pathResult{absolute(e.Path), idOf(e.FileID)}, nil
		}).Worded(worded(own))
}

func scaleMkdir(t *tools.Tool) tools.Binding {
	return bindPath("mkdir", "Make a folder with all its parents. A folder that exists is fine.", t, nil)
}

func scaleRm(t *tools.Tool) tools.Binding {
	return tools.Bind("rm", "Delete a file or an empty folder. A deleted file can be restored through the files API, not through tools.", t,
		func(env *tools.Env, a pathOnly) (files.RemoveArgs, error) {
			p, err := a.parse(env)
			return files.RemoveArgs{Path: p.Path}, err
		},
		func(_ *tools.Env, _ pathOnly, r files.Removed) (any, error) {
			return pathResult{absolute(r.Entry.Path), idOf(r.Entry.FileID)}, nil
		}).Worded(worded(map[files.Why]word{
		files.NotEmpty: {workshop.Conflict, "", "Cannot delete folder because it is not empty: %s. Delete what is in it first."},
		files.IsRoot:   {workshop.Invalid, "path", "Cannot delete the root folder"},
		files.Virtual:  {workshop.Invalid, "path", "Cannot delete a virtual file directly: %s is kept by the system."},
	}))
}

func scaleTouch(t *tools.Tool) tools.Binding {
	return bindPath("touch", "Set the time of a file to now, or create it empty. Use mkdir for folders.", t,
		map[files.Why]word{files.Virtual: {workshop.Invalid, "path", "Cannot touch a virtual file directly: %s is kept by the system."}})
}

type mvArgs struct {
	Source      string `json:"source" jsonschema:"Present path of the file or folder"`
	Destination string `json:"destination" jsonschema:"New path; or a folder to move into, which may end with /"`
}

type mvResult struct {
	From string `json:"from_path"`
	To   string `json:"to_path"`
}

func scaleMv(t *tools.Tool) tools.Binding {
	return tools.Bind("mv", "Move or rename a file or folder. A destination that ends with / or is a folder is moved into; nothing is overwritten.", t,
		func(_ *tools.Env, a mvArgs) (out files.MoveArgs, err error) {
			if out.From, err = clamp("source", a.Source); err != nil {
				return out, err
			}
			out.Into = strings.HasSuffix(strings.TrimSpace(a.Destination), "/") // C-29
			out.To, err = clamp("destination", a.Destination)
			return out, err
		},
		func(_ *tools.Env, _ mvArgs, m files.Moved) (any, error) {
			return mvResult{absolute(m.From), absolute(m.To)}, nil
		}).Worded(worded(map[files.Why]word{
		files.Missing:  {workshop.NotFound, "", "Source file not found: %s"},
		files.IsRoot:   {workshop.Invalid, "source", "Cannot move the root folder"},
		files.Virtual:  {workshop.Invalid, "source", "Cannot move a virtual file directly: %s is kept by the system."},
		files.NoFolder: {workshop.NotFound, "", "Destination directory not found: %s"},
		files.NotInto:  {workshop.Invalid, "destination", "Destination is not a directory: %s"},
		files.NoParent: {workshop.NotFound, "", "Destination parent directory not found: %s"},
		files.Exists:   {workshop.Conflict, "", "Destination file already exists: %s"},
	}))
}
