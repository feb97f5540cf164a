package translate

import (
	"context"
	"strings"
)

// Jobs of a workbench share one ledger. Two of them may have an output of the same
// name, one in place and one below a folder, so the ledger knows a translation by
// its place in the draft.
type recordNamer interface {
	// recordName is the name of an output's record.
	recordName(output string) string
	// outputOf is its inverse; false for the record of another place.
	outputOf(name string) (output string, ok bool)
}

func (d *inDraft) recordName(output string) string { return string(d.path(output)) }

func (d *inDraft) outputOf(name string) (string, bool) {
	if d.opt.Folder == "" {
		return name, true
	}
	prefix := string(d.opt.Folder) + "/"
	if len(d.opt.To) == 1 {
		prefix += d.opt.To[0] + "/"
	}
	return strings.CutPrefix(name, prefix)
}

// recordName is the name of an output in the ledger.
func (r *runner) recordName(output string) string {
	if n, ok := r.docs.(recordNamer); ok {
		return n.recordName(output)
	}
	return output
}

// outputsOf brings records to the names of outputs, and leaves out those of other
// places.
func (o Options) outputsOf(records []Record) []Record {
	n, ok := o.Documents.(recordNamer)
	if !ok {
		return records
	}
	var out []Record
	for _, r := range records {
		if r.Output, ok = n.outputOf(r.Output); ok {
			out = append(out, r)
		}
	}
	return out
}

// adoptRecord gives the record that an earlier release made under the name of the
// output the name of its place, if it is of the file that is there.
func (r *runner) adoptRecord(ctx context.Context, t task, hash string) error {
	name := r.recordName(t.output)
	if r.ledger == nil || r.opt.DryRun || name == t.output || hash == "" {
		return nil
	}
	if done, err := r.ledger.record(ctx, name); err != nil || done != nil {
		return err
	}
	old, err := r.ledger.record(ctx, t.output)
	if err != nil || old == nil || old.Language != t.to || old.OutputHash != hash {
		return err
	}
	_, err = r.ledger.db.ExecContext(ctx, `UPDATE document SET output = ? WHERE id = ?`, name, old.id)
	return err
}
