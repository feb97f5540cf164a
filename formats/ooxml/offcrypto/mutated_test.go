package offcrypto

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats"
)

// Documents with changed bytes give content or a typed error, soon.
func TestMutated(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	whole := agileSample(t, "a", "SHA1", 128)
	slowest := time.Duration(0)
	for range 3000 {
		b := bytes.Clone(whole)
		for range 1 + r.IntN(8) {
			b[r.IntN(min(len(b), []int{512, 4096, len(b)}[r.IntN(3)]))] = byte(r.Uint32())
		}
		if r.IntN(10) == 0 {
			b = b[:r.IntN(len(b))]
		}
		start := time.Now()
		c, cancel := context.WithTimeout(ctx, 5*time.Second)
		f, err := Open(formats.FromBytes("a.xlsx", b))
		if err == nil && f != nil {
			var k *Key
			if k, err = f.Unlock(c, "a"); err == nil {
				_, err = k.Source(c)
			}
		}
		cancel()
		if err != nil && err != ErrWrongPassword {
			require.NotEmpty(t, formats.CodeOf(err), "%v", err)
		}
		slowest = max(slowest, time.Since(start))
	}
	require.Less(t, slowest, 4*time.Second)
}
