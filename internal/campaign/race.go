//go:build race

package campaign

// Race reports that the program was built with the race detector, which needs
// additional time and memory.
const Race = true
