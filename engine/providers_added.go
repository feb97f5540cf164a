package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"atelier/engine/egress"
	"atelier/llm/api"
)

const (
	settingProviders  = "providers"     // those that ProvidersAdd stored
	maxAddedProviders = 32              // stored by ProvidersAdd
	findLocalTime     = 2 * time.Second // for a local server to answer
)

// localServers are the programs that serve models on this machine, at the ports
// that they use by default.
func localServers() []Provider {
	return []Provider{
		{ID: "ollama", DisplayName: "Ollama", BaseURL: "http://127.0.0.1:11434/v1"},
		{ID: "lmstudio", DisplayName: "LM Studio", BaseURL: "http://127.0.0.1:1234/v1"},
		{ID: "llamacpp", DisplayName: "llama.cpp", BaseURL: "http://127.0.0.1:8080/v1"},
		{ID: "vllm", DisplayName: "vLLM", BaseURL: "http://127.0.0.1:8000/v1"},
	}
}

// AddProviderParams are the params of ProvidersAdd.
type AddProviderParams struct {
	ProviderID  string `json:"provider_id"`
	DisplayName string `json:"display_name,omitempty"`
	BaseURL     string `json:"base_url"`
	API         string `json:"api,omitempty"`
}

// LocalServer is a program on this machine that serves models.
type LocalServer struct {
	ProviderID  string   `json:"provider_id"` // for ProvidersAdd; that of the provider where it is one already
	DisplayName string   `json:"display_name"`
	BaseURL     string   `json:"base_url"`
	Models      []string `json:"models"`
	Added       bool     `json:"added"` // it is a provider already
}

// LocalServers is the result of ProvidersFindLocal.
type LocalServers struct {
	Found []LocalServer `json:"found"`
}

// storedProvider is how ProvidersAdd stores a provider.
type storedProvider struct {
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`
	BaseURL string `json:"base_url"`
	API     string `json:"api,omitempty"`
}

// providers returns the providers besides the default one: those of the options,
// then those that were added.
func (e *Engine) providers() []Provider {
	if added := e.added.Load(); added != nil {
		return slices.Concat(e.opt.Providers, *added)
	}
	return e.opt.Providers
}

// wasAdded reports whether ProvidersAdd stored the provider with that id.
func (e *Engine) wasAdded(id string) bool {
	added := e.added.Load()
	return added != nil && slices.ContainsFunc(*added, func(p Provider) bool { return p.ID == id })
}

// loadProviders reads the providers that were added. One whose name the options
// have by now is left out.
func (e *Engine) loadProviders(ctx context.Context) error {
	text, err := e.userSetting(ctx, settingProviders)
	if err != nil || text == "" {
		return err
	}
	var stored []storedProvider
	if err := json.Unmarshal([]byte(text), &stored); err != nil {
		return fmt.Errorf("the providers that were added cannot be read: %w", err)
	}
	var list []Provider
	for _, s := range stored {
		p := Provider{ID: s.ID, DisplayName: s.Name, BaseURL: s.BaseURL, API: s.API}
		if (&Options{Providers: slices.Concat(e.opt.Providers, list, []Provider{p})}).checkModels() == nil {
			list = append(list, p)
		}
	}
	e.added.Store(&list)
	return nil
}

// changeAdded changes the providers that were added, and stores them.
func (e *Engine) changeAdded(ctx context.Context, change func([]Provider) ([]Provider, error)) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var list []Provider
	if added := e.added.Load(); added != nil {
		list = slices.Clone(*added)
	}
	list, err := change(list)
	if err != nil {
		return err
	}
	stored := make([]storedProvider, len(list))
	for i, p := range list {
		stored[i] = storedProvider{p.ID, p.DisplayName, p.BaseURL, p.API}
	}
	b, err := json.Marshal(stored)
	if err == nil {
		err = e.setUserSetting(ctx, settingProviders, string(b))
	}
	if err != nil {
		return err
	}
	e.added.Store(&list)
	e.clients.Clear() // they have the addresses of before, and what was learned from there
	e.served.Clear()
	return nil
}

// addProvider stores an endpoint, or changes one that was added.
func (e *Engine) addProvider(ctx context.Context, p AddProviderParams) (Empty, error) {
	if err := api.Check(p.API); err != nil {
		return Empty{}, validation("api: " + err.Error())
	}
	return Empty{}, e.changeAdded(ctx, func(list []Provider) ([]Provider, error) {
		list = slices.DeleteFunc(list, func(q Provider) bool { return q.ID == p.ProviderID })
		if len(list) >= maxAddedProviders {
			return nil, validation(fmt.Sprintf("at most %d providers can be added; remove one with ProvidersRemove", maxAddedProviders))
		}
		list = append(list, Provider{ID: p.ProviderID, DisplayName: p.DisplayName, BaseURL: p.BaseURL, API: p.API})
		if err := (&Options{Providers: slices.Concat(e.opt.Providers, list)}).checkModels(); err != nil {
			return nil, validation(err.Error())
		}
		return list, nil
	})
}

// removeProvider forgets an endpoint that was added, and its stored key.
func (e *Engine) removeProvider(ctx context.Context, p ProviderRef) (Empty, error) {
	err := e.changeAdded(ctx, func(list []Provider) ([]Provider, error) {
		kept := slices.DeleteFunc(list, func(q Provider) bool { return q.ID == p.ProviderID })
		if len(kept) == len(list) {
			return nil, validation("no provider " + p.ProviderID + " was added (those of config.json and the environment stay)")
		}
		return kept, nil
	})
	if err == nil {
		err = e.opt.Keys.Delete(p.ProviderID)
	}
	return Empty{}, err
}

// findLocal asks the usual ports of this machine for lists of models.
func (e *Engine) findLocal(ctx context.Context, _ Empty) (LocalServers, error) {
	candidates := e.opt.LocalServers
	if candidates == nil {
		candidates = localServers()
	}
	found := make([]*LocalServer, len(candidates))
	var wg sync.WaitGroup
	for i, p := range candidates {
		for _, known := range e.endpoints() {
			if known.BaseURL == p.BaseURL {
				p = known
				break
			}
		}
		wg.Go(func() { found[i] = e.askLocal(ctx, p) })
	}
	wg.Wait()
	r := LocalServers{Found: []LocalServer{}}
	for _, s := range found {
		if s != nil {
			r.Found = append(r.Found, *s)
		}
	}
	return r, ctx.Err()
}

// askLocal returns nil if p does not list models in time. No key is sent: the
// program at that port may be any.
func (e *Engine) askLocal(ctx context.Context, p Provider) *LocalServer {
	ctx, cancel := context.WithTimeout(ctx, findLocalTime)
	defer cancel()
	_, added := e.provider(p.ID)
	listed, err := api.New(e.endpointOptions(p)).Models(e.toProvider(ctx, p, egress.KindModels, ""), "")
	if err != nil {
		return nil
	}
	s := &LocalServer{ProviderID: p.ID, DisplayName: p.DisplayName, BaseURL: withoutSecrets(p.BaseURL), Models: []string{}, Added: added}
	for _, m := range listed {
		s.Models = append(s.Models, m.ID)
	}
	return s
}
