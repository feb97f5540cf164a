package all

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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

// lineEdit is operations on one place of a sheet, which do not change where the places
// above it are.
type lineEdit struct {
	ops  []string
	tell func(sheet string, it formats.DiffItem, f formats.Fact) bool // a change that it makes
	// moves says that a review may tell it in another way: rows that changed places as
	// cells that changed.
	moves bool
}

// lineEdits makes edits of rows or columns of a sheet and of its cells, from its end to
// its beginning, at least two lines apart.
func lineEdits(p *place, sheet string, cols bool) (edits []lineEdit) {
	var lines []int
	last := 1 // of the other direction
	for _, at := range p.cells[sheet] {
		col, row := splitCell(at)
		if cols {
			col, row = row, col
		}
		if last = max(last, col); !slices.Contains(lines, row) {
			lines = append(lines, row)
		}
	}
	slices.Sort(lines)
	what, member, name := "rows", "row", func(n int) string { return fmt.Sprint(n) }
	if cols {
		what, member, name = "columns", "column", func(n int) string { return fmt.Sprintf("%q", columnName(n)) }
	}
	bare := func(n int) string { return strings.Trim(name(n), `"`) }
	cell := func(line, other int) string {
		if cols {
			line, other = other, line
		}
		return columnName(other) + fmt.Sprint(line)
	}
	for i := len(lines) - 1; i > 0 && len(edits) < 4; i -= 3 + p.r.IntN(3) {
		n, mark := lines[i], fmt.Sprintf("text %d of the test", p.r.IntN(1e6))
		set := func(at string) string {
			return fmt.Sprintf(`{"op":"set_cells","sheet":%q,"cells":[{"cell":%q,"value":%q}]}`, sheet, at, mark)
		}
		told := func(s string, it formats.DiffItem, f formats.Fact) bool {
			return s == sheet && strings.Contains(it.New, mark)
		}
		switch p.r.IntN(5) {
		case 0:
			edits = append(edits, lineEdit{[]string{fmt.Sprintf(`{"op":"insert_%s","sheet":%q,%q:%s}`, what, sheet, member, name(n)), set(cell(n, 1+p.r.IntN(last)))}, told, false})
		case 1:
			edits = append(edits, lineEdit{[]string{fmt.Sprintf(`{"op":"delete_%s","sheet":%q,%q:%s}`, what, sheet, member, name(n))},
				func(s string, it formats.DiffItem, f formats.Fact) bool {
					return f.Change == formats.Removed && f.At == sheet+"!"+bare(n)+":"+bare(n) || s == sheet && it.Change == formats.Removed && it.At == member+" "+bare(n)
				}, false})
		case 2:
			if i < 3 || cols {
				continue
			}
			to := lines[i-2]
			edits = append(edits, lineEdit{[]string{fmt.Sprintf(`{"op":"move_%s","sheet":%q,%q:%s,"to":%s}`, what, sheet, member, name(n), name(to))},
				func(s string, it formats.DiffItem, f formats.Fact) bool {
					return s == sheet && it.Change == formats.Moved && (it.From == member+" "+bare(n) || it.From == member+" "+bare(n-1))
				}, true})
			i -= 2
		case 3:
			if i < 6 || cols {
				continue
			}
			from := lines[i-4]
			edits = append(edits, lineEdit{[]string{fmt.Sprintf(`{"op":"sort_range","sheet":%q,"range":"A%d:%s%d","by":[{"column":"A","descending":true}]}`, sheet, from, columnName(last), n)},
				func(s string, it formats.DiffItem, f formats.Fact) bool {
					at := 0
					fmt.Sscanf(it.From, "row %d", &at)
					return s == sheet && it.Change == formats.Moved && at >= from && at <= n
				}, true})
			i -= 4
		default:
			edits = append(edits, lineEdit{[]string{set(cell(n, 1+p.r.IntN(last)))}, told, false})
		}
	}
	return edits
}

// Rejecting the changes of some edits of rows and columns gives what the other edits
// alone give, and rejecting all gives the bytes of the file before.
func TestRevertRows(t *testing.T) {
	full, seed := campaign.Full(), campaign.Seed()
	t.Logf("ATELIER_SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 7))
	s := &revertCounter{}
	for i, name := range documentsOf(t, formats.KindXlsx) {
		file, err := os.ReadFile(name)
		require.NoError(t, err)
		if len(file) > 1<<20 || !full && len(file) > 30<<10 || i > 0 && campaign.Skips(t, i, 6) {
			continue
		}
		if _, err := opc.Open(context.Background(), formats.FromBytes(name, file)); err != nil {
			continue
		}
		p := placesOf(t, formats.KindXlsx, file, r)
		if len(p.sheets) == 0 {
			continue
		}
		sheet := slices.MaxFunc(p.sheets, func(a, b string) int { return len(p.cells[a]) - len(p.cells[b]) })
		for _, cols := range []bool{false, true} {
			s.lines(t, name, file, lineEdits(p, sheet, cols), r)
		}
	}
	t.Logf("%d documents, %d changes: %d can go back without the whole file, %d cannot; %d sets of edits taken back, %d needed the whole file, %d not compared",
		s.documents, s.changes, s.alone, s.rest, s.rejected, s.bound, s.other)
}

// lines makes edits and takes those of each back, and a random set of them.
func (s *revertCounter) lines(t *testing.T, name string, file []byte, edits []lineEdit, r *rand.Rand) {
	base := filepath.Base(name)
	with := func(edits []lineEdit) []byte {
		var ops []string
		for _, e := range edits {
			ops = append(ops, e.ops...)
		}
		return apply(t, formats.KindXlsx, base, file, ops)
	}
	var kept []lineEdit
	now := file
	for _, e := range edits {
		if out := with(append(slices.Clone(kept), e)); out != nil {
			kept, now = append(kept, e), out
		}
	}
	if len(kept) < 2 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	before, after := formats.FromBytes(base, file), formats.FromBytes(base, now)
	all := idsOf(t, formats.KindXlsx, before, after)
	if len(all) > 300 {
		return
	}
	plan, err := revert.NewPlan(ctx, set.Kind(formats.KindXlsx), before, after)
	if ctx.Err() != nil {
		t.Logf("%s: no plan in time", base)
		return
	}
	require.NoError(t, err, "%s %v", name, kept)
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
	owned := ownedBy(t, before, after, kept)
	if owned == nil {
		s.other++
		return
	}
	for k := range kept {
		s.withoutEdits(ctx, t, base, plan, kept, owned, []int{k}, with, len(all), file)
	}
	s.withoutEdits(ctx, t, base, plan, kept, owned, r.Perm(len(kept))[:1+r.IntN(len(kept)-1)], with, len(all), file)
}

// detailsOnly ends a fact of tables whose columns have other ids: these are given in the
// order of the operations.
const detailsOnly = " (in its details)"

// ownedBy lists the changes that tell each edit, nil where cells changed that none tells
// and rows changed places.
func ownedBy(t *testing.T, before, after formats.Source, edits []lineEdit) [][]string {
	d, err := set.Kind(formats.KindXlsx).Differ.Diff(context.Background(), before, after, formats.DiffOptions{MaxItems: revert.MaxChanges})
	require.NoError(t, err)
	d.Identify()
	out := make([][]string, len(edits))
	moves := slices.ContainsFunc(edits, func(e lineEdit) bool { return e.moves })
	for _, g := range d.Groups {
		for _, it := range g.Items {
			told := slices.ContainsFunc(edits, func(e lineEdit) bool { return e.tell(g.Name, it, formats.Fact{}) })
			if moves && !told {
				return nil
			}
		}
	}
	for k, e := range edits {
		for _, g := range d.Groups {
			for _, it := range g.Items {
				if e.tell(g.Name, it, formats.Fact{}) {
					out[k] = append(out[k], it.ID)
				}
			}
		}
		for _, f := range d.Facts {
			if e.tell("", formats.DiffItem{}, f) {
				out[k] = append(out[k], f.ID)
			}
		}
	}
	return out
}

// withoutEdits takes the changes of some edits back, and those that they need, and
// compares with what the other edits give.
func (s *revertCounter) withoutEdits(ctx context.Context, t *testing.T, base string, plan *revert.Plan, edits []lineEdit, owned [][]string, which []int, with func([]lineEdit) []byte, all int, file []byte) {
	var ids []string
	for _, k := range which {
		if len(owned[k]) == 0 {
			s.other++ // the review tells it in another way
			return
		}
		ids = append(ids, owned[k]...)
	}
	for _, id := range slices.Clone(ids) {
		more, ok := plan.Requires(id)
		if !ok {
			s.bound++
			return
		}
		ids = append(ids, more...)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	var rest []lineEdit
	gone := 0
	for k, e := range edits {
		n := 0
		for _, id := range owned[k] {
			if slices.Contains(ids, id) {
				n++
			}
		}
		if n == 0 || n < len(owned[k]) {
			rest = append(rest, e)
		} else {
			gone++
		}
	}
	want := with(rest)
	if len(rest) == 0 {
		want = file
	}
	if want == nil || gone < len(which) {
		s.other++
		return
	}
	if len(idsOf(t, formats.KindXlsx, formats.FromBytes(base, file), formats.FromBytes(base, want)))+len(ids) != all {
		s.other++ // an edit made more than what tells it, such as a column of a table with another name
		return
	}
	var said []string
	for _, e := range edits {
		said = append(said, e.ops...)
	}
	var out bytes.Buffer
	_, err := plan.Write(ctx, &out, ids, formats.ApplyOptions{})
	if formats.CodeOf(err) == formats.CodeUnsupported {
		s.bound++
		t.Logf("%s: %v without %v: %v", base, said, which, err)
		return
	}
	require.NoError(t, err, "%s: %s without %v", base, said, which)
	s.rejected++
	d, err := set.Kind(formats.KindXlsx).Differ.Diff(ctx, formats.FromBytes(base, want), formats.FromBytes(base, out.Bytes()), formats.DiffOptions{})
	require.NoError(t, err)
	for _, f := range d.Facts {
		if !f.Follows() && !(f.Kind == formats.FactTable && f.New == f.Old+detailsOnly) {
			t.Errorf("%s: %s without %v: %+v", base, said, which, f)
		}
	}
	require.Empty(t, d.Groups, "%s: %s without %v", base, said, which)
	a, b := formatstest.OpenPackage(t, out.Bytes()), formatstest.OpenPackage(t, want)
	for _, x := range differences(formats.KindXlsx, a, b) {
		if x.aspect == "calculated" && (sameNumber(a, b, x) || isRandom(b, x)) {
			continue // the program that saved the file rounded it, or it is another one each time
		}
		if !slices.Contains(unmeant, x.aspect) && x.aspect != "table" && !(x.aspect == "other" && x.part == "xl/workbook.xml") { // calcPr
			t.Errorf("%s: %s without %v: %+v", base, said, which, x)
		}
	}
}
