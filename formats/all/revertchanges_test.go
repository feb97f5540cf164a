package all

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/ooxml/opc"
	"atelier/formats/ooxml/revert"
	"atelier/internal/campaign"
)

// revertCounter counts what became of changes that were to go back.
type revertCounter struct {
	documents, changes, alone, rest int
	rejected, bound, other          int // sets of changes: taken back, needing more, not comparable
}

// Taking the changes of one operation back gives what the other operations alone give,
// and taking all back gives the bytes of the file before.
func TestRevertChanges(t *testing.T) {
	full, seed := campaign.Full(), campaign.Seed()
	t.Logf("ATELIER_SEED=%d", seed)
	for _, kind := range []formats.Kind{formats.KindXlsx, formats.KindDocx, formats.KindPptx} {
		t.Run(string(kind), func(t *testing.T) {
			s := &revertCounter{}
			r := rand.New(rand.NewPCG(seed, uint64(len(kind))))
			for i, name := range documentsOf(t, kind) {
				file, err := os.ReadFile(name)
				require.NoError(t, err)
				if len(file) > 1<<20 || !full && len(file) > 100<<10 || i > 0 && campaign.Skips(t, i, 6) {
					continue
				}
				if _, err := opc.Open(context.Background(), formats.FromBytes(name, file)); err != nil {
					continue
				}
				s.document(t, kind, name, file, r)
			}
			t.Logf("%d documents, %d changes: %d can go back without the whole file, %d cannot; %d operations taken back, %d needed others, %d not compared",
				s.documents, s.changes, s.alone, s.rest, s.rejected, s.bound, s.other)
		})
	}
}

// apply applies operations to a file, nil when one has no place in it.
func apply(t *testing.T, kind formats.Kind, name string, file []byte, ops []string) []byte {
	var raw []json.RawMessage
	for _, o := range ops {
		raw = append(raw, json.RawMessage(o))
	}
	var out bytes.Buffer
	opt := formats.ApplyOptions{Open: (&reviewCounter{}).other(t, kind), Calculate: true, Now: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)}
	if _, err := editorOf(t, kind).Apply(context.Background(), formats.FromBytes(name, file), &out, raw, opt); err != nil {
		return nil
	}
	return out.Bytes()
}

// copying are operations whose result depends on the operations before in ways that a
// review does not tell.
var copying = []string{"copy_sheet", "duplicate_slide", "copy_range", "copy_styles", "fill"}

// document makes some edits and takes those of each operation back.
func (s *revertCounter) document(t *testing.T, kind formats.Kind, name string, file []byte, r *rand.Rand) {
	base := filepath.Base(name)
	p := placesOf(t, kind, file, r)
	names := opNames(kind)
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	var ops []string
	var now []byte
	for _, n := range names {
		op := p.op(kind, n)
		if op == "" || slices.Contains(copying, n) {
			continue
		}
		if out := apply(t, kind, base, file, append(slices.Clone(ops), op)); out != nil {
			ops, now = append(ops, op), out
		}
		if len(ops) == 4 {
			break
		}
	}
	if len(ops) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	before, after := formats.FromBytes(base, file), formats.FromBytes(base, now)
	plan, err := revert.NewPlan(ctx, set.Kind(kind), before, after)
	require.NoError(t, err, "%s %s", name, ops)
	all := idsOf(t, kind, before, after)
	s.sameAsExhaustive(ctx, t, plan, set.Kind(kind), before, after, all)
	s.documents++
	s.changes += len(all)
	s.rest += len(plan.Rest)
	for _, g := range plan.Groups {
		s.alone += len(g.IDs)
	}
	var back bytes.Buffer
	_, err = plan.Write(ctx, &back, all, formats.ApplyOptions{})
	require.NoError(t, err)
	require.True(t, bytes.Equal(file, back.Bytes()), "%s: all changes taken back give the file before", name)
	for k := range ops {
		s.without(ctx, t, kind, name, plan, file, now, ops, k)
	}
}

// sameAsExhaustive compares what a plan says with what it says when it tries every place
// by itself.
func (s *revertCounter) sameAsExhaustive(ctx context.Context, t *testing.T, plan *revert.Plan, f *formats.Format, before, after formats.Source, all []string) {
	slow, err := revert.NewExhaustivePlan(ctx, f, before, after)
	require.NoError(t, err)
	for _, id := range all {
		a, okA := plan.Requires(id)
		b, okB := slow.Requires(id)
		require.ElementsMatch(t, a, b, "%s: what %s requires", after.Name(), id)
		require.Equal(t, okB, okA, "%s: whether %s can go back", after.Name(), id)
	}
}

// idsOf lists the changes of a review that do not follow from others.
func idsOf(t *testing.T, kind formats.Kind, before, after formats.Source) (ids []string) {
	d, err := set.Kind(kind).Differ.Diff(context.Background(), before, after, formats.DiffOptions{MaxItems: revert.MaxChanges})
	require.NoError(t, err)
	d.Identify()
	for _, g := range d.Groups {
		for _, it := range g.Items {
			ids = append(ids, it.ID)
		}
	}
	for _, f := range d.Facts {
		if !f.Follows() {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// without takes the changes of operation k back and compares with what the others give.
func (s *revertCounter) without(ctx context.Context, t *testing.T, kind formats.Kind, name string, plan *revert.Plan, file, now []byte, ops []string, k int) {
	base := filepath.Base(name)
	want := apply(t, kind, base, file, slices.Delete(slices.Clone(ops), k, k+1))
	if want == nil {
		return
	}
	before := formats.FromBytes(base, file)
	all, others := idsOf(t, kind, before, formats.FromBytes(base, now)), idsOf(t, kind, before, formats.FromBytes(base, want))
	ids := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return slices.Contains(others, id) })
	if len(ids) == 0 || len(ids)+len(others) != len(all) {
		s.other++ // the operations have to do with each other
		return
	}
	missing, stuck, err := plan.Missing(ids)
	require.NoError(t, err)
	if len(missing) > 0 || len(stuck) > 0 {
		s.bound++
		return
	}
	var out bytes.Buffer
	_, err = plan.Write(ctx, &out, ids, formats.ApplyOptions{})
	require.NoError(t, err, "%s: %s without %s", name, ops, ops[k])
	s.rejected++
	require.Len(t, idsOf(t, kind, before, formats.FromBytes(base, out.Bytes())), len(others), "%s: %s without %s", name, ops, ops[k])
	d, err := set.Kind(kind).Differ.Diff(ctx, formats.FromBytes(base, want), formats.FromBytes(base, out.Bytes()), formats.DiffOptions{})
	require.NoError(t, err)
	for _, f := range d.Facts {
		// An operation after one that moved addresses went to another place. Parts of
		// sheets are numbered by the operations before.
		if !f.Follows() && f.Change != formats.Moved && !(f.Kind == formats.FactPart && strings.HasSuffix(f.At, ".rels")) {
			t.Errorf("%s: without %s: %+v", base, ops[k], f)
		}
	}
	require.Empty(t, d.Groups, "%s: without %s", base, ops[k])
	a, b := formatstest.OpenPackage(t, out.Bytes()), formatstest.OpenPackage(t, want)
	for _, x := range differences(kind, a, b) {
		if x.aspect == "calculated" && sameNumber(a, b, x) {
			continue // the program that saved the file rounded it
		}
		if !slices.Contains(unmeant, x.aspect) && !(x.aspect == "other" && x.part == "xl/workbook.xml") { // calcPr
			t.Errorf("%s: without %s: %+v", base, ops[k], x)
		}
	}
}

// unmeant are aspects in which files may differ that mean the same: ids of
// relationships, runs of columns, the mark that formulas are to be calculated. The review
// compares these.
var unmeant = []string{"object", "link", "column", "property", "part"}

// sameNumber reports whether a cell has the same number in both packages but for the
// last digits.
func sameNumber(a, b *formatstest.Package, x difference) bool {
	var values []float64
	for _, p := range []*formatstest.Package{a, b} {
		for _, s := range sheetsOf(p) {
			if s.name != x.place {
				continue
			}
			v, err := strconv.ParseFloat(cellsOf(p, s, nil)[x.cell].value, 64)
			if err != nil {
				return false
			}
			values = append(values, v)
		}
	}
	return len(values) == 2 && math.Abs(values[0]-values[1]) <= 1e-12*math.Abs(values[0])
}

// isRandom reports whether the part of a difference has formulas of random numbers.
func isRandom(p *formatstest.Package, x difference) bool {
	return bytes.Contains(p.Parts[x.part], []byte("RAND"))
}
