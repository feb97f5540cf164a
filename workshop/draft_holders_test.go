package workshop

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The count of rows below each folder follows every change of the draft.
func TestHoldersFollowTheDraft(t *testing.T) {
	r := newRig(t, map[string]string{"a/b/old.txt": "1", "c.txt": "2"})
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		p := Path(fmt.Sprintf("d%d/e%d/f%d.txt", rnd.IntN(3), rnd.IntN(3), rnd.IntN(4)))
		switch rnd.IntN(5) {
		case 0:
			_ = r.draft().Remove(ctx, p) // which may not be there
		case 1:
			_, _ = r.draft().Mkdir(ctx, p[:5])
		case 2:
			_ = r.draft().Move(ctx, p, "moved/x.txt")
		case 3:
			if i%20 == 0 {
				require.NoError(t, r.wb.Discard(ctx, nil))
			}
		default:
			r.put(string(p), "x")
		}
		require.Equal(t, holdersOf(r.wb.rows), r.wb.holders)
	}
	require.NotEmpty(t, r.wb.holders)
	_, err := r.draft().Stat(ctx, "nowhere")
	require.True(t, IsFault(err, NotFound))
	r.put("only/in/draft.txt", "x")
	e, err := r.draft().Stat(ctx, "only/in")
	require.NoError(t, err)
	require.True(t, e.IsDir)
	r.publish(PublishOptions{})
	require.Empty(t, r.wb.holders)
}

// naiveRenames compares each file that comes with each that goes.
func naiveRenames(wb *Workbench, rows map[Path]row) map[Path]Path {
	type pair struct {
		rank     int
		to, from Path
	}
	var pairs []pair
	for to, r := range rows {
		for from, g := range rows {
			if r.kind != rowFile || r.baseHash != "" || g.kind != rowGone || g.baseHash != r.hash {
				continue
			}
			switch {
			case r.identity.FileID != "" && wb.fileID(from) == r.identity.FileID:
				pairs = append(pairs, pair{0, to, from})
			case foldName(Entry{Path: from}.Name()) == foldName(Entry{Path: to}.Name()):
				pairs = append(pairs, pair{1, to, from})
			case r.hash != emptyHash:
				pairs = append(pairs, pair{2, to, from})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return slices.Compare([]string{fmt.Sprint(a.rank), string(a.to), string(a.from)}, []string{fmt.Sprint(b.rank), string(b.to), string(b.from)})
	})
	out, taken := map[Path]Path{}, map[Path]bool{}
	for _, p := range pairs {
		if _, done := out[p.to]; !done && !taken[p.from] {
			out[p.to], taken[p.from] = p.from, true
		}
	}
	return out
}

// Renames are the same as when each file is compared with each.
func TestRenamesAmongFilesOfTheSameContent(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		wb := &Workbench{known: map[Path]known{}}
		rows := map[Path]row{}
		hashes := []string{emptyHash, "1", "2"}
		names := []string{"a.txt", "A.TXT", "b.txt", "\u212a.txt", "k.txt"}
		for i := range rnd.IntN(30) {
			p := Path(fmt.Sprintf("d%02d/%s", i, names[rnd.IntN(len(names))]))
			hash := hashes[rnd.IntN(len(hashes))]
			if rnd.IntN(2) == 0 {
				rows[p] = row{kind: rowGone, baseHash: hash}
				if rnd.IntN(3) == 0 {
					wb.known[p] = known{Identity: Identity{FileID: fmt.Sprint("id-", i)}}
				}
				continue
			}
			r := row{kind: rowFile, hash: hash}
			if of := slices.Sorted(maps.Keys(wb.known)); len(of) > 0 && rnd.IntN(2) == 0 {
				r.identity.FileID = wb.known[of[rnd.IntN(len(of))]].FileID
			}
			rows[p] = r
		}
		want := naiveRenames(wb, rows)
		got := wb.renames(rows)
		if len(want) == 0 {
			require.Empty(t, got)
			continue
		}
		require.Equal(t, want, got)
	}
}

// Many files of the same content move in time that follows their number.
func TestRenamesOfManyEqualFiles(t *testing.T) {
	rows := map[Path]row{}
	for i := range 50_000 {
		rows[Path(fmt.Sprintf("old/%d/init.py", i))] = row{kind: rowGone, baseHash: "1"}
		rows[Path(fmt.Sprintf("new/%d/init.py", i))] = row{kind: rowFile, hash: "1"}
	}
	wb := &Workbench{}
	require.Len(t, wb.renames(rows), 50_000)
	among := make([]Path, 0, len(rows))
	for p := range rows {
		among = append(among, p)
	}
	wb.rows = rows
	require.Len(t, wb.selected(among), len(rows))
	require.Len(t, wb.wholeRenames(among), len(rows))
}
