package engine

import (
	"context"
	"io"

	"atelier/engine/egress"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/tools"
	"atelier/workshop/translate"
	"atelier/workshop/translate/terms"
	"atelier/workshop/translate/translator"
)

func (e *Engine) glossary(ctx context.Context, wb *openWorkbench, name string) (*terms.Glossary, error) {
	path, err := tools.ParsePath(name)
	if err != nil {
		return nil, err
	}
	src, err := wb.DraftView(workshop.Cause{}).Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	g, err := terms.Read(name, io.NewSectionReader(src, 0, src.Size()))
	if err != nil {
		return nil, validation("glossary: " + err.Error())
	}
	return g, nil
}

// translator is the engine that the params or else the settings name, and keeps
// from it what it may not be sent; made is called when the job has ended.
func (e *Engine) translator(ctx context.Context, wb *openWorkbench, p TranslateStartParams, opt *translate.Options) (m translator.Translator, meter *agent.Meter, made func(), err error) {
	made = func() {}
	spending := Spending{Workbench: wb.Workbench, Budget: p.Budget, Parallel: translate.DefaultJobs}
	name := p.Model
	switch p.Engine {
	case "apertium":
		if m, err = translator.NewApertium(ctx); err != nil {
			return nil, nil, made, err
		}
	case "none":
		m = translator.None{}
	case "pseudo":
		m = translator.Pseudo{}
	default:
		if name == "" {
			if name, err = e.activeModel(ctx, wb); err != nil {
				return nil, nil, made, err
			}
		}
		if name == PseudoModel {
			m = translator.Pseudo{}
		}
	}
	if m != nil {
		meter, err = e.TranslationMeter(ctx, spending)
		return m, meter, made, err
	}
	consent, err := e.filesOf(ctx, wb, name)
	if err != nil {
		return nil, nil, made, err
	}
	client, key, err := e.clientWith(ctx, consent, egress.KindTranslate)
	if err != nil {
		return nil, nil, made, err
	}
	if known := knownTo(consent); known != nil {
		opt.Only = func(d translate.Document) bool { return known.Has(workshop.Path(d.Path)) }
	}
	if opt.Withheld, err = e.Withheld(ctx, wb.ID()); err != nil {
		return nil, nil, made, err
	}
	spending.Model = name
	spending.Window, _ = e.Window(ctx, name, key)
	if meter, err = e.TranslationMeter(ctx, spending); err != nil {
		return nil, nil, made, err
	}
	model, err := translator.NewModel(translator.ModelOptions{Client: meter.Client(e.Counted(wb.Workbench, name, jobID(p), nil, client)), Model: name, APIKey: key,
		Window: spending.Window, Limit: translator.NewLimiter(0, 0), Sleep: meter.Sleep})
	return model, meter, func() { e.keepMade(ctx, wb, client) }, err
}
