package engine

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"unicode"

	"atelier/engine/egress"
	"atelier/llm"
	"atelier/llm/api"
)

// PseudoModel is the id of the built-in offline model.
const PseudoModel = "pseudo"

// The providers there are.
const (
	ProviderOpenAI = "openai" // any OpenAI-compatible endpoint
	ProviderPseudo = "pseudo" // built in, offline
)

// ProviderStatus describes one provider.
type ProviderStatus struct {
	ProviderID  string   `json:"provider_id"`
	DisplayName string   `json:"display_name"`
	Enabled     bool     `json:"enabled"`
	Models      []string `json:"models"`
	AuthMode    string   `json:"auth_mode"` // "api_key" or "none"
	Configured  bool     `json:"configured"`
	KeySource   string   `json:"key_source,omitempty"` // "environment", "stored" or "config"; "" when there is no key
	BaseURL     string   `json:"base_url,omitempty"`
	API         string   `json:"api,omitempty"`   // that its endpoint speaks
	Efforts     Efforts  `json:"rpi_reasoning"`   // of the phases; "" is the model's own
	Added       bool     `json:"added,omitempty"` // by ProvidersAdd: ProvidersRemove forgets it
}

// ProvidersStatus is the result of ProvidersGetStatus.
type ProvidersStatus struct {
	Providers []ProviderStatus `json:"providers"`
}

// SetAPIKeyParams are the params of ProvidersSetApiKey.
type SetAPIKeyParams struct {
	ProviderID string `json:"provider_id"`
	APIKey     string `json:"api_key"`
}

// ProviderRef names a provider.
type ProviderRef struct {
	ProviderID string `json:"provider_id"`
}

// ValidateParams are the params of ProvidersValidate.
type ValidateParams struct {
	ProviderID string `json:"provider_id"`
	ModelID    string `json:"model_id,omitempty"` // the model to ask; default: the provider's first
}

// ValidateResult is the result of ProvidersValidate.
type ValidateResult struct {
	OK      bool   `json:"ok"`
	ModelID string `json:"model_id,omitempty"` // that answered; "" when only the list of models was asked for
}

func providerMethods() []*Method {
	return []*Method{
		method("ProvidersGetStatus", "The providers and whether each has what it needs.", (*Engine).providersStatus),
		method("ProvidersSetApiKey", "Keeps a provider's API key in the system's keychain, or an encrypted file where there is none.", (*Engine).setAPIKey),
		method("ProvidersClearApiKey", "Forgets a provider's stored API key.", (*Engine).clearAPIKey),
		method("ProvidersValidate", "Asks the provider's endpoint for one word, to see whether key and address work.", (*Engine).validateProvider),
		method("ProvidersAdd", "Keeps an endpoint as a provider, or changes one that was added; its key is set with ProvidersSetApiKey.", (*Engine).addProvider),
		method("ProvidersRemove", "Forgets a provider that was added, with its stored key.", (*Engine).removeProvider),
		method("ProvidersFindLocal", "Asks the usual ports of this machine for servers of models: Ollama, LM Studio, llama.cpp, vLLM.", (*Engine).findLocal),
		method("ProvidersSetEnabled", "Switches a provider off, so that nothing asks it, or on again.", (*Engine).setEnabled),
		method("ProvidersSetReasoningEffort", "Sets the reasoning effort of the phases of a run in phases; a model gets the nearest it takes.", (*Engine).setEffort),
		method("UserGetDefaultModel", "The model of workbenches without one of their own.", (*Engine).getUserModel),
		method("UserSetDefaultModel", "Sets it; an empty one is the built-in default again.", (*Engine).setUserModel),
		method("WorkbenchGetDefaultModel", "The model of a workbench while none is chosen with WorkshopSetActiveModel.", (*Engine).getWorkbenchModel),
		method("WorkbenchSetDefaultModel", "Sets it; an empty one is the user's default again.", (*Engine).setWorkbenchModel),
		method("ModelsListSupported", "The models that are set up; any other name an endpoint knows works too.", (*Engine).modelsSetUp),
		method("ModelsList", "The models the providers' endpoints offer, with what is known of each.", (*Engine).modelsList),
		method("ModelsGetCapabilities", "What is known of a model.", (*Engine).modelCapabilities),
		method("ModelsProbe", "Tries out what a model at its endpoint can do, with a handful of short requests, and proposes a settings entry.", (*Engine).probeModel),
	}
}

func (e *Engine) providersStatus(ctx context.Context, _ Empty) (ProvidersStatus, error) {
	var r ProvidersStatus
	for _, p := range e.endpoints() {
		_, source, err := e.apiKey(p)
		if err != nil {
			return ProvidersStatus{}, err
		}
		set, err := e.providerSettings(ctx, p.ID)
		if err != nil {
			return ProvidersStatus{}, err
		}
		r.Providers = append(r.Providers, ProviderStatus{ProviderID: p.ID, DisplayName: p.DisplayName, Enabled: !set.Disabled, Efforts: set.Efforts, Models: orEmpty(p.Models),
			AuthMode: "api_key", Configured: source != "" || p.BaseURL != "", KeySource: source, BaseURL: withoutSecrets(p.BaseURL), API: api.Of(p.API, p.BaseURL), Added: e.wasAdded(p.ID)})
	}
	r.Providers = append(r.Providers, ProviderStatus{ProviderID: ProviderPseudo, DisplayName: "Built-in offline model", Enabled: true,
		Models: []string{PseudoModel}, AuthMode: "none", Configured: true})
	return r, nil
}

// endpoints returns the providers that are asked over a network.
func (e *Engine) endpoints() []Provider {
	list := []Provider{e.defaultProvider()}
	for _, p := range e.providers() {
		if p.DisplayName == "" {
			p.DisplayName = p.ID
		}
		list = append(list, p)
	}
	return list
}

// withoutSecrets returns an address without what may hold a key.
func withoutSecrets(address string) string {
	u, err := parseAddress(address)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	if !strings.Contains(address, "://") {
		return strings.TrimPrefix(u.String(), "http://")
	}
	return u.String()
}

// parseAddress also takes addresses without a scheme (localhost:11434).
func parseAddress(s string) (*url.URL, error) {
	if s = strings.TrimSpace(s); s != "" && !strings.Contains(s, "://") {
		s = "http://" + s
	}
	return url.Parse(s)
}

func (e *Engine) checkProvider(id string) (Provider, error) {
	p, ok := e.provider(id)
	if !ok {
		var ids []string
		for _, p := range e.endpoints() {
			ids = append(ids, p.ID)
		}
		return p, validation("unknown provider_id: " + id + " (there is " + strings.Join(ids, ", ") + ")")
	}
	return p, nil
}

func (e *Engine) setAPIKey(_ context.Context, p SetAPIKeyParams) (Empty, error) {
	if _, err := e.checkProvider(p.ProviderID); err != nil {
		return Empty{}, err
	}
	key := strings.TrimSpace(p.APIKey)
	if key == "" {
		return Empty{}, validation("api_key is required")
	}
	if strings.ContainsFunc(key, unicode.IsControl) {
		return Empty{}, validation("api_key must be one line without control characters")
	}
	err := e.opt.Keys.Set(p.ProviderID, key)
	if info := (*ErrorInfo)(nil); err != nil && !errors.As(err, &info) {
		err = &ErrorInfo{ErrorCode: CodeFileWriteFailed, Phase: "settings", Detail: "the key could not be stored", Hint: "set it in the environment instead (OPENAI_API_KEY)", cause: err}
	}
	return Empty{}, err
}

func (e *Engine) clearAPIKey(_ context.Context, p ProviderRef) (Empty, error) {
	if _, err := e.checkProvider(p.ProviderID); err != nil {
		return Empty{}, err
	}
	return Empty{}, e.opt.Keys.Delete(p.ProviderID)
}

func (e *Engine) validateProvider(ctx context.Context, p ValidateParams) (ValidateResult, error) {
	if p.ProviderID == ProviderPseudo {
		return ValidateResult{OK: true, ModelID: PseudoModel}, nil
	}
	prov, err := e.checkProvider(p.ProviderID)
	if err != nil {
		return ValidateResult{}, err
	}
	model := strings.TrimPrefix(p.ModelID, prov.ID+":")
	if model == "" && len(prov.Models) > 0 {
		model = prov.Models[0]
	}
	client, key, err := e.client(ctx, e.resolve(prov.ID+":"+model))
	if err != nil {
		return ValidateResult{}, err
	}
	ctx = e.toProvider(ctx, prov, egress.KindValidate, model)
	if model == "" {
		_, err = e.endpoint(prov).Models(ctx, key)
	} else {
		_, err = client.Chat(ctx, llm.Request{Key: key, Model: model, Messages: []llm.Message{{Role: llm.RoleUser, Content: "Answer with the word ok."}}})
	}
	return ValidateResult{OK: err == nil, ModelID: model}, err
}

// endpointModel returns the model asked of the endpoint when none is named.
func (e *Engine) endpointModel() string {
	if e.opt.Model != "" && e.opt.Model != PseudoModel {
		return e.opt.Model
	}
	return DefaultModel
}

// activeModel returns the model chosen for the workbench, else its default.
func (e *Engine) activeModel(ctx context.Context, wb *openWorkbench) (string, error) {
	m, err := wb.Setting(ctx, settingModel)
	if err == nil && m == "" {
		return e.workbenchModel(ctx, wb)
	}
	return m, err
}
