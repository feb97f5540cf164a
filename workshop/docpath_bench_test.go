package workshop

import (
	"fmt"
	"testing"
)

// BenchmarkFindDoc is looking a docPath up among 20,000 files.
func BenchmarkFindDoc(b *testing.B) {
	files := map[string]string{}
	for i := range 20_000 {
		files[fmt.Sprintf("d%03d/f%d.md", i%200, i)] = "x"
	}
	r := newRig(b, files)
	doc := r.wb.DefaultDocPath("d007/f207.md")
	for b.Loop() {
		if _, err := r.wb.FindDoc(ctx, r.draft(), doc); err != nil {
			b.Fatal(err)
		}
	}
}
