package review

import (
	"testing"
	"time"
)

// SetFileTime sets the time limit of comparing one file, for one test.
func SetFileTime(t testing.TB, d time.Duration) {
	was := fileTime
	fileTime = d
	t.Cleanup(func() { fileTime = was })
}
