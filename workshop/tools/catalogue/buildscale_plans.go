package catalogue

import (
	"strings"

	"atelier/internal/lenient"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
	"atelier/workshop/tools/plans"
)

type planWriteArgs struct {
	Title   string `json:"title" jsonschema:"Title of the plan"`
	Content string `json:"content" jsonschema:"The plan in Markdown"`
	Path    string `json:"path,omitempty" jsonschema:"Where to keep it, below /plans/; default is a new name of three words, which is best"`
	Status  string `json:"status,omitempty" jsonschema:"draft (default), approved, implemented or archived"`
}

type planWriteResult struct {
	writeResult
	Metadata plans.Metadata `json:"metadata"`
}

func scalePlanWrite(t *tools.Tool) tools.Binding {
	return tools.Bind("plan_write", "Create a plan below /plans/ with a title and a status, under a new name of three words (or replace the one at path). The file has the type plan. Works in plan mode and in build mode.", t,
		func(_ *tools.Env, a planWriteArgs) (plans.WriteArgs, error) {
			out := plans.WriteArgs{Title: a.Title, Content: a.Content, Status: a.Status}
			if strings.TrimSpace(a.Path) == "" {
				return out, nil
			}
			p, err := clamp("path", a.Path)
			if err == nil && p == "" {
				err = workshop.Faultf(workshop.Invalid, "The path of a plan needs a name: %s", a.Path).OnField("path")
			}
			out.Path = p
			return out, err
		},
		func(_ *tools.Env, _ planWriteArgs, w plans.Written) (any, error) {
			return planWriteResult{written(w.Entry), w.Metadata}, nil
		}).Worded(worded(nil))
}

type planReadArgs struct {
	Path   string       `json:"path,omitempty" jsonschema:"Full path of the plan; or give name"`
	Name   string       `json:"name,omitempty" jsonschema:"Name of the plan below /plans/, without .plan"`
	Offset *lenient.Int `json:"offset,omitempty" jsonschema:"First line of the body, 0-based, default 0; negative counts from the end"`
	Limit  *lenient.Int `json:"limit,omitempty" jsonschema:"Most lines to return, default 500; 0 is all"`
	Cursor *lenient.Int `json:"cursor,omitempty" jsonschema:"Scroll mode: the line reached so far; offset is then relative to it"`
}

// file returns the path that either argument asks for.
func (a planReadArgs) file() (workshop.Path, error) {
	name := strings.TrimSpace(a.Name)
	switch {
	case strings.TrimSpace(a.Path) != "":
		return clamp("path", a.Path)
	case name == "":
		return "", workshop.Faultf(workshop.Invalid, "Either 'path' or 'name' is required").OnField("path")
	}
	for seg := range strings.SplitSeq(name, "/") {
		if seg == ".." {
			return "", workshop.Faultf(workshop.Invalid, "The name of a plan cannot contain ..").OnField("name")
		}
	}
	return clamp("name", "/plans/"+strings.TrimSuffix(name, ".plan")+".plan")
}

type planReadResult struct {
	Path       string          `json:"path"`
	Metadata   *plans.Metadata `json:"metadata"`
	Content    string          `json:"content"`
	Hash       string          `json:"hash"`
	TotalLines int             `json:"total_lines"`
	Cursor     *int            `json:"cursor,omitempty"`
}

func scalePlanRead(t *tools.Tool) tools.Binding {
	return tools.Bind("plan_read", "Read a plan by path or name: its title, status and date, and the body without front matter. The hash is of the whole file, for plan_edit.", t,
		func(_ *tools.Env, a planReadArgs) (plans.ReadArgs, error) {
			limit, err := limitOr("limit", a.Limit, defaultLines)
			if err != nil {
				return plans.ReadArgs{}, err
			}
			p, err := a.file()
			return plans.ReadArgs{Path: p, Lines: lineRange(a.Offset, a.Cursor, limit)}, err
		},
		func(_ *tools.Env, a planReadArgs, p plans.Plan) (any, error) {
			r := planReadResult{Path: absolute(p.Entry.Path), Metadata: p.Metadata, Content: p.Text, Hash: p.Entry.Hash, TotalLines: p.Total}
			if a.Cursor != nil {
				r.Cursor = &p.End0
			}
			return r, nil
		}).Worded(worded(map[files.Why]word{
		files.Missing:  {workshop.NotFound, "", "Plan not found: %s"},
		files.IsFolder: {workshop.Invalid, "path", "Cannot read content of a folder"},
	}))
}

func scalePlanEdit(t *tools.Tool) tools.Binding {
	return tools.Bind("plan_edit", "Edit the body of a plan as edit does; lines and matches are those of the body, and the front matter stays as it is.", t,
		func(_ *tools.Env, a editArgs) (files.EditArgs, error) { return a.parse() },
		func(_ *tools.Env, _ editArgs, e workshop.Entry) (any, error) { return written(e), nil }).
		Worded(worded(map[files.Why]word{
			files.Missing:  {workshop.NotFound, "", "Plan not found: %s"},
			files.IsFolder: {workshop.Invalid, "path", "Cannot edit a folder: %s"},
		}))
}

type planListArgs struct {
	Status string       `json:"status,omitempty" jsonschema:"Only plans with this status: draft, approved, implemented or archived"`
	Limit  *lenient.Int `json:"limit,omitempty" jsonschema:"Most plans to return, default 50; 0 is all"`
}

type planListResult struct {
	Plans []listedPlan `json:"plans"`
	Total int          `json:"total"`
}

type listedPlan struct {
	Path     string          `json:"path"`
	Name     string          `json:"name"`
	Metadata *plans.Metadata `json:"metadata"`
}

func scalePlanList(t *tools.Tool) tools.Binding {
	return tools.Bind("plan_list", "List the plans below /plans/, the newest first.", t,
		func(_ *tools.Env, a planListArgs) (plans.ListArgs, error) {
			limit, err := limitOr("limit", a.Limit, defaultLimit)
			return plans.ListArgs{Status: a.Status, Limit: limit}, err
		},
		func(_ *tools.Env, _ planListArgs, l plans.Plans) (any, error) {
			out := planListResult{[]listedPlan{}, l.Total}
			for _, p := range l.Plans {
				out.Plans = append(out.Plans, listedPlan{absolute(p.Path), p.Name, p.Metadata})
			}
			return out, nil
		}).Worded(worded(nil))
}
