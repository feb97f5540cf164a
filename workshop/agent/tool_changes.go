package agent

import (
	"encoding/json"
	"sync"

	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/servertools"
)

// changes are the files that a call changed. A call that was given up may still
// change some.
type changes struct {
	mu    sync.Mutex // protects the fields below
	files []ChangedFile
	more  int
}

// changedMost bounds how many changed files an event names.
const changedMost = 100

// note is told of each change (workshop.Cause). A file that is changed twice
// counts once, as it was left.
func (c *changes) note(p workshop.Path, gone bool) {
	f := ChangedFile{Path: string(p), Change: "written"}
	if gone {
		f.Change = "removed"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.files {
		if c.files[i].Path == f.Path {
			c.files[i] = f
			return
		}
	}
	if len(c.files) == changedMost {
		c.more++
		return
	}
	c.files = append(c.files, f)
}

func (c *changes) list() (files []ChangedFile, more int) {
	if c == nil {
		return nil, 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return append(files, c.files...), c.more
}

// executing returns the event with which a call begins.
func (r *run) executing(c llm.ToolCall) ToolExecuting {
	path, paths := named(c)
	return ToolExecuting{WorkbenchID: r.wb.ID(), ToolName: c.Function.Name, ToolCallID: c.ID, Path: path, Paths: paths, Args: c.Function.Arguments}
}

// complete returns the event with which a call ends. One that names no file, such as
// a plan that gets its name from the tool, is about the first it changed.
func (r *run) complete(c llm.ToolCall, out outcome) ToolComplete {
	path, paths := named(c)
	changed, more := out.changes.list()
	if path == "" && len(changed) > 0 {
		path = changed[0].Path
	}
	return ToolComplete{WorkbenchID: r.wb.ID(), ToolName: c.Function.Name, ToolCallID: c.ID, Path: path, Paths: paths,
		Success: out.Success, Unchanged: out.Unchanged, Changed: changed, ChangedOmitted: more, Elapsed: out.took, Result: out.storable(out.Text)}
}

// named returns the files a call names (I-20); paths is nil unless they are several.
func named(c llm.ToolCall) (path string, paths []string) {
	if servertools.IsName(c.Function.Name) {
		return "", nil // its paths are not those of the workbench
	}
	all := tools.PathsOf(json.RawMessage(c.Function.Arguments))
	switch len(all) {
	case 0:
		return "", nil
	case 1:
		return all[0], nil
	}
	return all[0], all
}

// pathOf returns the first file a call names, "" when it names none.
func pathOf(c llm.ToolCall) string { path, _ := named(c); return path }
