package agent

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/need"
	"atelier/llm"
)

// marking is a model that writes a byte to a file with each request, so that a
// trace of the system calls shows when it would have left.
type marking struct {
	answers
	file *os.File
}

func (m *marking) Chat(ctx context.Context, req llm.Request) (response, error) {
	if _, err := m.file.WriteString("."); err != nil {
		return response{}, err
	}
	return m.answers.Chat(ctx, req)
}

// K-01, DESIGN section 6: each message is on disk before the next step, and what
// it names before it. SIGKILL cannot show that, since the system keeps what was
// not synced. The order of the system calls of a run does: when a request
// leaves, nothing of database and conversation waits to be synced; when a tool's
// result is written, nothing of the database (its entry, the draft, the mark)
// does; when the database is written, no content of the draft does.
func TestK01EverythingIsSyncedBeforeTheNextStep(t *testing.T) {
	if dir := os.Getenv("ATELIER_TEST_TRACED"); dir != "" {
		tracedRun(t, dir)
		return
	}
	strace := need.Program(t, "strace", "strace")
	dir := t.TempDir()
	trace := filepath.Join(dir, "trace")
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(strace, "-f", "-y", "-s", "100", "-o", trace, "-e", "trace=write,pwrite64,fsync,fdatasync,rename,renameat,renameat2",
		self, "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "ATELIER_TEST_TRACED="+dir)
	out, err := cmd.CombinedOutput()
	if bytes.Contains(out, []byte("ptrace")) {
		t.Skipf("strace must not trace here: %s", out)
	}
	require.NoError(t, err, string(out))
	b, err := os.ReadFile(trace)
	require.NoError(t, err)
	checkTrace(t, b)
}

// tracedRun is the work that is traced: reads side by side, then writes.
func tracedRun(t *testing.T, dir string) {
	r := newRig(t, map[string]string{"a.txt": "one\ntwo\n"})
	f, err := os.Create(filepath.Join(dir, "requests"))
	require.NoError(t, err)
	defer f.Close()
	m := &marking{answers: answers{rounds: 8, n: 3, call: func(round, i int) llm.ToolCall {
		if round%2 == 0 {
			return writeCall(round, i)
		}
		return readCall(round, i)
	}}, file: f}
	_, err = r.run(m, "go")
	require.NoError(t, err)
}

// systemCall is a line of a trace: the call, the file of its descriptor or its
// first name, and the rest. One that another thread interrupts is in two lines,
// of which the first counts.
var systemCall = regexp.MustCompile(`^\d+ +(\w+)\((?:\d+<([^>]*)>|(?:AT_FDCWD<[^>]*>, )?"([^"]*)")(.*)`)

func checkTrace(t *testing.T, trace []byte) {
	dirty := map[string]bool{} // what was written since it was synced last
	waits := func(when string, line string, names ...string) {
		t.Helper()
		for path := range dirty {
			for _, name := range names {
				require.NotContains(t, path, name, "%s is not synced when %s:\n%s", path, when, line)
			}
		}
	}
	seen := map[string]int{}
	lines := bufio.NewScanner(bytes.NewReader(trace))
	for lines.Scan() {
		line := lines.Text()
		m := systemCall.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		call, path, rest := m[1], m[2]+m[3], m[4]
		switch {
		case call == "fsync" || call == "fdatasync":
			delete(dirty, path)
			seen["syncs"]++
			continue
		case strings.HasPrefix(call, "rename"):
			if strings.Contains(path, "/objects/") {
				names := regexp.MustCompile(`"([^"]*)"`).FindAllStringSubmatch(rest, -1)
				require.NotEmpty(t, names, line)
				require.NotContains(t, dirty, path, line)
				dirty[filepath.Dir(names[len(names)-1][1])] = true
				seen["objects"]++
			}
			continue
		case strings.HasSuffix(path, "/requests"):
			seen["requests"]++
			waits("a request leaves", line, "workbench.db", "conversation.jsonl", "/objects")
			continue
		case strings.HasSuffix(path, "/conversation.jsonl"):
			if strings.Contains(rest, `\"tool_result\"`) {
				seen["results"]++
				waits("a result is stored", line, "workbench.db", "/objects")
			}
		case strings.HasSuffix(path, "/workbench.db-wal"):
			waits("the database is written", line, "/objects", "conversation.jsonl")
		case !strings.Contains(path, "/objects/"):
			continue // no part of the state
		}
		dirty[path] = true
	}
	require.NoError(t, lines.Err())
	require.Equal(t, 9, seen["requests"])
	require.GreaterOrEqual(t, seen["results"], 16, "one write for three reads, one for each of three writes")
	require.Equal(t, 12, seen["objects"], "one for each write, also of a content that is kept already: the file that has its name may be damaged")
	t.Logf("%v", seen)
}
