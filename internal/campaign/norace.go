//go:build !race

package campaign

// Race says that the race detector is built in, which takes time and memory of
// its own.
const Race = false
