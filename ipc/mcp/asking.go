package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/workshop"
	"atelier/workshop/approvals"
	"atelier/workshop/tools"
	"atelier/workshop/tools/questions"
)

// asker puts the questions of one call to the person at the client (elicitation). In
// stateless revisions a call that needs an answer ends with the question, and the client
// makes it again with the answer; a call that failed has changed nothing, so it can.
type asker struct {
	req     *mcp.CallToolRequest
	old     bool                         // the client answers requests
	answers map[string]*mcp.ElicitResult // of this call and of the calls before it
	needs   mcp.InputRequestMap          // what the client has to answer first
	closed  bool                         // the last form was closed without a choice
}

// maxState bounds the answers that a client carries from call to call.
const maxState = 64 << 10

func newAsker(req *mcp.CallToolRequest) (*asker, error) {
	a := &asker{req: req, old: req.ProtocolVersion() < stateless, answers: map[string]*mcp.ElicitResult{}}
	if state := req.Params.RequestState; state != "" {
		if len(state) > maxState || json.Unmarshal([]byte(state), &a.answers) != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestState is not what this server gave"}
		}
	}
	for key, r := range req.Params.InputResponses {
		if said, ok := r.(*mcp.ElicitResult); ok {
			a.answers[key] = said
		}
	}
	maps.DeleteFunc(a.answers, func(_ string, r *mcp.ElicitResult) bool { return r == nil })
	return a, nil
}

// elicits reports whether a client shows forms to the person. One that names no mode
// shows forms (2025-06-18).
func elicits(c *mcp.ClientCapabilities) bool {
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// orNil returns the asker where somebody can be asked.
func (a *asker) orNil() tools.Asker {
	if !elicits(a.req.ClientCapabilities()) {
		return nil
	}
	return a
}

// result returns what the client has to answer before the call can be made, nil for
// nothing.
func (a *asker) result() *mcp.CallToolResult {
	if len(a.needs) == 0 {
		return nil
	}
	state, err := json.Marshal(a.answers)
	if err != nil || len(state) > maxState {
		state = []byte("{}")
	}
	return &mcp.CallToolResult{InputRequests: a.needs, RequestState: string(state)}
}

// errNeedsInput ends a call that the client makes again with the answer.
var errNeedsInput = errors.New("the call waits for an answer of the user")

// form puts a form to the person. An answer counts for the same form about the same state
// only, which about names. accepted is false when the person declined.
func (a *asker) form(ctx context.Context, about string, p *mcp.ElicitParams) (said map[string]any, accepted bool, err error) {
	if !elicits(a.req.ClientCapabilities()) {
		return nil, false, tools.ErrNobody
	}
	b, err := json.Marshal(p)
	if err != nil {
		return nil, false, err
	}
	sum := sha256.Sum256(append(b, about...))
	key := "ask-" + hex.EncodeToString(sum[:8])
	r := a.answers[key]
	switch {
	case r != nil:
	case a.old:
		if r, err = a.req.Session.Elicit(ctx, p); err != nil {
			return nil, false, fmt.Errorf("the user could not be asked: %w", err)
		}
	default:
		a.needs = mcp.InputRequestMap{key: p}
		return nil, false, errNeedsInput
	}
	a.closed = r.Action == "cancel"
	return r.Content, r.Action == "accept", nil
}

// refusal says in words that the person did not agree to something. Programs without a
// person at them close each form, or decline it.
func (a *asker) refusal(to string) string {
	if a.closed {
		return "The question to the user was closed without an answer: the user may not have seen it."
	}
	return "The user did not agree to " + to + ", or the program answered without the user."
}

// Ask implements tools.Asker.
func (a *asker) Ask(ctx context.Context, q tools.Asking) (tools.Answers, error) {
	schema := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}}
	var message []string
	asText := map[string]bool{}
	for _, one := range q.Questions {
		p, text := propertyOf(one, a.req.ProtocolVersion())
		schema.Properties[one.Name], asText[one.Name] = p, text
		schema.Required = append(schema.Required, one.Name)
		schema.PropertyOrder = append(schema.PropertyOrder, one.Name)
		message = append(message, one.Question)
	}
	said, ok, err := a.form(ctx, "", &mcp.ElicitParams{Mode: "form", Message: strings.Join(message, "\n"), RequestedSchema: schema})
	if err != nil {
		return nil, err
	}
	if !ok {
		if q.Approval != nil {
			return tools.Answers{q.Questions[0].Name: json.RawMessage(`"` + approvals.No + `"`)}, nil
		}
		return nil, workshop.Faultf(workshop.Forbidden, "the user did not answer; continue without the answer, or ask something else")
	}
	out := tools.Answers{}
	for _, one := range q.Questions {
		v, err := json.Marshal(said[one.Name])
		if err != nil {
			return nil, err
		}
		var text string
		if asText[one.Name] && json.Unmarshal(v, &text) == nil && json.Valid([]byte(text)) {
			v = []byte(text)
		}
		if err := questions.Fits(one, v); err != nil {
			return nil, err
		}
		out[one.Name] = v
	}
	return out, nil
}

// propertyOf returns a question as a member of a form, which has only simple ones
// (2025-06-18); asText says that the person types another one as JSON.
func propertyOf(q tools.Question, version string) (p *jsonschema.Schema, asText bool) {
	var s jsonschema.Schema
	if err := json.Unmarshal(q.Schema, &s); err != nil {
		s = jsonschema.Schema{}
	}
	p = &jsonschema.Schema{Type: s.Type, Title: s.Title, Description: q.Question}
	if p.Title == "" {
		p.Title = titleOf(q.Name)
	}
	if choices := buttonsOf(q); choices != "" {
		p.Description += " (" + choices + ")"
	}
	switch {
	case s.Type == "string":
		p.Enum, p.MinLength, p.MaxLength = strs(s.Enum), s.MinLength, s.MaxLength
		switch s.Format {
		case "email", "uri", "date", "date-time":
			p.Format = s.Format
		}
		return p, false
	case s.Type == "boolean":
		return p, false
	case (s.Type == "integer" || s.Type == "number") && len(s.Enum) == 0:
		p.Minimum, p.Maximum = s.Minimum, s.Maximum
		return p, false
	case s.Type == "array" && s.Items != nil && len(strs(s.Items.Enum)) > 0 && version >= "2025-11-25":
		p.Items = &jsonschema.Schema{Type: "string", Enum: s.Items.Enum}
		p.MinItems, p.MaxItems = s.MinItems, s.MaxItems
		return p, false
	}
	p.Type = "string"
	p.Description += " (as JSON that fits " + string(q.Schema) + ")"
	return p, true
}

// strs returns an enum if all its members are strings.
func strs(enum []any) []any {
	for _, v := range enum {
		if _, ok := v.(string); !ok {
			return nil
		}
	}
	return enum
}

func buttonsOf(q tools.Question) string {
	var out []string
	for _, b := range q.Buttons {
		out = append(out, b.Label+": "+string(b.Value))
	}
	return strings.Join(out, ", ")
}
