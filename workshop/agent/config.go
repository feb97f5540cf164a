package agent

import (
	"context"
	"encoding/json"
	"log/slog"
	"math/rand/v2"
	"time"

	"atelier/formats"
	"atelier/formats/preview"
	"atelier/llm"
	"atelier/llm/models"
	"atelier/workshop"
	"atelier/workshop/agent/spend"
	"atelier/workshop/approvals"
	"atelier/workshop/doctext"
	"atelier/workshop/tools"
	"atelier/workshop/web"
)

// Config is what a run needs. Workbench, Catalogue, Formats and Client must be
// set; the zero value of the rest is fine.
type Config struct {
	Workbench *workshop.Workbench
	Catalogue Catalogue
	Formats   *formats.Set
	Texts     *doctext.Cache // text of documents, kept between runs; may be nil
	Client    llm.Client
	APIKey    string // never logged, stored or put into an error
	Model     string
	Provider  string // for events
	// Window is how many tokens the model takes, request and answer together;
	// 0: not known, so that nothing is compacted before an endpoint refuses.
	Window int
	// Sees reports whether the model takes images, which a refusal changes during the
	// run; nil: it does not.
	Sees func() bool
	// Pages draws pages of documents for the model; nil: they cannot be drawn.
	Pages *preview.Maker
	// Served says that Window is what the server has the model loaded with.
	Served bool
	// CompactAt is the percentage of Window at which earlier turns are
	// summarised, from LeastCompactAt to MostCompactAt; 0 is CompactAt.
	CompactAt int
	// Price is Model's; nil: not known, so that no costs are counted.
	Price  *models.Price
	Budget spend.Budget
	// Ceiling is a budget that people who are asked cannot raise.
	Ceiling spend.Budget
	// Reasons says that the model reasons before it answers, so that a short answer
	// would have no room for what it is to say.
	Reasons bool
	// Tools is how tools are described: ToolsFull, ToolsSmall, or "": whole for the
	// kinds of documents that the folder has, and small where that would take more
	// than a third of the window.
	Tools  string
	Limits Limits
	Events Sink // nil drops them
	Now    func() time.Time
	// Sleep waits between retries; nil really waits. It returns ctx's error
	// when ctx ends first.
	Sleep func(ctx context.Context, d time.Duration) error
	// Jitter gives numbers in [0, 1) that spread retries; nil is random.
	Jitter func() float64
	Log    *slog.Logger
	// Questions brings answers to ask_user; nil: nobody can be asked
	// (M-14).
	Questions Questions
	// Approvals say what is asked about or refused; nil: nothing is.
	Approvals *approvals.Store
	// Steering is what the user says while the run works; nil: nobody can.
	Steering *Steering
	// Fetch reads web pages for tools; nil: the network is off.
	Fetch web.Fetcher
	// FetchConsent is asked before each fetch; nil: all may be made.
	FetchConsent FetchConsent
	// Servers have more tools; nil: there are none.
	Servers Servers
	// AllowTools are patterns of names of their tools that need no answer, where no rule
	// of Approvals is about them.
	AllowTools []string
	// Session is what tools know of the conversation; nil is nothing.
	Session *tools.Session
	// View narrows what the run sees of the workbench; nil is all of it.
	View func(workshop.View) workshop.View
	// Standing says which files of the standing context and which skills of the
	// folder, by their paths, are told; nil is all.
	Standing func(workshop.Path) bool
	// OwnSkills is the folder of the user's skills; "" for none.
	OwnSkills string
	// Unsaid is what a record carries that does not say its sources; nil: every
	// file the workbench knows or knew of.
	Unsaid []string
	// Withheld are those of some sources that must not go to the model; nil is
	// none. It only keeps results from being recalled: the Client refuses
	// requests that carry such (sources.Carried).
	Withheld func(files []string) []string
	// Efforts are the reasoning efforts asked for in the phases, by their names;
	// none is the model's own.
	Efforts map[string]string
	// Workflow is how the run works: WorkflowAgent, WorkflowRPI or WorkflowAuto;
	// "" is WorkflowAgent.
	Workflow string
	// OnThought is called with each piece of reasoning text of the model; nil: nobody
	// reads it. It is not stored.
	OnThought func(text string)
	// BeforeCalls is called before tools are called that an answer asks for, when the
	// conversation has the answer: it returns when another process that continues the run
	// would have it too. Its error ends the run, without the calls. nil: nothing is to be
	// waited for.
	BeforeCalls func(ctx context.Context) error
	// Mode is the session's mode now, asked before each tool call; nil is build
	// mode.
	Mode func(ctx context.Context) (string, error)
	// Prompt stands at the beginning of the system message; "" is the workshop's.
	Prompt string
	// Names is how files are named to the model.
	Names Names
	// Context gives what else the model is told with each request; nil is
	// nothing.
	Context func(ctx context.Context) (string, error)
}

// Catalogue is the tools a run offers to the model; *tools.Catalogue is one.
// Call always returns a result and honours ctx; calls of tools whose effect is
// "read" run side by side.
type Catalogue interface {
	Tools() []llm.Tool
	Effect(name string) (effect tools.Effect, ok bool)
	Call(ctx context.Context, env *tools.Env, name string, args json.RawMessage) tools.Result
}

// Questions is where questions wait for their answers; *questions.Broker is one.
type Questions interface {
	// Open opens questions; the channel gets the answers once they fit, and is
	// closed without any when nobody can give them any more.
	Open(workbench string, a tools.Asking) (<-chan tools.Answers, error)
	// Forget closes questions that nobody waits for any more.
	Forget(id string)
}

// Limits bound a run (C-33). A zero field is its default.
type Limits struct {
	CallsPerTurn int           // tool calls of one answer that are carried out; 50
	Turns        int           // requests to the model in a phase; 50
	ToolTimeout  time.Duration // for one tool call; 30 s
	Parallel     int           // read-only calls side by side; 4
	Retries      int           // of one request to the model (W-15); 5
	RetryBase    time.Duration // first wait when the endpoint names none; 1 s
	RetryCap     time.Duration // longest such wait; 60 s
	ResultMax    int           // bytes of a tool result that the model sees; 16 KiB
	// Grace is how long a canceled tool may take to return before its goroutine
	// is left to itself; 2 s.
	Grace time.Duration
}

// WithDefaults returns l with the defaults of what it leaves out.
func (l Limits) WithDefaults() Limits {
	setDefault(&l.CallsPerTurn, 50)
	setDefault(&l.Turns, 50)
	setDefault(&l.ToolTimeout, 30*time.Second)
	setDefault(&l.Parallel, 4)
	setDefault(&l.Retries, 5)
	setDefault(&l.RetryBase, time.Second)
	setDefault(&l.RetryCap, time.Minute)
	setDefault(&l.ResultMax, tools.DefaultResultMax)
	setDefault(&l.Grace, 2*time.Second)
	return l
}

func setDefault[T int | time.Duration](v *T, def T) {
	if *v <= 0 {
		*v = def
	}
}

// Result is what a run came to. On an error it says how far the run got.
type Result struct {
	MessageID string       // of the final assistant message; "" when there is none
	Text      string       // of the final assistant message
	HasDraft  bool         // the workbench has a draft now
	ToolCalls int          // carried out
	Turns     int          // answers of the model
	Workflow  string       // how the run worked: WorkflowAgent or WorkflowRPI
	Usage     spend.Totals // what its requests took
}

func (c Config) withDefaults() Config {
	c.Limits = c.Limits.WithDefaults()
	setDefault(&c.CompactAt, CompactAt)
	if c.Events == nil {
		c.Events = discard{}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = llm.Sleep
	}
	if c.Jitter == nil {
		c.Jitter = rand.Float64
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}
