package workshop

import (
	"fmt"
	"slices"
	"testing"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// K-06: going to any message there ever was, also one that was taken back, over
// publishes and after a restart, gives the conversation and the files as they
// were when it was said.
func TestK06UndoToEveryBranchAgainstAModel(t *testing.T) {
	campaign.Checks(t, 80)
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(t, map[string]string{"a": "1", "d/b": "2"})
		type state struct{ draft, disk map[string]string }
		now := func() state { return state{tree(t, r.draft()), r.disk()} }
		said := map[string]state{}      // by message
		before := map[string][]string{} // what stood before it
		var all, live []string
		for step := range rapid.IntRange(1, 30).Draw(rt, "steps") {
			path := rapid.SampledFrom([]string{"a", "d/b", "c"}).Draw(rt, "path")
			switch rapid.SampledFrom([]string{"put", "put", "remove", "say", "say", "say", "publish", "discard", "undo", "undo", "reopen"}).Draw(rt, "op") {
			case "put":
				r.put(path, fmt.Sprint(step))
			case "remove":
				if err := r.draft().Remove(ctx, Path(path)); err != nil {
					require.True(rt, IsFault(err, NotFound), "%v", err)
				}
			case "say":
				id := fmt.Sprintf("u-%d", step)
				r.say(id, TypeUser)
				said[id], before[id] = now(), slices.Clone(live)
				all, live = append(all, id), append(live, id)
			case "publish":
				r.publish(PublishOptions{})
			case "discard":
				require.NoError(rt, r.wb.Discard(ctx, nil))
			case "undo":
				if len(all) == 0 {
					continue
				}
				id := rapid.SampledFrom(all).Draw(rt, "message")
				undo := r.wb.UndoTo
				live = append(slices.Clone(before[id]), id)
				if rapid.Bool().Draw(rt, "before") {
					undo, live = r.wb.UndoBefore, slices.Clone(before[id])
				}
				_, err := undo(ctx, id)
				require.NoError(rt, err)
				require.Equal(rt, said[id], now(), "undo to %s", id)
			case "reopen":
				r.reopen()
			}
			require.ElementsMatch(rt, live, r.ids())
		}
	})
}
