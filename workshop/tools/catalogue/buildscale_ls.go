package catalogue

import (
	"atelier/internal/lenient"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
)

type lsArgs struct {
	Path      string       `json:"path,omitempty" jsonschema:"Folder to list, default /"`
	Recursive lenient.Bool `json:"recursive,omitempty" jsonschema:"All descendants, default false"`
	Limit     *lenient.Int `json:"limit,omitempty" jsonschema:"Most entries to return, default 50; 0 is all"`
}

type lsResult struct {
	Path    string    `json:"path"`
	Entries []lsEntry `json:"entries"`
}

type lsEntry struct {
	ID          *string `json:"id"`
	Synced      bool    `json:"synced"`
	Name        string  `json:"name"`
	DisplayName string  `json:"display_name"`
	Path        string  `json:"path"`
	FileType    string  `json:"file_type"`
	IsVirtual   bool    `json:"is_virtual"`
	UpdatedAt   string  `json:"updated_at"`
}

// defaultLimit is the most entries or matches a tool returns unless asked.
const defaultLimit = 50

// limitOr returns a limit argument, checked; absent is the default.
func limitOr(field string, v *lenient.Int, def int) (int, error) {
	if v == nil {
		return def, nil
	}
	return int(*v), notNegative(field, int(*v))
}

func scaleLs(t *tools.Tool) tools.Binding {
	return tools.Bind("ls", "List the files and folders of a folder, folders first, then by path. synced is false for what is only on disk; is_virtual marks files kept by the system, which can be read but not changed.", t,
		func(_ *tools.Env, a lsArgs) (out files.ListArgs, err error) {
			out.Recursive, out.FoldersFirst, out.NoLinks = bool(a.Recursive), true, true
			if out.Limit, err = limitOr("limit", a.Limit, defaultLimit); err != nil {
				return out, err
			}
			out.Dir, err = clamp("path", a.Path)
			return out, err
		},
		func(_ *tools.Env, a lsArgs, entries []workshop.Entry) (any, error) {
			dir, err := clamp("path", a.Path)
			r := lsResult{absolute(dir), []lsEntry{}}
			for _, e := range entries {
				r.Entries = append(r.Entries, lsEntry{idOf(e.FileID), e.Synced, e.Name(), e.Name(), absolute(e.Path), files.TypeOf(e), e.Virtual, timestamp(e.UpdatedAt())})
			}
			return r, err
		}).Worded(worded(map[files.Why]word{
		files.Missing: {workshop.NotFound, "", "Directory not found: %s"},
		files.IsFile:  {workshop.Invalid, "path", "Path is not a directory: %s"},
	}))
}
