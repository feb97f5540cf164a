package tasks_test

import (
	"errors"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
	"atelier/internal/campaign"
	"atelier/internal/need"
	"atelier/internal/tasks"
)

var update = flag.Bool("update", false, "record what the calls of the tasks return")

// built is the folder of the program that the tasks are done with. It is not this test
// program, as in cmd/atelier: that would need longer to start.
var built string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "atelier-tasks")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		built = dir
		return m.Run()
	}())
}

var build = sync.OnceValues(func() ([]byte, error) {
	return exec.Command("go", "build", "-o", built, "atelier/cmd/atelier").CombinedOutput()
})

// program builds atelier once, and returns its path.
func program(t testing.TB) string {
	t.Helper()
	out, err := build()
	if errors.Is(err, exec.ErrNotFound) {
		need.Absent(t, "the Go command", "Go")
	}
	require.NoError(t, err, "%s", out)
	return filepath.Join(built, "atelier")
}

// Each task of testdata/tasks can be done with the tools there are: a scripted model
// does it, the checks agree, and the calls return what is recorded. A task that waits
// for something fails its checks; one that passes them must not wait.
func TestTasks(t *testing.T) {
	if campaign.Race {
		t.Skip("a tool call with LibreOffice takes longer than it may with the race detector")
	}
	dir := filepath.Join("..", "..", "testdata")
	list, err := tasks.Load(filepath.Join(dir, "tasks"))
	require.NoError(t, err)
	r := tasks.Runner{Program: program(t), Testdata: dir, Corpus: formatstest.CorpusDir(t), Office: tasks.LibreOffice()}
	every := 1
	if testing.Short() { // LibreOffice looks at the result of each
		every = 8
	}
	for i, task := range list {
		if (campaign.Skips(t, i, every) || campaign.Leaves(i, 10)) && !*update {
			continue
		}
		t.Run(task.Name, func(t *testing.T) {
			t.Parallel()
			if task.Waits != "" && len(task.Script) == 0 {
				t.Skipf("waits for %s", task.Waits)
			}
			if task.NeedsOffice() && r.Office == nil {
				t.Skip("its script looks at what LibreOffice makes; LibreOffice or poppler-utils is not installed")
			}
			e, err := tasks.Scripted(task.Script)
			require.NoError(t, err)
			defer e.Close()
			o, err := r.Run(t.Context(), task, e.Model())
			if errors.Is(err, tasks.ErrAbsent) {
				t.Skip(err)
			}
			require.NoError(t, err)
			if task.Waits != "" {
				require.NotEmpty(t, o.Failures, "it waits for %s, but can be done", task.Waits)
				return
			}
			require.Empty(t, o.Failures, "%s\n%s", strings.Join(o.Failures, "\n"), o.Results)
			require.Zero(t, e.Unused(), "all steps were carried out")
			if *update {
				require.NoError(t, os.WriteFile(filepath.Join(dir, "tasks", task.Name+".txtar"), task.WithResults(o.Results), 0o644))
				return
			}
			require.Equal(t, task.Results(), o.Results)
		})
	}
}

// The checks of a task refuse what its wrong scripts make.
func TestTasksRefuseWrong(t *testing.T) {
	if campaign.Race {
		t.Skip("a tool call with LibreOffice takes longer than it may with the race detector")
	}
	dir := filepath.Join("..", "..", "testdata")
	list, err := tasks.Load(filepath.Join(dir, "tasks"))
	require.NoError(t, err)
	r := tasks.Runner{Program: program(t), Testdata: dir, Corpus: formatstest.CorpusDir(t), Office: tasks.LibreOffice()}
	i := 0
	for _, task := range list {
		for _, what := range slices.Sorted(maps.Keys(task.Wrong)) {
			script := task.Wrong[what]
			if i++; campaign.Skips(t, i, 8) {
				continue
			}
			t.Run(task.Name+"/"+what, func(t *testing.T) {
				t.Parallel()
				e, err := tasks.Scripted(script)
				require.NoError(t, err)
				defer e.Close()
				o, err := r.Run(t.Context(), task, e.Model())
				if errors.Is(err, tasks.ErrAbsent) {
					t.Skip(err)
				}
				require.NoError(t, err)
				require.Zero(t, o.FailedCalls, o.Results)
				require.Zero(t, e.Unused(), "all steps were carried out")
				refused := slices.DeleteFunc(o.Failures, func(f string) bool { return strings.Contains(f, "LibreOffice did not finish") })
				if len(refused) == 0 && len(o.LeftOut) > 0 {
					t.Skipf("LibreOffice or poppler-utils is not installed: %s", strings.Join(o.LeftOut, "; "))
				}
				require.NotEmpty(t, refused, "the checks agree with a wrong result")
				t.Log(strings.Join(refused, "\n"))
			})
		}
	}
}

// A run that only says that it is done does no task.
func TestTasksNeedWork(t *testing.T) {
	if campaign.Race {
		t.Skip("a tool call with LibreOffice takes longer than it may with the race detector")
	}
	dir := filepath.Join("..", "..", "testdata")
	list, err := tasks.Load(filepath.Join(dir, "tasks"))
	require.NoError(t, err)
	r := tasks.Runner{Program: program(t), Testdata: dir, Corpus: formatstest.CorpusDir(t)}
	for i, task := range list {
		if campaign.Skips(t, i, 3) {
			continue
		}
		t.Run(task.Name, func(t *testing.T) {
			t.Parallel()
			e, err := tasks.Scripted([]tasks.Step{{Text: "Done."}})
			require.NoError(t, err)
			defer e.Close()
			o, err := r.Run(t.Context(), task, e.Model())
			if errors.Is(err, tasks.ErrAbsent) {
				t.Skip(err)
			}
			require.NoError(t, err)
			require.NotEmpty(t, o.Failures)
		})
	}
}
