package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
)

// commandWorld is a folder with its data folder, on which commands work alone, or
// while atelier serve has the folder open.
type commandWorld struct {
	t     *testing.T
	base  string // has home and docs
	model *uiModel
	env   []string
	held  *app // nil: alone
}

func newCommandWorld(t *testing.T) *commandWorld {
	w := &commandWorld{t: t, base: t.TempDir(), model: newUIModel(t)}
	require.NoError(t, os.CopyFS(w.dir(), os.DirFS(filepath.Join("..", "..", "testdata", "documents"))))
	require.NoError(t, os.WriteFile(filepath.Join(w.dir(), "AGENTS.md"), []byte("Be brief.\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(w.base, "brief.txt"), []byte("A brief.\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(w.base, "terms.csv"), []byte("es,en\ncontrato,agreement\n"), 0o644))
	return w
}

func (w *commandWorld) home() string { return filepath.Join(w.base, "home") }
func (w *commandWorld) dir() string  { return filepath.Join(w.base, "docs") }

// run runs a command with base as the current folder.
func (w *commandWorld) run(stdin string, args ...string) (stdout, stderr string, code int) {
	w.t.Helper()
	cmd := exec.Command(program(w.t), args...)
	cmd.Dir, cmd.Stdin = w.base, strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "ATELIER_HOME="+w.home(), "ATELIER_MODEL=pseudo", "OPENAI_API_KEY=", "OPENAI_BASE_URL=", "TZ=UTC")
	cmd.Env = append(cmd.Env, w.env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// forget drops the answers that were not asked for.
func (m *uiModel) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers = nil
}

// hold has atelier serve open the folder; it has other settings than the commands.
func (w *commandWorld) hold() {
	w.t.Helper()
	w.held = startApp(w.t, w.home(), "ATELIER_MAX_TURNS=7", "ATELIER_MODEL=another")
	w.held.call("WorkbenchOpen", obj{"workbench_id": w.id()}, nil)
}

func (w *commandWorld) id() string {
	w.t.Helper()
	entries, err := os.ReadDir(filepath.Join(w.home(), "workbenches"))
	require.NoError(w.t, err)
	require.Len(w.t, entries, 1)
	return entries[0].Name()
}

// What differs between two runs of the same command.
var (
	someID    = regexp.MustCompile(`\b([a-z]-)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)
	someTime  = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?`)
	someSpan  = regexp.MustCompile(`\b\d+(\.\d+)? (ms|s)\b`)
	someCount = regexp.MustCompile(`"(position|seq|elapsed_ms|elapsed|request_ms|first_token_ms|milliseconds|seconds|duration_ms)":[0-9.e+-]+,?`)
	someDelta = regexp.MustCompile(`"token_delta":"([^"]*)"}}\n\{"method":"WorkshopAssistantStreamDelta","params":\{[^\n]*"token_delta":"`)
	someHash  = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
)

func (w *commandWorld) same(text string) string {
	text = strings.ReplaceAll(text, w.base, "$BASE")
	text = strings.ReplaceAll(text, w.model.URL, "$MODEL")
	for _, r := range []struct {
		re *regexp.Regexp
		by string
	}{{someID, "$1ID"}, {someTime, "TIME"}, {someSpan, "SPAN"}, {someCount, ""}, {someHash, "HASH"}} {
		text = r.re.ReplaceAllString(text, r.by)
	}
	for someDelta.MatchString(text) { // pieces of text that wait are sent as one
		text = someDelta.ReplaceAllString(text, `"token_delta":"$1`)
	}
	return text
}

// pick returns the first match of a pattern in what a command prints.
func (w *commandWorld) pick(pattern string, args ...string) string {
	w.t.Helper()
	out, errs, _ := w.run("", args...)
	m := regexp.MustCompile(pattern).FindStringSubmatch(out)
	require.NotNil(w.t, m, "%v: %s%s", args, out, errs)
	return m[len(m)-1]
}

// writingCommand is a command that writes, with arguments that may name a place of its
// world: {checkpoint}, {version}, {message}, {model}.
type writingCommand struct {
	args   string
	stdin  string
	answer []uiAnswer
	code   int
	env    []string
}

func (w *commandWorld) arguments(c writingCommand) []string {
	args := strings.Split(c.args, "|")
	for i, a := range args {
		switch a {
		case "{checkpoint}":
			args[i] = w.pick(`(?m)^(\S+) .*by hand`, "checkpoints", "list", "--in", "docs")
		case "{version}":
			args[i] = w.pick(`(?m)^(?:\S* +)?([0-9a-f-]{36})`, "log", "notas.md", "--in", "docs")
		case "{message}":
			args[i] = w.pick(`(?m)^(\S+)  user`, "undo", "--list", "--in", "docs")
		case "{model}":
			args[i] = w.model.URL
		}
	}
	return args
}

var (
	writesNote = []uiAnswer{{text: "I write it.", calls: []uiCall{{"write_text_file", `{"path":"note.md","content":"One\n"}`}, {"read_file", `{"path":"missing.md"}`}}}, {text: "Done & <well>."}}
	editsSheet = []uiAnswer{{calls: []uiCall{{"xlsx_operations", `{"path":"sales.xlsx","operations":[{"op":"set_cells","sheet":"Sales","cells":[{"cell":"A1","value":"Sales 2025"},{"cell":"B3","value":"=1+1"}]}]}`}}}, {text: "Edited."}}
)

// writingCommands are all commands that write to a folder, in an order in which each
// has something to do.
var writingCommands = []writingCommand{
	{args: "run|Write a note|--in|docs|--model|scripted|--base-url|{model}", answer: writesNote},
	{args: "run|Write a note|--in|docs|--model|scripted|--base-url|{model}|--json|--attach|brief.txt", answer: writesNote},
	{args: "run|-|--in|docs|--model|scripted|--base-url|{model}|--max-turns|1", stdin: "Write a note\n", answer: writesNote, code: 1},
	{args: "run|--resume|--in|docs|--model|scripted|--base-url|{model}", answer: writesNote},
	{args: "run|--resume|--in|docs", code: 1},
	{args: "run|Hello|--in|docs|--model|scripted|--base-url|http://models.example", code: 1},
	{args: "run|Hello|--in|docs|--model|scripted|--base-url|http://models.example", env: []string{"ATELIER_EGRESS=local_only"}, code: 1},
	{args: "run|Hello|--in|docs|--max-tokens|1|--model|scripted|--base-url|{model}", code: 1},
	{args: "run|Edit|--in|docs|--model|scripted|--base-url|{model}|--record|run.txtar", answer: editsSheet},
	{args: "run|Hello|--in|docs|--workflow|none", code: 2},
	{args: "review|sales.xlsx|--reject|1|--in|docs"},
	{args: "review|sales.xlsx|--reject|77|--in|docs", code: 1},
	{args: "review|sales.xlsx|--reject|nothing|--in|docs", code: 1},
	{args: "publish|note.md|--in|docs"},
	{args: "publish|elsewhere.md|--in|docs", code: 1},
	{args: "publish|/etc/hosts|--in|docs", code: 2},
	{args: "publish|--in|docs|--json"},
	{args: "publish|--in|docs"},
	{args: "undo|--in|docs"},
	{args: "undo|--to|nothing|--in|docs", code: 1},
	{args: "tools|call|write_text_file|{\"path\":\"t.md\",\"content\":\"<&>\\n\"}|--in|docs"},
	{args: "tools|call|read_file|{\"path\":\"t.md\"}|--in|docs"},
	{args: "tools|call|write_text_file|{\"path\":\"../t.md\",\"content\":\"x\"}|--in|docs", code: 1},
	{args: "tools|call|write|-|--in|docs|--catalogue|buildscale|--live", stdin: `{"path":"/live.md","content":"<&> live\n"}`},
	{args: "tools|call|read|{\"path\":\"/live.md\"}|--in|docs|--catalogue|buildscale|--live"},
	{args: "discard|t.md|--in|docs"},
	{args: "translate|notas.md|--to|en|--in-place|--in|docs|--glossary|terms.csv|--report|r.json|--tmx-out|m.tmx"},
	{args: "translate|notas.md|--to|en|--in-place|--in|docs|--report|-"},
	{args: "translate|notas.md|clientes.csv|--to|de|--in-place|--in|docs|--dry-run|--jobs|1"},
	{args: "translate|notas.md|--to|fr|--in-place|--in|docs|--glossary|missing.csv", code: 1},
	{args: "translate|notas.md|--to|fr|--in-place|--in|docs|--model|scripted|--base-url|http://models.example", code: 1},
	{args: "checkpoints|create|by|hand|--in|docs"},
	{args: "publish|--in|docs"},
	{args: "checkpoints|restore|{checkpoint}|--in|docs"},
	{args: "checkpoints|restore|nothing|--in|docs", code: 1},
	{args: "restore|notas.md|{version}|--in|docs"},
	{args: "undo|--in|docs"},
	{args: "undo|--to|{message}|--in|docs"},
	{args: "compact|--in|docs|--keep-turns|1"},
	{args: "skills|approve|AGENTS.md|--in|docs"},
	{args: "skills|decline|AGENTS.md|--in|docs"},
	{args: "skills|forget|AGENTS.md|--in|docs"},
	{args: "skills|approve|nothing|--in|docs", code: 1},
	{args: "egress|--revoke|--in|docs"},
	{args: "chat|--in|docs|--model|scripted|--base-url|{model}", answer: editsSheet, stdin: "Edit it.\n/review\n/attach brief.txt\n/detach\n/publish sales.xlsx\n/undo\n/model pseudo\n/show\n/discard\n/quit\n"},
	{args: "chat|--in|docs", stdin: "/nothing\n", code: 1},
	{args: "gc|--in|docs|--dry-run"},
	{args: "gc|--in|docs|--older-than|1h"},
	{args: "doctor|--repair|--in|docs"},
	{args: "run|Hello again|--in|docs|--publish"},
	{args: "attach|--in|docs"},
	{args: "run|Go|--in|docs|--catalogue|buildscale|--plan"},
	{args: "discard|--in|docs|--json"},
}

// Every writing command does the same, with the same output and exit code, whether the
// folder is free or atelier serve has it open.
func TestCommandsWhileServeHoldsTheFolder(t *testing.T) {
	campaign.Slow(t)
	alone, held := newCommandWorld(t), newCommandWorld(t)
	for _, w := range []*commandWorld{alone, held} {
		_, errs, code := w.run("", "run", "Hello", "--in", "docs")
		require.Zero(t, code, errs)
	}
	held.hold()
	for _, c := range writingCommands {
		var got []string
		for _, w := range []*commandWorld{alone, held} {
			w.model.forget()
			w.model.then(c.answer...)
			w.env = c.env
			out, errs, code := w.run(c.stdin, w.arguments(c)...)
			assert.NotContains(t, errs, "in use by", c.args)
			assert.Equal(t, c.code, code, "%s: %s%s", c.args, out, errs)
			got = append(got, w.same(fmt.Sprintf("%s\n---\n%s", out, errs)))
			w.env = nil
		}
		if !assert.Equal(t, got[0], got[1], c.args) {
			continue
		}
		review := func(w *commandWorld) string {
			out, errs, _ := w.run("", "review", "--in", "docs")
			return w.same(out + errs)
		}
		assert.Equal(t, review(alone), review(held), "the draft after %s", c.args)
		assert.Equal(t, snapshot(t, alone.dir()), moved(held.dir(), alone.dir(), snapshot(t, held.dir())), "the folder after %s", c.args)
	}
	for _, file := range []string{"r.json", "m.tmx", "run.txtar"} {
		require.FileExists(t, filepath.Join(held.base, file))
	}
	require.NotZero(t, held.held.cmd.Process.Pid)
	out, _, _ := held.run("", "status", "--in", "docs")
	require.Contains(t, out, fmt.Sprintf("by process %d", held.held.cmd.Process.Pid), "serve has it all the time")
}

// moved returns a snapshot of from as one of to.
func moved(from, to string, files map[string]string) map[string]string {
	out := map[string]string{}
	for path, content := range files {
		out[strings.Replace(path, from, to, 1)] = content
	}
	return out
}
