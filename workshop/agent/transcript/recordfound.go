package transcript

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/agent/phases"
	"atelier/workshop/skills"
	"atelier/workshop/tools/questions"
)

// What the run finds: the files, the conversation, the tool log and the state of
// phases, as a recording carries them.

// maxRecorded bounds the files a recording carries, in bytes.
const maxRecorded = 64 << 20

// view returns what the run sees of the workbench.
func (r *Recording) view() workshop.View {
	view := r.cfg.Workbench.DraftView(workshop.Cause{})
	if r.cfg.View != nil {
		return r.cfg.View(view)
	}
	return view
}

// snapshot keeps the files and the state as the run finds them.
func (r *Recording) snapshot(ctx context.Context) (err error) {
	wb := r.cfg.Workbench
	view := r.view()
	entries, err := view.List(ctx, "", workshop.ListOptions{Recursive: true, NoHash: true})
	if err != nil {
		return err
	}
	total := int64(0)
	for _, e := range entries {
		if e.IsDir || e.Refused != "" {
			continue
		}
		if total += e.Size; total > maxRecorded {
			return fmt.Errorf("a recording keeps the files of the folder, and they have more than %d MiB; record on a smaller folder", maxRecorded>>20)
		}
		if e.Type != "" && e.Type != "document" {
			r.types[string(e.Path)] = e.Type
		}
		if r.files[string(e.Path)], err = content(ctx, view, e.Path); err != nil {
			return err
		}
	}
	standing, err := wb.Standing(ctx)
	if err != nil {
		return err
	}
	for _, f := range standing {
		if f.Refused == "" {
			r.files[workshop.StandingDir+"/"+f.Name] = []byte(f.Text)
		}
	}
	instructions, err := skills.Load(ctx, skills.Source{Workbench: wb, Published: wb.PublishedView()})
	if err != nil {
		return err
	}
	for _, it := range instructions {
		if it.Source != skills.FromFolder {
			continue
		}
		it.Files(func(p string, data []byte) { r.files[p] = data })
		switch d := it.Decision(it.Status == skills.Used, r.cfg.Now().UTC()); it.Status {
		case skills.Used, skills.Declined:
			d.Hash = "" // of what the redactor leaves of the content
			r.config.Instructions = append(r.config.Instructions, d)
		case skills.Changed:
			d.Hash = "another"
			r.config.Instructions = append(r.config.Instructions, d)
		}
	}
	if r.before, err = wb.Conversation().Records(); err != nil {
		return err
	}
	r.seed.records = r.before
	modes := questions.Modes{Workbench: wb}
	if r.start, err = modes.State(ctx); err != nil {
		return err
	}
	if err := errors.Join(r.keepPhases(), r.keepLog(ctx)); err != nil {
		return err
	}
	if n := len(r.before); n > 0 && r.before[n-1].MessageID == r.message && r.seed.rpi == nil {
		r.seed.records = r.before[:n-1] // the message is sent; a run that goes on belongs to one that was
	}
	return nil
}

func content(ctx context.Context, view workshop.View, path workshop.Path) ([]byte, error) {
	src, err := view.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
}

// keepPhases keeps the state of a run in phases that this one may go on with.
func (r *Recording) keepPhases() error {
	dir := phases.Dir(r.cfg.Workbench.Dir())
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	r.seed.rpi = map[string][]byte{}
	for _, e := range entries {
		if err == nil && e.Type().IsRegular() {
			r.seed.rpi[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name()))
		}
	}
	return err
}

// keepLog keeps the entries of the tool log that the conversation names, and
// the number of the last, after which the run goes on counting.
func (r *Recording) keepLog(ctx context.Context) error {
	named := map[string]bool{}
	for _, rec := range r.before {
		if rec.Metadata["entry_id"] != nil {
			named[rec.ToolCallID] = true
		}
	}
	var last workshop.ToolLogEntry
	for {
		page, err := r.cfg.Workbench.ToolLogAfter(ctx, last.ID, 200)
		if err != nil {
			return err
		}
		for _, e := range page {
			if last = e; named[e.CallID] {
				r.seed.log = append(r.seed.log, logLine{e.ID, e.Tool, e.CallID, e.Args, e.Result, e.Success, e.Sources})
			}
		}
		if len(page) == 0 {
			break
		}
	}
	if n := len(r.seed.log); last.ID > 0 && (n == 0 || r.seed.log[n-1].ID < last.ID) {
		r.seed.log = append(r.seed.log, logLine{ID: last.ID, Tool: "-"})
	}
	return nil
}

// learn tells the redactor the keys there are.
func (r *Recording) learn(ctx context.Context) {
	red := r.opt.Redact
	red.Secret(r.cfg.APIKey)
	for _, key := range r.opt.Secrets {
		red.Secret(key)
	}
	r.model.Learn(red)
	for _, name := range slices.Sorted(maps.Keys(r.files)) {
		red.LearnFile(r.files[name])
		red.Learn(r.textOf(ctx, name, r.files[name]))
		red.Learn(name)
	}
	for _, rec := range r.before {
		red.Learn(rec.Text)
		red.Learn(rec.Content)
		for _, c := range rec.ToolCalls {
			red.Learn(c.Function.Arguments)
		}
	}
	for _, e := range r.seed.log {
		red.Learn(e.Args)
		red.Learn(e.Result)
	}
	for _, name := range slices.Sorted(maps.Keys(r.seed.rpi)) {
		red.Learn(string(r.seed.rpi[name]))
	}
	for _, s := range r.said {
		red.Learn(s.Text)
	}
	if r.ask != nil {
		for _, a := range r.ask.given {
			for _, v := range a {
				red.Learn(string(v))
			}
		}
	}
	red.Path(r.cfg.Workbench.Root(), "$WORK")
}

// fileSection writes text as it is when txtar gives back the same bytes.
func fileSection(name string, b []byte) txtar.File {
	text := txtar.File{Name: sectionFiles + name, Data: b}
	if utf8.Valid(b) && !slices.Contains(b, 0) {
		if a := txtar.Parse(txtar.Format(&txtar.Archive{Files: []txtar.File{text}})); len(a.Files) == 1 && a.Files[0].Name == text.Name && string(a.Files[0].Data) == string(b) {
			return text
		}
	}
	var sb strings.Builder
	for enc := base64.StdEncoding.EncodeToString(b); enc != ""; {
		n := min(len(enc), 76)
		sb.WriteString(enc[:n] + "\n")
		enc = enc[n:]
	}
	return txtar.File{Name: sectionBase64 + name, Data: []byte(sb.String())}
}

// fileText returns a file of a view as transcripts show it: what read_file gives of it.
func fileText(ctx context.Context, set *formats.Set, view workshop.View, path workshop.Path) (string, error) {
	src, err := view.Open(ctx, path)
	if err != nil {
		return "", err
	}
	defer src.Close()
	f, err := set.Detect(ctx, src)
	if err != nil || f.Reader == nil {
		return fmt.Sprintf("(%d bytes that cannot be read as text)\n", src.Size()), nil
	}
	t, err := f.Reader.Read(ctx, src, formats.Selector{})
	return withNewline(t.Text), err
}
