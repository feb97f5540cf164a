package agent

import (
	"context"
	"maps"
	"slices"
	"strings"

	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/agent/phases"
	"atelier/workshop/openfiles"
	"atelier/workshop/provenance"
	"atelier/workshop/skills"
	"atelier/workshop/tools"
	"atelier/workshop/tools/virtual"
)

// metaSources is the metadata key of a record's sources: the files whose content
// it carries, sorted. An answer of the model and a summary are made of everything
// before them, and name only what came to that since. A record without it was
// written before sources were noted.
const metaSources = "sources"

// sourcesOf reads back the sources of a record. said is false where content of
// anything may be in it.
func sourcesOf(rec workshop.Record) (files []string, said bool) {
	switch list := rec.Metadata[metaSources].(type) {
	case []string:
		return list, true
	case []any:
		for _, v := range list {
			f, ok := v.(string)
			if !ok {
				return nil, false
			}
			files = append(files, f)
		}
		return files, true
	}
	switch rec.Type {
	case workshop.TypeToolResult:
		return nil, rec.Content == "" || rec.Content == interruptedResult
	case workshop.TypeAssistant:
		return nil, rec.Text == "" && len(rec.ToolCalls) == 0
	case workshop.TypeSystem:
		return nil, !carries(rec) || rec.Text == ""
	}
	return nil, true
}

// carries reports whether the sources of a record that a run writes are those of
// what it was made of.
func carries(rec workshop.Record) bool {
	return rec.Type == workshop.TypeAssistant || rec.Type == workshop.TypeSystem && (rec.EventKind == eventCompacted || rec.EventKind == eventAbandoned)
}

// SourcesOf returns the files whose content a conversation carries; said is false
// when there are records that do not say theirs.
func SourcesOf(records []workshop.Record) (files []string, said bool) {
	var all provenance.Set
	said = true
	for _, rec := range records {
		list, ok := sourcesOf(rec)
		all.Add(list...)
		said = said && ok
	}
	return all.List(), said
}

// Sources returns the files whose content the next run of a workbench could pass on
// without opening them: what its conversation carries, and what a run in phases
// left. Where that is not known, it is every file the workbench knows or knew of.
func Sources(ctx context.Context, wb *workshop.Workbench) ([]string, error) {
	records, err := wb.Conversation().Records()
	if err != nil {
		return nil, err
	}
	files, said := SourcesOf(records)
	st, err := phases.Load(phases.Dir(wb.Dir()))
	if err != nil {
		return nil, err
	}
	if st.Phase() != "" {
		more, ok := st.Sources()
		files, said = append(slices.Clone(files), more...), said && ok
	}
	if !said {
		more, err := everything(ctx, wb)
		if err != nil {
			return nil, err
		}
		files = append(slices.Clone(files), more...)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// everything returns what a record may carry that does not say its sources.
func everything(ctx context.Context, wb *workshop.Workbench) ([]string, error) {
	paths, err := wb.KnownPaths(ctx)
	if err != nil {
		return nil, err
	}
	files := make([]string, len(paths))
	for i, p := range paths {
		files[i] = string(p)
	}
	standing, err := wb.Standing(ctx)
	for _, f := range standing {
		files = append(files, workshop.StandingDir+"/"+f.Name)
	}
	if err != nil {
		return nil, err
	}
	more, err := skills.FolderPaths(ctx, wb)
	return append(files, more...), err
}

// unsaid returns what a record carries that does not say its sources.
func (r *run) unsaid(ctx context.Context) ([]string, error) {
	if r.cfg.Unsaid != nil {
		return r.cfg.Unsaid, nil
	}
	r.unsaidOnce.Do(func() { r.unsaidFiles, r.unsaidErr = everything(context.WithoutCancel(ctx), r.wb) })
	return r.unsaidFiles, r.unsaidErr
}

// carry takes over sources that other runs noted, or did not.
func (r *run) carry(ctx context.Context, files []string, said bool) error {
	r.carried.Add(files...)
	if said {
		return nil
	}
	more, err := r.unsaid(ctx)
	if err != nil {
		return readError("the files that the conversation may be about cannot be listed", err)
	}
	r.carried.Add(more...)
	return nil
}

// carrying tells what sends a request whose content it carries. A summary is
// asked for without instructions.
func (r *run) carrying(ctx context.Context) context.Context {
	if !llm.IsSummary(ctx) {
		r.carried.Add(r.toldOf...)
		r.carried.Add(r.extraOf...)
	}
	return provenance.Carrying(ctx, r.carried.List())
}

// sourced adds the sources to a record that is made of what the run carries.
func (r *run) sourced(rec workshop.Record) workshop.Record {
	if !carries(rec) {
		return rec
	}
	meta := maps.Clone(rec.Metadata)
	if meta == nil {
		meta = map[string]any{}
	}
	meta[metaSources] = r.carried.Without(&r.stored)
	rec.Metadata = meta
	return rec
}

// noting has what a call takes from files noted in a set. The search index reads
// all files at times of its own, so it gets a view that notes nothing; its tool
// says what was found.
func (r *run) noting(env *tools.Env) (set *provenance.Set, named func(context.Context) []string) {
	set = &provenance.Set{}
	plain := env.View
	Guarded(env)
	env.Virtual = virtual.Chats(r.wb)
	chat := string(virtual.ChatPath(r.wb.ID()))
	return set, func(ctx context.Context) []string {
		ctx = context.WithoutCancel(ctx)
		set.Resolve(func(doc workshop.DocPath) string { return r.docName(ctx, plain, doc) }, func(p workshop.Path) []string {
			if strings.EqualFold(string(p), chat) {
				return r.carried.List()
			}
			return r.trail.Name(ctx, plain, p)
		})
		return set.List()
	}
}

// docName returns what a file that is open in the editor is called.
func (r *run) docName(ctx context.Context, v workshop.View, doc workshop.DocPath) string {
	if s := r.cfg.Session; s != nil && s.Docs != nil {
		if p, err := s.Docs.FindDoc(ctx, v, doc); err == nil {
			return string(p)
		}
	}
	return openfiles.Elsewhere + string(doc)
}

// recall gives the whole result of an earlier call, which may have been another
// model's.
func (r *run) recall(ctx context.Context, id int64) (string, error) {
	e, err := r.wb.ToolLog(ctx, id)
	if err != nil {
		return "", err
	}
	files := e.Sources
	if err := r.keptBack(ctx, files); err != nil {
		return "", err
	}
	if files == nil {
		if files, err = r.unsaid(ctx); err != nil {
			return "", err
		}
	}
	if r.cfg.Withheld != nil {
		if kept := r.cfg.Withheld(files); len(kept) > 0 {
			f := workshop.Faultf(workshop.Forbidden, "the result holds what was read of %s, and the user has not allowed to send that to the model", someOf(kept))
			f.Paths = kept
			return "", f
		}
	}
	provenance.Add(ctx, files...)
	return e.Result, nil
}

// someOf names the first of files.
func someOf(files []string) string {
	const most = 5
	if len(files) > most {
		files = append(slices.Clone(files[:most]), "…")
	}
	return strings.Join(files, ", ")
}
