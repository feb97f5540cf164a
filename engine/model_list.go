package engine

import (
	"context"
	"slices"
	"sync"

	"atelier/llm/endpoint"

	"atelier/engine/egress"
	"atelier/llm/models"
	"atelier/llm/probe"
)

// ModelInfo describes a model. Numbers are 0 when nobody says.
type ModelInfo struct {
	ModelID    string `json:"model_id"` // what WorkshopSetActiveModel takes
	ProviderID string `json:"provider_id"`
	Configured bool   `json:"configured"`

	ContextTokens   int    `json:"context_tokens,omitempty"`
	MaxOutputTokens int    `json:"max_output_tokens,omitempty"`
	ReasoningEffort string `json:"reasoning_effort,omitempty"`
	// ReasoningEfforts are those the model takes, if that is known.
	ReasoningEfforts []string `json:"reasoning_efforts,omitempty"`
	// Price is what the settings say of it; absent when it is not known.
	Price *models.Price `json:"price,omitempty"`
}

// ModelsListParams are the params of ModelsList.
type ModelsListParams struct {
	ProviderID string `json:"provider_id,omitempty"` // default: all that are configured
}

// ProviderFailure is why a provider's models could not be listed.
type ProviderFailure struct {
	ProviderID string     `json:"provider_id"`
	Error      *ErrorInfo `json:"error"`
}

// ModelsResult is the result of ModelsListSupported and ModelsList. A provider
// that cannot be asked does not hide the others.
type ModelsResult struct {
	Models []ModelInfo       `json:"models"`
	Failed []ProviderFailure `json:"failed,omitempty"`
}

// ModelRef names a model.
type ModelRef struct {
	ModelID string `json:"model_id"`
}

// ModelCapabilities is the result of ModelsGetCapabilities.
type ModelCapabilities struct {
	ModelInfo
	SupportsFileRead  bool `json:"supports_file_read"`
	SupportsFileWrite bool `json:"supports_file_write"`
	CanBeSecondary    bool `json:"can_be_secondary"`
}

// describe returns what the settings say of a model.
func (e *Engine) describe(p Provider, name string, configured bool) ModelInfo {
	s := e.endpoint(p).Settings(name)
	id := name
	if p.ID != ProviderOpenAI {
		id = p.ID + ":" + name
	}
	return ModelInfo{ModelID: id, ProviderID: p.ID, Configured: configured, ContextTokens: s.Window, MaxOutputTokens: s.MaxOutput, ReasoningEffort: s.Effort, ReasoningEfforts: s.Efforts.List(), Price: s.Price}
}

func pseudoInfo() ModelInfo {
	return ModelInfo{ModelID: PseudoModel, ProviderID: ProviderPseudo, Configured: true}
}

func (e *Engine) modelsSetUp(ctx context.Context, _ Empty) (ModelsResult, error) {
	var r ModelsResult
	for _, p := range e.endpoints() {
		_, source, err := e.apiKey(p)
		if err != nil {
			return ModelsResult{}, err
		}
		set, err := e.providerSettings(ctx, p.ID)
		if err != nil {
			return ModelsResult{}, err
		}
		if set.Disabled {
			continue
		}
		for _, m := range p.Models {
			r.Models = append(r.Models, e.describe(p, m, source != "" || p.BaseURL != ""))
		}
	}
	r.Models = append(r.Models, pseudoInfo())
	return r, nil
}

// modelsList asks the endpoints side by side.
func (e *Engine) modelsList(ctx context.Context, q ModelsListParams) (ModelsResult, error) {
	list := e.endpoints()
	if q.ProviderID != "" && q.ProviderID != ProviderPseudo {
		p, err := e.checkProvider(q.ProviderID)
		if err != nil {
			return ModelsResult{}, err
		}
		list = []Provider{p}
	}
	if q.ProviderID == ProviderPseudo {
		list = nil
	}
	parts := make([]ModelsResult, len(list))
	var wg sync.WaitGroup
	for i, p := range list {
		wg.Go(func() { parts[i] = e.listOf(ctx, p, q.ProviderID != "") })
	}
	wg.Wait()
	r := ModelsResult{Models: []ModelInfo{}}
	for _, part := range parts {
		r.Models = append(r.Models, part.Models...)
		r.Failed = append(r.Failed, part.Failed...)
	}
	if q.ProviderID == "" || q.ProviderID == ProviderPseudo {
		r.Models = append(r.Models, pseudoInfo())
	}
	return r, nil
}

// listOf returns what p offers and what is set up for it. The default endpoint
// without key and address is not asked unless it is named.
func (e *Engine) listOf(ctx context.Context, p Provider, named bool) (r ModelsResult) {
	key, source, err := e.apiKey(p)
	configured := source != "" || p.BaseURL != ""
	if off := e.usable(ctx, "", p); off != nil {
		if named {
			r.Failed = []ProviderFailure{{p.ID, toErrorInfo(ctx, off)}}
		}
		return r
	}
	if !configured && !named {
		return r
	}
	var offered []endpoint.Listed
	switch {
	case err != nil:
	case !configured:
		_, _, err = e.client(ctx, e.resolve(p.ID+":"+p.Models[0])) // says what is missing
	default:
		offered, err = e.endpoint(p).Models(e.toProvider(ctx, p, egress.KindModels, ""), key)
	}
	if err != nil {
		info := *toErrorInfo(ctx, err)
		info.ProviderID = p.ID
		r.Failed = []ProviderFailure{{p.ID, &info}}
	}
	for _, o := range offered {
		r.Models = append(r.Models, e.describeOffered(p, o, configured))
	}
	for _, name := range p.Models {
		if !slices.ContainsFunc(offered, func(o endpoint.Listed) bool { return o.ID == name }) {
			r.Models = append(r.Models, e.describe(p, name, configured))
		}
	}
	return r
}

// describeOffered returns what the settings and the endpoint say of a model.
func (e *Engine) describeOffered(p Provider, o endpoint.Listed, configured bool) ModelInfo {
	m := e.describe(p, o.ID, configured)
	if o.Window > 0 && !e.userSays(p, o.ID) { // the endpoint knows how it was started
		m.ContextTokens = o.Window
	}
	if o.MaxOutput > 0 {
		m.MaxOutputTokens = o.MaxOutput
	}
	return m
}

// userSays reports whether a rule of the user's own gives the window.
func (e *Engine) userSays(p Provider, model string) bool {
	return e.endpoint(p).SettingsIn(models.Table{}.With(e.opt.Models...), model).Window > 0
}

func (e *Engine) modelCapabilities(_ context.Context, q ModelRef) (ModelCapabilities, error) {
	if q.ModelID == "" {
		return ModelCapabilities{}, validation("model_id is required")
	}
	r := ModelCapabilities{ModelInfo: pseudoInfo(), SupportsFileRead: true, SupportsFileWrite: true}
	if q.ModelID == PseudoModel {
		return r, nil
	}
	p, name := e.providerOf(q.ModelID)
	_, source, err := e.apiKey(p)
	r.ModelInfo = e.describe(p, name, source != "" || p.BaseURL != "")
	return r, err
}

// ModelsProbeParams are the params of ModelsProbe.
type ModelsProbeParams struct {
	ModelID  string `json:"model_id"`
	Overflow bool   `json:"overflow,omitempty"` // also send a request longer than the window, which may cost money
}

// probeModel sends a handful of short requests.
func (e *Engine) probeModel(ctx context.Context, q ModelsProbeParams) (probe.Report, error) {
	switch q.ModelID {
	case "":
		return probe.Report{}, validation("model_id is required")
	case PseudoModel:
		return probe.Report{Checks: []probe.Check{{Name: "reachable", Status: probe.OK, Detail: "built in"}}}, nil
	}
	m := e.resolve(q.ModelID)
	_, key, err := e.client(ctx, m)
	if err != nil {
		return probe.Report{}, err
	}
	r := probe.Run(e.toProvider(ctx, m.provider, egress.KindProbe, m.name), probe.Options{Endpoint: e.endpointOptions(m.provider), Key: key, Model: m.name, Overflow: q.Overflow})
	return r, ctx.Err()
}
