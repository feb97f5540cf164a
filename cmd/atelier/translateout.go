package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"atelier/formats"
	"atelier/workshop/translate"
)

func printReport(out io.Writer, rep translate.Report, price translate.Price) {
	fmt.Fprintln(out)
	tw := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	if rep.DryRun {
		fmt.Fprintln(tw, "FILE\tLANGUAGE\tSTATUS\tSEGMENTS\tWORDS\tREPETITIONS\tMEMORY\tTO ASK\tTOKENS")
		for _, r := range rep.Files {
			fmt.Fprintf(tw, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\n", r.Input, r.Language, r.Status, r.Segments, r.Words, r.Repetitions, r.Memory, r.AskWords, r.EstimatedPrompt+r.EstimatedCompletion)
		}
	} else {
		fmt.Fprintln(tw, "FILE\tLANGUAGE\tSTATUS\tSEGMENTS\tTRANSLATED\tOUTPUT")
		for _, r := range rep.Files {
			fmt.Fprintf(tw, "%s\t%s\t%s\t%d\t%d\t%s\n", r.Input, r.Language, r.Status, r.Segments, r.Translated, r.Output)
		}
	}
	tw.Flush()
	for _, r := range rep.Files {
		printRemarks(out, r, " (see --report)")
	}
	printTotal(out, rep, price)
}

// printRemarks prints what there is to say about a document: its error, warnings and
// the first ten flags; all says where all flags are.
func printRemarks(out io.Writer, r translate.FileReport, all string) {
	if r.Error != "" {
		fmt.Fprintf(out, "%s: %s\n", r.Input, r.Error)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(out, "%s: %s\n", r.Input, w)
	}
	for i, fl := range r.Flags {
		if i == 10 {
			break
		}
		fmt.Fprintf(out, "%s: %s: %s\n", r.Input, fl.Place, fl.Reason)
	}
	if r.FlagsTotal > 10 {
		fmt.Fprintf(out, "%s: %d more to look at%s\n", r.Input, r.FlagsTotal-10, all)
	}
	if r.EarlierFlags > 0 {
		fmt.Fprintf(out, "%s: %s to look at, of an earlier run (--xliff-out and a report as a page show them)\n", r.Input, formats.Count(r.EarlierFlags, "segment"))
	}
}

func printTotal(out io.Writer, rep translate.Report, price translate.Price) {
	t := rep.Total
	if t.Segments == 0 {
		return
	}
	fmt.Fprintf(out, "\n%d words in %d segments: %d repetitions, %d from the memory", t.Words, t.Segments, t.Repetitions, t.Memory)
	if t.Resumed > 0 {
		fmt.Fprintf(out, ", %d done by an earlier run", t.Resumed)
	}
	fmt.Fprintln(out)
	switch {
	case rep.DryRun:
		fmt.Fprintf(out, "To ask: %d words in %d segments; an estimate: %d tokens to the model and %d from it", t.AskWords, t.AskSegments, t.EstimatedPrompt, t.EstimatedCompletion)
		if price == (translate.Price{}) {
			fmt.Fprintln(out, " (a price in config.json, or --price-in and --price-out, give the cost). Nothing was asked or written.")
		} else {
			fmt.Fprintf(out, ", costing about %s. Nothing was asked or written.\n", price.Show(t.Cost))
		}
	case t.Turns > 0:
		fmt.Fprintf(out, "%d requests, %d tokens to the model and %d from it", t.Turns, t.PromptTokens, t.CompletionTokens)
		if price != (translate.Price{}) {
			fmt.Fprintf(out, ", costing %s", price.Show(t.Cost))
		}
		fmt.Fprintln(out)
	}
}

// progress shows a line that rewrites itself on a terminal, and a line per
// finished file in a pipe (TR-07).
type progress struct {
	out   io.Writer
	live  bool
	price translate.Price
	begun time.Time
	shown time.Time
	work  map[string]translate.Progress // documents at work, by output
	mu    sync.Mutex                    // one line at a time

	several bool // languages, so each line names its own
}

func newProgress(out io.Writer, price translate.Price) *progress {
	p := &progress{out: out, price: price, begun: time.Now(), work: map[string]translate.Progress{}}
	if f, ok := styled(out); ok {
		p.out, p.live = f, true // it writes over its own line
	}
	return p
}

// say prints a line above the progress; it may be called at any time.
func (p *progress) say(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintln(p.out, line)
}

func (p *progress) step(s translate.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := safeWriter{unseen: p.live}.safe([]byte(name(filepath.Base(s.Input))))
	if s.Status != "" {
		delete(p.work, s.Output)
		p.clear()
		into := ""
		if p.several {
			into = s.Language + ", "
		}
		fmt.Fprintf(p.out, "%-8s %s (%s%d of %d segments)\n", s.Status, name, into, s.Done, s.Segments)
	} else {
		p.work[s.Output] = s
	}
	if now := time.Now(); p.live && now.Sub(p.shown) > 50*time.Millisecond {
		p.shown = now
		fmt.Fprint(p.out, "\r\x1b[K"+p.line(s, string(name), now))
	}
}

// line is the job at a glance, short enough for a terminal of 80 columns.
func (p *progress) line(s translate.Progress, name string, now time.Time) string {
	share := float64(s.FilesDone)
	for _, w := range p.work {
		if w.Segments > 0 {
			share += float64(w.Done) / float64(w.Segments)
		}
	}
	all := max(s.Files, 1)
	line := fmt.Sprintf("%s %d/%d files", barOf(int(1000*share), 1000*all), s.FilesDone, s.Files)
	if n := s.Usage.PromptTokens + s.Usage.CompletionTokens; n > 0 {
		line += fmt.Sprintf(", %dk tokens", n/1000)
		if p.price != (translate.Price{}) {
			line += ", " + p.price.Show(p.price.Of(s.Usage.PromptTokens, s.Usage.CachedTokens, s.Usage.WrittenTokens, s.Usage.CompletionTokens))
		}
	}
	if spent := now.Sub(p.begun); share > 0 && spent > 2*time.Second {
		line += ", " + (time.Duration(float64(spent) * (float64(all) - share) / share)).Round(time.Second).String() + " left"
	}
	r := []rune(fmt.Sprintf("%s, %s %d/%d", line, name, s.Done, s.Segments))
	return string(r[:min(len(r), 79)])
}

func barOf(done, all int) string {
	const width = 16
	n := 0
	if all > 0 {
		n = min(width, done*width/all)
	}
	return strings.Repeat("█", n) + strings.Repeat("░", width-n)
}

func (p *progress) clear() {
	if p.live {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
