package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"

	"atelier/formats/formatstest"
)

// TR-01, TR-07 over the built program: a desktop app starts a job, is told how
// it goes and what became of it, and finds the result in the draft. A program
// that was killed in the middle knows the job as interrupted; the same start
// goes on, and the end is as without the kill.
func TestTR01TranslateOverStdio(t *testing.T) {
	campaign.Slow(t)
	if testing.Short() {
		t.Skip("runs the built program: left out with -short")
	}
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(formatstest.Root(t), "testdata", "documents"))))
	for i := range 200 {
		require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("note %03d.md", i)), fmt.Appendf(nil, "# Nota %d\n\nEl plazo es de %d días.\n", i, i), 0o600))
	}
	home := t.TempDir()
	a := startApp(t, home)
	var made struct {
		WorkbenchID string `json:"workbench_id"`
	}
	a.call("WorkbenchCreate", map[string]any{"name": "w", "root": dir}, &made)
	params := map[string]any{"workbench_id": made.WorkbenchID, "to": []string{"en", "ar"}, "from": "es"}
	var job struct {
		JobID   string `json:"job_id"`
		Resumed bool   `json:"resumed"`
	}
	a.call("TranslateStart", params, &job)
	require.False(t, job.Resumed)
	a.await(0, "file that is done", func(m message) bool {
		return m.Method == "TranslateProgress" && m.Params["status"] == "ok" && m.Params["job_id"] == job.JobID
	})
	require.NoError(t, a.cmd.Process.Kill())
	a.cmd.Wait()

	a = startApp(t, home)
	ref := map[string]any{"workbench_id": made.WorkbenchID, "job_id": job.JobID}
	var status struct {
		Status    string `json:"status"`
		Files     int    `json:"files"`
		FilesDone int    `json:"files_done"`
		Failed    int    `json:"failed"`
		Results   []struct {
			Input, Output, Status, Error string
		} `json:"results"`
	}
	a.call("TranslateStatus", ref, &status)
	require.Equal(t, "interrupted", status.Status)
	first := job.JobID
	a.call("TranslateStart", params, &job)
	require.Equal(t, first, job.JobID)
	require.True(t, job.Resumed)
	end, _ := a.await(0, "end of the job", func(m message) bool { return m.Method == "TranslateComplete" })
	require.Equal(t, "complete", end.Params["status"])
	require.EqualValues(t, 0, end.Params["failed"])
	ref["limit"] = 1000
	a.call("TranslateStatus", ref, &status)
	require.Equal(t, 410, status.FilesDone)
	require.Len(t, status.Results, 410)
	skipped := 0
	for _, r := range status.Results {
		require.Empty(t, r.Error, r.Input)
		require.True(t, strings.HasPrefix(r.Output, "translated/en/") || strings.HasPrefix(r.Output, "translated/ar/"), r.Output)
		if r.Status == "skipped" {
			skipped++
		}
	}
	require.Positive(t, skipped, "what was done before the kill is not done again")

	var changes struct {
		Changes []struct {
			Path       string `json:"path"`
			ChangeType string `json:"change_type"`
		} `json:"changes"`
	}
	a.call("ReviewGetChangeSet", map[string]any{"workbench_id": made.WorkbenchID}, &changes)
	require.Len(t, changes.Changes, 410)
	a.call("DraftPublish", map[string]any{"workbench_id": made.WorkbenchID}, nil)

	// As without the kill.
	out := filepath.Join(t.TempDir(), "out")
	run := exec.Command(program(t), "translate", dir, "--to", "en,ar", "--from", "es", "--engine", "pseudo", "--out", out, "--home", t.TempDir())
	b, err := run.CombinedOutput()
	require.NoError(t, err, "%s", b)
	for _, name := range []string{"contrato.docx", "sales.xlsx", "presentacion.pptx", "notas.md", "clientes.csv", "note 007.md", "note 199.md"} {
		for _, to := range []string{"en", "ar"} {
			want, err := os.ReadFile(filepath.Join(out, to, name))
			require.NoError(t, err)
			have, err := os.ReadFile(filepath.Join(dir, "translated", to, name))
			require.NoError(t, err)
			require.Equal(t, want, have, "%s in %s", name, to)
		}
	}
}
