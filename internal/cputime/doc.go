// Package cputime tells the processor time that this process has used, which benchmarks
// compare with that of other programs: it depends less on other work of the machine than
// the time on the clock.
package cputime
