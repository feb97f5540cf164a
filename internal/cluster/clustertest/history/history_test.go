package history

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "atelier/internal/campaign"
)

func op(kind Kind, value string, outcome Outcome, began, ended int64) Op {
	return Op{File: "f", Kind: kind, Value: value, Outcome: outcome, Began: began, Ended: ended}
}

func swap(base, value string, outcome Outcome, began, ended int64) Op {
	return Op{File: "f", Kind: Swap, Base: base, Value: value, Outcome: outcome, Began: began, Ended: ended}
}

// TestCheckFindsFaults: a history with a stale read, a lost write or an effect that came twice
// is not good, and one with writes of unknown outcome is.
func TestCheckFindsFaults(t *testing.T) {
	for name, c := range map[string]struct {
		ops      []Op
		versions string
		says     string // "": it is good
	}{
		"good":                  {[]Op{op(Put, "a", Done, 0, 10), op(Get, "a", Done, 5, 30), op(Put, "b", Done, 31, 40), op(Get, "b", Done, 41, 50)}, "a b", ""},
		"absent at first":       {[]Op{op(Get, "", Done, 0, 5), op(Put, "a", Done, 4, 10)}, "a", ""},
		"lost":                  {[]Op{op(Put, "a", Done, 0, 10), op(Put, "b", Done, 20, 30)}, "a", "a value is lost: done put"},
		"lost, read before":     {[]Op{op(Put, "a", Unknown, 0, 10), op(Get, "a", Done, 20, 30)}, "", "a value is lost: done get"},
		"stale read":            {[]Op{op(Put, "a", Done, 0, 10), op(Put, "b", Done, 11, 15), op(Get, "a", Done, 20, 30)}, "a b", "not linearizable: done get f \"a\""},
		"stale read of nothing": {[]Op{op(Put, "a", Done, 0, 10), op(Get, "", Done, 20, 30)}, "a", "not linearizable: done get"},
		"back and forth":        {[]Op{op(Put, "a", Done, 0, 10), op(Put, "b", Done, 20, 60), op(Get, "b", Done, 21, 30), op(Get, "a", Done, 31, 40)}, "a b", "not linearizable"},
		"twice":                 {[]Op{op(Put, "a", Done, 0, 10), op(Put, "b", Done, 20, 30)}, "a b a", "was done twice"},
		"of nobody":             {[]Op{op(Put, "a", Done, 0, 10)}, "a x", "nobody wrote"},
		"other order":           {[]Op{op(Put, "a", Done, 0, 10), op(Put, "b", Done, 20, 30)}, "b a", "not linearizable"},
		"unknown, never":        {[]Op{op(Put, "a", Unknown, 0, 10), op(Get, "", Done, 20, 30)}, "", ""},
		"unknown, late":         {[]Op{op(Put, "a", Unknown, 0, 10), op(Get, "", Done, 20, 30), op(Get, "a", Done, 40, 50)}, "a", ""},
		"unknown, after all":    {[]Op{op(Put, "a", Unknown, 0, 10), op(Get, "", Done, 20, 30)}, "a", ""},
		"unknown, undone":       {[]Op{op(Put, "a", Unknown, 0, 10), op(Get, "a", Done, 20, 30), op(Get, "", Done, 40, 50)}, "a", "not linearizable"},
		"unknown, before":       {[]Op{op(Get, "a", Done, 0, 10), op(Put, "a", Unknown, 20, 30)}, "a", "not linearizable"},
		"made once":             {[]Op{op(Create, "a", Done, 0, 10), op(Create, "b", Refused, 0, 10)}, "a", ""},
		"made twice":            {[]Op{op(Create, "a", Done, 0, 10), op(Create, "b", Done, 0, 10)}, "a b", "not linearizable"},
		"not made":              {[]Op{op(Create, "a", Refused, 0, 10), op(Get, "", Done, 20, 30)}, "", "not linearizable"},
		"swapped":               {[]Op{op(Put, "a", Done, 0, 10), swap("a", "b", Done, 11, 20), swap("a", "c", Refused, 21, 30)}, "a b", ""},
		"swapped twice":         {[]Op{op(Put, "a", Done, 0, 10), swap("a", "b", Done, 11, 20), swap("a", "c", Done, 11, 30)}, "a b c", "not linearizable"},
		"removed":               {[]Op{op(Create, "a", Done, 0, 10), op(Remove, "", Done, 11, 20), op(Get, "", Done, 21, 30), op(Create, "b", Done, 31, 40), op(Get, "b", Done, 41, 50)}, "", ""},
		"removed, read":         {[]Op{op(Create, "a", Done, 0, 10), op(Remove, "", Done, 11, 20), op(Get, "a", Done, 21, 30)}, "", "not linearizable"},
		"removed, not made":     {[]Op{op(Create, "a", Done, 0, 10), op(Remove, "", Done, 11, 20), op(Create, "b", Refused, 21, 30)}, "", "not linearizable"},
		"removed twice":         {[]Op{op(Create, "a", Done, 0, 10), op(Remove, "", Done, 11, 20), op(Remove, "", Done, 11, 20)}, "", "not linearizable"},
		"removal lost":          {[]Op{op(Create, "a", Done, 0, 10), op(Remove, "", Refused, 11, 20)}, "", "not linearizable"},
		"removal unknown":       {[]Op{op(Create, "a", Done, 0, 10), op(Remove, "", Unknown, 11, 20), op(Get, "a", Done, 21, 30), op(Remove, "", Refused, 31, 40)}, "", ""},
		"removal undone":        {[]Op{op(Create, "a", Done, 0, 10), op(Remove, "", Unknown, 11, 20), op(Get, "", Done, 21, 30), op(Get, "a", Done, 31, 40)}, "", "not linearizable"},
		"removal seen":          {[]Op{op(Create, "a", Done, 0, 10), op(Remove, "", Unknown, 11, 20), op(Get, "", Done, 21, 30), op(Create, "b", Done, 31, 40)}, "", ""},
		"swap refused":          {[]Op{op(Put, "a", Done, 0, 10), swap("a", "b", Refused, 11, 20)}, "a", "not linearizable"},
	} {
		t.Run(name, func(t *testing.T) {
			versions := map[string][]string{"f": strings.Fields(c.versions)}
			if strings.HasPrefix(name, "remov") {
				versions = nil
			}
			faults := Check(c.ops, versions)
			if c.says == "" {
				require.Empty(t, faults)
				return
			}
			require.Len(t, faults, 1)
			require.Contains(t, faults[0], c.says)
		})
	}
}

// good makes a history of a file that is linearizable: each operation takes effect at a time
// between its beginning and its end.
func good(r *rand.Rand, n int) (ops []Op, versions []string) {
	now := ""
	for i := range n {
		at := int64(i * 100)
		o := Op{Client: i % 5, File: "f", Kind: []Kind{Put, Create, Swap, Get, Get}[r.IntN(5)], Value: fmt.Sprint("v", i), Outcome: Done,
			Began: at - r.Int64N(300), Ended: at + 1 + r.Int64N(300)}
		if o.Kind == Swap && r.IntN(2) == 0 {
			o.Base = now
		} else if o.Kind == Swap {
			o.Base = "v-1"
		}
		switch {
		case o.Kind == Get:
			o.Value = now
		case o.Kind == Create && now != "" || o.Kind == Swap && now != o.Base:
			o.Outcome = Refused
		case r.IntN(6) == 0:
			o.Outcome, o.Ended = Unknown, o.Began+1 // and it takes effect later
			fallthrough
		default:
			now = o.Value
			versions = append(versions, now)
		}
		if o.Kind == Get && r.IntN(8) == 0 {
			o.Outcome = Unknown
		}
		ops = append(ops, o)
		if r.IntN(6) == 0 { // a write that never takes effect
			ops = append(ops, Op{File: "f", Kind: Put, Value: fmt.Sprint("never", i), Outcome: Unknown, Began: at, Ended: at + 50})
		}
	}
	r.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
	return ops, versions
}

// TestCheckRandomHistories: histories of one server are good, and those into which a stale
// read, a lost write or an effect that came twice was put are not.
func TestCheckRandomHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		ops, versions := good(r, rapid.IntRange(20, 400).Draw(t, "operations"))
		if len(versions) < 4 {
			t.Skip("too few writes")
		}
		check := func(ops []Op, versions []string) []string {
			return Check(ops, map[string][]string{"f": versions})
		}
		require.Empty(t, check(ops, versions))

		i := r.IntN(len(versions) - 1)
		require.NotEmpty(t, check(ops, slices.Insert(slices.Clone(versions), i+1, versions[i])), "an effect came twice, at once")
		require.NotEmpty(t, check(ops, append(slices.Clone(versions), versions[i])), "an effect came twice, at the end")

		var acknowledged []Op
		end := int64(0)
		for _, o := range ops {
			if end = max(end, o.Ended); o.Outcome == Done && o.Kind != Get {
				acknowledged = append(acknowledged, o)
			}
		}
		if len(acknowledged) == 0 {
			t.Skip("nothing was acknowledged")
		}
		lost := acknowledged[r.IntN(len(acknowledged))]
		without := slices.DeleteFunc(slices.Clone(versions), func(v string) bool { return v == lost.Value })
		require.NotEmpty(t, check(ops, without), "a write is lost")

		stale := Op{Client: 9, File: "f", Kind: Get, Value: versions[i], Outcome: Done, Began: end + 1, Ended: end + 2}
		newest := slices.ContainsFunc(acknowledged, func(o Op) bool { return slices.Index(versions, o.Value) > i })
		if newest {
			require.NotEmpty(t, check(append(slices.Clone(ops), stale), versions), "a read is stale")
		}
	})
}
