package transcript

import (
	"fmt"
	"sync/atomic"
	"time"

	"atelier/internal/lazyregexp"
)

// still is the time in transcripts.
var still = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// counter makes UUIDv7s that count up.
func counter() func() string {
	var n atomic.Uint64
	return func() string {
		i := n.Add(1)
		return fmt.Sprintf("01900000-0000-7000-8000-%012x", i)
	}
}

var ids = lazyregexp.New(`(?:\b([a-z]+)-)?\b01900000-0000-7000-8000-[0-9a-f]{12}\b`)

// names gives ids short names in the order in which it sees them, so that a
// transcript does not depend on how many ids are drawn for other things.
type names struct {
	known map[string]string
	count map[string]int
}

func newNames() *names { return &names{known: map[string]string{}, count: map[string]int{}} }

func (n *names) replace(s string) string {
	return ids.ReplaceAllStringFunc(s, func(id string) string {
		if name, ok := n.known[id]; ok {
			return name
		}
		prefix := ids.FindStringSubmatch(id)[1]
		if prefix == "" {
			prefix = "id"
		}
		return n.name(id, prefix)
	})
}

func (n *names) name(id, prefix string) string {
	n.count[prefix]++
	n.known[id] = fmt.Sprintf("%s-%d", prefix, n.count[prefix])
	return n.known[id]
}
