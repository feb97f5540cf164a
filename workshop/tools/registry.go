package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"

	"github.com/google/jsonschema-go/jsonschema"

	"atelier/formats"
	"atelier/formats/preview"
	"atelier/workshop"
	"atelier/workshop/doctext"
	"atelier/workshop/secrets"
	"atelier/workshop/skills"
	"atelier/workshop/tools/virtual"
	"atelier/workshop/web"
)

// Effect says what a tool can do beyond answering.
type Effect string

// The effects. Tools that only read may run side by side.
const (
	Read     Effect = "read"
	Write    Effect = "write"
	Interact Effect = "interact"
)

// DefaultResultMax is the most a tool result gives a model, in bytes (W-18).
const DefaultResultMax = 16 << 10

// Env is what a call works on.
type Env struct {
	View    workshop.View
	Formats *formats.Set
	// Session is the conversation the call belongs to; nil when it has none.
	Session *Session
	// Asker puts questions to the user and waits; nil: nobody can be asked (M-14).
	Asker Asker
	// Post puts questions to the user without waiting, for clients whose calls
	// do not wait; only used without an Asker.
	Post func(ctx context.Context, a Asking) error
	// NewID makes ids of questions; nil makes UUIDv7s.
	NewID func() string
	// Fetch gets what is behind http(s) and sila addresses; nil refuses, since
	// the network is off unless it is turned on (C-42).
	Fetch web.Fetcher
	// Recall returns the whole result of an earlier call, for
	// recall_tool_result; nil without a log.
	Recall func(ctx context.Context, entryID int64) (string, error)
	// LogResult keeps the whole of a result that is about to be shortened and
	// returns the number to recall it by; nil without a log.
	LogResult func(ctx context.Context, tool, args, full string, success bool) (int64, error)
	// ResultMax bounds Result.Text in bytes; 0 is DefaultResultMax.
	ResultMax int
	// Texts keeps the text of documents that are read or searched by lines; nil:
	// it is extracted again each time.
	Texts *doctext.Cache
	// Virtual gives the virtual files, for catalogues that show them
	// (Style.Virtual); nil when there are none.
	Virtual func() ([]virtual.File, error)
	// Gate decides whether a call is made and whether its result is told; nil
	// lets everything pass.
	Gate Gate
	// Guard keeps files from a model; nil, as for a person's own calls, keeps
	// none. Call lays it over View.
	Guard *secrets.Guard
	// Published is the folder without the draft, narrowed as View is; nil: there is no
	// other side to look at.
	Published workshop.View
	// Skills are what read_skill reads; nil: those of the program.
	Skills skills.List
	// Pages draws pages of documents; nil: they cannot be drawn.
	Pages *preview.Maker
	// Sees: the model takes images.
	Sees bool
	// Author is who comments and tracked changes are attributed to; "" leaves
	// it to the format.
	Author string
	// Mode is ModePlan or ModeBuild; "" is ModeBuild.
	Mode string

	unchanged *bool // of the call; Call sets it
}

// ChangedNothing says that the call succeeds without a change of any file.
func (e *Env) ChangedNothing() {
	if e.unchanged != nil {
		*e.unchanged = true
	}
}

// Document returns the whole text of an open document, as searching sees it too.
func (e *Env) Document(ctx context.Context, src formats.Source) (doctext.Doc, error) {
	if e.Texts != nil {
		return e.Texts.Document(ctx, src)
	}
	return doctext.Document(ctx, e.Formats, src)
}

// Max returns the most bytes a result may have.
func (e *Env) Max() int {
	if e.ResultMax > 0 {
		return e.ResultMax
	}
	return DefaultResultMax
}

// Tool is one thing that can be done, whoever asks for it: a name, what it can
// do, and a function over typed arguments. Make it with New.
type Tool struct {
	Name        string // canonical
	Description string
	Effect      Effect
	Schema      *jsonschema.Schema // of the arguments
	guarded     bool               // knows what plan mode allows
	idempotent  bool
	gives       reflect.Type // of a result that is an object, nil where it has several forms
	takes       reflect.Type // what arguments are decoded into
	decode      func(json.RawMessage) (any, error)
	run         func(context.Context, *Env, any) (any, error)
}

// New makes a tool from a function over typed arguments. A is a struct; its
// json tags name the arguments, its jsonschema tags describe them, and fields
// without omitempty are required. The function returns text (a string) or a
// value that is given as compact JSON; errors should be *workshop.Fault or
// *formats.Error. It panics when A has no schema: that is a programming error.
func New[A any](name, description string, effect Effect, fn func(context.Context, *Env, A) (any, error)) *Tool {
	schema := mustSchema[A](name)
	t := &Tool{Name: name, Description: description, Effect: effect, Schema: schema, takes: reflect.TypeFor[A]()}
	t.decode = func(raw json.RawMessage) (any, error) {
		var a A
		err := decode(raw, t.Schema, &a)
		return a, err
	}
	t.run = func(ctx context.Context, env *Env, a any) (any, error) { return fn(ctx, env, a.(A)) }
	return t
}

// Gives says that the results of a tool are objects of a struct, so that clients can be
// told their schema.
func (t *Tool) Gives(result reflect.Type) *Tool {
	t.gives = result
	return t
}

// Idempotent marks a tool that writes and whose second call with the same arguments
// changes nothing more.
func (t *Tool) Idempotent() *Tool {
	t.idempotent = true
	return t
}

// IsIdempotent reports whether a second call with the same arguments changes nothing
// more: a tool that only reads, or one that says so.
func (t *Tool) IsIdempotent() bool { return t.idempotent || t.Effect == Read }

func mustSchema[A any](name string) *jsonschema.Schema {
	schema, err := SchemaOf(reflect.TypeFor[A]())
	if err != nil {
		panic(fmt.Sprintf("tools: %s: %v", name, err))
	}
	return schema
}

// Registry holds every tool once, by canonical name.
type Registry struct{ byName map[string]*Tool }

// NewRegistry makes an empty one.
func NewRegistry() *Registry { return &Registry{byName: map[string]*Tool{}} }

// Register adds a tool; a name that is taken is an error.
func (r *Registry) Register(t *Tool) error {
	if r.byName[t.Name] != nil {
		return fmt.Errorf("the tool %s is registered twice", t.Name)
	}
	r.byName[t.Name] = t
	return nil
}

// Lookup finds a tool; a NotFound fault when there is none.
func (r *Registry) Lookup(name string) (*Tool, error) {
	if t := r.byName[name]; t != nil {
		return t, nil
	}
	return nil, workshop.Unknownf("unknown tool: %s", name)
}

// Names lists the tools by name.
func (r *Registry) Names() []string {
	names := make([]string, 0, len(r.byName))
	for n := range r.byName {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
