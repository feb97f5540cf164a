package stream

import "time"

// SetReadWait has a wait for a message end earlier, until the test ends.
func SetReadWait(d time.Duration) (restore func()) {
	was := readWait
	readWait = d
	return func() { readWait = was }
}
