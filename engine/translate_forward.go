package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"

	"atelier/workshop/agent/runerr"
	"atelier/workshop/translate"
)

// What the process that translates tells the command that asked for it.
const (
	tellReady   = "command/translate/ready"   // translationReady; it waits for command/answer
	tellConsent = "command/translate/consent" // translationConsent; it waits for command/answer
	tellStep    = "command/translate/step"    // translationStep
)

// translationParams are the params of command/translate: a HostTranslation.
type translationParams struct {
	WorkbenchID string               `json:"workbench_id"`
	ID          string               `json:"id"` // of this call, in what is told
	Params      TranslateStartParams `json:"params"`
	Inputs      []string             `json:"inputs"`
	Memory      string               `json:"memory,omitempty"`
	Title       string               `json:"title"`
}

type translationReady struct {
	ID             string          `json:"id"`
	Pseudo         bool            `json:"pseudo"`
	LeavesToPeople bool            `json:"leaves_to_people"`
	Price          translate.Price `json:"price"`
}

type translationConsent struct {
	ID      string     `json:"id"`
	Missing *ErrorInfo `json:"missing"`
}

type translationStep struct {
	ID   string             `json:"id"`
	Step translate.Progress `json:"step"`
}

// translationOutcome is the result of command/translate.
type translationOutcome struct {
	Report translate.Report `json:"report"`
	XLIFF  int              `json:"xliff"`
	Over   *runerr.Error    `json:"over,omitempty"`
	Err    []*ErrorInfo     `json:"err,omitempty"`
	Output []*ErrorInfo     `json:"output,omitempty"`
}

// answerParams are the params of command/answer.
type answerParams struct {
	WorkbenchID string `json:"workbench_id"`
	ID          string `json:"id"`
	Yes         bool   `json:"yes"`
}

// commandTranslateHere translates for a command of another process.
func (e *Engine) commandTranslateHere(ctx context.Context, p translationParams) (out translationOutcome, err error) {
	c := commandsOf(ctx)
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return out, err
	}
	h := HostTranslation{Params: p.Params, Inputs: p.Inputs, Workbench: wb.Workbench, Memory: p.Memory, Title: p.Title, Param: c.host.Param, WriteFile: c.host.WriteFile,
		Consent: func(ctx context.Context, missing error, grant func(*ErrorInfo) error) error {
			var info *ErrorInfo
			if !errors.As(missing, &info) || info.ErrorCode != CodeEgressConsent {
				return missing
			}
			if yes, err := c.ask(ctx, p.ID, tellConsent, translationConsent{p.ID, info}); err != nil || !yes {
				return errors.Join(err, missing)
			}
			return grant(info)
		}}
	t, err := e.NewTranslation(ctx, h)
	if err != nil {
		return out, err
	}
	defer t.Close()
	if _, err := c.ask(ctx, p.ID, tellReady, translationReady{p.ID, t.Pseudo(), t.LeavesToPeople(), t.Price()}); err != nil {
		return out, err
	}
	r, err := t.Run(ctx, func(s translate.Progress) { c.tell(tellStep, translationStep{p.ID, s}) })
	if err != nil {
		return out, err
	}
	if r.Over != nil {
		over := *r.Over
		over.Err = nil
		r.Over = &over
	}
	return translationOutcome{r.Report, r.XLIFF, r.Over, errorInfos(ctx, r.Err), errorInfos(ctx, r.Output)}, nil
}

// errorInfos encodes an error, or each of several joined ones.
func errorInfos(ctx context.Context, err error) (list []*ErrorInfo) {
	if err == nil {
		return nil
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range several.Unwrap() {
			list = append(list, errorInfos(ctx, one)...)
		}
		return list
	}
	return []*ErrorInfo{toErrorInfo(ctx, err)}
}

func joinInfos(list []*ErrorInfo) error {
	errs := make([]error, len(list))
	for i, info := range list {
		errs[i] = info
	}
	return errors.Join(errs...)
}

// remoteTranslation is a Translation that another process makes.
type remoteTranslation struct {
	e       *Engine
	h       *holder
	id      string
	ready   translationReady
	cancel  context.CancelFunc
	events  chan any // translationReady, translationConsent
	ended   chan struct{}
	outcome translationOutcome // after ended
	err     error              // after ended
	forget  func()

	mu       sync.Mutex
	progress func(translate.Progress)
}

// translateElsewhere is NewTranslation in the process that has the workbench open.
func (e *Engine) translateElsewhere(ctx context.Context, to *holder, h HostTranslation) (*Translation, error) {
	p := translationParams{WorkbenchID: to.id, ID: uuid.NewString(), Params: h.Params, Inputs: h.Inputs, Title: h.Title}
	var err error
	if p.Memory, err = absolute(h.Memory); err != nil {
		return nil, err
	}
	given, err := absolutePaths(&p.Params)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &remoteTranslation{e: e, h: to, id: p.ID, cancel: cancel, events: make(chan any, 4), ended: make(chan struct{})}
	r.forget = e.elsewhere.listen(p.ID, r.heard)
	t := &Translation{remote: r, leave: func() {}}
	go func() {
		defer close(r.ended)
		r.outcome, r.err = forwardAs[translationOutcome](ctx, e, to, commandTranslate, p)
		var info *ErrorInfo
		if errors.As(r.err, &info) {
			info.Detail = given.Replace(info.Detail)
		}
		for _, info := range slices.Concat(r.outcome.Err, r.outcome.Output) {
			info.Detail = given.Replace(info.Detail)
		}
	}()
	for {
		select {
		case <-r.ended:
			t.Close()
			return nil, r.err
		case ev := <-r.events:
			if c, ok := ev.(translationConsent); ok {
				if err := r.consent(ctx, h, c); err != nil {
					t.Close()
					return nil, err
				}
				continue
			}
			r.ready = ev.(translationReady)
			return t, nil
		}
	}
}

// consent asks the person of this process.
func (r *remoteTranslation) consent(ctx context.Context, h HostTranslation, c translationConsent) error {
	granted := false
	var err error = c.Missing
	if h.Consent != nil {
		err = h.Consent(ctx, c.Missing, func(*ErrorInfo) error { granted = true; return nil })
	}
	if err != nil {
		return err
	}
	return r.answer(ctx, granted)
}

func (r *remoteTranslation) answer(ctx context.Context, yes bool) error {
	_, err := forwardAs[Empty](ctx, r.e, r.h, commandAnswer, answerParams{r.h.id, r.id, yes})
	return err
}

// heard takes what the other process tells.
func (r *remoteTranslation) heard(method string, params json.RawMessage) {
	switch method {
	case tellStep:
		var s translationStep
		r.mu.Lock()
		f := r.progress
		r.mu.Unlock()
		if json.Unmarshal(params, &s) == nil && f != nil {
			f(s.Step)
		}
	case tellReady:
		var ev translationReady
		if json.Unmarshal(params, &ev) == nil {
			r.events <- ev
		}
	case tellConsent:
		var ev translationConsent
		if json.Unmarshal(params, &ev) == nil {
			r.events <- ev
		}
	}
}

func (r *remoteTranslation) run(ctx context.Context, progress func(translate.Progress)) (TranslationResult, error) {
	r.mu.Lock()
	r.progress = progress
	r.mu.Unlock()
	err := r.answer(context.WithoutCancel(ctx), true)
	if err != nil {
		r.cancel()
	}
	<-r.ended
	if r.err != nil || err != nil {
		r.err = cmp.Or(r.err, err)
		return TranslationResult{}, r.err
	}
	o := r.outcome
	return TranslationResult{Report: o.Report, XLIFF: o.XLIFF, Over: o.Over, Err: joinInfos(o.Err), Output: joinInfos(o.Output)}, nil
}

func (r *remoteTranslation) close() {
	r.cancel()
	<-r.ended
	r.forget()
}

// absolutePaths makes the paths of params those of any process. given replaces them
// in messages by what the person typed.
func absolutePaths(p *TranslateStartParams) (given *strings.Replacer, err error) {
	var typed []string
	set := func(path *string) {
		was := *path
		abs, aerr := absolute(was)
		if *path = abs; abs != was {
			typed = append(typed, abs, was)
		}
		err = errors.Join(err, aerr)
	}
	for _, path := range []*string{&p.Glossary, &p.TMXOut, &p.XLIFFIn, &p.XLIFFOut} {
		set(path)
	}
	p.TMX, p.Reports, p.DoNotTranslate = slices.Clone(p.TMX), slices.Clone(p.Reports), slices.Clone(p.DoNotTranslate)
	for _, list := range [][]string{p.TMX, p.Reports} {
		for i := range list {
			set(&list[i])
		}
	}
	for i, pattern := range p.DoNotTranslate {
		if file, ok := strings.CutPrefix(pattern, "@"); ok {
			set(&file)
			p.DoNotTranslate[i] = "@" + file
		}
	}
	return strings.NewReplacer(typed...), err
}

// absolute returns "" for "".
func absolute(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	return filepath.Abs(path)
}
