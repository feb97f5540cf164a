package translate

import (
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/workshop/translate/sentence"
)

// cut makes the parts of all segments.
func (w *work) cut() {
	if !w.opt.Sentences {
		w.parts = w.segs
		return
	}
	for _, s := range w.segs {
		w.first = append(w.first, len(w.parts))
		if _, ok := w.given[s.ID]; ok {
			w.parts = append(w.parts, s) // whole, as the person gave it
			continue
		}
		w.parts = append(w.parts, partsOf(s, w.opt.From)...)
	}
	w.first = append(w.first, len(w.parts))
}

// partsOf is what of a segment is translated on its own: its sentences, whose ids
// are the segment's with a number. A segment of limited length stays whole,
// since the limit is the segment's.
func partsOf(s formats.Segment, from string) []formats.Segment {
	if s.MaxLength > 0 {
		return []formats.Segment{s}
	}
	cut := sentence.Split(s.Text, from)
	if len(cut) < 2 {
		return []formats.Segment{s}
	}
	parts := make([]formats.Segment, len(cut))
	for i, text := range cut {
		parts[i] = s
		parts[i].ID, parts[i].Text = fmt.Sprintf("%s#%d", s.ID, i+1), text
	}
	return parts
}

// unit is the translation of segment i, put together from its parts. A part
// that was left stays in the source language, and so the segment counts as left
// only when all of it was; that the job asks again for the part is in again.
func (w *work) unit(i int) (u Unit, again bool) {
	if own, ok := w.own[w.segs[i].ID]; ok {
		return own, false
	}
	from, to := i, i+1
	if w.first != nil {
		from, to = w.first[i], w.first[i+1]
	}
	if to == from+1 {
		u = w.got[w.keys[from]]
		return u, u.State != StateTranslated
	}
	parts := w.parts[from:to]
	u = Unit{State: StateLeft}
	targets, sources := make([]string, len(parts)), make([]string, len(parts))
	for j, p := range parts {
		one := w.got[w.keys[from+j]]
		sources[j], targets[j] = p.Text, p.Text
		for _, f := range one.Flags {
			f.Message = fmt.Sprintf("sentence %d: %s", j+1, f.Message)
			u.Flags = append(u.Flags, f)
		}
		if one.State != StateTranslated {
			again = true
			continue
		}
		targets[j], u.State, u.Origin = one.Target, StateTranslated, one.Origin
	}
	if u.State == StateTranslated {
		u.Target = sentence.Join(targets, sources, w.to)
		if strings.TrimSpace(u.Target) == "" {
			u.State = StateLeft
		}
	}
	return u, again
}
