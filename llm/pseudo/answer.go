package pseudo

import (
	"encoding/json"
	"fmt"
	"strings"

	"atelier/llm"
)

// call is a tool call before it has an id.
type call struct {
	name string
	args any
}

type noArgs struct{}

type getArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset,omitempty"`
	Limit  int    `json:"limit,omitempty"`
}

type recallArgs struct {
	EntryID int64 `json:"entry_id"`
	Offset  int   `json:"offset"`
}

type putArgs struct {
	Path         string        `json:"path"`
	Language     string        `json:"language,omitempty"`
	Translations []translation `json:"translations"`
}

// answer decides the next message: some text, and the calls to make.
func answer(messages []llm.Message, offered []llm.Tool) (text string, calls []call, turn int) {
	if record, ok := summaryTask(messages, offered); ok {
		return summarise(record), nil, 0
	}
	has := map[string]bool{}
	for _, t := range offered {
		has[t.Function.Name] = true
	}
	p := readProgress(messages)
	t := p.inPhase()
	r := understand(p.request)
	switch {
	case has[phasesTool] && r.want == wantTranslation && len(p.steps) == 0 && containsAny(r.text, phaseWords):
		calls = []call{{phasesTool, noArgs{}}}
	case r.want != wantOther && len(p.recalls) > 0 && has["recall_tool_result"]:
		calls = p.recalls[:min(len(p.recalls), callsPerTurn)]
	case t.phase != "":
		text, calls = t.answer(p, r, has)
	case r.want == wantTranslation && has["put_translations"]:
		text, calls = translate(p, r, has)
	case r.want == wantList && has["list_files"]:
		text, calls = list(p)
	default:
		text = introduction
	}
	return text, calls, p.turns
}

const introduction = "I am the built-in offline model, not a language model: I can list the files of this workbench and pseudo-translate them " +
	"(for example “translate everything to German”), which shows how the tools, the draft and the review work without a key or a network. " +
	"For anything else choose another model."

const disclaimer = "I am the built-in offline model, so the text is accented and marked with brackets rather than really translated, and nothing else that was asked is done."

func list(p progress) (string, []call) {
	files, listed, cut := p.files()
	if !listed {
		if len(p.steps) > 0 {
			return "The files cannot be listed: " + firstLine(p.steps[0].result), nil
		}
		return "", []call{{"list_files", noArgs{}}}
	}
	if len(files) == 0 {
		return "There are no files in this workbench.", nil
	}
	var sb strings.Builder
	fmt.Fprintf(&sb, "There %s in this workbench:\n", isAre(len(files), "file"))
	for _, f := range files {
		fmt.Fprintf(&sb, "- %s (%s, %d bytes)\n", f.Path, f.Kind, f.Size)
	}
	if cut {
		sb.WriteString("The list was too long to be shown whole; there are more.\n")
	}
	return strings.TrimSuffix(sb.String(), "\n"), nil
}

// translate takes the next step of a translation. Without list_files it works
// on the segments the conversation already holds.
func translate(p progress, r request, has map[string]bool) (string, []call) {
	files, listed, cut := p.files()
	if !listed && has["list_files"] {
		if len(p.steps) > 0 && p.steps[len(p.steps)-1].failed {
			return "The files cannot be listed: " + firstLine(p.steps[len(p.steps)-1].result), nil
		}
		return "I'll look at the files first.", []call{{"list_files", noArgs{}}}
	}
	var paths, cannot []string
	if listed {
		paths, cannot = choose(files, r.text)
	} else {
		paths = pathsSeen(p.steps)
	}
	all := works(paths, p.steps)
	if calls := next(all, r.language, has["get_segments"]); len(calls) > 0 {
		return "", calls
	}
	return summary(all, cannot, r.language, cut), nil
}

func pathsSeen(steps []step) []string {
	var paths []string
	seen := map[string]bool{}
	for _, s := range steps {
		if s.name == "get_segments" && !seen[s.args.Path] {
			seen[s.args.Path] = true
			paths = append(paths, s.args.Path)
		}
	}
	return paths
}

// next gives the calls of one turn: first what answers pages already read, so
// that a run that is cut loses little, then more pages, shared out evenly.
func next(all []*work, language string, canGet bool) []call {
	var calls []call
	for _, w := range all {
		calls = append(calls, w.puts(language)...)
	}
	if len(calls) >= callsPerTurn {
		return calls[:callsPerTurn]
	}
	if !canGet {
		return calls
	}
	var open []*work
	for _, w := range all {
		if len(w.gets(1)) > 0 {
			open = append(open, w)
		}
	}
	for i, w := range open {
		if room := callsPerTurn - len(calls); room > 0 {
			calls = append(calls, w.gets(max(1, room/(len(open)-i)))...)
		}
	}
	return calls
}

func summary(all []*work, cannot []string, language string, cut bool) string {
	var sb strings.Builder
	var lines []string
	good := 0
	for _, w := range all {
		switch {
		case w.failure != "":
			lines = append(lines, fmt.Sprintf("- %s: given up: %s", w.path, w.failure))
		case w.done() == 0 && len(w.rejected) == 0:
			lines = append(lines, fmt.Sprintf("- %s: nothing to translate", w.path))
		default:
			good++
			line := fmt.Sprintf("- %s: %s", w.path, count(w.done(), "segment"))
			if n := len(w.rejected); n > 0 {
				line += fmt.Sprintf(", %d refused and left as they were", n)
			}
			lines = append(lines, line)
		}
	}
	for _, p := range cannot {
		lines = append(lines, fmt.Sprintf("- %s: I cannot translate this kind of file", p))
	}
	if len(lines) == 0 {
		return "There is no file here that I can translate: docx, xlsx, pptx, md, txt or csv."
	}
	fmt.Fprintf(&sb, "I pseudo-translated %s into %s, in the draft:\n%s\n", count(good, "file"), language, strings.Join(lines, "\n"))
	if cut {
		sb.WriteString("The list of files was too long to be shown to me whole; there are more.\n")
	}
	sb.WriteString(disclaimer)
	return sb.String()
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func isAre(n int, noun string) string {
	if n == 1 {
		return "is 1 " + noun
	}
	return "are " + count(n, noun)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimPrefix(s, "Error: "), "\n")
	return line
}

// encode writes the calls in wire form, with ids that no other turn has.
func encode(calls []call, turn int) ([]llm.ToolCall, error) {
	var out []llm.ToolCall
	for i, c := range calls {
		args, err := json.Marshal(c.args)
		if err != nil {
			return nil, err
		}
		out = append(out, llm.ToolCall{ID: fmt.Sprintf("pseudo-%d-%d", turn+1, i+1), Type: "function",
			Function: llm.FunctionCall{Name: c.name, Arguments: string(args)}})
	}
	return out, nil
}
