package transcript

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"atelier/internal/lazyregexp"
	"atelier/llm/replay/redact"
	"atelier/workshop"
)

// maxSwaps bounds how often a recording is played to find out which ids and
// hashes the run saw have others when it is played.
const maxSwaps = 12

// drawn are ids and hashes, which differ between a run and its playing and which
// a model repeats in its calls: UUIDs and SHA-256.
var drawn = lazyregexp.New(`\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{64}\b`)

// numbers of tool results, such as counts of bytes, become others where
// something was taken out of the files.
var numbers = lazyregexp.New(`\d+`)

var moment = lazyregexp.New(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`)

// swap tells the redactor which ids and hashes of tool results are others in the
// playing; false when there is nothing new.
func (r *Recording) swap(live after, p *player) bool {
	played := p.added()
	found := false
	for i := range min(len(live.records), len(played)) {
		l, g := r.opt.Redact.Text(live.records[i].Content), played[i].Content
		if drawn.ReplaceAllString(l, "") != drawn.ReplaceAllString(g, "") {
			continue
		}
		ls, gs := drawn.FindAllString(l, -1), drawn.FindAllString(g, -1)
		for j := range min(len(ls), len(gs)) {
			if ls[j] != gs[j] && r.opt.Redact.Swap(ls[j], gs[j]) {
				found = true
			}
		}
	}
	return found
}

// added returns the records that the actions of the transcript added.
func (p *player) added() []workshop.Record {
	out := p.records
	for len(out) > 0 && out[0].Type != workshop.TypeUser { // the change of mode, and the message itself
		out = out[1:]
	}
	if p.script.client[len(p.script.client)-1].Message == "" && len(out) > 0 {
		return out[1:]
	}
	return p.records
}

// differences says in what the playing came out otherwise than the run.
func differences(live after, p *player, red *redact.Redactor) []string {
	var out []string
	smooth := func(s string) string {
		return moment.ReplaceAllString(drawn.ReplaceAllString(s, "ID"), "TIME")
	}
	a, b := recordTexts(live.records), recordTexts(p.added())
	for i := range max(len(a), len(b)) {
		var was, is string
		if i < len(a) {
			was = smooth(red.Text(a[i]))
		}
		if i < len(b) {
			is = smooth(red.Text(b[i])) // it may have been in pieces in a file
		}
		if was != is && (i >= len(live.records) || live.records[i].Type != workshop.TypeToolResult || numbers.ReplaceAllString(was, "") != numbers.ReplaceAllString(is, "")) {
			out = append(out, fmt.Sprintf("record %d: %s", i+1, firstDifference(was, is)))
			break // what follows follows from it
		}
	}
	texts := map[string]string{}
	for name, text := range live.texts {
		texts[red.Text(name)] = smooth(red.Text(text))
	}
	names := maps.Clone(texts)
	maps.Copy(names, p.texts)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if was, is := texts[name], smooth(red.Text(p.texts[name])); was != is && is != "(deleted)\n" {
			out = append(out, fmt.Sprintf("%s: %s", name, firstDifference(was, is)))
		}
	}
	return out
}

// recordTexts returns what must be the same of each record.
func recordTexts(records []workshop.Record) []string {
	var out []string
	for _, r := range records {
		s := r.Type + " " + r.Text + r.Content
		for _, c := range r.ToolCalls {
			s += " " + c.Function.Name + " " + c.Function.Arguments
		}
		out = append(out, s)
	}
	return out
}

func firstDifference(was, is string) string {
	d := udiff.Unified("run", "played", was, is)
	for line := range strings.Lines(d) {
		if strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "---") || strings.HasPrefix(line, "+") && !strings.HasPrefix(line, "+++") {
			w, g := aroundDifference(was, is)
			return fmt.Sprintf("%q became %q", w, g)
		}
	}
	return ""
}

// aroundDifference returns what stands around the first difference of two texts.
func aroundDifference(a, b string) (string, string) {
	const before, behind = 30, 60
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	from := max(0, i-before)
	cut := func(s string) string { return strings.ToValidUTF8(s[min(from, len(s)):min(len(s), i+behind)], "") }
	return cut(a), cut(b)
}
