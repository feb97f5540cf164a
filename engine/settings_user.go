package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"atelier/engine/egress"
	"atelier/llm/models"
)

// What the user has set for all workbenches lies in the data folder's log of
// what left the machine, beside the mode of consent.
const (
	settingDefaultModel = "default_model"
	settingProvider     = "provider:" // and the provider's id
)

func (e *Engine) userSetting(ctx context.Context, key string) (value string, err error) {
	err = e.egress.logs.Read("", func(l *egress.Log) error {
		if l == nil {
			return nil
		}
		value, err = l.Setting(ctx, key)
		return err
	})
	return value, err
}

func (e *Engine) setUserSetting(ctx context.Context, key, value string) error {
	log, err := e.egress.logs.Get("")
	if err != nil {
		return err
	}
	return log.SetSetting(ctx, key, value)
}

// Efforts are the reasoning efforts of the phases of a run in phases; "" is the
// model's own.
type Efforts struct {
	Research  string `json:"research_effort"`
	Plan      string `json:"plan_effort"`
	Implement string `json:"implement_effort"`
}

// providerSettings are what the user has set for a provider.
type providerSettings struct {
	Disabled bool    `json:"disabled,omitempty"`
	Efforts  Efforts `json:"efforts,omitzero"`
}

func (e *Engine) providerSettings(ctx context.Context, id string) (s providerSettings, err error) {
	text, err := e.userSetting(ctx, settingProvider+id)
	if err == nil && text != "" {
		if jerr := json.Unmarshal([]byte(text), &s); jerr != nil {
			return s, fmt.Errorf("the settings of the provider %s cannot be read: %w", id, jerr)
		}
	}
	return s, err
}

func (e *Engine) changeProvider(ctx context.Context, id string, change func(*providerSettings)) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	s, err := e.providerSettings(ctx, id)
	if err != nil {
		return err
	}
	change(&s)
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return e.setUserSetting(ctx, settingProvider+id, string(b))
}

// SetEnabledParams are the params of ProvidersSetEnabled.
type SetEnabledParams struct {
	ProviderID string `json:"provider_id"`
	Enabled    bool   `json:"enabled"`
}

// SetEffortParams are the params of ProvidersSetReasoningEffort.
type SetEffortParams struct {
	ProviderID string `json:"provider_id"`
	Efforts
}

func (e *Engine) setEnabled(ctx context.Context, p SetEnabledParams) (Empty, error) {
	if p.ProviderID == ProviderPseudo {
		return Empty{}, validation("the built-in offline model is always there")
	}
	if _, err := e.checkProvider(p.ProviderID); err != nil {
		return Empty{}, err
	}
	return Empty{}, e.changeProvider(ctx, p.ProviderID, func(s *providerSettings) { s.Disabled = !p.Enabled })
}

func (e *Engine) setEffort(ctx context.Context, p SetEffortParams) (Empty, error) {
	if _, err := e.checkProvider(p.ProviderID); err != nil {
		return Empty{}, err
	}
	for field, v := range map[string]string{"research_effort": p.Research, "plan_effort": p.Plan, "implement_effort": p.Implement} {
		if v != "" && !models.IsEffort(v) {
			return Empty{}, validation(field + " must be none, minimal, low, medium, high, xhigh or max, or empty for the model's own")
		}
	}
	return Empty{}, e.changeProvider(ctx, p.ProviderID, func(s *providerSettings) { s.Efforts = p.Efforts })
}

// usable returns an error when the provider of model is switched off.
func (e *Engine) usable(ctx context.Context, model string, p Provider) error {
	s, err := e.providerSettings(ctx, p.ID)
	if err == nil && s.Disabled {
		err = &ErrorInfo{ErrorCode: CodeNotConfigured, Phase: "settings", ModelID: model, ProviderID: p.ID, Actions: []string{"open_settings"},
			Detail: "the provider " + p.ID + " is switched off", Hint: "switch it on with ProvidersSetEnabled, or choose a model of another provider"}
	}
	return err
}

// efforts returns those of the phases for runs with a model.
func (e *Engine) efforts(ctx context.Context, m resolvedModel) (map[string]string, error) {
	if m.builtIn() {
		return nil, nil
	}
	s, err := e.providerSettings(ctx, m.provider.ID)
	return map[string]string{"research": s.Efforts.Research, "plan": s.Efforts.Plan, "implement": s.Efforts.Implement}, err
}

// DefaultModelParams are the params of UserSetDefaultModel.
type DefaultModelParams struct {
	ModelID string `json:"model_id"`
}

// WorkbenchModelParams are the params of WorkbenchSetDefaultModel.
type WorkbenchModelParams struct {
	WorkbenchID string `json:"workbench_id"`
	ModelID     string `json:"model_id"` // "" is the user's default again
}

func (e *Engine) getUserModel(ctx context.Context, _ Empty) (ModelRef, error) {
	m, err := e.defaultModel(ctx)
	return ModelRef{m}, err
}

func (e *Engine) setUserModel(ctx context.Context, p DefaultModelParams) (Empty, error) {
	if e.opt.Model != "" {
		return Empty{}, validation("the default model is set by --model, ATELIER_MODEL or config.json: " + e.opt.Model)
	}
	return Empty{}, e.setUserSetting(ctx, settingDefaultModel, strings.TrimSpace(p.ModelID))
}

func (e *Engine) getWorkbenchModel(ctx context.Context, p WorkbenchRef) (ModelRef, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return ModelRef{}, err
	}
	defer done()
	m, err := e.workbenchModel(ctx, wb)
	return ModelRef{m}, err
}

func (e *Engine) setWorkbenchModel(ctx context.Context, p WorkbenchModelParams) (Empty, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return Empty{}, err
	}
	return Empty{}, wb.SetSetting(ctx, settingDefaultModel, strings.TrimSpace(p.ModelID))
}

// defaultModel returns that of workbenches without one of their own.
func (e *Engine) defaultModel(ctx context.Context) (string, error) {
	if e.opt.Model != "" {
		return e.opt.Model, nil
	}
	m, err := e.userSetting(ctx, settingDefaultModel)
	return cmp.Or(m, DefaultModel), err
}

// workbenchModel returns the default of a workbench.
func (e *Engine) workbenchModel(ctx context.Context, wb *openWorkbench) (string, error) {
	m, err := wb.Setting(ctx, settingDefaultModel)
	if err != nil || m != "" {
		return m, err
	}
	return e.defaultModel(ctx)
}
