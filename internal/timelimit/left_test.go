package timelimit

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLeft(t *testing.T) {
	_, ok := Left(t.Context())
	require.False(t, ok)
	early, stop := Early(t.Context())
	defer stop()
	_, ok = early.Deadline()
	require.False(t, ok)

	ctx, cancel := With(t.Context(), time.Hour)
	defer cancel()
	left, ok := Left(ctx)
	require.True(t, ok)
	require.InDelta(t, time.Hour.Seconds(), left.Seconds(), 60)
	resume := Pause(ctx)
	paused, _ := Left(ctx)
	time.Sleep(5 * time.Millisecond)
	later, _ := Left(ctx)
	require.Equal(t, paused, later, "the time of a person does not count")
	resume()

	short, cancel := context.WithTimeout(ctx, 12*time.Minute)
	defer cancel()
	left, ok = Left(short)
	require.True(t, ok)
	require.InDelta(t, (12 * time.Minute).Seconds(), left.Seconds(), 60)
	early, stop = Early(short)
	defer stop()
	until, ok := early.Deadline()
	require.True(t, ok)
	require.InDelta(t, (10 * time.Minute).Seconds(), time.Until(until).Seconds(), 60)
}
