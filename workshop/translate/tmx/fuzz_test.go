package tmx

import (
	"strings"
	"testing"

	"atelier/formats/tags"
)

// FuzzRead: for any file, reading ends and texts are well formed.
func FuzzRead(f *testing.F) {
	f.Add(head + `<tu><tuv xml:lang="en"><seg>a<bpt i="1" x="2"/>b<ept i="1"/><ph/><hi>c</hi><it pos="end"/></seg></tuv></tu></body></tmx>`)
	f.Add("\xff\xfe<\x00t\x00m\x00x\x00")
	f.Add(`<tmx><body><tu><tuv lang="x"><seg><ept i=""/><bpt/><hi><hi/></seg>`)
	f.Fuzz(func(t *testing.T, s string) {
		r, err := NewReader(strings.NewReader(s))
		if err != nil {
			return
		}
		for {
			u, err := r.Next()
			if err != nil {
				return
			}
			for _, v := range u.Variants {
				if err := tags.Check(v.Text, v.Text); err != nil {
					t.Fatalf("%q: %v", v.Text, err)
				}
			}
		}
	})
}
