package llm

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// W-15: what the endpoint asks for counts; else 1 s doubles up to the cap.
func TestW15Backoff(t *testing.T) {
	require.Equal(t, 7*time.Minute, Backoff(&Error{RetryAfter: 7 * time.Minute}, 1, time.Second, time.Minute, 0.9))
	for attempt, want := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 4: 8 * time.Second, 7: time.Minute, 100: time.Minute} {
		require.Equal(t, want, Backoff(&Error{}, attempt, time.Second, time.Minute, 0))
		require.Equal(t, want/2, Backoff(&Error{}, attempt, time.Second, time.Minute, 1))
	}
}
