package translate

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/workshop"
	"atelier/workshop/translate/check"
	"atelier/workshop/translate/memory"
	"atelier/workshop/translate/translator"
)

// Correction is a person's translation of a segment. The translation that is there
// already confirms it.
type Correction struct {
	Document string `json:"path"`    // the translation, by its place in the draft
	Segment  string `json:"segment"` // the segment's id
	Target   string `json:"target"`  // with the tags of the source
}

// Refusal is a correction that was not used.
type Refusal struct {
	Correction
	Place  string
	Code   check.Code // "" when no such segment exists
	Reason string
}

// Corrected is the result of corrections.
type Corrected struct {
	Rows    []SegmentRow // the segments as they are now, at most MostRows
	Count   int          // all of them
	Refused []Refusal
	Written []string // documents that were made again
}

// MostRows bounds the segments in Corrected.
const MostRows = 500

// Editor stores what people correct in the translations of a workbench's jobs. Opt
// is that of the job: Documents, Ledger and Formats are needed, Memory takes the
// corrections, the rest is for the checks.
type Editor struct {
	opt    Options
	ledger *Ledger
	out    recordNamer
	names  []string // of the job's records
	langs  []string
}

// OpenEditor opens the ledger for corrections of the documents with these names. The
// caller keeps jobs away meanwhile.
func OpenEditor(ctx context.Context, opt Options, names, languages []string) (*Editor, error) {
	out, ok := opt.Documents.(recordNamer)
	if !ok {
		return nil, fmt.Errorf("only translations in a draft are corrected")
	}
	l, err := OpenLedger(ctx, opt.Ledger)
	if err != nil {
		return nil, err
	}
	return &Editor{opt, l, out, names, languages}, nil
}

// Close ends the use of the ledger.
func (e *Editor) Close() error { return e.ledger.Close() }

// Records are the documents of the job that the ledger has.
func (e *Editor) Records(ctx context.Context) ([]Record, error) {
	all, err := e.ledger.Records(ctx)
	return recordsNamed(all, e.names, e.langs), err
}

// Correct stores corrections: in the ledger, which later runs of the job use, in the
// memory, and in the documents, each of which is made again once. With equal they
// also count for the segments of the same text in the same language that nobody has
// confirmed. Documents that an ended program left unwritten are written too.
//
// What a check refuses is in Refused. An error means that a document could not be
// made again: corrections of documents before it are stored.
func (e *Editor) Correct(ctx context.Context, fixes []Correction, equal bool) (c Corrected, err error) {
	records, err := e.Records(ctx)
	if err != nil {
		return c, err
	}
	byDocument := map[string]map[string]string{}
	for _, f := range fixes {
		if byDocument[f.Document] == nil {
			byDocument[f.Document] = map[string]string{}
		}
		byDocument[f.Document][f.Segment] = f.Target
	}
	if equal {
		if err := e.addEqual(ctx, records, byDocument); err != nil {
			return c, err
		}
	}
	for _, r := range records {
		of := byDocument[r.Output]
		delete(byDocument, r.Output)
		if of == nil && r.Status != statusWriting {
			continue
		}
		if err := e.document(ctx, r, of, &c); err != nil {
			return c, err
		}
	}
	for name, of := range byDocument {
		for id, target := range of {
			c.Refused = append(c.Refused, Refusal{Correction: Correction{name, id, target}, Reason: fmt.Sprintf("the job has no translation %s, or another job has replaced it", name)})
		}
	}
	return c, nil
}

// mostEqual bounds the segments that one correction changes with it.
const mostEqual = 10_000

// addEqual adds the segments with the texts of the corrections.
func (e *Editor) addEqual(ctx context.Context, records []Record, by map[string]map[string]string) error {
	type text struct {
		language string
		key
	}
	targets := map[text]string{}
	for _, r := range records {
		if len(by[r.Output]) == 0 {
			continue
		}
		for row, err := range e.ledger.Rows(ctx, r) {
			if err != nil {
				return err
			}
			if target, ok := by[r.Output][row.ID]; ok {
				targets[text{r.Language, keyOf(row.Segment)}] = target
			}
		}
	}
	added := 0
	for _, r := range records {
		for row, err := range e.ledger.Rows(ctx, r) {
			if err != nil {
				return err
			}
			target, ok := targets[text{r.Language, keyOf(row.Segment)}]
			if _, own := by[r.Output][row.ID]; !ok || own || row.Origin == FromPerson && row.State == StateTranslated {
				continue
			}
			if added++; added > mostEqual {
				return workshop.Faultf(workshop.Invalid, "more than %d segments have this text; find and replace changes them in parts", mostEqual)
			}
			if by[r.Output] == nil {
				by[r.Output] = map[string]string{}
			}
			by[r.Output][row.ID] = target
		}
	}
	return nil
}

// document corrects one document.
func (e *Editor) document(ctx context.Context, r Record, of map[string]string, c *Corrected) error {
	rows, err := e.rows(ctx, r)
	if err != nil {
		return err
	}
	was, leftBefore := r, left(rows)
	changed := r.Status == statusWriting
	units := map[key]Unit{}
	var entries []memory.Entry
	var touched []int
	for i := range rows {
		target, ok := of[rows[i].ID]
		if !ok {
			continue
		}
		delete(of, rows[i].ID)
		u, bad := e.accepted(rows[i].Segment, target, r.Language)
		if bad != nil {
			c.Refused = append(c.Refused, Refusal{Correction{r.Output, rows[i].ID, target}, rows[i].Place, bad.Code, bad.Message})
			continue
		}
		changed = changed || rows[i].State != StateTranslated || rows[i].Target != u.Target
		rows[i].Unit = u
		touched = append(touched, i)
		units[keyOf(rows[i].Segment)] = u
		if len(rows[i].Text) <= memory.MaxText && len(u.Target) <= memory.MaxText {
			entries = append(entries, memory.Entry{Pair: memory.Pair{From: e.opt.From, To: r.Language}, Source: rows[i].Text, Target: u.Target, Origin: memory.Person, Document: r.Input, Place: rows[i].Place})
		}
	}
	for id, target := range of {
		c.Refused = append(c.Refused, Refusal{Correction: Correction{r.Output, id, target}, Reason: "the document has no such segment; read its segments again"})
	}
	if len(touched) == 0 && !changed {
		return nil
	}
	r.again = max(0, r.again-(leftBefore-left(rows)))
	r.Status = StatusOK
	if slices.ContainsFunc(rows, func(row Row) bool { return len(row.Flags) > 0 }) {
		r.Status = StatusFlagged
	}
	if err := e.store(ctx, was, r, rows, touched, changed, units, entries); err != nil {
		return err
	}
	if changed {
		c.Written = append(c.Written, r.Output)
	}
	for _, i := range touched {
		if c.Count++; len(c.Rows) < MostRows {
			c.Rows = append(c.Rows, SegmentRow{r.Output, r.Input, r.Language, i, rows[i]})
		}
	}
	return nil
}

func left(rows []Row) (n int) {
	for _, r := range rows {
		if r.State == StateLeft {
			n++
		}
	}
	return n
}

// rows reads all segments of a document.
func (e *Editor) rows(ctx context.Context, r Record) ([]Row, error) {
	var out []Row
	for row, err := range e.ledger.Rows(ctx, r) {
		if err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

// rules are the checks of a person's translation: what would break the document is
// refused, the rest is a remark.
func (e *Editor) rules(language string) check.Rules {
	_, pseudo := e.opt.Engine.(translator.Pseudo)
	return check.Rules{Glossary: e.opt.Glossary, Protected: e.opt.Protected, From: e.opt.From, To: language, Mechanical: pseudo}
}

func (e *Editor) accepted(s formats.Segment, target, language string) (Unit, *check.Finding) {
	if tags.Check(s.Text, target) == nil {
		target, _ = check.Repair(s.Text, target) // the blanks at its ends
	}
	fs := e.rules(language).Check(s, target)
	if bad := check.Refused(fs); bad != nil {
		return Unit{}, bad
	}
	return Unit{Target: target, State: StateTranslated, Origin: FromPerson, Flags: fs}, nil
}

// store makes the document again, if that is needed, and records what it holds. The
// texts come first: if the program ends then, the next run of the job uses them.
func (e *Editor) store(ctx context.Context, was, r Record, rows []Row, touched []int, changed bool, units map[key]Unit, entries []memory.Entry) error {
	src, err := e.opt.Documents.Open(ctx, Document{Path: r.Input, Rel: r.Input})
	if err != nil {
		return workshop.Faultf(workshop.Conflict, "%s cannot be corrected, since its original cannot be read: %w", r.Output, err)
	}
	defer src.Close()
	output, ok := e.out.outputOf(r.Output)
	if !ok {
		return workshop.Faultf(workshop.Conflict, "%s is not of this job", r.Output)
	}
	if changed {
		if err := e.free(ctx, was, src.Hash(), output); err != nil {
			return err
		}
		r.beforeHash = e.opt.Documents.Hash(ctx, output)
	}
	recipe := strings.TrimSuffix(strings.TrimSuffix(r.Recipe, " sheet-names"), " masters")
	if err := e.ledger.put(ctx, r.Language, recipe, slices.Collect(maps.Keys(units)), units); err != nil {
		return err
	}
	if e.opt.Memory != nil {
		if err := e.opt.Memory.Put(ctx, entries); err != nil {
			return err
		}
	}
	if changed {
		if err := e.write(ctx, src, output, &r, rows, touched); err != nil {
			return err
		}
	} else if err := e.ledger.correcting(ctx, &r, rows, touched); err != nil {
		return err
	}
	return e.ledger.written(context.WithoutCancel(ctx), &r)
}

func (e *Editor) write(ctx context.Context, src formats.Source, output string, r *Record, rows []Row, touched []int) error {
	f, err := e.opt.Formats.Detect(ctx, src)
	if err != nil {
		return err
	}
	if f.Segmenter == nil {
		return fmt.Errorf("%s files cannot be translated", f.Kind)
	}
	targets := make(map[string]string, len(rows))
	for _, row := range rows {
		if row.State == StateTranslated {
			targets[row.ID] = row.Target
		}
	}
	return e.opt.Documents.Write(ctx, output, func(out io.Writer) error {
		return f.Segmenter.Replace(ctx, src, out, targets, formats.ReplaceOptions{Language: r.Language, Calculate: true})
	}, func(hash string) error {
		r.OutputHash = hash
		return e.ledger.correcting(ctx, r, rows, touched)
	})
}

// free refuses to make a document again whose original or translation is not what
// the ledger knows.
func (e *Editor) free(ctx context.Context, was Record, source, output string) error {
	now := e.opt.Documents.Hash(ctx, output)
	switch {
	case source != was.SourceHash && source == was.OutputHash:
		return workshop.Faultf(workshop.Conflict, "%s was translated in place and published, so its original is gone; correct the document itself, or restore the state before the publish", was.Output)
	case source != was.SourceHash:
		return workshop.Faultf(workshop.Conflict, "%s has changed since it was translated; translate it again, then correct it", was.Input)
	case now == "" || now == was.OutputHash:
		return nil
	case was.Status == statusWriting:
		old, err := e.ledger.record(ctx, was.Output)
		if err == nil && old != nil && now == old.beforeHash {
			return nil // the program ended while it wrote
		}
	}
	return workshop.Faultf(workshop.Conflict, "%s was changed since it was translated, so it is not made again; correct the document itself, or discard its changes", was.Output)
}
