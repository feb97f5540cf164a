package catalogue

import (
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
)

type fileInfoResult struct {
	Path      string  `json:"path"`
	Synced    bool    `json:"synced"`
	FileType  string  `json:"file_type"`
	Size      *int64  `json:"size"`
	LineCount *int    `json:"line_count"`
	CreatedAt string  `json:"created_at"`
	UpdatedAt string  `json:"updated_at"`
	Hash      *string `json:"hash"`
	Extracted bool    `json:"extracted,omitempty"` // line_count is of the text taken out of a document
}

func scaleFileInfo(t *tools.Tool) tools.Binding {
	return tools.Bind("file_info", "Say what a file is without reading it: type, size in bytes, number of lines, times, and the hash that edit takes as last_read_hash.", t,
		func(env *tools.Env, a pathOnly) (files.InfoArgs, error) {
			p, err := a.parse(env)
			return files.InfoArgs{Path: p.Path, Lines: true}, err
		},
		func(_ *tools.Env, _ pathOnly, i files.FileInfo) (any, error) { return fileInfo(i), nil }).
		Worded(worded(nil))
}

func fileInfo(i files.FileInfo) fileInfoResult {
	e := i.Entry
	r := fileInfoResult{Path: absolute(e.Path), Synced: e.Synced, FileType: files.TypeOf(e), LineCount: i.Lines, Extracted: i.Extracted,
		CreatedAt: timestamp(e.CreatedAt()), UpdatedAt: timestamp(e.UpdatedAt()), Hash: idOf(e.Hash)}
	if !e.IsDir {
		r.Size = &e.Size
	}
	return r
}
