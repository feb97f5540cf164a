package terms

import (
	"strings"
	"testing"
)

// FuzzRead: any file is a glossary or an error, and finding its terms ends.
func FuzzRead(f *testing.F) {
	f.Add("g.tbx", tbx3)
	f.Add("g.csv", "source;target;case\n.NET;.NET;yes\n合;x;\n\"a\nb\";c;")
	f.Add("g.csv", "en,de\n...,x\nIT,EDV\n")
	f.Fuzz(func(t *testing.T, name, s string) {
		g, err := Read(name, strings.NewReader(s))
		if err != nil {
			return
		}
		for _, c := range g.concepts {
			for _, w := range c.words {
				for _, term := range g.In("<1>"+w.text+"</1> "+s, "de") {
					Uses(s, term)
					Says(s, term)
				}
			}
		}
	})
}
