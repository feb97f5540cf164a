package marks

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A file that holds many marked lines may be written again, in time by its length.
func TestManyMarkedLines(t *testing.T) {
	var sb strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&sb, "... (characters %d to 9 of 9; go on with offset 9)\r\n", i)
	}
	from := time.Now()
	n, _, _ := InText(sb.String(), sb.String())
	require.Zero(t, n)
	require.Less(t, time.Since(from), 20*time.Second) // minutes when each is searched for
	n, line, _ := InText(sb.String()+"[page 3 has no text; it is empty]\n", sb.String())
	require.Equal(t, 100_001, n)
	require.Equal(t, "[page 3 has no text; it is empty]", line)
}
