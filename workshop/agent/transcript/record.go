package transcript

import (
	"context"
	"path/filepath"
	"sync"

	"atelier/llm/models"
	"atelier/llm/replay"
	"atelier/llm/replay/redact"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/agent/spend"
	"atelier/workshop/tools/questions"
)

// RecordOptions say what the recording of a run must know beside its Config.
type RecordOptions struct {
	Catalogue string          // by name; "" is the workshop's
	Settings  models.Settings // of the model
	API       string          // in which its endpoint is asked, one of llm/api; "": chat completions
	Secrets   []string        // API keys, also of other providers
	// Redact knows the paths and names to take out; it is changed. Nil takes out
	// the folder, keys and what looks like one.
	Redact *redact.Redactor
}

// Recording is a live run on its way to a transcript (D-21).
type Recording struct {
	opt     RecordOptions
	cfg     *agent.Config
	message string
	model   *replay.Recorder

	config config
	files  map[string][]byte
	types  map[string]string // of files that are no documents
	pieces map[string]bool   // files that have in pieces what is to be taken out
	seed   seed
	before []workshop.Record // the conversation as it was, the message included
	start  State
	ask    *listener
	others *recordedServers // nil without other programs' tools

	mu   sync.Mutex // protects the fields below
	seen map[string]int
	last string // the event before the run was canceled
	said []steer
}

// State is the mode a run began in.
type State = questions.State

// Record begins the recording of a run of cfg: it keeps what the run will find,
// and listens to what cfg tells and is told. Requests of the returned context
// are recorded when they go through replay.Tap. A folder with too much in it
// gives an error.
func Record(ctx context.Context, cfg *agent.Config, messageID string, opt RecordOptions) (context.Context, *Recording, error) {
	if opt.Redact == nil {
		opt.Redact = redact.New()
	}
	r := &Recording{opt: opt, cfg: cfg, message: messageID, model: replay.NewRecorder(nil), files: map[string][]byte{}, types: map[string]string{}, pieces: map[string]bool{}, seen: map[string]int{}}
	if err := r.snapshot(ctx); err != nil {
		return ctx, nil, err
	}
	l := cfg.Limits
	r.config = config{Tools: cfg.Tools, Catalogue: opt.Catalogue, Folder: filepath.Base(cfg.Workbench.Root()), Settings: opt.Settings, API: opt.API, Window: cfg.Window, CompactAt: cfg.CompactAt, Price: cfg.Price}
	if err := r.budget(ctx); err != nil {
		return ctx, nil, err
	}
	if l.Parallel > 0 || l.CallsPerTurn > 0 || l.Turns > 0 || l.Retries > 0 || l.ResultMax > 0 || l.ToolTimeout > 0 {
		c := &r.config.Limits
		c.CallsPerTurn, c.Turns, c.Parallel, c.Retries, c.ResultMax, c.ToolTimeoutMS = l.CallsPerTurn, l.Turns, l.Parallel, l.Retries, l.ResultMax, int(l.ToolTimeout.Milliseconds())
	}
	events := cfg.Events
	cfg.Events = sinkFunc(func(e agent.Event) {
		r.happened(ctx, e.Method)
		if events != nil {
			events.Emit(e)
		}
	})
	r.model.OnRequest(func(int) { r.happened(ctx, cancelRequest) })
	if cfg.Questions != nil {
		r.ask = &listener{Questions: cfg.Questions, open: map[string]chan struct{}{}}
		cfg.Questions = r.ask
	}
	if cfg.Servers != nil {
		r.others = &recordedServers{Servers: cfg.Servers}
		cfg.Servers, r.config.AllowTools = r.others, cfg.AllowTools
	}
	if cfg.Steering != nil {
		cfg.Steering.Listen(r.heard)
	}
	if cfg.Approvals != nil {
		st, err := cfg.Approvals.State(ctx)
		if err != nil {
			return ctx, nil, err
		}
		r.config.Approvals, r.config.Granted = append(st.Rules, cfg.Approvals.Config()...), st.Granted
	}
	return replay.WithRecorder(ctx, r.model), r, nil
}

// budget keeps what the run may use. Of what the workbench may, earlier runs
// have used some.
func (r *Recording) budget(ctx context.Context) error {
	used, err := r.cfg.Workbench.UsageTotal(ctx)
	rest := func(b spend.Budget) budget {
		out := budget{Tokens: b.Tokens, Cost: b.Cost}
		if b.WorkbenchTokens > 0 {
			out.WorkbenchTokens = max(1, b.WorkbenchTokens-used.Input-used.Output)
		}
		if b.WorkbenchCost > 0 && r.cfg.Price != nil {
			paid, _ := used.Cost(r.cfg.Price.Currency)
			out.WorkbenchCost = max(1e-9, b.WorkbenchCost-models.Nano(paid).Amount())
		}
		return out
	}
	r.config.Budget, r.config.Ceiling = rest(r.cfg.Budget), rest(r.cfg.Ceiling)
	return err
}

type sinkFunc func(agent.Event)

func (f sinkFunc) Emit(e agent.Event) { f(e) }

// happened notes what comes before a cancel.
func (r *Recording) happened(ctx context.Context, what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() == nil {
		r.seen[what]++
		r.last = what
	}
}

// heard notes what the user says, and when.
func (r *Recording) heard(q agent.Queued) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, steer{At: r.last, Count: r.seen[r.last], Text: q.Text, When: q.When})
}
