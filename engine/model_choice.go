package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"atelier/internal/lazyregexp"
	"atelier/llm/endpoint"

	"atelier/llm"
	"atelier/llm/api"
	"atelier/llm/models"
	"atelier/llm/pseudo"
)

// Provider is one more endpoint beside the default one. Its models are named
// "ID:model" ("local:qwen3:8b"); those in Models also by their bare names.
type Provider struct {
	ID          string            // letters, digits, - and _; not "openai" or "pseudo"
	DisplayName string            // "" is ID
	BaseURL     string            // of the endpoint; required
	APIKey      string            // of the environment; comes before a stored key
	ConfigKey   string            // used when there is no other
	Headers     map[string]string // that its gateway wants with every request
	Models      []string
	API         string // "chat", "anthropic", "responses"; "": the default of the address
}

var providerID = lazyregexp.New(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// checkModels checks the providers and rules of o.
func (o *Options) checkModels() error {
	seen := map[string]bool{ProviderOpenAI: true, ProviderPseudo: true, ProviderWeb: true}
	for _, p := range o.Providers {
		u, err := parseAddress(p.BaseURL)
		switch {
		case !providerID.MatchString(p.ID):
			return fmt.Errorf("the provider %q: its name must be of small letters, digits, - and _", p.ID)
		case seen[p.ID]:
			return fmt.Errorf("the provider %q: the name is taken (base_url sets the address of %s)", p.ID, ProviderOpenAI)
		case err != nil || u.Host == "" || u.User != nil:
			return fmt.Errorf("the provider %q: base_url must be the address of its endpoint, such as http://localhost:11434/v1", p.ID)
		}
		if err := endpoint.CheckHeaders(p.Headers); err != nil {
			return fmt.Errorf("the provider %q: headers: %w", p.ID, err)
		}
		if err := api.Check(p.API); err != nil {
			return fmt.Errorf("the provider %q: api: %w", p.ID, err)
		}
		seen[p.ID] = true
	}
	if err := api.Check(o.API); err != nil {
		return fmt.Errorf("api: %w", err)
	}
	for _, r := range o.Models {
		if err := r.Check(); err != nil {
			return fmt.Errorf("models: %w", err)
		}
	}
	return nil
}

// resolvedModel is a model with its provider, settings and price. Work with a model
// resolves it once and carries this value.
type resolvedModel struct {
	id       string     // as the caller named it
	name     string     // as the endpoint names it
	provider Provider   // of the built-in model only the ID is set
	endpoint api.Client // nil: the built-in model
	settings models.Settings
	price    *models.Price    // nil: not known
	by       *modelsElsewhere // nil: this process asks the endpoint
}

// recordedAPI returns the API that a recording names; "" is chat completions, which
// need no name.
func (m resolvedModel) recordedAPI() string {
	if name := api.Of(m.provider.API, m.provider.BaseURL); !m.builtIn() && name != api.Chat {
		return name
	}
	return ""
}

func (m resolvedModel) builtIn() bool { return m.endpoint == nil }

// defaultProvider returns the endpoint of Options.BaseURL.
func (e *Engine) defaultProvider() Provider {
	return Provider{ID: ProviderOpenAI, DisplayName: "OpenAI-compatible endpoint", BaseURL: e.opt.BaseURL, API: e.opt.API,
		APIKey: e.opt.APIKey, ConfigKey: e.opt.ConfigKey, Models: []string{e.endpointModel()}}
}

// provider finds an endpoint by its id.
func (e *Engine) provider(id string) (Provider, bool) {
	if id == ProviderOpenAI {
		return e.defaultProvider(), true
	}
	list := e.providers()
	i := slices.IndexFunc(list, func(p Provider) bool { return p.ID == id })
	if i < 0 {
		return Provider{}, false
	}
	return list[i], true
}

// resolve finds the provider of a model and what is known of the model. The provider
// is the one before the first colon, else the one that lists the model, else the
// default one.
func (e *Engine) resolve(id string) resolvedModel {
	if id == PseudoModel {
		return resolvedModel{id: id, name: id, provider: Provider{ID: ProviderPseudo}, price: &models.Price{Input: &nothing, Output: &nothing}}
	}
	m := resolvedModel{id: id, name: id}
	m.provider, m.name = e.providerOf(id)
	m.endpoint = e.endpoint(m.provider)
	m.settings = m.endpoint.Settings(m.name)
	m.price = m.settings.Price
	return m
}

// resolveIn is resolve for work in a workbench; "" is its active model.
func (e *Engine) resolveIn(ctx context.Context, wb *openWorkbench, id string) (resolvedModel, error) {
	if id == "" {
		var err error
		if id, err = e.activeModel(ctx, wb); err != nil {
			return resolvedModel{}, err
		}
	}
	return e.resolve(id), nil
}

// providerOf returns the provider of a model that is not built in, and the name by
// which its endpoint knows the model.
func (e *Engine) providerOf(id string) (Provider, string) {
	if provider, name, ok := strings.Cut(id, ":"); ok && name != "" {
		if p, ok := e.provider(provider); ok {
			return p, name
		}
	}
	for _, p := range e.providers() {
		if slices.Contains(p.Models, id) {
			return p, id
		}
	}
	return e.defaultProvider(), id
}

// apiKey returns the key of p: the environment's, the stored one, or that of
// config.json, and which of them it is.
func (e *Engine) apiKey(p Provider) (key, source string, err error) {
	if p.APIKey != "" {
		return p.APIKey, "environment", nil
	}
	if key, err = e.opt.Keys.Get(p.ID); err != nil || key != "" {
		return key, "stored", err
	}
	if p.ConfigKey != "" {
		return p.ConfigKey, "config", nil
	}
	return "", "", nil
}

// client returns the client of a model and the key to use with it. Its requests reach
// this machine only, unless their context has a purpose that allows more: clientWith
// gives a client that does.
func (e *Engine) client(ctx context.Context, m resolvedModel) (llm.Client, string, error) {
	if m.builtIn() {
		return pseudo.New(), "", nil
	}
	if m.by != nil {
		return paid(ctx, m, named(m.by.client(e, m), m.name)), "", nil
	}
	if err := e.usable(ctx, m.id, m.provider); err != nil {
		return nil, "", err
	}
	key, _, err := e.apiKey(m.provider)
	if err != nil {
		return nil, "", err
	}
	if key == "" && m.provider.BaseURL == "" {
		return nil, "", &ErrorInfo{ErrorCode: CodeNotConfigured, Phase: "workshop", ModelID: m.id, ProviderID: m.provider.ID, Actions: []string{"open_settings"},
			Detail: "no API key is set for " + m.id, Hint: "set " + api.KeyVariables(m.provider.API, "")[0] + " (and OPENAI_BASE_URL for another endpoint), or use the built-in offline model with --model " + PseudoModel}
	}
	return paid(ctx, m, named(m.endpoint, m.name)), key, nil
}

// Missing returns what a model that is named as for runs lacks before it can be asked, such
// as a key; nil when nothing is known to be missing. Nothing is sent.
func (e *Engine) Missing(ctx context.Context, model string) error {
	_, _, err := e.client(ctx, e.resolve(model))
	return err
}

// endpoint returns the client of a provider. It is kept, since it learns what the
// endpoint refuses.
func (e *Engine) endpoint(p Provider) api.Client {
	if c, ok := e.clients.Load(p.ID); ok {
		return c.(api.Client)
	}
	c, _ := e.clients.LoadOrStore(p.ID, api.New(e.endpointOptions(p)))
	return c.(api.Client)
}

func (e *Engine) endpointOptions(p Provider) endpoint.Options {
	return endpoint.Options{BaseURL: p.BaseURL, API: p.API, HTTPClient: e.egress.client, Models: &e.models, Headers: p.Headers, Limits: e.opt.AnswerLimits}
}

// named returns a client that asks for a model by the name that its endpoint knows.
func named(client llm.Client, model string) llm.Client {
	return llm.Wrap(client, func(ctx context.Context, r llm.Request, next llm.Client) (llm.ChatResponse, error) {
		r.Model = model
		return next.Chat(ctx, r)
	})
}
