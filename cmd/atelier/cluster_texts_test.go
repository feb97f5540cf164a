package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestForgetUntil(t *testing.T) {
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.Local)
	for _, c := range []struct {
		before, older string
		want          time.Time
	}{
		{"", "", time.Time{}}, {"2026-01-31", "", time.Date(2026, 1, 31, 0, 0, 0, 0, time.Local)},
		{"", "2d", now.Add(-48 * time.Hour)}, {"", "90m", now.Add(-90 * time.Minute)},
	} {
		got, err := forgetUntil(c.before, c.older, now)
		require.NoError(t, err)
		require.True(t, c.want.Equal(got), "%v", got)
	}
	for _, bad := range [][2]string{{"2026-01-31", "2d"}, {"yesterday", ""}, {"2027-01-01", ""}, {"", "0d"}, {"", "-3h"}, {"", "long"}} {
		_, err := forgetUntil(bad[0], bad[1], now)
		require.Error(t, err, "%v", bad)
	}
}

func TestByteCount(t *testing.T) {
	for text, want := range map[string]int64{"": -1, "0": 0, "2GB": 2e9, "500mb": 500e6, "1.5 TB": 15e11, "10000000": 1e7} {
		got, err := byteCount(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, bad := range []string{"2XB", "-1", "1MB", "lots", "1e30GB"} {
		_, err := byteCount(bad)
		require.Error(t, err, bad)
	}
}
