package translate

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/internal/budget"
)

// A document that failed for want of memory may be translated later, a damaged one not.
func TestWantOfMemoryIsRetryable(t *testing.T) {
	require.True(t, elsewhere(fmt.Errorf("a.pdf: %w", formats.Errorf(formats.CodeUnavailable, "the program that reads PDF did not start"))))
	require.True(t, elsewhere(&budget.WaitError{Want: 1}))
	require.False(t, elsewhere(formats.Errorf(formats.CodeCorrupt, "a.pdf is damaged")))
}
