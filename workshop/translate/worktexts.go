package translate

import (
	"encoding/json"
	"iter"
	"strconv"
	"unicode/utf8"

	"atelier/formats"
	"atelier/workshop/translate/translator"
)

// add takes the next segment of the document.
func (w *work) add(s formats.Segment) error {
	words, chars := count(s.Text)
	w.rep.Words += words
	w.rep.Characters += chars
	w.rep.Segments++
	w.count++
	if w.opt.Sentences {
		w.first = append(w.first, int32(len(w.parts)))
	}
	for _, p := range w.partsOf(s) {
		k := keyOf(p)
		i, again := w.at[k]
		if again {
			w.rep.Repetitions++
			w.texts[i].times++
		} else {
			i = int32(len(w.texts))
			w.at[k] = i
			w.texts = append(w.texts, uniqueText{key: k, part: int32(len(w.parts)), times: 1})
		}
		w.parts = append(w.parts, i)
	}
	_, err := w.segs.Put(s.ID, s.Text, s.Place, s.Part, jsonOf(s.Notes), strconv.Itoa(s.MaxLength))
	return err
}

// segments are the segments in order; the error ends them.
func (w *work) segments() iter.Seq2[formats.Segment, error] {
	return func(yield func(formats.Segment, error) bool) {
		var f [6]string
		at := int64(0)
		for range w.count {
			next, err := w.segs.Get(at, f[:])
			s := formats.Segment{ID: f[0], Text: f[1], Place: f[2], Part: f[3]}
			if err == nil && f[4] != "[]" {
				err = json.Unmarshal([]byte(f[4]), &s.Notes)
			}
			if err == nil {
				s.MaxLength, err = strconv.Atoi(f[5])
			}
			if !yield(s, err) || err != nil {
				return
			}
			at = next
		}
	}
}

// batches calls do with texts in batches of a size, in order: those whose index is in
// open, which is sorted.
func (w *work) batches(open []int32, size translator.Size, do func([]text) error) error {
	var batch []text
	last, chars, number, before := int32(-1), 0, int32(0), ""
	for s, err := range w.segments() {
		if err != nil {
			return err
		}
		for _, p := range w.partsOf(s) {
			if len(batch) > 0 && last == number-1 {
				batch[len(batch)-1].after = p.Text
			}
			if len(open) > 0 && w.texts[open[0]].part == number {
				n := utf8.RuneCountInString(p.Text)
				if len(batch) > 0 && (len(batch) >= size.Segments || chars+n > size.Chars) {
					if err := do(batch); err != nil {
						return err
					}
					batch, chars = nil, 0
				}
				batch = append(batch, text{w.texts[open[0]].key, p, before, ""})
				chars, last, open = chars+n, number, open[1:]
			}
			before = p.Text
			number++
		}
		if len(open) == 0 && last < number-1 {
			break
		}
	}
	if len(batch) > 0 {
		return do(batch)
	}
	return nil
}

// rows are the document's segments with their translations; the error ends them.
func (w *work) rows() iter.Seq2[workRow, error] {
	return func(yield func(workRow, error) bool) {
		i := 0
		for s, err := range w.segments() {
			r := workRow{Row: Row{Segment: s}}
			if err == nil {
				r.Unit, r.again, err = w.unit(i, s)
			}
			if !yield(r, err) || err != nil {
				return
			}
			i++
		}
	}
}

// workRow is a segment with its translation; again says that the next run asks for it
// again.
type workRow struct {
	Row
	again bool
}

// targets are what to write into the document, in order. An error ends them and is put
// into failed.
func (w *work) targets(failed *error) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for r, err := range w.rows() {
			if err != nil {
				*failed = err
				return
			}
			if r.State == StateTranslated && !yield(r.ID, r.Target) {
				return
			}
		}
	}
}

// use takes a unit for its text.
func (w *work) use(k key, u Unit) error {
	i, ok := w.at[k]
	if !ok {
		return nil
	}
	at, err := w.units.Put(u.Target, string(u.State), string(u.Origin), jsonOf(u.Flags))
	if w.texts[i].unit == 0 {
		w.done += int(w.texts[i].times)
	}
	w.texts[i].unit = at + 1
	return err
}

// settled gives up what only the translation needs.
func (w *work) settled() {
	w.places = make([]int64, len(w.texts))
	for i := range w.texts {
		w.places[i] = w.texts[i].unit
	}
	w.texts, w.at = nil, nil
}

// unitOf returns the unit of a part; the zero unit: it has none.
func (w *work) unitOf(part int32) (u Unit, err error) {
	at := w.places[w.parts[part]]
	if at == 0 {
		return u, nil
	}
	var f [4]string
	if _, err := w.units.Get(at-1, f[:]); err != nil {
		return u, err
	}
	u = Unit{Target: f[0], State: State(f[1]), Origin: Origin(f[2])}
	if f[3] != "[]" {
		err = json.Unmarshal([]byte(f[3]), &u.Flags)
	}
	return u, err
}
