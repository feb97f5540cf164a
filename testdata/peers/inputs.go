package main

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// words are the vocabulary of all inputs; "needle" and "Widget" are put in at known places.
var words = strings.Fields("the report shows that sales of each region grew in every month and the cost of transport fell because new contracts with two carriers began in spring while stock in the northern store stayed high until summer when demand for large orders returned")

// text returns n words.
func text(r *rand.Rand, n int) string {
	var sb strings.Builder
	for i := range n {
		if i > 0 {
			sb.WriteByte(' ')
		}
		sb.WriteString(words[r.IntN(len(words))])
	}
	return sb.String()
}

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 20)) }

// writeFile writes a file by make through a buffer, so that no input is held in memory.
func writeFile(path string, make func(w *bufio.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<16)
	if err := make(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// pack writes a package of parts; each writes its text.
func pack(path string, parts []part) error {
	return writeFile(path, func(w *bufio.Writer) error {
		z := zip.NewWriter(w)
		for _, p := range parts {
			out, err := z.Create(p.name)
			if err != nil {
				return err
			}
			b := bufio.NewWriter(out)
			io.WriteString(b, `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`+"\n")
			p.write(b)
			if err := b.Flush(); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

type part struct {
	name  string
	write func(w io.Writer)
}

func fixed(name, s string) part {
	return part{name, func(w io.Writer) { io.WriteString(w, s) }}
}

// writeCSV writes n rows: id, region, product, amount, qty, day.
func writeCSV(dir string, seed uint64, n int) error {
	r := seeded(seed)
	regions := []string{"north", "south", "east", "west"}
	return writeFile(filepath.Join(dir, "sales.csv"), func(w *bufio.Writer) error {
		fmt.Fprintln(w, "id,region,product,amount,qty,day")
		for i := range n {
			fmt.Fprintf(w, "%d,%s,product %d,%d.%02d,%d,2026-%02d-%02d\n", i+1, regions[r.IntN(4)], r.IntN(200), r.IntN(1000), r.IntN(100), 1+r.IntN(20), 1+r.IntN(12), 1+r.IntN(28))
		}
		return nil
	})
}

// writeTree writes n text files of 40 lines, 50 in a folder; one file in a hundred has
// "needle" in line 20, every file has "Carriers" in lines 10 and 30.
func writeTree(dir string, seed uint64, n int) error {
	r := seeded(seed)
	for i := range n {
		sub := filepath.Join(dir, fmt.Sprintf("folder %d", i/50))
		if i%50 == 0 {
			if err := os.MkdirAll(sub, 0o755); err != nil {
				return err
			}
		}
		err := writeFile(filepath.Join(sub, fmt.Sprintf("note-%d.txt", i)), func(w *bufio.Writer) error {
			for line := range 40 {
				w.WriteString(text(r, 12))
				switch {
				case line == 20 && i%100 == 0:
					w.WriteString(" needle")
				case line%20 == 10:
					w.WriteString(" Carriers")
				}
				w.WriteByte('\n')
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// writePDF writes n pages of 40 lines in Helvetica; each has "needle" and its number.
func writePDF(dir string, seed uint64, n int) error {
	r := seeded(seed)
	return writeFile(filepath.Join(dir, "report.pdf"), func(w *bufio.Writer) error {
		var at []int
		pos := 0
		put := func(s string) { n, _ := w.WriteString(s); pos += n }
		object := func(s string) {
			at = append(at, pos)
			put(fmt.Sprintf("%d 0 obj\n%s\nendobj\n", len(at), s))
		}
		put("%PDF-1.4\n")
		object("<</Type/Catalog/Pages 2 0 R>>")
		var kids strings.Builder
		for i := range n {
			fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
		}
		object(fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", n, kids.String()))
		object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
		for i := range n {
			object(fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>", 5+2*i))
			var sb strings.Builder
			fmt.Fprintf(&sb, "BT /F1 10 Tf 50 800 Td 14 TL (needle on page %d) Tj T*\n", i+1)
			for range 40 {
				fmt.Fprintf(&sb, "(%s) Tj T*\n", text(r, 14))
			}
			sb.WriteString("ET")
			object(fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", sb.Len(), sb.String()))
		}
		start := pos
		put(fmt.Sprintf("xref\n0 %d\n0000000000 65535 f \n", len(at)+1))
		for _, p := range at {
			put(fmt.Sprintf("%010d 00000 n \n", p))
		}
		put(fmt.Sprintf("trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start))
		return nil
	})
}
