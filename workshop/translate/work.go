package translate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/internal/textspool"
	"atelier/workshop/translate/check"
	"atelier/workshop/translate/memory"
	"atelier/workshop/translate/translator"
)

// work is one document in one language on its way. The texts themselves are in spools,
// so that the memory that a document takes is small beside its texts.
type work struct {
	*runner
	task
	rep   *FileReport
	rules check.Rules
	given map[string]Unit // what people gave, by segment id
	own   map[string]Unit // of given, what was accepted

	segs  textspool.Spool // the segments in order, see putSegment
	count int             // of segs
	first []int32         // number of each segment's first part; nil: parts are the segments
	parts []int32         // what is translated, the segments or their sentences: index into texts

	texts []uniqueText  // each text of the document once, in order
	at    map[key]int32 // index into texts
	units textspool.Spool
	done  int // parts that have a unit

	places []int64 // of units by index of texts, 0: none; when all are translated

	one [1]formats.Segment // what partsOf returned last

	state sync.Mutex // protects what batches change: texts, units, done, rep
}

// uniqueText is a text that the document has once or more often.
type uniqueText struct {
	key
	part  int32 // the first that has it
	times int32 // parts that have it
	unit  int64 // 1 + the place in work.units of its translation, 0: none yet
}

// text is a text to translate, as the first part that has it.
type text struct {
	key
	formats.Segment
	before, after string // the parts next to it, "" when there is none
}

func (r *runner) newWork(t task, rep *FileReport, given map[string]Unit) *work {
	return &work{runner: r, task: t, rep: rep, rules: r.rules(t.to), given: given, own: map[string]Unit{}, at: map[key]int32{},
		segs: textspool.Spool{Dir: r.tmp}, units: textspool.Spool{Dir: r.tmp}}
}

// close gives up the texts.
func (w *work) close() { _ = errors.Join(w.segs.Close(), w.units.Close()) }

// lookedUp is how many texts are looked up at once.
var lookedUp = translator.Size{Segments: 2000, Chars: 1 << 20}

// fill looks up what need not be asked: what a person gave, what people wrote
// into the memory, what the job has, what machines left in the memory. It
// returns the rest in order.
func (w *work) fill(ctx context.Context) ([]int32, error) {
	if err := w.take(ctx); err != nil {
		return nil, err
	}
	err := w.batches(w.open(), lookedUp, func(open []text) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return w.lookUp(ctx, open)
	})
	return w.open(), err
}

// lookUp is fill for a few texts.
func (w *work) lookUp(ctx context.Context, open []text) error {
	have, err := w.remembered(ctx, open)
	if err != nil {
		return err
	}
	if err := w.remember(ctx, open, have, false); err != nil {
		return err
	}
	open = w.without(open)
	if w.ledger != nil && len(open) > 0 {
		done, err := w.store.units(ctx, w.made(), keys(open))
		if err != nil {
			return err
		}
		for _, k := range w.inOrder(done) {
			u := done[k]
			if usable(u, w.ledger.run, w.opt.Force) {
				if err := w.use(k, u); err != nil {
					return err
				}
				if u.run == w.ledger.run {
					w.rep.Repetitions++ // of another document
				} else {
					w.rep.Resumed++
				}
			}
		}
		open = w.without(open)
	}
	if w.opt.Force {
		return nil
	}
	return w.remember(ctx, open, have, true)
}

// take uses what a person gave for this document's segments; it counts
// elsewhere too unless a segment has its own.
func (w *work) take(ctx context.Context) error {
	found := map[key]Unit{}
	var entries []memory.Entry
	if len(w.given) == 0 {
		return nil
	}
	for s, err := range w.segments() {
		if err != nil {
			return err
		}
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
			if machines && !e.Changed.Before(w.began) {
				w.rep.Repetitions++ // of another document, in another place
			} else {
				w.rep.Memory++
			}
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
	order := w.inOrder(units)
	if err := w.record(ctx, order, units, entries); err != nil {
		return err
	}
	return w.useAll(order, units)
}

// record commits units to the ledger and entries to the memory. Units that another process
// put first replace those of units.
func (w *work) record(ctx context.Context, order []key, units map[key]Unit, entries []memory.Entry) error {
	if w.ledger == nil || w.opt.DryRun {
		return nil
	}
	// What was paid for is kept even if the job is being stopped.
	ctx = context.WithoutCancel(ctx)
	replaced, err := w.store.put(ctx, w.made(), order, units)
	if err == nil && w.opt.Memory != nil && !replaced {
		err = w.opt.Memory.Put(ctx, entries)
	}
	return err
}

// useAll takes units for their texts.
func (w *work) useAll(order []key, units map[key]Unit) error {
	for _, k := range order {
		if err := w.use(k, units[k]); err != nil {
			return err
		}
	}
	return nil
}

// inOrder returns the keys in the order of the document, in which they are written and
// read again; those of no text of it come first.
func (w *work) inOrder(units map[key]Unit) []key {
	return slices.SortedFunc(maps.Keys(units), func(a, b key) int {
		return cmp.Or(cmp.Compare(w.at[a], w.at[b]), bytes.Compare(a[:], b[:]))
	})
}

// open returns the indexes of the texts that have no unit yet.
func (w *work) open() (open []int32) {
	for i := range w.texts {
		if w.texts[i].unit == 0 {
			open = append(open, int32(i))
		}
	}
	return open
}

func (w *work) without(open []text) []text {
	var rest []text
	for _, t := range open {
		if w.texts[w.at[t.key]].unit == 0 {
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

// finish counts what was translated; again counts what the next run asks for again.
// Figures and flags go to the report: a text's flags once.
func (w *work) finish() (again int, err error) {
	told := map[key]bool{}
	for r, err := range w.rows() {
		if err != nil {
			return 0, err
		}
		if r.again {
			again++
		}
		if r.State == StateTranslated {
			w.rep.Translated++
		} else {
			w.rep.Left++
		}
		if len(r.Flags) == 0 || told[keyOf(r.Segment)] {
			continue
		}
		told[keyOf(r.Segment)] = true
		for _, f := range r.Flags {
			reason := f.Message
			if r.State == StateLeft {
				reason = strings.TrimSuffix(reason, ".") + "; left in the source language"
			}
			w.rep.flag(Flag{Segment: r.ID, Place: r.Place, Code: f.Code, Source: r.Text, Target: r.Target, Reason: reason})
		}
	}
	return again, nil
}
