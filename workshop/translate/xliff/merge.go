package xliff

import (
	"errors"
	"io"
	"strings"
	"unicode"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/workshop/translate/check"
)

// Merged is the result of merging the units of one document.
type Merged struct {
	File        File
	SameVersion bool                // the original is the version that was exported
	Accepted    map[string]Accepted // by segment id
	Refused     []Refusal
	Units       int // units read
	Unmatched   int // segments of the document without a target from any unit
}

// Accepted is a target that fits its segment.
type Accepted struct {
	Target string
	State  State
}

// Refusal is a unit whose target cannot be used, with the reason.
type Refusal struct {
	ID     string `json:"segment"`
	Place  string `json:"place"`
	Source string `json:"source"`
	Target string `json:"target"`
	Reason string `json:"reason"`
}

// Merge matches the units of the reader's current file with the segments of a
// document whose bytes have the hash. If the document is the exported
// version, a unit belongs to the segment with its id. If it is another
// version, or a tool removed the hash, a unit belongs to the segment with its
// id and text, or else to the next unused segment with its text. A target is
// accepted if its tags, placeholders and length allow building the document
// (check.Basic). A target without white space at its ends gets that of the
// source.
func Merge(r *Reader, hash string, segs []formats.Segment) (Merged, error) {
	m := &merger{
		out:  Merged{File: r.file, SameVersion: r.file.Hash != "" && r.file.Hash == strings.ToLower(hash), Accepted: map[string]Accepted{}},
		segs: segs, byID: map[string]int{}, byText: map[string][]int{}, taken: make([]bool, len(segs)),
	}
	for i, s := range segs {
		m.byID[s.ID] = i
		m.byText[significantText(s.Text)] = append(m.byText[significantText(s.Text)], i)
	}
	var later []Unit // of another version: no segment has their id and text
	for {
		u, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return m.out, err
		}
		m.out.Units++
		if !u.HasTarget || u.Locked {
			continue
		}
		i, ok := m.byID[u.ID]
		switch {
		case ok && m.taken[i]:
			m.refuseUnit(u, "the unit's id stands twice")
		case ok && significantText(segs[i].Text) == significantText(u.Source):
			m.acceptUnit(i, u)
		case !m.out.SameVersion:
			later = append(later, u)
		case ok:
			m.refuseUnit(u, "the source text was changed; only the target may be")
		default:
			m.refuseUnit(u, "the document has no such segment; the unit's id was changed")
		}
	}
	for _, u := range later {
		if i, ok := m.freeSegment(significantText(u.Source)); ok {
			m.acceptUnit(i, u)
		} else {
			m.refuseUnit(u, "the document has changed since, and this text is no longer in it")
		}
	}
	m.out.Unmatched = len(segs) - len(m.out.Accepted)
	return m.out, nil
}

type merger struct {
	out    Merged
	segs   []formats.Segment
	byID   map[string]int
	byText map[string][]int // segments by text, in order
	taken  []bool           // a unit gave this segment its target, or tried to
}

func (m *merger) freeSegment(text string) (int, bool) {
	for n, i := range m.byText[text] {
		if !m.taken[i] {
			m.byText[text] = m.byText[text][n+1:]
			return i, true
		}
	}
	return 0, false
}

func (m *merger) acceptUnit(i int, u Unit) {
	m.taken[i] = true
	seg := m.segs[i]
	target := withEdgesOf(seg.Text, u.Target)
	if u.Problem != "" {
		m.refuseUnit(u, u.Problem)
	} else if err := check.Basic(seg, target); err != nil {
		m.refuseUnit(u, err.Error())
	} else {
		m.out.Accepted[seg.ID] = Accepted{Target: target, State: u.State}
	}
}

func (m *merger) refuseUnit(u Unit, reason string) {
	m.out.Refused = append(m.out.Refused, Refusal{ID: u.ID, Place: u.Place, Source: u.Source, Target: u.Target, Reason: reason})
}

// significantText returns a tagged text reduced to its significant parts: tools change
// white space and how characters are escaped.
func significantText(tagged string) string {
	return strings.Join(strings.Fields(tags.String(tags.Parse(tagged))), " ")
}

// withEdgesOf adds the white space around source to target where target has none,
// because many tools trim. Existing white space stays, because it may come
// from the job.
func withEdgesOf(source, target string) string {
	if strings.TrimFunc(source, unicode.IsSpace) == "" || target == "" {
		return target
	}
	if strings.TrimLeftFunc(target, unicode.IsSpace) == target {
		target = source[:len(source)-len(strings.TrimLeftFunc(source, unicode.IsSpace))] + target
	}
	if strings.TrimRightFunc(target, unicode.IsSpace) == target {
		target += source[len(strings.TrimRightFunc(source, unicode.IsSpace)):]
	}
	return target
}
