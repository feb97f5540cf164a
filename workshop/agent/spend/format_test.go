package spend

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// B-04: what a question about a budget proposes is a number that somebody would say.
func TestRoundUp(t *testing.T) {
	for v, want := range map[float64]string{15000: "15000", 7551.5: "7600", 16001: "17000", 7: "7.0", 12.2: "13", 0.0123: "0.013", 0: "1"} {
		assert.Equal(t, want, FormatRoundedUp(v))
	}
	assert.Equal(t, "911ms of its 1m0s", formatTime(910_610_981, 60_000_000_000))
	assert.Equal(t, "1ns", formatTime(1, 0))
	assert.Equal(t, "1.5s", formatTime(1_510_610_981, 0))
}
