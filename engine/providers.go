package engine

import (
	"context"
	"strings"

	"atelier/llm"
	"atelier/llm/openai"
	"atelier/llm/pseudo"
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

// ValidateResult is the result of ProvidersValidate.
type ValidateResult struct {
	OK bool `json:"ok"`
}

// ModelInfo describes a model.
type ModelInfo struct {
	ModelID    string `json:"model_id"`
	ProviderID string `json:"provider_id"`
	Configured bool   `json:"configured"`
}

// ModelsResult is the result of ModelsListSupported.
type ModelsResult struct {
	Models []ModelInfo `json:"models"`
}

func providerMethods() []*Method {
	return []*Method{
		method("ProvidersGetStatus", "The providers and whether each has what it needs.", (*Engine).providersStatus),
		method("ProvidersSetApiKey", "Keeps a provider's API key in the system's keychain.", (*Engine).setAPIKey),
		method("ProvidersClearApiKey", "Forgets a provider's API key.", (*Engine).clearAPIKey),
		method("ProvidersValidate", "Asks the provider's endpoint for one word, to see whether key and address work.", (*Engine).validateProvider),
		method("ModelsListSupported", "The models that can be chosen; any other name an endpoint knows works too.", (*Engine).modelsList),
	}
}

func (e *Engine) providersStatus(context.Context, Empty) (ProvidersStatus, error) {
	key, err := e.apiKey(ProviderOpenAI)
	if err != nil {
		return ProvidersStatus{}, err
	}
	return ProvidersStatus{Providers: []ProviderStatus{
		{ProviderID: ProviderOpenAI, DisplayName: "OpenAI-compatible endpoint", Enabled: true, Models: []string{e.endpointModel()}, AuthMode: "api_key", Configured: key != "" || e.opt.BaseURL != ""},
		{ProviderID: ProviderPseudo, DisplayName: "Built-in offline model", Enabled: true, Models: []string{PseudoModel}, AuthMode: "none", Configured: true},
	}}, nil
}

func checkProvider(id string) error {
	if id != ProviderOpenAI {
		return validation("unknown provider_id: " + id + " (there is " + ProviderOpenAI + ")")
	}
	return nil
}

func (e *Engine) setAPIKey(_ context.Context, p SetAPIKeyParams) (Empty, error) {
	if err := checkProvider(p.ProviderID); err != nil {
		return Empty{}, err
	}
	key := strings.TrimSpace(p.APIKey)
	if key == "" {
		return Empty{}, validation("api_key is required")
	}
	if err := e.opt.Keys.Set(p.ProviderID, key); err != nil {
		return Empty{}, &ErrorInfo{ErrorCode: CodeFileWriteFailed, Phase: "settings", Detail: "the system's keychain did not take the key", Hint: "set OPENAI_API_KEY in the environment instead", cause: err}
	}
	return Empty{}, nil
}

func (e *Engine) clearAPIKey(_ context.Context, p ProviderRef) (Empty, error) {
	if err := checkProvider(p.ProviderID); err != nil {
		return Empty{}, err
	}
	return Empty{}, e.opt.Keys.Delete(p.ProviderID)
}

func (e *Engine) validateProvider(ctx context.Context, p ProviderRef) (ValidateResult, error) {
	if p.ProviderID == ProviderPseudo {
		return ValidateResult{OK: true}, nil
	}
	if err := checkProvider(p.ProviderID); err != nil {
		return ValidateResult{}, err
	}
	model := e.endpointModel()
	client, key, err := e.client(ctx, model)
	if err != nil {
		return ValidateResult{}, err
	}
	_, err = client.ChatWithTools(ctx, key, model, []llm.Message{{Role: llm.RoleUser, Content: "Answer with the word ok."}}, nil)
	return ValidateResult{OK: err == nil}, err
}

func (e *Engine) modelsList(context.Context, Empty) (ModelsResult, error) {
	key, err := e.apiKey(ProviderOpenAI)
	return ModelsResult{Models: []ModelInfo{
		{ModelID: e.endpointModel(), ProviderID: ProviderOpenAI, Configured: key != "" || e.opt.BaseURL != ""},
		{ModelID: PseudoModel, ProviderID: ProviderPseudo, Configured: true},
	}}, err
}

func providerOf(model string) string {
	if model == PseudoModel {
		return ProviderPseudo
	}
	return ProviderOpenAI
}

// endpointModel is the model asked of the endpoint when none is named.
func (e *Engine) endpointModel() string {
	if e.opt.Model != "" && e.opt.Model != PseudoModel {
		return e.opt.Model
	}
	return DefaultModel
}

func (e *Engine) defaultModel() string {
	if e.opt.Model != "" {
		return e.opt.Model
	}
	return DefaultModel
}

// activeModel is the workbench's own choice, else the default.
func (e *Engine) activeModel(ctx context.Context, wb *openWorkbench) (string, error) {
	m, err := wb.Setting(ctx, settingModel)
	if err == nil && m == "" {
		m = e.defaultModel()
	}
	return m, err
}

func (e *Engine) apiKey(provider string) (string, error) {
	key, err := e.opt.Keys.Get(provider)
	if err == nil && key == "" {
		key = e.opt.APIKey
	}
	return key, err
}

// Client is the model client for model and the key to use with it.
func (e *Engine) Client(ctx context.Context, model string) (llm.Client, string, error) {
	return e.client(ctx, model)
}

func (e *Engine) client(_ context.Context, model string) (llm.Client, string, error) {
	var c llm.Client
	var key string
	if model == PseudoModel {
		c = pseudo.New()
	} else {
		var err error
		if key, err = e.apiKey(ProviderOpenAI); err != nil {
			return nil, "", err
		}
		if key == "" && e.opt.BaseURL == "" {
			return nil, "", &ErrorInfo{ErrorCode: CodeNotConfigured, Phase: "workshop", ModelID: model, ProviderID: ProviderOpenAI, Actions: []string{"open_settings"},
				Detail: "no API key is set for " + model, Hint: "set OPENAI_API_KEY (and OPENAI_BASE_URL for another endpoint), or use the built-in offline model with --model " + PseudoModel}
		}
		c = openai.New(openai.Options{BaseURL: e.opt.BaseURL, HTTPClient: e.opt.HTTPClient})
	}
	return c, key, nil
}
