package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"atelier/engine/consent"
	"atelier/engine/toolservers"
	"atelier/formats"
	"atelier/formats/all"
	"atelier/formats/password"
	"atelier/formats/preview"
	"atelier/internal/buildinfo"
	"atelier/llm"
	"atelier/llm/models"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/approvals"
	"atelier/workshop/doctext"
	"atelier/workshop/openfiles"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
	"atelier/workshop/tools/questions"
	"atelier/workshop/tools/servertools"
	"atelier/workshop/web"
)

// Version is the engine's version, that of the build.
var Version = buildinfo.Version()

// APIVersion is the version of the protocol (I-06).
const APIVersion = "1"

// Options configure an Engine; the zero value works.
type Options struct {
	Home    string // data folder; "" is workshop.DefaultHome
	BaseURL string // of the endpoint; "" is that of the maker of the API
	API     string // that the endpoint speaks: "chat", "anthropic", "responses"; "" is the default of the address
	APIKey  string // the environment's; comes before a key set by ProvidersSetApiKey
	// ConfigKey is the key of a settings file, used when no other key is set.
	ConfigKey string
	// Providers are more endpoints, and Models what a user knows of models,
	// which comes before the built-in table.
	Providers []Provider
	Models    []models.Rule
	// LocalServers are what ProvidersFindLocal asks; nil: the usual programs at
	// their usual ports on this machine.
	LocalServers []Provider
	Model        string // default model; "" is "pseudo" without a key, else DefaultModel
	Limits       agent.Limits
	Budget       Budget // of runs and translations that set none
	Ceiling      bool   // who calls can lower the Budget, not raise it
	// AnswerLimits bound what is taken of one answer of a model.
	AnswerLimits llm.AnswerLimits
	// Approvals are rules about what a model has to ask for, in all workbenches;
	// those of a workbench come before them.
	Approvals approvals.Policy
	// CompactAt is the percentage of a model's window at which earlier turns
	// are summarised, see agent.Config; 0 is 80.
	CompactAt int
	Log       *slog.Logger
	Told      func(what string) // what a person has to know beside results (workshop.Options.Told); nil logs it
	Now       func() time.Time  // clock; nil is time.Now
	// Fetch reads web pages for tools; nil: the network is off (C-42).
	Fetch web.Fetcher
	// FetchFreely: a run that carries no content of files may fetch without asking.
	FetchFreely bool
	ReadOnly    bool     // open workbenches for reading only
	Keys        KeyStore // where API keys are kept; nil is the system's keychain
	// HTTPClient reaches the model endpoint; nil is a plain one.
	HTTPClient *http.Client
	// Record begins the recording of each run; nil records none.
	Record RecordFunc
	// Egress is what may leave this machine: EgressAsk, EgressAllowAll or
	// EgressLocalOnly; "" asks.
	Egress string
	// Passwords open encrypted files of every workbench; those that an app gives
	// with WorkbenchGivePassword are of one.
	Passwords []string
	// Language is that of the programs with which the person opens documents, a BCP 47
	// tag; "" when it is not known.
	Language string
	// IdleAfter is how long a workbench stays open that no call uses; 0 is as
	// long as the engine lives.
	IdleAfter time.Duration
	// PrepareAfter is how long no call begins or ends before the engine does ahead what
	// the first call of a format would wait for (formats.Preparer); 0 is never.
	PrepareAfter time.Duration
	// Cluster has workers that ask models for translations that want it; nil: none can.
	Cluster Cluster
	// Address is where this process takes the commands of others, which find it
	// beside the lock of each open workbench; "": it takes none.
	Address string
	// Dial connects to the process that has a workbench open for writing. Calls on
	// that workbench then go there. nil: they fail, since it is in use.
	Dial DialFunc
	// Watch is told of what models and tools do, for figures of the process.
	Watch Watch
	// MayOpen is asked before a workbench is opened; its error is that of the call. A
	// server of a cluster opens only those that it has at work. nil: all may be opened.
	MayOpen func(workbench string) error
	// Unsynced is for a data folder whose workbenches are in a replicated log
	// (workshop.Options.Unsynced).
	Unsynced bool
}

// DefaultModel is the model used with a key when none is named.
const DefaultModel = "gpt-5"

// Engine is one running Atelier. Its methods are safe for concurrent use.
type Engine struct {
	*shared
	opt       Options
	formats   *formats.Set
	log       *slog.Logger
	models    models.Table
	clients   sync.Map // api.Client by provider id
	egress    outbound // requests leave through it
	consents  *consent.Store
	served    sync.Map // servedWindow by provider id, NUL and model
	elsewhere holders
	// passwords are what the person gave, by workbench id; protected by mu.
	passwords map[string]*password.Keeper
	base      *Engine // whose settings an engine of As replaces; nil for others
}

// shared is what engines with different settings have in common (Engine.As).
type shared struct {
	home      *workshop.Home
	texts     *doctext.Cache // of documents that are searched or read by lines
	previews  *preview.Maker
	hub       hub
	questions questions.Broker
	uploads   uploads
	servers   *toolservers.Pool // connections to other servers' tools
	prepare   preparing
	added     atomic.Pointer[[]Provider] // by ProvidersAdd; changed with mu held

	mu     sync.Mutex                 // protects the fields below
	active map[string]*openfiles.List // of sessions, by workbench id
	open   map[string]*openWorkbench  // by workbench id
	left   []*workshop.Workbench      // those for reading whose process has ended
	sweep  *time.Timer                // closes idle workbenches; nil when none is open
	// translations are the jobs at work, by id; translating counts them.
	translations map[string]*translation
	translating  sync.WaitGroup
	closing      bool           // no job and no run begins any more
	running      sync.WaitGroup // runs, and actions such as a publish
}

// openWorkbench is a workbench with what the engine adds to it.
type openWorkbench struct {
	*workshop.Workbench
	stopEvents func() // also closes the index; comes before the workbench is closed
	index      *lazyIndex
	users      int       // calls that work with it; protected by Engine.mu
	lastUse    time.Time // when the last of them ended; protected by Engine.mu

	// step has a token while another program changes the draft: one step at a time.
	step chan struct{}

	// talk is held while a message of the user is stored, and by an undo, which
	// would take one back that came while it is at work. It comes before mu.
	talk sync.Mutex

	// correcting is held while translations are corrected. It comes before mu.
	correcting sync.Mutex

	mu        sync.Mutex
	cancel    context.CancelFunc // of the run or translation in progress, nil when none
	runAfter  int64              // position of the last notification before the run in progress, 0 when none is
	approvals *approvals.Store
	others    []servertools.Tool // of other programs, as the last run had them
	// steering takes what the user says to the run in progress, nil when there
	// is none.
	steering *agent.Steering
}

// New starts an engine on its data folder.
func New(opt Options) (*Engine, error) {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Home == "" {
		dir, err := workshop.DefaultHome()
		if err != nil {
			return nil, fmt.Errorf("no data folder: %w; name one with --home or ATELIER_HOME", err)
		}
		opt.Home = dir
	}
	if err := opt.check(); err != nil {
		return nil, err
	}
	home, err := workshop.OpenHome(opt.Home, workshop.Options{Now: opt.Now, Log: opt.Log, Told: opt.Told, ReadOnly: opt.ReadOnly, Address: opt.Address, Unsynced: opt.Unsynced, Used: opt.Watch.Used})
	if err != nil {
		return nil, err
	}
	if opt.Keys == nil {
		opt.Keys = systemKeys(opt.Home)
	}
	set := opt.formats(home)
	e := &Engine{
		opt: opt,
		shared: &shared{
			home:     home,
			texts:    doctext.NewCache(set, doctext.CacheOptions{}),
			previews: preview.New(set, preview.Options{CacheDir: preview.Dir(home.CacheDir())}),
			open:     map[string]*openWorkbench{},
		},
		passwords: map[string]*password.Keeper{},
		formats:   set,
		log:       opt.Log,
		models:    models.Builtin().With(opt.Models...),
	}
	e.hub.log = opt.Log
	if opt.PrepareAfter > 0 && !opt.ReadOnly {
		e.prepare.start(opt.PrepareAfter, set.Prepare)
	}
	e.openEgress(nil)
	e.openServers()
	if err := e.loadProviders(context.Background()); err != nil {
		opt.Log.Warn("providers", "err", err)
	}
	return e, nil
}

// check reports settings that cannot be used.
func (opt *Options) check() error {
	if err := opt.checkModels(); err != nil {
		return err
	}
	if err := opt.Budget.agent().Check(); err != nil {
		return fmt.Errorf("budget: %w", err)
	}
	if err := opt.AnswerLimits.Check(); err != nil {
		return fmt.Errorf("answer_limits: %w", err)
	}
	if err := opt.Approvals.Check(); err != nil {
		return err
	}
	if err := opt.checkCompactAt(); err != nil {
		return err
	}
	return password.NewKeeper().Add(opt.Passwords...)
}

// formats returns the formats with these settings.
func (opt *Options) formats(home *workshop.Home) *formats.Set {
	return all.Formats(all.Options{CacheDir: home.CacheDir(), Timeout: opt.Limits.ToolTimeout, Language: opt.Language})
}

// workshopCatalogue returns the tools a model of the workshop gets. The first call makes
// them, which takes a third of a start: the first answer does not wait for it.
func workshopCatalogue() *tools.Catalogue { return catalogue.Workshop() }

// Home returns where the engine keeps its workbenches.
func (e *Engine) Home() *workshop.Home { return e.home }

// Formats returns every format the engine knows.
func (e *Engine) Formats() *formats.Set { return e.formats }

// Previews draws pages, and knows how to empty its cache.
func (e *Engine) Previews() *preview.Maker { return e.previews }

// Catalogue returns the tools as models and ToolCall see them.
func (e *Engine) Catalogue() *tools.Catalogue { return workshopCatalogue() }

// Close cancels running agents, waits until they have stored what they had, and
// closes the workbenches. Translation jobs are
// interrupted: the same TranslateStart continues them.
func (e *Engine) Close() error {
	e.interruptTranslations() // before cancelRun, which would cancel them for good
	e.prepare.stop()
	e.stopRuns()
	if err := e.servers.Close(); err != nil {
		e.log.Warn("programs with tools did not end well", "err", err)
	}
	e.uploads.close()
	e.elsewhere.close()
	e.mu.Lock()
	for _, wb := range e.open {
		wb.stopEvents()
		if wb.ReadOnly() && !e.opt.ReadOnly {
			wb.Close() // the home does not know it
		}
	}
	e.open = map[string]*openWorkbench{}
	for _, wb := range e.left {
		wb.Close()
	}
	e.left = nil
	if e.sweep != nil {
		e.sweep.Stop()
	}
	e.mu.Unlock()
	return errors.Join(e.home.Close(), e.egress.logs.CloseAll())
}

// Call runs one method with JSON params. The error is nil or an *ErrorInfo; an
// unknown method gives one with ErrorCode METHOD_NOT_FOUND, params that do not
// fit one with INVALID_PARAMS.
func (e *Engine) Call(ctx context.Context, method string, params json.RawMessage) (result any, err error) {
	m := lookup(method)
	if m == nil {
		return nil, &ErrorInfo{ErrorCode: CodeMethodNotFound, Detail: "unknown method: " + method}
	}
	return e.invoke(ctx, m, params)
}

// invoke is Call of one method.
func (e *Engine) invoke(ctx context.Context, m *Method, params json.RawMessage) (result any, err error) {
	id := e.forwardedID(params)
	if h := e.holderOf(id); h != nil {
		return e.forward(ctx, h, m.Name, m.Result, params)
	}
	defer func() {
		if p := recover(); p != nil {
			e.log.Error("a method panicked", "method", m.Name, "panic", p, "stack", string(debug.Stack()))
			result, err = nil, &ErrorInfo{ErrorCode: CodeFileReadFailed, Detail: "internal error in " + m.Name}
		}
	}()
	ctx, end := e.begin(e.withPasswordsOf(ctx, params))
	defer end()
	result, err = m.call(e, ctx, params)
	if err != nil && id != "" && errors.Is(err, workshop.ErrInUse) {
		var h *holder
		if h, err = e.reach(ctx, id, err); err == nil {
			return e.forward(ctx, h, m.Name, m.Result, params)
		}
	}
	if err != nil {
		return nil, toErrorInfo(ctx, err)
	}
	return result, nil
}

// workbench opens a workbench by id, or returns the open one.
func (e *Engine) workbench(ctx context.Context, id string) (*openWorkbench, error) {
	if id == "" {
		return nil, validation("workbench_id is required")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if wb := e.open[id]; wb != nil {
		return e.use(ctx, wb), nil
	}
	if err := e.mayOpen(id); err != nil {
		return nil, err
	}
	w, err := e.home.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	return e.use(ctx, e.adopt(w)), nil
}

func (e *Engine) mayOpen(id string) error {
	if e.opt.MayOpen == nil {
		return nil
	}
	return e.opt.MayOpen(id)
}

// adopt makes an open workbench the engine's own. e.mu is held.
func (e *Engine) adopt(w *workshop.Workbench) *openWorkbench {
	if wb := e.open[w.ID()]; wb != nil {
		return wb
	}
	wb := &openWorkbench{Workbench: w, lastUse: e.opt.Now(), step: make(chan struct{}, 1)}
	wb.index = &lazyIndex{wb: w, texts: e.texts}
	stop := w.Subscribe(func(ev workshop.Event) { e.relay(wb, ev) })
	dir := ""
	if !w.ReadOnly() {
		dir = e.home.StateDir(w.ID())
	}
	forget := e.hub.keep(w.ID(), dir)
	wb.stopEvents = func() { stop(); wb.index.close(); e.closeLog(w.ID()); forget(); go e.servers.CloseFolder(w.Root()) }
	e.settle(w)
	wb.approvals = approvals.NewStore(w, e.opt.Approvals)
	e.open[w.ID()] = wb
	return wb
}

// OpenFolder opens the workbench of a folder of the user's, making one when
// the folder has none yet, and returns its id. Where another process has it open
// for writing and Options.Dial reaches that, the result is for reading, and calls
// on it go to that process.
func (e *Engine) OpenFolder(ctx context.Context, dir string) (*workshop.Workbench, error) {
	w, err := e.home.OpenFolder(ctx, dir)
	if errors.Is(err, workshop.ErrInUse) && e.opt.Dial != nil {
		return e.openElsewhere(ctx, dir, err)
	}
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.adopt(w).Workbench, nil
}
