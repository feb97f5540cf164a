package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"atelier/engine"
	"atelier/internal/lenient"
	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

// toolRequest is the body of POST …/tools (H-03, H-04).
type toolRequest struct {
	Tool      *string         `json:"tool"`
	Args      json.RawMessage `json:"args"`
	PlanMode  lenient.Bool    `json:"plan_mode"`
	Catalogue string          `json:"catalogue"` // "" is the one served
}

// callTool is POST …/tools.
func (s *Server) callTool(w http.ResponseWriter, r *http.Request, c caller) error {
	var req toolRequest
	if err := readBody(w, r, &req, false); err != nil {
		return err
	}
	if req.Tool == nil {
		return invalid("missing field `tool`")
	}
	payloads, err := s.checkCall(&req)
	if err != nil {
		return err
	}
	noteTool(r, *req.Tool)
	leave, err := s.calls.take(r.Context(), w)
	if err != nil {
		return err
	}
	defer leave()
	result, fault := s.opt.Tools.Call(r.Context(), engine.LiveCall{
		Workspace: c.Access.WorkspaceID, User: c.User.ID, Tool: *req.Tool, Args: req.Args, PlanMode: bool(req.PlanMode), Catalogue: req.Catalogue})
	if fault != nil {
		p := toolProblem(fault)
		if info := (*engine.ErrorInfo)(nil); errors.As(fault, &info) {
			p = fetchProblem(c.Access.WorkspaceID, info)
		}
		if payloads && result != nil {
			p.Result = result
		}
		return p
	}
	return writeResult(w, result)
}

// fetchProblem is the error of a tool that may not fetch a page, with the
// consent that the owner of the workspace can post.
func fetchProblem(workspace string, info *engine.ErrorInfo) *problem {
	p := fromErrorInfo(info)
	if info.ErrorCode == engine.CodeEgressConsent && info.Egress != nil {
		p.Consent = &neededConsent{info.ProviderID, info.ModelID, info.Egress.ScopeHash}
		p.Message += " (the owner of the workspace can allow it: POST /api/v1/workspaces/" + workspace + "/consents with the members of `consent`)"
	}
	p.Success, p.Paths = new(bool), nil
	return p
}

// checkCall checks the parts of a call that do not need the tool. payloads
// reports that errors have a payload in the catalogue's form, created by the
// tool: the tool then checks the arguments (TUL-001).
func (s *Server) checkCall(req *toolRequest) (payloads bool, err error) {
	list, name := s.tools, *req.Tool
	if req.Catalogue != "" {
		c, err := catalogue.Named(req.Catalogue)
		if err != nil {
			return false, toolProblem(workshop.Faultf(workshop.Invalid, "%v", err).OnField("catalogue"))
		}
		list, name, payloads = needingArguments(c.Tools()), c.Resolve(*req.Tool), c.HasPayloads()
	}
	needsArgs, ok := list[name]
	switch {
	case !absent(req.Args) && !isObject(req.Args) && !payloads:
		return payloads, invalid("invalid type for `args`: expected an object")
	case !ok:
		return payloads, fail(http.StatusNotFound, codeNotFound, fmt.Sprintf("Tool '%s' not found", *req.Tool))
	case absent(req.Args) && needsArgs && !payloads:
		return payloads, invalid("missing field `args`")
	case absent(req.Args):
		req.Args = json.RawMessage("{}")
	}
	return payloads, nil
}

// toolProblem converts a tool's fault: like any error, and with success:false
// (C-09). Malformed arguments are described in the error itself, not in
// fields (H-11).
func toolProblem(f *workshop.Fault) *problem {
	if tools.Malformed(f) {
		plain := *f
		plain.Field = ""
		f = &plain
	}
	p := fromFault(f)
	if f.Hint != "" && p.Fields == nil && p.status < 500 {
		p.Message += " (" + f.Hint + ")"
	}
	p.Success, p.Paths = new(bool), nil // the message names the path
	return p
}

// needingArguments maps names of tools to whether they need arguments.
func needingArguments(list []llm.Tool) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, t := range list {
		out[t.Function.Name] = needsArguments(t)
	}
	return out
}

// needsArguments reports whether a tool has a required argument.
func needsArguments(t llm.Tool) bool {
	var schema struct {
		Required []string `json:"required"`
	}
	return json.Unmarshal(t.Function.Parameters, &schema) == nil && len(schema.Required) > 0
}
