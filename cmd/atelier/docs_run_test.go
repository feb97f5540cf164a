package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
	"atelier/internal/campaign"
	"atelier/internal/childgroup"
	"atelier/internal/docpages"
	"atelier/internal/need"
	"atelier/internal/testport"
)

// A docStep is one group of commands of a page, with the output that the page shows
// for it, if it does.
type docStep struct {
	command string
	want    string
	shown   bool
	line    int
}

// TestDocsCommandsRun runs the commands of each page in their order, in a new folder
// with testdata beside them, without keys and without a network, and compares the
// output where the page shows it. The page's info strings say what is not run and why
// (internal/docpages).
func TestDocsCommandsRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the pages show commands of a POSIX shell")
	}
	campaign.Slow(t)
	bash := need.Program(t, "bash", "bash")
	for _, page := range docPages(t) {
		name := strings.TrimPrefix(page.Path, "../../")
		steps, left := docSteps(t, name, page)
		if len(steps) == 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			runDocSteps(t, bash, steps)
			t.Logf("%d steps ran, %d blocks did not", len(steps), left)
		})
	}
}

// docSteps returns the steps of a page, none if nothing of it runs, and how many of
// its blocks are left out; it logs why.
func docSteps(t *testing.T, name string, page *docpages.Page) (steps []docStep, left int) {
	run, fixture := false, ""
	for _, b := range page.Blocks() {
		why, excused := b.Attrs["no-run"]
		var next []docStep
		switch {
		case excused:
			require.NotEmpty(t, why, "%s:%d: say why it is not run", name, b.Line)
			t.Logf("not run: %s:%d: %s", name, b.Line, why)
			left++
		case b.Lang == "setup":
			steps = append(steps, docStep{command: b.Text, line: b.Line})
		case b.Lang == "model":
			f, err := os.ReadFile("../../" + strings.TrimSpace(b.Text))
			require.NoError(t, err)
			fixture = string(f)
		case b.Lang == "sh":
			next = []docStep{{command: b.Text, line: b.Line}}
		case b.Lang == "console":
			next = consoleSteps(b)
		}
		if len(next) > 0 && fixture != "" {
			start := docStep{command: "export ATELIER_MODEL=gpt-5 OPENAI_BASE_URL=" + serveFixture(t, fixture).URL, line: b.Line}
			stop := docStep{command: "unset ATELIER_MODEL OPENAI_BASE_URL", line: b.Line}
			next = append(append([]docStep{start}, next...), stop)
			fixture = ""
		}
		run = run || len(next) > 0
		steps = append(steps, next...)
	}
	if !run {
		return nil, left
	}
	return steps, left
}

// consoleSteps divides a console block into its commands with their output.
func consoleSteps(b docpages.Block) (steps []docStep) {
	number := b.Line
	for line := range strings.Lines(b.Text) {
		last := len(steps) - 1
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			steps = append(steps, docStep{command: command, line: number, shown: true})
		} else if last >= 0 && steps[last].want == "" && strings.HasSuffix(steps[last].command, "\\\n") {
			steps[last].command += line
		} else if last >= 0 {
			steps[last].want += line
		}
		number++
	}
	return steps
}

// runDocSteps runs the steps in one shell, whose variables and folder they share.
func runDocSteps(t *testing.T, bash string, steps []docStep) {
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	for _, sub := range []string{"documents", "bad", "texts"} {
		require.NoError(t, os.CopyFS(filepath.Join(work, "testdata", sub), os.DirFS("../../testdata/"+sub)))
	}
	bin := filepath.Join(dir, "bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	require.NoError(t, os.Symlink(program(t), filepath.Join(bin, "atelier")))
	// The commands of the README build the program; here it is this binary.
	goShim := "#!/bin/sh\ncase \"$1 $2\" in \"run ./cmd/atelier\") shift 2; exec atelier \"$@\";; \"install ./cmd/atelier\") exit 0;; esac\necho \"go $*: not in a test\" >&2; exit 1\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "go"), []byte(goShim), 0o755))
	// An answer with an error ends curl with an error.
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".curlrc"), []byte("fail-with-body\n"), 0o600))
	home := filepath.Join(dir, "data")
	require.NoError(t, formatstest.LinkCache(home))
	env := []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + t.TempDir(), "LANG=C.UTF-8",
		"ATELIER_HOME=" + home, "http_proxy=http://127.0.0.1:9", "https_proxy=http://127.0.0.1:9", "no_proxy=127.0.0.1,localhost"}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	out := t.TempDir()
	var script strings.Builder
	script.WriteString("set -euo pipefail\n")
	port := testport.Reserve(t)
	for i, s := range steps {
		// Servers of a page listen at a port that is free here.
		command := regexp.MustCompile(`(localhost|127\.0\.0\.1):(3000|8321)`).ReplaceAllString(s.command, fmt.Sprintf("127.0.0.1:%d", port))
		fmt.Fprintf(&script, "echo %d >%s/at\n{\n%s\n} >%s/%d 2>&1\n", i, out, command, out, i)
	}
	fmt.Fprintf(&script, "echo end >%s/at\n", out)
	cmd := exec.CommandContext(ctx, bash, "-c", script.String())
	cmd.Dir, cmd.Env = work, env
	childgroup.Own(cmd)
	err := cmd.Run()
	childgroup.Kill(cmd) // servers that the page started
	at, _ := os.ReadFile(filepath.Join(out, "at"))
	for i, s := range steps {
		b, _ := os.ReadFile(filepath.Join(out, strconv.Itoa(i)))
		if strings.TrimSpace(string(at)) == strconv.Itoa(i) {
			t.Fatalf("line %d: %v\n%s\n%s", s.line, err, s.command, b)
		}
		if s.shown && !shownOutput(s.want).MatchString(sameDurations(string(b))) {
			t.Errorf("line %d: the page shows\n%s\nfor %s which prints\n%s", s.line, s.want, s.command, b)
		}
	}
	require.NoError(t, err)
}

var durations = regexp.MustCompile(`\b\d+(\.\d+)? (ms|s)\b`)

func sameDurations(s string) string {
	return strings.TrimRight(durations.ReplaceAllString(s, "N ms"), "\n") + "\n"
}

// shownOutput returns an expression for the output that a page shows: "…" is any text
// of a line, a line with only that any lines.
func shownOutput(want string) *regexp.Regexp {
	sb := strings.Builder{}
	for line := range strings.Lines(sameDurations(want)) {
		line = strings.TrimRight(line, "\n")
		if line == "…" {
			sb.WriteString(`(?:.*\n)*?`)
			continue
		}
		sb.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*") + `[ \t]*\n`)
	}
	return regexp.MustCompile(`\A` + sb.String() + `\z`)
}

func TestShownOutput(t *testing.T) {
	for _, c := range []struct {
		want, got string
		same      bool
	}{
		{"a\nb\n", "a\nb\n", true},
		{"a\n", "a\nb\n", false},
		{"a …\n", "a bcd\n", true},
		{"· read 4 ms\n", "· read 1.2 s\n", true},
		{"…\nb\n", "x\ny\nb\n", true},
		{"a\n…\n", "a\n", true},
		{"1,234 rows\n", "1,235 rows\n", false},
	} {
		require.Equal(t, c.same, shownOutput(c.want).MatchString(sameDurations(c.got)), "%q %q", c.want, c.got)
	}
}
