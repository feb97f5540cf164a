package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/agent/phases"
)

// Report is what playing a transcript showed.
type Report struct {
	Mismatches []string // sections that did not come out as wanted
	Diff       string   // how they differ, for people; "" when nothing does
	Compared   int      // sections that were compared
	Unused     int      // answers of the model that nothing asked for
	Updated    []byte   // the transcript with the want sections as they came out
}

// OK reports whether everything came out as wanted.
func (r Report) OK() bool { return len(r.Mismatches) == 0 }

// collect gathers what came out, by section.
func (p *player) collect(ctx context.Context) error {
	p.got = map[string]string{}
	n := newNames()
	n.name(p.wb.ID(), "wb")
	records, err := p.wb.Conversation().Records()
	if err != nil {
		return err
	}
	p.records = records[min(len(p.script.seed.records), len(records)):]
	conv, err := lines(p.records, recordLine)
	if err != nil {
		return err
	}
	p.got[wantConversation] = n.replace(conv)
	events, err := lines(p.events, line)
	if err != nil {
		return err
	}
	p.got[wantEvents] = n.replace(events)
	requests, err := lines(p.model.sent(), encode)
	if err != nil {
		return err
	}
	p.got[wantRequests] = n.replace(requests)
	plan, err := os.ReadFile(filepath.Join(phases.Dir(p.wb.Dir()), phases.PlanFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	p.got[wantPlan] = string(plan)
	p.texts, err = p.changed(ctx)
	for name, text := range p.texts {
		p.got[wantFiles+name] = n.replace(text)
	}
	return err
}

func lines[T any](vs []T, f func(T) ([]byte, error)) (string, error) {
	var sb strings.Builder
	for _, v := range vs {
		b, err := f(v)
		if err != nil {
			return "", err
		}
		sb.Write(b)
		sb.WriteByte('\n')
	}
	return sb.String(), nil
}

func encode[T any](v T) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), err
}

// recordLine returns a record as it is stored, without its time and the hashes of its
// images, whose bytes differ with the versions of libraries.
func recordLine(r workshop.Record) ([]byte, error) {
	r = r.WithoutKeep()
	r.Images = slices.Clone(r.Images)
	for i := range r.Images {
		r.Images[i].Object = ""
	}
	type plain workshop.Record // without its MarshalJSON
	return encode(struct {
		plain
		CreatedAt *struct{} `json:"created_at,omitempty"` // hides the embedded one
	}{plain: plain(r)})
}

// changed reads the files that are not as they were put in, as the draft shows
// them.
func (p *player) changed(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	view := p.wb.DraftView(workshop.Cause{})
	entries, err := view.List(ctx, "", workshop.ListOptions{Recursive: true})
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, e := range entries {
		if e.IsDir {
			continue
		}
		there[string(e.Path)] = true
		if before, ok := p.script.files[string(e.Path)]; ok && formats.FromBytes("", before).Hash() == e.Hash {
			continue
		}
		if out[string(e.Path)], err = fileText(ctx, p.opt.Formats, view, e.Path); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Path, err)
		}
	}
	for name := range p.script.files {
		if !there[name] && !strings.HasPrefix(name, workshop.StandingDir+"/") && !strings.HasPrefix(name, workshop.SkillsDir+"/") { // which no view shows
			out[name] = "(deleted)\n"
		}
	}
	return out, nil
}

// withNewline ends a text as a txtar section ends.
func withNewline(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// The values of Options.Only.
const (
	OnlyEvents       = "events"
	OnlyConversation = "conversation"
	OnlyResults      = "results" // of tools, in the conversation
	OnlyFiles        = "files"
	OnlyRequests     = "requests"
	OnlyPlan         = "plan"
)

// Onlys are the values of Options.Only.
var Onlys = []string{OnlyEvents, OnlyConversation, OnlyResults, OnlyFiles, OnlyRequests, OnlyPlan}

// report compares the sections the transcript has; once it wants anything, also
// changed files that it does not mention.
func (p *player) report() Report {
	r := Report{Updated: p.updated(), Unused: p.model.unused()}
	sections := map[string]bool{}
	for name := range p.script.want {
		sections[name] = true
	}
	if len(sections) > 0 {
		for name := range p.got {
			if strings.HasPrefix(name, wantFiles) {
				sections[name] = true
			}
		}
	}
	var diff strings.Builder
	for _, name := range sorted(sections) {
		if !p.opt.compares(name) {
			continue
		}
		r.Compared++
		want, got := withNewline(p.script.want[name]), withNewline(p.got[name])
		if name == wantConversation && !strings.Contains(want, `"sources":`) {
			got = withoutSources(got)
		}
		if p.opt.Only == OnlyResults {
			want, got = onlyResults(want), onlyResults(got)
		}
		if want != got {
			r.Mismatches = append(r.Mismatches, name)
			diff.WriteString(sectionDiff(name, want, got))
		}
	}
	r.Diff = diff.String()
	return r
}

// compares reports whether a section is looked at.
func (o Options) compares(name string) bool {
	switch o.Only {
	case "":
		return true
	case OnlyFiles:
		return strings.HasPrefix(name, wantFiles)
	case OnlyResults:
		return name == wantConversation
	}
	return name == wantPrefix+o.Only
}

// onlyResults returns the lines of a conversation that hold results of tools.
func onlyResults(conversation string) string {
	var sb strings.Builder
	for line := range strings.Lines(conversation) {
		if strings.HasPrefix(line, `{"type":"tool_result"`) {
			sb.WriteString(line)
		}
	}
	return sb.String()
}

// updated returns the transcript with what came out.
func (p *player) updated() []byte {
	a := &txtar.Archive{Comment: p.script.archive.Comment}
	for _, f := range p.script.archive.Files {
		if !strings.HasPrefix(f.Name, wantPrefix) {
			a.Files = append(a.Files, f)
		}
	}
	for _, name := range sorted(p.got) {
		if _, there := p.script.want[name]; !there && (name == wantRequests || name == wantPlan) {
			continue
		}
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(withNewline(p.got[name]))})
	}
	return txtar.Format(a)
}
