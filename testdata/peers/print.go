package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ratios prints how many times Atelier's processor time and memory each peer takes; less
// than 1 is bold: there Atelier is behind. It returns how many works failed.
func (r *runner) ratios(list []work, figures bool) (failed int) {
	fmt.Print("\n| work | beside it | its CPU time | its memory |")
	rule := "|---|---|---|---|"
	if figures {
		fmt.Print(" CPU, both | memory, both |")
		rule += "---|---|"
	}
	fmt.Println("\n" + rule)
	for _, w := range list {
		if len(w.peers) == 0 {
			continue
		}
		name := named(w.name, w.n)
		r.log("%s\n", name)
		res, err := r.compare(w, w.n)
		if err != nil {
			failed++
			fmt.Printf("| %s | | failed: %s |\n", name, strings.ReplaceAll(err.Error(), "\n", " "))
			continue
		}
		for i, p := range w.peers {
			if i > 0 {
				name = ""
			}
			u := res.peers[i]
			if u.CPU == 0 {
				fmt.Printf("| %s | %s | not here | |\n", name, p.name)
				continue
			}
			fmt.Printf("| %s | %s | %s | %s |", name, p.name, times(float64(u.CPU)/float64(res.ours.CPU)), times(float64(u.Memory)/float64(res.ours.Memory)))
			if figures {
				fmt.Printf(" %s / %s s | %d / %d MB |", digits(res.ours.CPU.Seconds()), digits(u.CPU.Seconds()), res.ours.Memory>>20, u.Memory>>20)
			}
			fmt.Println()
		}
	}
	return failed
}

// start prints what a process of Atelier takes that is asked nothing; all figures of the
// first table have it in them.
func (r *runner) start() error {
	u, err := r.idle()
	if err == nil {
		fmt.Printf("\nA process of Atelier that is asked nothing takes %d ms and %d MB.\n", u.CPU.Milliseconds(), u.Memory>>20)
	}
	return err
}

// growths prints how the works grow. It returns how many failed.
func (r *runner) growths(list []work) (failed int) {
	fmt.Print("\n| work | 1× | exponent of CPU time, 1× to 4× | 4× to 16× | memory, 16× to 1× |\n|---|---|---|---|---|\n")
	for _, w := range list {
		if w.grows == 0 {
			continue
		}
		name := w.name
		if strings.HasPrefix(name, "…") {
			name = w.group + ":" + strings.TrimPrefix(name, "…")
		}
		name = strings.NewReplacer(", %d × 10", "", " of %d rows", "", ", %d paragraphs", "", ", %d:", ":", " of %d pages", "", "%d ", "", " of %d", "").Replace(name)
		r.log("%s\n", name)
		g, err := r.grow(w, w.grows, 2)
		if err != nil {
			failed++
			fmt.Printf("| %s | %s | failed: %s |\n", name, grouped(w.grows), strings.ReplaceAll(err.Error(), "\n", " "))
			continue
		}
		fmt.Printf("| %s | %s | %.2f | %.2f | %s× |\n", name, grouped(w.grows), g.exponents[0], g.exponents[1], digits(g.memory))
	}
	return failed
}

// groupOf returns what "…" at the beginning of the next name stands for.
func groupOf(w work, before string) string {
	if group, _, ok := strings.Cut(w.name, ":"); ok && !strings.HasPrefix(w.name, "…") {
		return group
	}
	return before
}

func named(name string, n int) string { return strings.Replace(name, "%d", grouped(n), 1) }

// times writes a ratio, bold where it is less than 1.
func times(x float64) string {
	if text := digits(x); x >= 1 || text == "1.0" {
		return text + "×"
	}
	return "**" + digits(x) + "×**"
}

// digits writes a number with two significant digits, or all digits before the point.
func digits(x float64) string {
	if x <= 0 {
		return "0"
	}
	if x < 99 {
		x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 2, 64), 64)
	}
	places := max(0, 1-int(math.Floor(math.Log10(x))))
	return strconv.FormatFloat(x, 'f', places, 64)
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
