package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"atelier/internal/timelimit"
	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/approvals"
	"atelier/workshop/retrieval"
	"atelier/workshop/secrets"
	"atelier/workshop/tools"
	"atelier/workshop/web"
)

// names returns those a tool goes by: in the catalogue, and everywhere.
func (r *run) names(name string) (own string, others []string) {
	if c, ok := r.cfg.Catalogue.(interface {
		Resolve(string) string
		Canonical(string) string
	}); ok {
		return c.Resolve(name), []string{c.Canonical(name)}
	}
	return name, nil
}

// mayAsk reports whether a call may have to wait for a person, so that it runs
// alone.
func (r *run) mayAsk(name string) bool {
	ctx := context.Background()
	call := approvals.Call{}
	if t, ok := r.serverTool(name); ok {
		if call.Outside = outsideOf(t, ""); r.asksServer(ctx, t.Server) {
			return true
		}
	}
	call.Tool, call.Names = r.names(name)
	return r.approvals.Concerns(ctx, call)
}

// gate makes the gate of a call, nil when no rule concerns it.
func (r *run) gate(ctx context.Context, c llm.ToolCall) (*approvals.Gate, error) {
	own, others := r.names(c.Function.Name)
	call := approvals.Call{Tool: own, Names: others, ID: c.ID}
	if t, ok := r.serverTool(c.Function.Name); ok {
		call.Outside = outsideOf(t, c.Function.Arguments)
	}
	if r.cfg.Questions != nil {
		call.Ask = r.askApproval
	}
	return r.approvals.Gate(ctx, call)
}

// pass puts the gate between a call and everything it works on.
func (r *run) pass(ctx context.Context, env *tools.Env, c llm.ToolCall) error {
	g, err := r.gate(ctx, c)
	if err != nil {
		return err
	}
	Gated(env, g)
	return nil
}

// Gated puts a gate between a call and everything it works on; a nil gate lets
// everything pass.
func Gated(env *tools.Env, g *approvals.Gate) {
	if g == nil {
		return
	}
	if env.Session != nil && env.Session.Index != nil {
		s := *env.Session
		s.Index = gatedIndex{s.Index, env.View, g, nil} // of which noting comes after
		env.Session = &s
	}
	if env.Fetch != nil {
		env.Fetch = gatedFetch{env.Fetch, g}
	}
	env.View, env.Published, env.Gate = g.View(env.View), g.View(env.Published), g
}

// Guarded keeps passages of files that Env.Guard withholds from what the index of the
// session finds.
func Guarded(env *tools.Env) {
	if s := env.Session; s != nil && s.Index != nil {
		quiet := *s
		quiet.Index = gatedIndex{s.Index, env.View, nil, env.Guard}
		env.Session = &quiet
	}
}

// gatedIndex finds passages only in files that may be read, with a nil gate and
// guard all. The index itself reads all of them, in view.
type gatedIndex struct {
	tools.Index
	view  workshop.View
	gate  *approvals.Gate
	guard *secrets.Guard
}

func (x gatedIndex) Query(ctx context.Context, _ workshop.View, query string, f retrieval.Filters) (retrieval.Result, error) {
	res, err := x.Index.Query(ctx, x.view, query, f)
	kept := res.Chunks[:0:0]
	for _, c := range res.Chunks {
		if x.guard.Check(cmp.Or(c.Path, workshop.Path(c.DocPath))) == nil && (c.Path == "" || x.gate == nil || x.gate.Read(c.Path) == nil) {
			kept = append(kept, c)
		}
	}
	if left := len(res.Chunks) - len(kept); left > 0 {
		why := "the user's rules refuse their files"
		if x.gate == nil {
			why = "their files are not given to models"
		}
		res.Note = strings.TrimSpace(fmt.Sprintf("%s %d passages were left out: %s", res.Note, left, why))
	}
	res.Chunks = kept
	return res, err
}

// gatedFetch asks before a request leaves.
type gatedFetch struct {
	under web.Fetcher
	gate  *approvals.Gate
}

func (f gatedFetch) Fetch(ctx context.Context, uri string) (*web.Response, error) {
	if err := f.gate.Whole(ctx); err != nil {
		return nil, err
	}
	return f.under.Fetch(ctx, uri)
}

// The question of an approval. A reason is given after "no:".
const (
	approvalName   = "approval"
	approvalSchema = `{"type":"string","pattern":"^(once|run|always|no(:[\\s\\S]*)?)$","maxLength":4000}`
	eventApproval  = "approval"
)

var approvalButtons = []tools.Button{
	{Label: "Once", Value: json.RawMessage(`"once"`)},
	{Label: "For this run", Value: json.RawMessage(`"run"`)},
	{Label: "Always", Value: json.RawMessage(`"always"`)},
	{Label: "No", Value: json.RawMessage(`"no"`), Variant: "danger"},
}

// askApproval puts a request to the user and records the answer.
func (r *run) askApproval(ctx context.Context, req approvals.Request) (approvals.Answer, error) {
	id := r.wb.Conversation().NewMessageID("")
	defer timelimit.Pause(ctx)() // people take their time
	answers, err := asker{r}.Ask(ctx, tools.Asking{ID: id, Approval: &req, Questions: []tools.Question{
		{Name: approvalName, Question: approvalText(req), Schema: json.RawMessage(approvalSchema), Buttons: approvalButtons}}})
	if errors.Is(err, tools.ErrNobody) {
		err = approvals.ErrNobody
	}
	if err != nil {
		return approvals.Answer{}, err
	}
	var said string
	if err := json.Unmarshal(answers[approvalName], &said); err != nil {
		return approvals.Answer{}, err
	}
	choice, reason, _ := strings.Cut(said, ":")
	a := approvals.Answer{Choice: choice, Reason: strings.TrimSpace(reason)}
	meta := map[string]any{"question_id": id, "tool": req.Tool, "tool_call_id": req.CallID, "uses": req.Uses, "answer": a.Choice}
	if a.Reason != "" {
		meta["reason"] = a.Reason
	}
	if a.Choice == approvals.Always || a.Choice == approvals.ForRun {
		meta["granted"] = req.Always
	}
	return a, r.append(workshop.Record{Type: workshop.TypeSystem, MessageID: r.wb.Conversation().NewMessageID("s-"), EventKind: eventApproval,
		CreatedAt: r.cfg.Now().UTC(), Metadata: meta})
}

// approvalText words a request. The answers stand in it for clients without
// buttons.
func approvalText(req approvals.Request) string {
	var sb strings.Builder
	what := req.Describe()
	if req.Outside != nil {
		what = outsideText(req.Outside)
	}
	fmt.Fprintf(&sb, "Allow %s?", what)
	var scopes []string
	for _, g := range req.Always {
		scopes = append(scopes, g.String())
	}
	fmt.Fprintf(&sb, " (once; run or always: %s; no, or \"no:\" and what to do instead)", strings.Join(scopes, ", "))
	return sb.String()
}
