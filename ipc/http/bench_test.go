package httpapi

import (
	"fmt"
	"testing"

	"atelier/engine"
)

// BenchmarkCall measures one call by one caller over a real connection.
func BenchmarkCall(b *testing.B) {
	r := newRig(b, func(o *Options) { o.Tools = o.Engine.(*engine.Engine).Live() })
	for i := range 100 {
		r.tool(fmt.Sprintf(`{"tool":"write","args":{"path":"/d%d/f%d.txt","content":"some text\nand more of it\n"}}`, i%10, i))
	}
	n := 0
	for name, call := range map[string]func() answer{
		"health": func() answer { return r.request("GET", "/api/v1/health", "") },
		"read":   func() answer { return r.tool(`{"tool":"read","args":{"path":"/d0/f0.txt"}}`) },
		"ls":     func() answer { return r.tool(`{"tool":"ls","args":{"recursive":true,"limit":0}}`) },
		"write": func() answer {
			n++
			return r.tool(fmt.Sprintf(`{"tool":"write","args":{"path":"/new/f%d.txt","content":"text"}}`, n))
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if a := call(); a.Status != 200 {
					b.Fatal(a.Body)
				}
			}
		})
	}
}
