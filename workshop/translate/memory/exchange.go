package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"atelier/workshop"
	"atelier/workshop/translate/tmx"
)

// Counts are the results of an import.
type Counts struct {
	Units    int `json:"units"`    // in the file
	Entries  int `json:"entries"`  // stored, over all language pairs
	Skipped  int `json:"skipped"`  // units with empty or too long variants, or without another language
	Untagged int `json:"untagged"` // variants whose tags were not understood and were removed
}

// importBatch is how many entries are written at once; other processes may
// write in between.
const importBatch = 4000

// maxLanguages limits units without a source language: up to this many
// variants, each is taken as the source of all others.
const maxLanguages = 12

// ImportTMX adds the units of a TMX file of any size: one entry for each
// variant in another language than the source. In a unit whose source
// language is "*all*", each variant is the source of each other one. Entries
// keep dates and authors. Entries written by ExportTMX keep their origin and
// recipe; others are Imported. Entries read before an error stay; the error
// names the line.
func (m *Memory) ImportTMX(ctx context.Context, r io.Reader) (Counts, error) {
	var n Counts
	fault := func(err error) error {
		return workshop.Faultf(workshop.Invalid, "the TMX file cannot be read: %w", err)
	}
	in, err := tmx.NewReader(r)
	if err != nil {
		return n, fault(err)
	}
	var batch []Entry
	flush := func() error {
		err := m.Put(ctx, batch)
		batch = batch[:0]
		return err
	}
	for {
		u, err := in.Next()
		if errors.Is(err, io.EOF) {
			return n, flush()
		}
		if err != nil {
			if perr := flush(); perr != nil {
				return n, perr
			}
			return n, fault(err)
		}
		n.Units++
		es, untagged := entriesOf(u)
		n.Untagged += untagged
		before := len(batch)
		batch = appendValid(batch, es)
		kept := len(batch) - before
		if n.Entries += kept; kept < max(1, len(es)) {
			n.Skipped++
		}
		if len(batch) >= importBatch {
			if err := flush(); err != nil {
				return n, err
			}
		}
	}
}

// appendValid appends the entries that the memory takes.
func appendValid(batch, es []Entry) []Entry {
	for _, e := range es {
		if e.check() == nil {
			batch = append(batch, e)
		}
	}
	return batch
}

// Names of properties for data that TMX has no field for.
const (
	propOrigin   = "x-atelier-origin"
	propRecipe   = "x-atelier-recipe"
	propDocument = "x-document"
	propPlace    = "x-place"
	propUnknown  = "x-atelier-source-unknown" // the source language is unknown
	propChanged  = "x-atelier-changed"        // to the millisecond
)

// unknownLang is the xml:lang of a source in an unknown language (BCP 47:
// undetermined).
const unknownLang = "und"

func entriesOf(u tmx.Unit) (out []Entry, untagged int) {
	for _, v := range u.Variants {
		if v.Plain {
			untagged++
		}
	}
	for i, s := range u.Variants {
		if !isSource(u, i) {
			continue
		}
		for j, t := range u.Variants {
			if i == j || canonical(s.Lang) == canonical(t.Lang) {
				continue
			}
			out = append(out, entryOf(u, s, t))
		}
	}
	return out, untagged
}

// isSource reports whether variant i is a source: the first in the unit's
// source language, exactly or by its base language, or else the first of all.
func isSource(u tmx.Unit, i int) bool {
	want := canonical(u.SrcLang)
	if want == tmx.AllLanguages || want == "" {
		return len(u.Variants) <= maxLanguages || i == 0
	}
	best, at := 99, 0
	for j, v := range u.Variants {
		if n := nearness(want, canonical(v.Lang)); n >= 0 && n < best {
			best, at = n, j
		}
	}
	return i == at
}

func entryOf(u tmx.Unit, s, t tmx.Variant) Entry {
	e := Entry{Pair: Pair{s.Lang, t.Lang}.Canonical(), Source: s.Text, Target: t.Text, Origin: Imported,
		Document: u.Prop(propDocument), Place: u.Prop(propPlace), By: t.By, Changed: t.Changed}
	if e.From == unknownLang || u.Prop(propUnknown) != "" {
		e.From = ""
	}
	if o := Origin(u.Prop(propOrigin)); o == Person || o == Machine {
		e.Origin, e.Recipe = o, u.Prop(propRecipe)
	}
	if e.By == "" {
		e.By = u.By
	}
	if e.Changed.IsZero() {
		e.Changed = u.Changed
	}
	if at, err := time.Parse(time.RFC3339Nano, u.Prop(propChanged)); err == nil {
		e.Changed = at
	}
	return e
}

// ExportOptions restrict an export; the zero value exports all entries by a
// person and all imported ones.
type ExportOptions struct {
	Pair    Pair // "" in From or To is any language
	Machine bool // include machine entries
}

// ExportTMX writes entries as TMX 1.4b in the order in which they were
// stored, and returns their number. Memory use does not depend on it. Entries
// that are stored during the export may be missing.
func (m *Memory) ExportTMX(ctx context.Context, w io.Writer, opt ExportOptions) (int, error) {
	p := opt.Pair.Canonical()
	langs, err := m.nearLanguages(ctx, p, 2)
	if err != nil {
		return 0, err
	}
	if p.To == "" {
		for id := range langs.tags {
			langs.to[id] = 0
		}
	}
	out, err := tmx.NewWriter(w, tmx.Header{SrcLang: p.From, Tool: "Atelier", Version: buildVersion()})
	if err != nil {
		return 0, err
	}
	worst := len(origins) - 2
	if opt.Machine {
		worst++
	}
	n := 0
	for last := int64(-1); ; {
		var page []row
		err := m.eachRow(ctx, langs, "e.id > ? AND e.origin <= ? ORDER BY e.id LIMIT 500", []any{last, worst}, func(r row) { page = append(page, r) })
		if err != nil {
			return n, err
		}
		if len(page) == 0 {
			return n, out.Close()
		}
		for _, r := range page {
			last = r.id
			if !langs.serves(r) {
				continue
			}
			if err := out.Write(unitOf(r.entry)); err != nil {
				return n, err
			}
			n++
		}
	}
}

func unitOf(e Entry) tmx.Unit {
	u := tmx.Unit{SrcLang: e.From, Changed: e.Changed, By: e.By}
	from := e.From
	if from == "" {
		from, u.SrcLang = unknownLang, unknownLang
		u.Props = append(u.Props, tmx.Prop{Type: propUnknown, Text: "yes"})
	}
	for _, p := range []tmx.Prop{{Type: propOrigin, Text: string(e.Origin)}, {Type: propRecipe, Text: e.Recipe}, {Type: propDocument, Text: e.Document}, {Type: propPlace, Text: e.Place}} {
		if p.Text != "" {
			u.Props = append(u.Props, p)
		}
	}
	if e.Changed.Nanosecond() != 0 {
		u.Props = append(u.Props, tmx.Prop{Type: propChanged, Text: e.Changed.UTC().Format(time.RFC3339Nano)})
	}
	u.Variants = []tmx.Variant{{Lang: from, Text: e.Source}, {Lang: e.To, Text: e.Target}}
	return u
}

// buildVersion returns the version of this program as stamped by the go
// command.
func buildVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return strings.Trim(info.Main.Version, "()")
	}
	return "devel"
}

// String returns a line for people: "1,204 units, 1,190 entries".
func (n Counts) String() string {
	s := fmt.Sprintf("%d units, %d entries", n.Units, n.Entries)
	if n.Skipped > 0 {
		s += fmt.Sprintf(", %d units skipped in whole or in part (no text, no second language, or too long)", n.Skipped)
	}
	if n.Untagged > 0 {
		s += fmt.Sprintf(", %d texts without their tags, which were not well formed", n.Untagged)
	}
	return s
}
