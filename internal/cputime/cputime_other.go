//go:build !unix

package cputime

import "time"

// Used returns 0: it is not known here.
func Used() time.Duration { return 0 }
