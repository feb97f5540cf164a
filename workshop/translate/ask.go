package translate

import (
	"context"
	"errors"

	"atelier/formats/tags"
	"atelier/llm"
	"atelier/workshop/translate/check"
	"atelier/workshop/translate/memory"
	"atelier/workshop/translate/translator"
)

// NoAnswer is the flag of a segment the engine gave no translation for.
const NoAnswer check.Code = "no_answer"

// Repaired is the flag of a translation whose tags were put right by rule.
const Repaired check.Code = "repaired"

// translate gets all texts of the document a unit.
func (w *work) translate(ctx context.Context) error {
	open, err := w.fill(ctx)
	if err != nil {
		return err
	}
	for len(open) > 0 {
		w.step(translator.Usage{})
		waits, err := w.ask(ctx, open)
		if err != nil {
			return err
		}
		// What others ask for is there when they are done, or they failed and it
		// is ours to ask.
		for _, done := range waits {
			if err := done(ctx); err != nil {
				return err
			}
		}
		if open = w.open(); len(open) > 0 {
			err = w.batches(open, lookedUp, func(open []text) error {
				_, err := w.found(ctx, open, w.store.units)
				return err
			})
			if err != nil {
				return err
			}
			open = w.open()
		}
	}
	return nil
}

func (w *work) step(u translator.Usage) {
	w.progress(Progress{Input: w.rep.Input, Output: w.rep.Output, Language: w.to, Segments: len(w.parts), Done: w.done}, u)
}

// made is what the document's texts are translated into, and how.
func (w *work) made() Made { return Made{w.to, w.recipe} }

// found takes over what other workers got meanwhile, as units looks it up, and returns
// the rest.
func (w *work) found(ctx context.Context, open []text, units func(context.Context, Made, []key) (map[key]Unit, error)) ([]text, error) {
	if w.total.Files == 1 && w.store.shared == nil {
		return open, nil // there is no other worker
	}
	have, err := units(ctx, w.made(), keys(open))
	if err != nil {
		return nil, err
	}
	for _, k := range w.inOrder(have) {
		if u := have[k]; usable(u, w.ledger.run, w.opt.Force) {
			if err := w.use(k, u); err != nil {
				return nil, err
			}
			w.rep.Repetitions++
		}
	}
	return w.without(open), nil
}

// offer is the best translation so far of a segment that was not accepted.
type offer struct {
	unit    Unit           // usable, though worth asking again; State "" when none
	target  string         // the last that was refused
	refusal *check.Finding // and why
	asked   int
}

// batch asks the engine for texts that this worker holds, commits what is
// accepted, and settles the rest.
func (w *work) batch(ctx context.Context, mine []text) error {
	w.state.Lock()
	defer w.state.Unlock()
	return w.batchLocked(ctx, mine)
}

// batchLocked is batch with w.state held, which it lets go of while it waits for the
// engine and for what is written.
func (w *work) batchLocked(ctx context.Context, mine []text) error {
	if w.opt.Allow != nil {
		if err := w.opt.Allow(ctx); err != nil {
			return err
		}
	}
	b, err := w.machineBatch(ctx, mine)
	if err != nil {
		return err
	}
	a := &batchAnswers{w: w, byID: map[string]text{}, units: map[key]Unit{}, offers: map[string]*offer{}}
	for _, t := range mine {
		a.byID[t.ID] = t
	}
	usage, err := w.unlocked(func() (translator.Usage, error) { return w.opt.Engine.Translate(ctx, b, a.add) })
	w.rep.use(usage, w.opt.Price)
	var e *llm.Error
	tooLong := errors.As(err, &e) && e.Kind == llm.KindContextLength
	split := tooLong && len(mine) > 1
	if serr := w.settle(ctx, mine, a.units, a.offers, err == nil || tooLong && !split); serr != nil {
		return serr
	}
	w.step(usage)
	if split {
		return w.halves(ctx, w.without(mine))
	}
	if tooLong {
		err = nil // it is flagged
	}
	return err
}

// unlocked lets other batches of the document continue while the engine translates one, or
// its texts are written.
func (w *work) unlocked(do func() (translator.Usage, error)) (translator.Usage, error) {
	w.state.Unlock()
	defer w.state.Lock()
	return do()
}

// halves asks again for the two halves of a batch that was too long.
func (w *work) halves(ctx context.Context, rest []text) error {
	for _, half := range [][]text{rest[:len(rest)/2], rest[len(rest)/2:]} {
		if len(half) > 0 {
			if err := w.batchLocked(ctx, half); err != nil {
				return err
			}
		}
	}
	return nil
}

// batchAnswers are the translations of one batch.
type batchAnswers struct {
	w      *work
	byID   map[string]text
	units  map[key]Unit
	offers map[string]*offer
}

// add takes the translation of a segment. The translator shows the error to the
// model, which may answer again.
func (a *batchAnswers) add(id, target string) error {
	t, ok := a.byID[id]
	if !ok {
		return errors.New("no segment has this id")
	}
	o := a.offers[id]
	if o == nil {
		o = &offer{}
		a.offers[id] = o
	}
	o.asked++
	u, bad := a.w.accepted(t.Segment, target, FromMachine)
	if bad != nil {
		o.target, o.refusal = target, bad
		return errors.New(bad.Message)
	}
	if i := retry(u.Flags); i >= 0 && o.asked == 1 {
		o.unit = u
		return errors.New(u.Flags[i].Message)
	}
	a.units[t.key] = u
	return nil
}

// retry is the index of a finding that is worth asking again, -1 for none.
func retry(fs []check.Finding) int {
	for i, f := range fs {
		if f.Retry {
			return i
		}
	}
	return -1
}

// settle commits what was accepted, with w.state held, which it lets go of while it writes.
// With all set the engine has said what it
// can: the rest gets its best offer, repaired by rule, or stays in the source
// language with a flag.
func (w *work) settle(ctx context.Context, mine []text, units map[key]Unit, offers map[string]*offer, all bool) error {
	for _, t := range mine {
		if _, ok := units[t.key]; ok || !all {
			continue
		}
		units[t.key] = w.last(t, offers[t.ID])
	}
	var entries []memory.Entry
	for _, t := range mine {
		if u, ok := units[t.key]; ok && u.State == StateTranslated && retry(u.Flags) < 0 && !has(u.Flags, Repaired) && len(t.Text) <= memory.MaxText && len(u.Target) <= memory.MaxText {
			entries = append(entries, w.entry(t.Segment, u.Target, memory.Machine))
		}
	}
	order := w.inOrder(units)
	_, err := w.unlocked(func() (translator.Usage, error) { return translator.Usage{}, w.record(ctx, order, units, entries) })
	if err != nil {
		return err
	}
	return w.useAll(order, units)
}

func has(fs []check.Finding, c check.Code) bool {
	for _, f := range fs {
		if f.Code == c {
			return true
		}
	}
	return false
}

// last is the unit of a text whose translations were refused.
func (w *work) last(t text, o *offer) Unit {
	left := Unit{State: StateLeft, Origin: FromMachine}
	switch {
	case o == nil:
		left.Flags = []check.Finding{{Code: NoAnswer, Message: "the engine gave no translation"}}
		return left
	case o.unit.State != "":
		return o.unit
	}
	if tags.Check(t.Text, o.target) != nil {
		if target, ok := check.Repair(t.Text, o.target); ok {
			if u, bad := w.accepted(t.Segment, target, FromMachine); bad == nil {
				u.Flags = append([]check.Finding{{Code: Repaired, Message: "the engine got the tags wrong (" + o.refusal.Message + "); they were put back by rule: check where the formatting stands"}}, u.Flags...)
				return u
			}
		}
	}
	left.Flags = []check.Finding{*o.refusal}
	return left
}

// machineBatch gives the engine what helps with each text.
func (w *work) machineBatch(ctx context.Context, mine []text) (translator.Batch, error) {
	b := translator.Batch{From: w.opt.From, To: w.to, Document: w.doc.Rel, Instructions: w.opt.Instructions}
	for _, t := range mine {
		s := translator.Segment{Segment: t.Segment, Before: t.before, After: t.after}
		for _, term := range w.opt.Glossary.Between(t.Text, w.opt.From, w.to) {
			s.Terms = append(s.Terms, translator.Term{Source: term.Source, Target: term.Target, Note: term.Note, Forbidden: term.Forbidden})
		}
		if w.opt.Protected != nil {
			s.Keep = w.opt.Protected.In(t.Text)
		}
		var err error
		if s.Suggestions, err = w.suggestions(ctx, t.Text); err != nil {
			return b, err
		}
		b.Segments = append(b.Segments, s)
	}
	return b, nil
}

// suggestions returns similar texts of the memory, without those that a machine
// translated by another recipe.
func (w *work) suggestions(ctx context.Context, text string) (out []translator.Suggestion, err error) {
	if w.opt.Memory == nil || !w.opt.Suggest {
		return nil, nil
	}
	ms, err := w.opt.Memory.Similar(ctx, w.pair(), text, 2, 0.75)
	for _, m := range ms {
		if m.Origin != memory.Machine || m.Recipe == w.recipe {
			out = append(out, translator.Suggestion{Source: m.Source, Target: m.Target, Score: m.Score})
		}
	}
	return out, err
}
