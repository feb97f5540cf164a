package all

import (
	"os"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/internal/budget"
	"atelier/internal/campaign"
)

// mostReserved is the most that was reserved while a reservedSource was read.
var mostReserved atomic.Int64

// reservedSource notes what is reserved of the budget when it is read.
type reservedSource struct{ formats.Source }

func (s reservedSource) ReadAt(b []byte, at int64) (int, error) {
	noteReserved()
	return s.Source.ReadAt(b, at)
}

// Hash is what caches ask for.
func (s reservedSource) Hash() string {
	noteReserved()
	return s.Source.Hash()
}

func noteReserved() {
	mostReserved.Store(max(mostReserved.Load(), budget.Process.Stats().Work))
}

// TestEstimatesCoverTheWork: operations on large documents take no more memory than they
// reserve.
func TestEstimatesCoverTheWork(t *testing.T) {
	campaign.Slow(t)
	if campaign.Race {
		t.Skip("measures memory, which the race detector multiplies")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	for _, name := range []string{"doc_300p.docx", "deck_100.pptx", "big_100k.xlsx"} {
		path := formatstest.Bench(t, name)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		path = formatstest.Write(t, name, data) // beside which it can be edited
		other, _ := slightlyEdited(t, path)
		costs := measured(t, self, path, formatstest.Write(t, "edited-"+name, other), path)
		for _, c := range costs {
			formatstest.Report(t, "%s: %s: %d MiB, %d reserved", name, c.Op, c.Memory, c.Reserved)
			if c.Op == "preview" { // draws, beside what it reads
				continue
			}
			// What the collector leaves differs with what else the machine does.
			require.LessOrEqual(t, c.Memory, c.Reserved+16, "%s of %s", c.Op, name)
			require.Positive(t, c.Reserved, "%s of %s", c.Op, name)
		}
	}
}
