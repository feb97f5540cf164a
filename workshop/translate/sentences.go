package translate

import (
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/workshop/translate/sentence"
)

// partsOf is what of a segment is translated on its own: the segment, or with
// Options.Sentences its sentences, whose ids are the segment's with a number. A
// segment of limited length stays whole, since the limit is the segment's.
func (r *runner) partsOf(s formats.Segment) []formats.Segment {
	if !r.opt.Sentences || s.MaxLength > 0 {
		return []formats.Segment{s}
	}
	cut := sentence.Split(s.Text, r.opt.From)
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
	parts := w.parts[w.first[i]:w.first[i+1]]
	if len(parts) == 1 {
		u = w.got[keyOf(parts[0])]
		return u, u.State != StateTranslated
	}
	u = Unit{State: StateLeft}
	targets, sources := make([]string, len(parts)), make([]string, len(parts))
	for j, p := range parts {
		one := w.got[keyOf(p)]
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
