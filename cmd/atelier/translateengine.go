package main

import (
	"context"

	"atelier/engine"
	"atelier/llm/models"
	"atelier/workshop/translate"
	"atelier/workshop/translate/translator"
)

// machine is the engine: the flag decides, else whether there is a key or an
// endpoint (TR-09).
func (f *translateFlags) machine(ctx context.Context, s *settings, e *engine.Engine, paths []string, ask consenter) (translator.Translator, error) {
	spending := engine.Spending{Workbench: f.place.wb, Budget: f.budget.budget(), Parallel: f.jobs}
	var m translator.Translator
	var err error
	name := f.model(s)
	switch {
	case f.engine == "apertium":
		m, err = translator.NewApertium(ctx)
	case f.engine == "none":
		m = translator.None{}
	case name == engine.PseudoModel:
		m = translator.Pseudo{}
	}
	if m != nil || err != nil {
		if err == nil {
			f.meter, err = e.TranslationMeter(ctx, spending)
		}
		return m, err
	}
	spending.Model, spending.Window = name, e.Settings(name).Window
	if f.priceIn != 0 || f.priceOut != 0 {
		spending.Price = &models.Price{Input: &f.priceIn, Output: &f.priceOut}
		if known := e.Settings(name).Price; known != nil { // so that the sums of the folder are one
			spending.Price.Currency = known.Currency
		}
	}
	if _, err = e.TranslationMeter(ctx, spending); err != nil && !f.dryRun { // before anybody is asked for anything
		return nil, err
	}
	client, key, err := f.client(ctx, e, name, paths, ask)
	if err != nil {
		return nil, err
	}
	if f.place.wb != nil {
		client = e.Counted(f.place.wb, name, f.place.wb.Conversation().NewMessageID("t-"), spending.Price, client)
	}
	if !f.dryRun { // which sends nothing, this question included
		spending.Window, _ = e.Window(ctx, name, key)
		if f.meter, err = e.TranslationMeter(ctx, spending); err != nil { // whose time begins now
			return nil, err
		}
	}
	return translator.NewModel(translator.ModelOptions{Client: f.meter.Client(client), Model: name, APIKey: key, Window: spending.Window, Limit: translator.NewLimiter(f.rate, f.tokenRate), Sleep: f.meter.Sleep})
}

// price is the one of the flags, else that of the model in config.json.
func (f *translateFlags) price(s *settings, e *engine.Engine) translate.Price {
	if f.priceIn != 0 || f.priceOut != 0 {
		return translate.Price{In: f.priceIn, Cached: f.priceIn, Out: f.priceOut}
	}
	if f.engine == "apertium" || f.engine == "none" {
		return translate.Price{}
	}
	return translate.PriceOf(e.Settings(f.model(s)).Price)
}

func (f *translateFlags) model(s *settings) string {
	switch {
	case f.engine == "pseudo", f.engine == "" && s.model == "" && s.apiKey+s.configKey == "" && s.baseURL == "":
		return engine.PseudoModel
	case s.model != "" && !(f.engine == "model" && s.model == engine.PseudoModel):
		return s.model
	}
	return engine.DefaultModel
}
