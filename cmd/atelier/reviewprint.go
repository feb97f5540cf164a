package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"atelier/formats"
	"atelier/workshop/review"
	"atelier/workshop/review/textdiff"
)

// palette holds terminal escapes; all are empty in a pipe.
type palette struct{ head, add, del, emph, code, off string }

func colors(out io.Writer) palette {
	if _, ok := styled(out); ok && os.Getenv("NO_COLOR") == "" {
		return palette{bold, green, red, italic, cyan, plainText}
	}
	return palette{}
}

func printContent(out io.Writer, d review.ContentDiff, c palette, all bool) {
	fmt.Fprintf(out, "\n%s%s%s  %s\n", c.head, name(d.Path), c.off, d.Summary)
	for _, w := range d.Warnings {
		fmt.Fprintf(out, "%s! %s%s\n", c.del, w, c.off)
	}
	printFacts(out, d, c, all)
	for _, g := range d.Groups {
		note := ""
		if g.Change != formats.Modified {
			note = " (" + string(g.Change)
			if g.From != "" {
				note += ", was " + g.From
			}
			note += ")"
		}
		fmt.Fprintf(out, "  %s%s%s\n", g.Name, note, "")
		for _, it := range g.Items {
			printItem(out, it, c, all)
		}
	}
	if d.Omitted > 0 {
		fmt.Fprintf(out, "  and %s; --all shows everything\n", formats.Count(d.Omitted, "more change", "more changes"))
	}
}

// printFacts lists the changes outside the texts, one line for each fact if
// it fits.
func printFacts(out io.Writer, d review.ContentDiff, c palette, all bool) {
	if len(d.Facts) == 0 {
		return
	}
	fmt.Fprintf(out, "  %s\n", review.FactsTitle)
	for _, f := range d.Facts {
		noun, verb := f.Words()
		sign := " "
		if f.Warning != "" {
			sign = "⚠"
		}
		old, now := pair(f.Old, f.New, all)
		line := fmt.Sprintf("  %s %-9s %s", sign, verb, noun)
		if f.At != "" {
			line += "  " + oneLine(f.At)
		}
		switch {
		case old != "" && now != "" && f.Change == formats.Moved:
			line += "  (was " + old + ")  " + now
		case old != "" && now != "" && len([]rune(old+now)) > maxFactLine:
			fmt.Fprintf(out, "%s\n%s    - %s%s\n%s    + %s%s\n", line, c.del, old, c.off, c.add, now, c.off)
			continue
		case old != "" && now != "":
			line += "  " + old + " → " + now
		default:
			line += "  " + old + now
		}
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
	if d.FactsOmitted > 0 {
		fmt.Fprintf(out, "    and %s; --all shows everything\n", formats.Count(d.FactsOmitted, "more of these", "more of these"))
	}
}

// maxFactLine is the maximum length of both states of a fact on one line.
const maxFactLine = 100

func printItem(out io.Writer, it formats.DiffItem, c palette, all bool) {
	at := it.At
	if it.From != "" {
		at += " (was " + it.From + ")"
	}
	if len(it.Notes) > 0 {
		at += "  " + strings.Join(it.Notes, "; ")
	}
	fmt.Fprintf(out, "    %-9s %s\n", it.Change, at)
	before, after := pair(it.Old, it.New, all)
	if it.Old != "" {
		fmt.Fprintf(out, "%s    - %s%s\n", c.del, before, c.off)
	}
	if it.New != "" && it.Change != formats.Formatted && it.Change != formats.Moved {
		fmt.Fprintf(out, "%s    + %s%s\n", c.add, after, c.off)
	}
}

// firstPart reports whether a difference is not a later part of a long one.
func firstPart(d review.TextDiff) bool {
	return d.Window == nil || d.Window.OldFrom == 1 && d.Window.NewFrom == 1
}

func printHead(out io.Writer, d review.TextDiff, c palette, warnings []string) {
	fmt.Fprintf(out, "\n%s%s%s\n", c.head, name(d.Path), c.off)
	for _, w := range warnings {
		fmt.Fprintf(out, "%s! %s%s\n", c.del, w, c.off)
	}
}

func printDiff(out io.Writer, d review.TextDiff, c palette) {
	if d.Note != "" {
		fmt.Fprintln(out, "  "+d.Note)
	}
	if d.Message != "" {
		fmt.Fprintln(out, "  "+d.Message)
	}
	for i, h := range d.Hunks {
		if i > 0 {
			fmt.Fprintln(out, "  ⋮")
		}
		for _, l := range h.Lines {
			switch l.Type {
			case textdiff.Added:
				fmt.Fprintf(out, "%s+ %5d  %s%s\n", c.add, l.NewLine, lineText(l), c.off)
			case textdiff.Removed:
				fmt.Fprintf(out, "%s- %5d  %s%s\n", c.del, l.OldLine, lineText(l), c.off)
			default:
				fmt.Fprintf(out, "  %5d  %s\n", l.NewLine, lineText(l))
			}
		}
	}
	if d.Next != "" {
		fmt.Fprintf(out, "  there is more from line %d on (%d %% of the file is behind); --all shows everything\n", d.Window.NewTo+1, d.Window.Percent)
	}
}

// lineText returns a line of a text with the number of omitted bytes.
func lineText(l textdiff.Line) string {
	s := l.Text
	if l.From > 0 {
		s = fmt.Sprintf("(%d bytes) …%s", l.From, s)
	}
	if l.Cut > 0 {
		s = fmt.Sprintf("%s… (%d bytes)", s, l.Cut)
	}
	return s
}
