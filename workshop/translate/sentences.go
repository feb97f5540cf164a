package translate

import (
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/workshop/translate/sentence"
)

// partsOf is what of a segment is translated: itself, or its sentences if the job
// translates those. What a person gave is whole.
func (w *work) partsOf(s formats.Segment) []formats.Segment {
	if w.opt.Sentences {
		if _, ok := w.given[s.ID]; !ok {
			return partsOf(s, w.opt.From)
		}
	}
	w.one[0] = s
	return w.one[:]
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
func (w *work) unit(i int, s formats.Segment) (u Unit, again bool, err error) {
	if own, ok := w.own[s.ID]; ok {
		return own, false, nil
	}
	from, to := int32(i), int32(i+1)
	if w.opt.Sentences {
		if from = w.first[i]; i+1 < len(w.first) {
			to = w.first[i+1]
		} else {
			to = int32(len(w.parts))
		}
	}
	if to == from+1 {
		u, err = w.unitOf(from)
		return u, u.State != StateTranslated, err
	}
	parts := w.partsOf(s)
	u = Unit{State: StateLeft}
	targets, sources := make([]string, len(parts)), make([]string, len(parts))
	for j, p := range parts {
		one, err := w.unitOf(from + int32(j))
		if err != nil {
			return u, again, err
		}
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
	return u, again, nil
}
