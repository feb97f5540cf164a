package transcript

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/tools/txtar"

	"atelier/formats"
	"atelier/llm/pseudo"
	"atelier/llm/replay"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/tools"
)

// Recorded is the transcript of a live run.
type Recorded struct {
	File []byte
	// Differs says in what the run came out otherwise when it was played again;
	// empty when it did not.
	Differs []string
	// Unseen are the files that could not be looked into for keys and names, or
	// have some in pieces, as runs of a document, that could not be taken out.
	Unseen []string
}

// End gives the transcript of the run, which ended with err. It is played once:
// that shows whether it comes out as the run did, and gives what is wanted.
func (r *Recording) End(ctx context.Context, runErr error) (Recorded, error) {
	r.learn(ctx)
	live, err := r.live(ctx)
	if err != nil {
		return Recorded{}, err
	}
	var out Recorded
	for range maxSwaps {
		var a *txtar.Archive
		if a, out.Unseen, err = r.archive(ctx, runErr); err != nil {
			return out, err
		}
		out.File = txtar.Format(a)
		if r.model.Full() {
			out.Differs = []string{fmt.Sprintf("the answers of the model have more than %d MiB; the rest of them is not recorded", replay.MaxRecorded>>20)}
			break
		}
		p, perr := replayed(ctx, out.File)
		if perr != nil { // it is kept: it shows where the run stood
			out.Differs = []string{"it cannot be played: " + r.opt.Redact.Text(perr.Error())}
			break
		}
		if r.swap(live, p) {
			continue
		}
		out.Differs = differences(live, p, r.opt.Redact)
		out.File = p.report().Updated
		break
	}
	parsed := txtar.Parse(out.File)
	if r.purge(parsed) {
		out.Differs = append(out.Differs, "what was taken out of the texts of files stands in the files in pieces: "+strings.Join(out.Unseen, ", "))
	}
	parsed.Comment = r.comment(out)
	out.File = txtar.Format(parsed)
	return out, nil
}

// purge takes out of what the playing added whatever was in pieces in a file; it
// reports whether there was something.
func (r *Recording) purge(a *txtar.Archive) (found bool) {
	for i, f := range a.Files {
		if strings.HasPrefix(f.Name, sectionBase64) || r.opt.Redact.Clean(string(f.Data)) {
			continue
		}
		a.Files[i].Data, found = []byte(r.opt.Redact.Text(string(f.Data))), true
	}
	return found
}

// textOf returns the text of a document as tools give it, where what its parts have in
// pieces is together; "" of a text file, which was looked into as it is.
func (r *Recording) textOf(ctx context.Context, name string, b []byte) string {
	if r.cfg.Formats == nil || utf8.Valid(b) {
		return ""
	}
	src := formats.FromBytes(path.Base(name), b)
	f, err := r.cfg.Formats.Detect(ctx, src)
	if err != nil || f.Reader == nil {
		return ""
	}
	t, err := f.Reader.Read(ctx, src, formats.Selector{})
	if err != nil {
		return ""
	}
	return t.Text
}

// playTimeout bounds the playing of a new recording, for whose end a client
// waits.
const playTimeout = 2 * time.Minute

// replayed plays a transcript that was just made.
func replayed(ctx context.Context, file []byte) (*player, error) {
	p, done, err := newPlayer(file, Options{Timeout: playTimeout})
	if err != nil {
		return nil, err
	}
	defer done()
	return p, p.playWithin(ctx)
}

func (r *Recording) comment(out Recorded) []byte {
	var sb strings.Builder
	sb.WriteString("Recorded from a live run. Keys, paths and names of persons and machines were taken out.\n")
	if len(out.Unseen) > 0 {
		fmt.Fprintf(&sb, "Not looked into for them, or not rid of them: %s.\n", strings.Join(out.Unseen, ", "))
	}
	for _, d := range out.Differs {
		fmt.Fprintf(&sb, "Played again it differs from the live run: %s\n", oneLine(d))
	}
	sb.WriteString("\n")
	return []byte(sb.String())
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// archive writes down what is known so far.
func (r *Recording) archive(ctx context.Context, runErr error) (*txtar.Archive, []string, error) {
	red := r.opt.Redact
	a := &txtar.Archive{}
	add := func(name string, data []byte) { a.Files = append(a.Files, txtar.File{Name: name, Data: data}) }
	r.config.Folder = red.Text(r.config.Folder)
	r.config.Model, r.config.Types = "", map[string]string{}
	for name, typ := range r.types {
		r.config.Types[red.Text(name)] = typ
	}
	if r.cfg.Model == pseudo.Model {
		r.config.Model = pseudo.Model
	}
	b, err := encode(r.config)
	if err != nil {
		return nil, nil, err
	}
	add(sectionConfig, append(b, '\n'))
	var unseen []string
	for _, name := range slices.Sorted(maps.Keys(r.files)) {
		data, looked := red.File(r.files[name])
		if _, ok := r.pieces[name]; !ok { // once: a recording is written several times
			r.pieces[name] = !red.Clean(r.textOf(ctx, name, data))
		}
		if !looked || r.pieces[name] {
			unseen = append(unseen, red.Text(name))
		}
		a.Files = append(a.Files, fileSection(red.Text(name), data))
	}
	if err := r.addSeed(add); err != nil {
		return nil, nil, err
	}
	others, err := r.others.written()
	if err != nil {
		return nil, nil, err
	}
	if others != "" {
		add(sectionServers, []byte(red.Text(others)))
	}
	client, err := lines(r.client(runErr), encode)
	if err != nil {
		return nil, nil, err
	}
	add(sectionClient, []byte(red.Text(client)))
	a.Files = append(a.Files, r.model.Sections(red)...)
	if r.config.Model == "" && r.model.Requests() == 0 {
		add(sectionModel, []byte("{\"hang\":true}\n")) // it ended before it asked
	}
	return a, unseen, nil
}

func (r *Recording) addSeed(add func(string, []byte)) error {
	red := r.opt.Redact
	if len(r.seed.records) > 0 {
		conv, err := lines(r.seed.records, func(rec workshop.Record) ([]byte, error) { return encode(rec.WithoutKeep()) })
		if err != nil {
			return err
		}
		add(sectionBefore, []byte(red.Text(conv)))
	}
	if len(r.seed.log) > 0 {
		log, err := lines(r.seed.log, encode)
		if err != nil {
			return err
		}
		add(sectionToolLog, []byte(red.Text(log)))
	}
	for _, name := range slices.Sorted(maps.Keys(r.seed.rpi)) {
		add(sectionRPI+name, []byte(red.Text(string(r.seed.rpi[name]))))
	}
	return nil
}

// doing is an action as a recording writes it.
type doing struct {
	Send        string          `json:"send,omitempty"`
	Mode        string          `json:"mode,omitempty"`
	PlanFile    string          `json:"plan_file,omitempty"`
	Run         bool            `json:"run,omitempty"`
	Message     string          `json:"message,omitempty"`
	Workflow    string          `json:"workflow,omitempty"`
	CancelAfter string          `json:"cancel_after,omitempty"`
	Count       int             `json:"count,omitempty"`
	Steer       []steer         `json:"steer,omitempty"`
	Answers     []tools.Answers `json:"answers,omitempty"`
}

// client returns what the user did.
func (r *Recording) client(runErr error) []doing {
	var out []doing
	if r.start.Mode == tools.ModePlan || r.start.PlanFile != "" {
		out = append(out, doing{Mode: r.start.Mode, PlanFile: string(r.start.PlanFile)})
	}
	run := doing{Run: true, Workflow: r.cfg.Workflow}
	if len(r.seed.records) < len(r.before) {
		out = append(out, doing{Send: r.before[len(r.before)-1].Text})
	} else {
		run.Message = r.message
	}
	r.mu.Lock()
	if e, ok := runErr.(*runerr.Error); ok && e.Code == runerr.CodeUserCanceled && r.last != "" {
		run.CancelAfter, run.Count = r.last, r.seen[r.last]
	}
	run.Steer = slices.Clone(r.said)
	r.mu.Unlock()
	if r.ask != nil {
		r.ask.mu.Lock()
		run.Answers = slices.Clone(r.ask.given)
		r.ask.mu.Unlock()
	}
	return append(out, run)
}

// after is what a run left: the records it added and the texts of the files it
// changed.
type after struct {
	records []workshop.Record
	texts   map[string]string
}

func (r *Recording) live(ctx context.Context) (after, error) {
	out := after{texts: map[string]string{}}
	all, err := r.cfg.Workbench.Conversation().Records()
	if err != nil {
		return out, err
	}
	if n := len(r.before); n <= len(all) {
		out.records = all[n:]
	}
	view := r.view()
	entries, err := view.List(ctx, "", workshop.ListOptions{Recursive: true, NoHash: true})
	if err != nil {
		return out, err
	}
	for _, e := range entries {
		if e.IsDir || e.Refused != "" {
			continue
		}
		now, err := content(ctx, view, e.Path)
		if err != nil {
			return out, err
		}
		if was, ok := r.files[string(e.Path)]; ok && bytes.Equal(was, now) {
			continue
		}
		if out.texts[string(e.Path)], err = fileText(ctx, r.cfg.Formats, view, e.Path); err != nil {
			return out, err
		}
	}
	return out, nil
}
