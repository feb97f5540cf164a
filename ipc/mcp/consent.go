package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"atelier/engine"
	"atelier/workshop"
	"atelier/workshop/tools"
)

// The answers about consent.
const (
	consentAlways = "always"
	consentNow    = "now"
	consentNo     = "no"
)

// withConsent makes a call of the engine. Where the consent to send documents to a model
// is missing, it asks the person, keeps the consent and makes the call again; nothing was
// sent before. Files may come while the person thinks: then it asks again, twice at most.
func (s *Server) withConsent(ctx context.Context, c ownCall, call func() error) error {
	for range 3 {
		err := call()
		var info *engine.ErrorInfo
		if !errors.As(err, &info) || info.ErrorCode != engine.CodeEgressConsent || info.Egress == nil {
			return err
		}
		told := *info
		told.Hint = s.opt.HowToConsent
		if !s.opt.AskConsent {
			return &told
		}
		said, err := c.askConsent(ctx, info)
		switch {
		case errors.Is(err, tools.ErrNobody):
			return &told
		case err != nil:
			return err
		case said != consentAlways && said != consentNow:
			return workshop.Faultf(workshop.Forbidden, "the user did not agree to send documents to %s at %s; nothing was sent", info.ModelID, info.Egress.Host)
		}
		_, err = engine.CallAs[engine.Empty](ctx, s.opt.Engine, "EgressGrantWorkshopConsent", engine.EgressGrantParams{WorkbenchID: c.id,
			ProviderID: info.ProviderID, ModelID: info.ModelID, ScopeHash: info.Egress.ScopeHash, Persist: said == consentAlways})
		var refused *engine.ErrorInfo
		if err != nil && (!errors.As(err, &refused) || refused.ErrorCode != engine.CodeValidationFailed) { // else the files are others now
			return err
		}
	}
	return workshop.Faultf(workshop.Conflict, "the files of the folder changed each time the user was asked; nothing was sent: try again")
}

// askConsent asks the person about what an error says would be sent. The answer counts
// for these files and this model only.
func (c ownCall) askConsent(ctx context.Context, info *engine.ErrorInfo) (string, error) {
	schema := &jsonschema.Schema{Type: "object", Required: []string{"consent"}, Properties: map[string]*jsonschema.Schema{
		"consent": {Type: "string", Title: "Send", Enum: []any{consentAlways, consentNow, consentNo}, Description: "always: from now on; now: until Atelier ends; no: nothing is sent"}}}
	about := strings.Join([]string{info.ProviderID, info.ModelID, info.Egress.ScopeHash}, "\n")
	said, ok, err := c.asker.form(ctx, about, &mcp.ElicitParams{Mode: "form", Message: consentText(info), RequestedSchema: schema})
	answer, _ := said["consent"].(string)
	if err != nil || !ok {
		return consentNo, err
	}
	return answer, nil
}

// consentText says what would be sent where.
func consentText(info *engine.ErrorInfo) string {
	where := "is not on this machine"
	if info.Egress.PassedOn {
		where = "is this machine, but passes requests on to the cloud"
	}
	lines := []string{fmt.Sprintf("Send documents to %s at %s (%s), which %s? It would be sent the text of:", info.ModelID, info.Egress.Host, info.ProviderID, where)}
	for _, p := range info.Paths {
		lines = append(lines, "- "+p)
	}
	if more := info.Egress.NewFiles - len(info.Paths); more > 0 {
		lines = append(lines, fmt.Sprintf("- and %d more files", more))
	}
	if before := info.Egress.Files - info.Egress.NewFiles; before > 0 {
		lines = append(lines, fmt.Sprintf("(%d files may be sent already.)", before))
	}
	return strings.Join(lines, "\n")
}
