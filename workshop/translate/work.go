package translate

import (
	"context"
	"strings"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/workshop/translate/check"
	"atelier/workshop/translate/memory"
)

// work is one document in one language on its way.
type work struct {
	*runner
	task
	rep   *FileReport
	rules check.Rules
	segs  []formats.Segment
	parts []formats.Segment // what is translated: the segments, or their sentences
	first []int             // index of each segment's first part, and one more at the end; nil: parts are the segments
	keys  []key             // of parts
	given map[string]Unit   // what people gave, by segment id
	texts []text            // each text of the document once, in order
	at    map[key]int       // index into texts
	got   map[key]Unit
	done  int             // parts that are in got
	own   map[string]Unit // what a person gave, by segment id
}

// text is a text to translate: the first part that has it.
type text struct {
	key
	formats.Segment
	index int // in parts
	times int // parts that have it
}

func (r *runner) newWork(t task, rep *FileReport, segs []formats.Segment, given map[string]Unit) *work {
	w := &work{runner: r, task: t, rep: rep, rules: r.rules(t.to), segs: segs, given: given, at: map[key]int{}, got: map[key]Unit{}, own: map[string]Unit{}}
	for _, s := range segs {
		words, chars := count(s.Text)
		rep.Words += words
		rep.Characters += chars
	}
	w.cut()
	w.keys = make([]key, len(w.parts))
	for i, s := range w.parts {
		k := keyOf(s)
		w.keys[i] = k
		if j, again := w.at[k]; again {
			rep.Repetitions++
			w.texts[j].times++
			continue
		}
		w.at[k] = len(w.texts)
		w.texts = append(w.texts, text{k, s, i, 1})
	}
	rep.Segments = len(segs)
	return w
}

// fill looks up what need not be asked: what a person gave, what people wrote
// into the memory, what the job has, what machines left in the memory. It
// returns the rest in order.
func (w *work) fill(ctx context.Context) ([]text, error) {
	if err := w.take(ctx); err != nil {
		return nil, err
	}
	open := w.without(w.texts)
	have, err := w.remembered(ctx, open)
	if err != nil {
		return nil, err
	}
	if err := w.remember(ctx, open, have, false); err != nil {
		return nil, err
	}
	open = w.without(open)
	if w.ledger != nil {
		done, err := w.ledger.units(ctx, w.to, w.recipe, keys(open))
		if err != nil {
			return nil, err
		}
		for k, u := range done {
			if u.run == w.ledger.run || u.State == StateTranslated && (!w.opt.Force || u.Origin == FromPerson) {
				w.use(k, u)
				if u.run == w.ledger.run {
					w.rep.Repetitions++ // of another document
				} else {
					w.rep.Resumed++
				}
			}
		}
		open = w.without(open)
	}
	if !w.opt.Force {
		if err := w.remember(ctx, open, have, true); err != nil {
			return nil, err
		}
	}
	return w.without(open), nil
}

// take uses what a person gave for this document's segments; it counts
// elsewhere too unless a segment has its own.
func (w *work) take(ctx context.Context) error {
	found := map[key]Unit{}
	var entries []memory.Entry
	for _, s := range w.segs {
		g, ok := w.given[s.ID]
		if !ok {
			continue
		}
		u, bad := w.accepted(s, g.Target, g.Origin)
		if bad != nil {
			w.rep.flag(Flag{Segment: s.ID, Place: s.Place, Code: bad.Code, Source: s.Text, Target: g.Target, Reason: "the person's translation was not used: " + bad.Message})
			continue
		}
		found[keyOf(s)], w.own[s.ID] = u, u
		if g.Origin == FromPerson {
			entries = append(entries, w.entry(s, u.Target, memory.Person))
		}
	}
	return w.keep(ctx, found, entries)
}

func (w *work) remembered(ctx context.Context, open []text) (map[string]memory.Entry, error) {
	if w.opt.Memory == nil || len(open) == 0 {
		return nil, nil
	}
	sources := make([]string, len(open))
	for i, t := range open {
		sources[i] = t.Text
	}
	return w.opt.Memory.Exact(ctx, w.pair(), w.recipe, sources)
}

// remember fills from entries of the memory: a machine's, or the others.
func (w *work) remember(ctx context.Context, open []text, have map[string]memory.Entry, machines bool) error {
	found := map[key]Unit{}
	for _, t := range open {
		e, ok := have[t.Text]
		if !ok || (e.Origin == memory.Machine) != machines {
			continue
		}
		origin := FromMemory
		if e.Origin == memory.Person {
			origin = FromPerson
		}
		if u, bad := w.accepted(t.Segment, e.Target, origin); bad == nil {
			found[t.key] = u
			w.rep.Memory++
		}
	}
	return w.keep(ctx, found, nil)
}

func (w *work) pair() memory.Pair { return memory.Pair{From: w.opt.From, To: w.to} }

func (w *work) entry(s formats.Segment, target string, origin memory.Origin) memory.Entry {
	e := memory.Entry{Pair: w.pair(), Source: s.Text, Target: target, Origin: origin, Document: w.doc.Rel, Place: s.Place}
	if origin == memory.Machine {
		e.Recipe, e.By = w.recipe, w.opt.Engine.Name()
	}
	return e
}

// accepted makes a unit of a target that may be used as it is; else it gives
// what refuses it.
func (w *work) accepted(s formats.Segment, target string, origin Origin) (Unit, *check.Finding) {
	if tags.Check(s.Text, target) == nil {
		target, _ = check.Repair(s.Text, target) // the blanks at its ends
	}
	fs := w.rules.Check(s, target)
	if bad := check.Refused(fs); bad != nil {
		return Unit{}, bad
	}
	return Unit{Target: target, State: StateTranslated, Origin: origin, Flags: fs}, nil
}

// keep commits units to the ledger, entries to the memory, and uses them.
func (w *work) keep(ctx context.Context, units map[key]Unit, entries []memory.Entry) error {
	if w.ledger != nil && !w.opt.DryRun {
		// What was paid for is kept even if the job is being stopped.
		ctx = context.WithoutCancel(ctx)
		if err := w.ledger.put(ctx, w.to, w.recipe, units); err != nil {
			return err
		}
		if w.opt.Memory != nil {
			if err := w.opt.Memory.Put(ctx, entries); err != nil {
				return err
			}
		}
	}
	for k, u := range units {
		w.use(k, u)
	}
	return nil
}

func (w *work) without(open []text) []text {
	var rest []text
	for _, t := range open {
		if _, done := w.got[t.key]; !done {
			rest = append(rest, t)
		}
	}
	return rest
}

func keys(ts []text) []key {
	out := make([]key, len(ts))
	for i, t := range ts {
		out[i] = t.key
	}
	return out
}

// targets are what to write into the document; again counts what the next run
// asks for again. Figures and flags go to the report: a text's flags once.
func (w *work) targets() (targets map[string]string, again int) {
	targets = make(map[string]string, len(w.segs))
	told := map[key]bool{}
	for i, s := range w.segs {
		u, more := w.unit(i)
		if more {
			again++
		}
		if u.State == StateTranslated {
			targets[s.ID] = u.Target
		} else {
			w.rep.Left++
		}
		if len(u.Flags) == 0 || told[keyOf(s)] {
			continue
		}
		told[keyOf(s)] = true
		for _, f := range u.Flags {
			reason := f.Message
			if u.State == StateLeft {
				reason = strings.TrimSuffix(reason, ".") + "; left in the source language"
			}
			w.rep.flag(Flag{Segment: s.ID, Place: s.Place, Code: f.Code, Source: s.Text, Target: u.Target, Reason: reason})
		}
	}
	w.rep.Translated = len(targets)
	return targets, again
}

// rows are the document's segments with their translations.
func (w *work) rows(yield func(Row) bool) {
	for i, s := range w.segs {
		u, _ := w.unit(i)
		if !yield(Row{s, u}) {
			return
		}
	}
}

// use takes a unit for its text.
func (w *work) use(k key, u Unit) {
	if _, again := w.got[k]; !again {
		if i, ok := w.at[k]; ok {
			w.done += w.texts[i].times
		}
	}
	w.got[k] = u
}
