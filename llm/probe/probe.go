// Package probe finds out what a model at an endpoint can do, by asking it: a
// handful of short requests over the client that runs use.
//
//	r := probe.Run(ctx, probe.Options{Endpoint: endpoint.Options{BaseURL: url}, Key: key, Model: "qwen3:8b"})
//	for _, c := range r.Checks { fmt.Println(c.Status, c.Name, c.Detail) }
//
// Each check judges the endpoint's part, not how clever the model is.
package probe

import (
	"context"
	"fmt"
	"strings"
	"time"

	"atelier/llm/endpoint"

	"atelier/llm"
	"atelier/llm/api"
	"atelier/llm/models"
)

// Status of a check.
type Status string

// What a check came to.
const (
	OK   Status = "ok"
	Note Status = "note" // it works, with something to know
	Fail Status = "FAIL" // runs with tools won't go well
	Skip Status = "skip" // not tried
)

// Check is one thing that was tried.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Detail string `json:"detail"`
}

// Report is what was found.
type Report struct {
	Checks []Check `json:"checks"`
	// Rule is what the table of models should say and does not; nil: nothing.
	Rule *models.Rule `json:"rule,omitempty"`
}

// Failed reports whether a check failed.
func (r Report) Failed() bool {
	for _, c := range r.Checks {
		if c.Status == Fail {
			return true
		}
	}
	return false
}

// Options say what to try.
type Options struct {
	Endpoint endpoint.Options
	Key      string
	Model    string
	// Overflow also sends one request that is longer than the window. An
	// endpoint that takes it may charge for it.
	Overflow bool
}

// timeout of one request.
const timeout = 2 * time.Minute

// Run tries everything. It ends early when the endpoint cannot be reached or
// refuses the key, and when ctx ends.
func Run(ctx context.Context, o Options) Report {
	p := &prober{o: o, client: api.New(o.Endpoint)}
	p.set = p.client.Settings(o.Model)
	if !p.reach(ctx) {
		return p.report
	}
	p.served(ctx)
	if p.stream(ctx) {
		p.tool(ctx)
		p.parallel(ctx)
		p.longResult(ctx)
		p.images(ctx)
		p.overflow(ctx)
		p.refused()
	}
	p.propose()
	return p.report
}

type prober struct {
	o      Options
	client api.Client
	set    models.Settings
	found  models.Settings // what differs from set
	report Report
	usage  llm.Usage
	window int // as the endpoint lists it; 0: it does not say
}

func (p *prober) add(name string, s Status, format string, args ...any) {
	p.report.Checks = append(p.report.Checks, Check{name, s, fmt.Sprintf(format, args...)})
}

// reach asks for the list of models: it costs nothing.
func (p *prober) reach(ctx context.Context) bool {
	list, err := p.client.Models(ctx, p.o.Key)
	e := asError(err)
	switch {
	case err == nil:
		p.add("reachable", OK, "%d models", len(list))
		p.listed(list)
	case e.Kind == llm.KindUnauthorized || e.Kind == llm.KindNoKey:
		p.add("reachable", OK, "it answers")
		p.add("key", Fail, "%s", e.Error())
		return false
	case e.Status >= 300 && e.Status < 400:
		p.add("reachable", Note, "it answers, but not with a list of models: %s", e.Error())
	case e.Status != 0:
		p.add("reachable", OK, "it answers, without a list of models (HTTP %d)", e.Status)
	default:
		p.add("reachable", Fail, "%s", err)
		return false
	}
	return true
}

func (p *prober) listed(list []endpoint.Listed) {
	for _, m := range list {
		if !endpoint.SameModel(m.ID, p.o.Model) {
			continue
		}
		p.add("listed", OK, "%s is in the list", p.o.Model)
		if p.window = m.Window; m.Window > 0 && m.Window != p.set.Window {
			p.found.Window = m.Window
		}
		if m.MaxOutput > 0 && m.MaxOutput != p.set.MaxOutput {
			p.found.MaxOutput = m.MaxOutput
		}
		return
	}
	p.add("listed", Note, "%s is not in the list; the name may be wrong", p.o.Model)
}

func (p *prober) ask(ctx context.Context, c api.Client, ms []llm.Message, tools []llm.Tool, onDelta func(string)) (llm.ChatResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return c.Chat(ctx, llm.Request{Key: p.o.Key, Model: p.o.Model, Messages: ms, Tools: tools, Stream: true, OnDelta: onDelta})
}

func user(text string) llm.Message { return llm.Message{Role: llm.RoleUser, Content: text} }

// stream asks for a few words: key, streaming and usage.
func (p *prober) stream(ctx context.Context) bool {
	begun, pieces := time.Now(), 0
	var first time.Duration
	resp, err := p.ask(ctx, p.client, []llm.Message{user("Count from 1 to 20 in digits, separated by blanks. Write nothing else.")}, nil, func(string) {
		if pieces++; pieces == 1 {
			first = time.Since(begun)
		}
	})
	if e := asError(err); err != nil {
		name := "answer"
		if e.Kind == llm.KindUnauthorized || e.Kind == llm.KindNoKey {
			name = "key"
		}
		p.add(name, Fail, "%s", e.Error())
		return false
	}
	p.add("key", OK, "accepted, or none needed")
	took := time.Since(begun)
	switch {
	case resp.Content == "":
		p.add("streaming", Fail, "the answer was empty (finish reason %q)", resp.FinishReason)
	case pieces < 2:
		p.add("streaming", Note, "the answer comes in one piece after %s", took.Round(time.Millisecond))
	default:
		p.add("streaming", OK, "first text after %s, %d pieces in %s", first.Round(time.Millisecond), pieces, took.Round(time.Millisecond))
	}
	if strings.Contains(resp.Content, "</think>") && !strings.Contains(resp.Content, "<think>") {
		p.found.Repairs = p.found.Repairs.With(models.RepairReasoning)
		p.add("reasoning", Note, "reasoning comes as text, without its opening tag; the repair %s keeps it apart", models.RepairReasoning)
	}
	p.usage = resp.Usage
	if resp.Usage.PromptTokens == 0 {
		p.add("usage", Note, "no token counts; budgets in tokens are estimated")
	} else {
		p.add("usage", OK, "%d tokens in, %d out", resp.Usage.PromptTokens, resp.Usage.CompletionTokens)
	}
	return true
}

// refused tells which parameters the endpoint did not take.
func (p *prober) refused() {
	list := p.client.Refused(p.o.Model)
	for _, name := range list {
		switch name {
		case "temperature":
			p.found.Heat = models.Omitted
		case "tool_call_id":
			p.found.CallIDs = models.CallIDsNine
		default:
			if models.IsRepair(name) {
				p.found.Repairs = p.found.Repairs.With(name)
			}
		}
	}
	if p.found.Repairs != "" {
		for _, name := range p.set.Repairs.List() {
			p.found.Repairs = p.found.Repairs.With(name) // an entry replaces what the table has
		}
	}
	if len(list) > 0 {
		p.add("parameters", Note, "left out or changed from now on, since it refuses them: %s", strings.Join(list, ", "))
		return
	}
	p.add("parameters", OK, "all taken")
}

// propose makes the rule.
func (p *prober) propose() {
	if p.found == (models.Settings{}) {
		return
	}
	p.report.Rule = &models.Rule{Model: p.o.Model, Endpoint: p.client.Host(), Settings: p.found}
}
