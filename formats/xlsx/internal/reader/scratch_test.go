package reader

import (
	"fmt"
	"path/filepath"
	"testing"

	"atelier/formats"
)

func TestScratch(t *testing.T) {
	files, _ := filepath.Glob("/work/shared/corpus/xlsx/*.xls*")
	for _, f := range files {
		src, err := formats.OpenFile(f)
		if err != nil {
			t.Log(f, err)
			continue
		}
		txt, err := Reader{}.Read(t.Context(), src, formats.Selector{Include: []string{"charts", "pivots", "rules", "page"}})
		s := txt.Text
		if len(s) > 6000 {
			s = s[:6000]
		}
		fmt.Println("=====", filepath.Base(f), err, len(txt.Text))
		fmt.Println(s)
	}
}
