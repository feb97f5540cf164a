package search

import (
	"context"
	"slices"
	"strings"
)

// collect orders the results and ends the search when the limit is reached.
func (g *grep) collect(results <-chan batchResult, tokens <-chan struct{}, stop func()) GrepResult {
	var out GrepResult
	waiting := map[int]batchResult{}
	bytes := 0
	for r := range results {
		waiting[r.number] = r
		for !out.Limited && !out.Spent {
			r, ok := waiting[g.next]
			if !ok {
				break
			}
			delete(waiting, g.next)
			g.addCut(r) // matches found before the end count
			<-tokens
			g.nextBatch(r)
			if r.last != "" {
				out.Last = r.last
			}
			out.Files += r.files
			out.Limited = g.addMatches(&out, r.matches, &bytes)
			g.spent += r.spent
			out.Spent = !out.Limited && g.opt.MostBytes > 0 && g.spent >= g.opt.MostBytes
		}
		if out.Limited || out.Spent {
			stop()
			clear(waiting) // the remaining batches are ending
		}
	}
	return out
}

// addCut notes the files of a batch that the end of the search's time left out.
func (g *grep) addCut(r batchResult) {
	for _, it := range r.cut {
		g.unfinished = true
		g.addSkipped(Skipped{it.Path, "the time of the call was over before it was searched"})
	}
}

// addMatches adds matches up to the limits and reports whether one was reached.
func (g *grep) addMatches(out *GrepResult, ms []Match, bytes *int) (limited bool) {
	for _, m := range ms {
		if *bytes += m.size(); *bytes > MaxMatchBytes {
			return true
		}
		if len(out.Matches) == cap(out.Matches) { // append would grow a long list by a quarter only
			out.Matches = slices.Grow(out.Matches, len(out.Matches)+1)
		}
		out.Matches = append(out.Matches, m)
		if len(out.Matches) == g.opt.Limit {
			return true
		}
	}
	return false
}

// waitForRoom waits until there is memory for a result that the collector cannot use
// yet. The batch that the collector needs next never waits.
func (g *grep) waitForRoom(ctx context.Context, r batchResult) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.next != r.number && g.held > MaxMatchBytes && ctx.Err() == nil {
		g.room.Wait()
	}
	g.held += r.bytes
}

// nextBatch moves on to the next batch.
func (g *grep) nextBatch(r batchResult) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.next++
	g.held -= r.bytes
	g.room.Broadcast()
}

func (g *grep) addSkipped(s Skipped) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.skipped = append(g.skipped, s)
}

// skippedUpTo returns what was skipped before the end of a limited search.
// What lies after it depends on timing and is left out.
func (g *grep) skippedUpTo(r GrepResult) []Skipped {
	out := g.skipped
	if (r.Limited && len(r.Matches) > 0) || r.Late || r.Spent {
		last := r.Last
		if r.Limited {
			last = r.Matches[len(r.Matches)-1].Path
		}
		out = slices.DeleteFunc(out, func(s Skipped) bool { return s.Path > last })
	}
	slices.SortFunc(out, func(a, b Skipped) int { return strings.Compare(string(a.Path), string(b.Path)) })
	return out
}
