package tasks

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The table of the README has each kind with its number of tasks, and what they wait for.
func TestReadmeCountsTasks(t *testing.T) {
	dir := filepath.Join("..", "..", "testdata", "tasks")
	list, err := Load(dir)
	require.NoError(t, err)
	b, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	n := map[string]int{}
	for _, task := range list {
		n[task.Kind]++
		if task.Waits != "" {
			require.Contains(t, string(b), task.Waits)
		}
	}
	require.Regexp(t, fmt.Sprintf(`(?m)^There are %d:$`, len(list)), string(b))
	for kind, count := range n {
		require.Regexp(t, fmt.Sprintf(`(?m)^\| %s\b[^|]* \| %d \|`, kind, count), string(b))
	}
}

func TestWrongScripts(t *testing.T) {
	task, err := Parse("x", []byte("-- task --\nkind: x\n-- prompt --\nDo it.\n-- script --\nsay Done.\n-- wrong/not at all --\ndelete {\"path\":\"a\"}\nsay Gone.\n-- check --\nanswer Done\n"))
	require.NoError(t, err)
	require.Equal(t, map[string][]Step{"not at all": {{Tool: "delete", Arguments: `{"path":"a"}`}, {Text: "Gone."}}}, task.Wrong)
	_, err = Parse("x", []byte("-- task --\nkind: x\n-- wrong/w --\nnothing\n"))
	require.ErrorContains(t, err, "nothing")
}
