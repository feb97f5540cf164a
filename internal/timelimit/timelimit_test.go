package timelimit

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// The time of a call stands still while a person is asked, also by two at once.
func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := With(t.Context(), 10*time.Second)
		defer cancel()
		time.Sleep(6 * time.Second)
		first, second := Pause(ctx), Pause(ctx)
		time.Sleep(time.Hour)
		first()
		time.Sleep(time.Hour)
		second()
		time.Sleep(3 * time.Second)
		require.NoError(t, ctx.Err())
		time.Sleep(2 * time.Second)
		require.ErrorIs(t, context.Cause(ctx), context.DeadlineExceeded)
		require.ErrorIs(t, ctx.Err(), context.Canceled)
		Pause(t.Context())() // no limit
	})
}
