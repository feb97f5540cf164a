package transcript

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"atelier/formats"
	"atelier/formats/all"
	"atelier/formats/preview"
	"atelier/llm/api"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
	"atelier/workshop/tools/questions"
)

// Options configure Run; the zero value works.
type Options struct {
	// Documents is the folder whose files copy sections name; "" is the nearest
	// testdata/documents at or above the working directory.
	Documents string
	// Formats reads and edits the files; nil is every format there is.
	Formats *formats.Set
	// Timeout bounds a playing, which can wait for ever when a cancel that is
	// recorded never comes; 0 means no limit.
	Timeout time.Duration
	// Only is what to compare, one of Onlys; "" is everything.
	Only string
	// API is the form in which the scripted endpoint is asked, one of llm/api; "" is
	// that of the transcript's config, else chat completions.
	API string
	// observe sees each run before it begins; tests record what they play.
	observe func(context.Context, *agent.Config, string) (context.Context, func(error))
}

// Run plays a transcript and compares what came out with what it wants. The
// error is set when it could not be played; differences are in the Report.
func Run(ctx context.Context, file []byte, opt Options) (Report, error) {
	p, done, err := newPlayer(file, opt)
	if err != nil {
		return Report{}, err
	}
	defer done()
	if err := p.playWithin(ctx); err != nil {
		return Report{}, err
	}
	return p.report(), nil
}

// playWithin is play within the time there is.
func (p *player) playWithin(ctx context.Context) error {
	if p.opt.Timeout <= 0 {
		return p.play(ctx)
	}
	tctx, cancel := context.WithTimeout(ctx, p.opt.Timeout)
	defer cancel()
	err := p.play(tctx)
	if tctx.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("it had not ended after %s: the model or a tool waits, and the cancel that should end it does not come", p.opt.Timeout)
	}
	return err
}

// newPlayer reads a transcript and makes the folder it is played in, which done
// removes.
func newPlayer(file []byte, opt Options) (p *player, done func(), err error) {
	if opt.Documents == "" {
		opt.Documents = nearestDocuments()
	}
	s, err := parse(file, opt.Documents)
	if err != nil {
		return nil, nil, err
	}
	if opt.Formats == nil {
		opt.Formats = all.Formats(all.Options{})
	}
	dir, err := os.MkdirTemp("", "atelier-replay-")
	if err != nil {
		return nil, nil, err
	}
	return &player{script: s, opt: opt, dir: dir, newID: counter()}, func() { os.RemoveAll(dir) }, nil
}

func nearestDocuments() string {
	const name = "testdata/documents"
	dir, err := filepath.Abs(".")
	for err == nil && dir != filepath.Dir(dir) {
		if st, serr := os.Stat(filepath.Join(dir, name)); serr == nil && st.IsDir() {
			return filepath.Join(dir, name)
		}
		dir = filepath.Dir(dir)
	}
	return name
}

// player is one playing of a transcript.
type player struct {
	script *script
	opt    Options
	dir    string
	newID  func() string
	model  *model

	home       *workshop.Home
	wb         *workshop.Workbench
	last       string // id of the last user message
	attendance attendance
	servers    *playedServers // nil without other programs' tools

	mu     sync.Mutex // protects the fields below
	events []any      // agent.Event, or what a run returned
	on     func(agent.Event)

	requests int // before the run

	records []workshop.Record // of the actions
	texts   map[string]string // of changed files
	got     map[string]string // by section name
}

func (p *player) root() string {
	return filepath.Join(p.dir, "root", first(p.script.config.Folder, "folder"))
}

func (p *player) play(ctx context.Context) (err error) {
	for name, data := range p.script.files {
		if p.script.config.Types[name] != "" {
			continue // the workbench writes it
		}
		host := filepath.Join(p.root(), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(host), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(host, data, 0o644); err != nil {
			return err
		}
		if err := os.Chtimes(host, still, still); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(p.root(), 0o755); err != nil {
		return err
	}
	if err := p.open(ctx); err != nil {
		return err
	}
	defer func() { p.home.Close() }()
	if err := p.giveTypes(ctx); err != nil {
		return err
	}
	if err := p.script.seed.plant(ctx, p.wb); err != nil {
		return err
	}
	if p.model, err = serve(p.script, cmp.Or(p.opt.API, p.script.config.API)); err != nil {
		return err
	}
	defer p.model.close()
	for i, a := range p.script.client {
		if err := p.act(ctx, a); err != nil {
			return fmt.Errorf("line %d of the client: %w", i+1, err)
		}
	}
	return p.collect(ctx)
}

func (p *player) open(ctx context.Context) (err error) {
	p.home, err = workshop.OpenHome(filepath.Join(p.dir, "home"), workshop.Options{Now: now, NewID: p.newID})
	if err != nil {
		return err
	}
	if p.wb, err = p.home.OpenFolder(ctx, p.root()); err != nil {
		return err
	}
	p.attendance = attendance{modes: &questions.Modes{Workbench: p.wb, Changed: func(c tools.ModeChange) { p.Emit(agent.NewModeChanged(p.wb.ID(), c)) }}}
	return nil
}

func now() time.Time { return still }

func (p *player) reopen(ctx context.Context) error {
	if err := p.home.Close(); err != nil {
		return err
	}
	return p.open(ctx)
}

func (p *player) act(ctx context.Context, a action) error {
	switch {
	case a.Send != "":
		c := p.wb.Conversation()
		p.last = c.NewMessageID("u-")
		return c.Append(workshop.Record{Type: workshop.TypeUser, MessageID: p.last, Role: "user", Text: a.Send, CreatedAt: still})
	case a.Run:
		return p.run(ctx, a)
	case a.Publish:
		_, err := p.wb.Publish(ctx, workshop.PublishOptions{})
		return err
	case a.Discard:
		return p.wb.Discard(ctx, nil)
	case a.Compact:
		return p.compact(ctx, a)
	case a.Reopen:
		return p.reopen(ctx)
	case a.Mode != "":
		return p.attendance.modes.SetMode(ctx, tools.ModeChange{Mode: a.Mode, PlanFile: workshop.Path(strings.TrimPrefix(a.PlanFile, "/"))})
	}
	return errors.New("it says nothing to do: send, run, publish, discard, compact, reopen or mode")
}

// compact has the conversation summed up; the event says what came of it.
func (p *player) compact(ctx context.Context, a action) error {
	cfg, err := p.agentConfig()
	if err != nil {
		return err
	}
	_, err = agent.Compact(ctx, cfg, agent.CompactOptions{Keep: a.Keep, KeepTurns: a.KeepTurns})
	p.requests = p.model.asked()
	if err != nil {
		p.note(returned(agent.Result{}, err))
	}
	return nil
}

// run is one run of the agent, canceled or killed where the action says.
func (p *player) run(ctx context.Context, a action) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	count := max(a.Count, 1)
	crashed := false
	p.attendance.attend(a)
	if a.Message != "" {
		p.last = a.Message
	}
	steering, err := agent.NewSteering(ctx, p.wb, p.last, p, now)
	if err != nil {
		return err
	}
	said := newSayings(a.Steer)
	say := func(at string) {
		for _, s := range said.due(at) {
			if _, _, err := steering.Push(ctx, s.Text, s.when()); err != nil {
				p.note(steerRefused{err.Error()})
			}
		}
	}
	p.model.onRequest(func(n int) {
		say(cancelRequest)
		if a.CancelAfter == cancelRequest && n == p.requests+max(a.Count, 1) {
			count = 0
			cancel()
		}
	})
	p.on = func(e agent.Event) {
		say(e.Method)
		if q, ok := e.Params.(agent.QuestionPending); ok {
			p.answer(q)
		}
		if e.Method != a.CancelAfter && e.Method != a.CrashAfter {
			return
		}
		if count--; count != 0 {
			return
		}
		if e.Method == a.CancelAfter {
			cancel()
			return
		}
		crashed = true
		runtime.Goexit() // ends the goroutine of the run, as a crash would
	}
	cfg, err := p.agentConfig()
	if err != nil {
		return err
	}
	cfg.Workflow, cfg.Steering = a.Workflow, steering
	if cfg.Approvals, err = p.approvals(ctx); err != nil {
		return err
	}
	ended := func(error) {}
	if p.opt.observe != nil {
		ctx, ended = p.opt.observe(ctx, &cfg, p.last)
	}
	done := make(chan struct{})
	say("")
	go func() {
		defer close(done)
		res, err := agent.Run(ctx, cfg, p.last)
		ended(err)
		p.note(returned(res, err))
	}()
	<-done
	p.on = nil
	p.requests = p.model.asked()
	if crashed {
		return p.reopen(context.WithoutCancel(ctx))
	}
	if s := said.left(); s != "" {
		return fmt.Errorf("the run ended before %q could be said", s)
	}
	if count > 0 && (a.CancelAfter != "" || a.CrashAfter != "") {
		return fmt.Errorf("the run ended before %s%s happened", a.CancelAfter, a.CrashAfter)
	}
	return nil
}

func (p *player) agentConfig() (agent.Config, error) {
	named, err := catalogue.Named(p.script.config.Catalogue)
	if err != nil {
		return agent.Config{}, err
	}
	var cat agent.Catalogue = named
	if p.script.config.Wait {
		cat = waiting{cat}
	}
	cfg := agent.Config{Workbench: p.wb, Catalogue: cat, Tools: p.script.config.Tools, Formats: p.opt.Formats, Client: p.model.client, APIKey: p.model.key, Model: p.model.name,
		Provider: "replay", Window: p.script.config.window(), CompactAt: p.script.config.CompactAt, Limits: p.script.config.limits(), Price: p.script.config.Price, Budget: p.script.config.Budget.agent(), Ceiling: p.script.config.Ceiling.agent(), Reasons: p.script.config.Settings.Reasons(), Events: p, Now: now, Jitter: func() float64 { return 0 },
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	if p.script.servers != nil && p.servers == nil {
		p.servers = newPlayedServers(p.script.servers)
	}
	if p.servers != nil {
		cfg.Servers, cfg.AllowTools = p.servers, p.script.config.AllowTools
	}
	if endpoint, ok := p.model.client.(api.Client); ok {
		cfg.Sees = func() bool { return endpoint.Settings(p.model.name).TakesImages() }
	}
	cfg.Pages = preview.New(p.opt.Formats, preview.Options{NoLibreOffice: true, NoTesseract: true})
	p.attendance.configure(&cfg, p.script.config.Catalogue)
	return cfg, nil
}

// sorted gives the keys of a map in order.
func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
