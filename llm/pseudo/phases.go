package pseudo

import (
	"fmt"
	"strings"

	"atelier/internal/lazyregexp"
)

// A request that is worked on in phases has the phase and its task below what
// the user said: "[Phase: plan]" on a line of its own, then the task.
var phaseTask = lazyregexp.New(`(?s)^(.*?)(?:^|\n\n)\[Phase: (research|plan|implement|summary)\]\n(.*)$`)

// task is the part of this model in one phase.
type task struct {
	phase string // "" when there are no phases
	text  string
}

// inPhase takes the task off the request. The user's words stand in the message
// before when the task has one of its own.
func (p *progress) inPhase() task {
	m := phaseTask.FindStringSubmatch(p.request)
	if m == nil {
		return task{}
	}
	p.request = m[1]
	if p.request == "" {
		p.request = p.before
	}
	return task{m[2], m[3]}
}

// phasesTool is called by a first answer that would rather work in phases.
const phasesTool = "work_in_phases"

var phaseWords = []string{"step by step", "one by one", "in phases", "schritt für schritt", "nacheinander", "in phasen", "étape par étape", "paso a paso"}

// toTranslate begins the notes of research, a path a line below it.
const toTranslate = "Translate into "

var itemTask = lazyregexp.New(`(?m)^Carry out item \d+ of \d+: (.+) — Translate into (.+)$`)

func (t task) answer(p progress, r request, has map[string]bool) (string, []call) {
	switch t.phase {
	case "research":
		return research(p, r, has)
	case "plan":
		return t.plan(), nil
	case "implement":
		return t.implement(p, has)
	}
	return t.summary(), nil
}

// research finds the files to translate, and answers all else outright.
func research(p progress, r request, has map[string]bool) (string, []call) {
	if r.want != wantTranslation {
		text, calls := introduction, []call(nil)
		if r.want == wantList && has["list_files"] {
			text, calls = list(p)
		}
		if len(calls) == 0 {
			text = "ANSWER\n" + text
		}
		return text, calls
	}
	files, listed, cut := p.files()
	if !listed {
		if len(p.steps) > 0 || !has["list_files"] {
			return "ANSWER\nThe files cannot be listed.", nil
		}
		return "", []call{{"list_files", noArgs{}}}
	}
	paths, cannot := choose(files, r.text)
	if len(paths) == 0 {
		return "ANSWER\n" + summary(nil, cannot, r.language, cut), nil
	}
	return toTranslate + r.language + ":\n- " + strings.Join(paths, "\n- "), nil
}

// plan makes an item of each file that research found.
func (t task) plan() string {
	var sb strings.Builder
	_, notes, _ := strings.Cut(t.text, "Research:\n")
	language, number := "", 0
	for line := range strings.Lines(notes) {
		line = strings.TrimSuffix(line, "\n")
		if l, ok := strings.CutPrefix(line, toTranslate); ok && language == "" {
			language = strings.TrimSuffix(l, ":")
			continue
		}
		path, ok := strings.CutPrefix(line, "- ")
		if language == "" || !ok {
			break
		}
		number++
		fmt.Fprintf(&sb, "- [ ] %d. %s — %s%s\n", number, path, toTranslate, language)
	}
	if number == 0 {
		return introduction
	}
	return sb.String()
}

// implement translates the one file of its item.
func (t task) implement(p progress, has map[string]bool) (string, []call) {
	m := itemTask.FindStringSubmatch(t.text)
	if m == nil {
		return "FAILED: this is no item that the built-in offline model can do", nil
	}
	w := works(m[1:2], p.steps)[0]
	if calls := next([]*work{w}, m[2], has["get_segments"]); len(calls) > 0 {
		return "", calls
	}
	switch n := len(w.rejected); {
	case w.failure != "":
		return "FAILED: " + w.failure, nil
	case w.done() == 0 && n == 0:
		return "nothing to translate", nil
	case n > 0:
		return fmt.Sprintf("%s, %d refused and left as they were", count(w.done(), "segment"), n), nil
	}
	return count(w.done(), "segment"), nil
}

// How the plan stands in the task of the summary.
var (
	planLine   = lazyregexp.New(`^- \[([x!])\] \d+\. (.+) — Translate into (.+)$`)
	failReason = lazyregexp.New(`^(.*?) \[Failed: (.*)\]$`)
)

func (t task) summary() string {
	var lines []string
	good, language := 0, ""
	for line := range strings.Lines(t.text) {
		line = strings.TrimSuffix(line, "\n")
		m := planLine.FindStringSubmatch(line)
		switch {
		case m != nil && m[1] == "x":
			good++
			language = m[3]
			lines = append(lines, "- "+m[2]+": ")
		case m != nil:
			if f := failReason.FindStringSubmatch(m[3]); f != nil {
				language = f[1]
				lines = append(lines, "- "+m[2]+": given up: "+f[2])
			}
		case strings.HasPrefix(line, "  ") && len(lines) > 0 && strings.HasSuffix(lines[len(lines)-1], ": "):
			lines[len(lines)-1] += strings.TrimSpace(line)
		}
	}
	if len(lines) == 0 {
		return introduction
	}
	return fmt.Sprintf("I pseudo-translated %s into %s, in the draft:\n%s\n%s", count(good, "file"), language, strings.Join(lines, "\n"), disclaimer)
}
