//go:build unix

package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/internal/cluster/clustertest"
)

// A desktop app's TranslateStart has the workers of a cluster ask the model when it says
// so: with consent to the cluster, since the endpoint is on this machine; the outputs are
// those of one process. Canceled from elsewhere it ends as canceled, and the same start
// continues it, also without the cluster.
func TestClusterTranslateStart(t *testing.T) {
	t.Parallel()
	in := clusterDocs(t, rand.New(rand.NewPCG(3, 4)), 3, 30)
	want, _ := alone(t, in)
	m := serveSegments(t, nil)
	r := newClusterRig(t, 1, m)
	a := startAppWith(t, append([]string{"--home", t.TempDir()}, r.flags...), "OPENAI_API_KEY=k", "OPENAI_BASE_URL="+m.URL, "ATELIER_MODEL=m")
	var made struct {
		WorkbenchID string `json:"workbench_id"`
	}
	a.call("WorkbenchCreate", map[string]any{"name": "w", "root": in}, &made)
	params := map[string]any{"workbench_id": made.WorkbenchID, "to": []string{"de", "fr"}, "cluster": true}

	refused := a.callError("TranslateStart", params)
	require.Equal(t, "EGRESS_CONSENT_REQUIRED", refused["error_code"])
	egress, ok := refused["egress"].(map[string]any)
	require.True(t, ok, "%v", refused)
	require.Contains(t, r.servers.URL(0), egress["host"])
	a.call("EgressGrantWorkshopConsent", map[string]any{"workbench_id": made.WorkbenchID, "provider_id": refused["provider_id"], "model_id": "m", "scope_hash": egress["scope_hash"]}, nil)

	var job struct {
		JobID   string `json:"job_id"`
		Resumed bool   `json:"resumed"`
	}
	a.call("TranslateStart", params, &job)
	st := r.status()
	require.Len(t, st.Jobs, 1)
	require.Equal(t, "running", string(st.Jobs[0].State))
	var status struct {
		Status     string `json:"status"`
		Error      string `json:"error"`
		ClusterJob string `json:"cluster_job"`
		Note       string `json:"note"`
	}
	ref := map[string]any{"workbench_id": made.WorkbenchID, "job_id": job.JobID}
	a.call("TranslateStatus", ref, &status)
	require.Equal(t, st.Jobs[0].ID, status.ClusterJob)
	require.Contains(t, status.Note, status.ClusterJob)
	require.Zero(t, m.asked(), "no worker, no request")

	b, err := combined(r.command("cluster", "cancel", status.ClusterJob))
	require.NoError(t, err, b)
	end, at := a.await(0, "end of the job", func(m message) bool { return m.Method == "TranslateComplete" })
	require.Equal(t, "canceled", end.Params["status"], "%v", end.Params)
	require.Contains(t, end.Params["error"], "cluster cancel")

	r.worker("w", "--requests", "4")
	a.call("TranslateStart", params, &job)
	require.True(t, job.Resumed)
	end, _ = a.await(at+1, "end of the job", func(m message) bool { return m.Method == "TranslateComplete" })
	require.Equal(t, "complete", end.Params["status"], "%v", end.Params)
	require.EqualValues(t, 0, end.Params["failed"])
	require.Positive(t, m.asked())
	a.call("DraftPublish", map[string]any{"workbench_id": made.WorkbenchID}, nil)
	require.Equal(t, want, translated(t, filepath.Join(in, "translated")))

	asked := m.asked()
	params["cluster"] = false
	first := job.JobID
	a.call("TranslateStart", params, &job)
	require.Equal(t, first, job.JobID, "the same job, whichever machines ask")
	require.Equal(t, asked, m.asked())
}

// An app of a program without a cluster is told what to do.
func TestClusterTranslateStartWithoutOne(t *testing.T) {
	t.Parallel()
	m := serveSegments(t, nil)
	a := startApp(t, t.TempDir(), "OPENAI_API_KEY=k", "OPENAI_BASE_URL="+m.URL, "ATELIER_MODEL=m")
	var made struct {
		WorkbenchID string `json:"workbench_id"`
	}
	a.call("WorkbenchCreate", map[string]any{"name": "w", "root": manyDocs(t, 1, 1)}, &made)
	refused := a.callError("TranslateStart", map[string]any{"workbench_id": made.WorkbenchID, "to": []string{"de"}, "cluster": true})
	require.Contains(t, refused["detail"], "started without --cluster")
}

// A watch has the workers ask, and ends when it is canceled from elsewhere.
func TestClusterWatch(t *testing.T) {
	campaign.Slow(t)
	t.Parallel()
	in, out := manyDocs(t, 3, 10), filepath.Join(t.TempDir(), "out")
	m := serveSegments(t, nil)
	r := newClusterRig(t, 1, m)
	r.worker("w")
	w := startWatch(t, m, in, out, append([]string{"--allow-egress"}, r.flags...)...)
	for i := range 3 {
		w.until("done", []string{"f00.md", "f01.md", "f02.md"}[i], 1)
	}
	st := r.status()
	require.Len(t, st.Jobs, 1)
	require.Equal(t, "complete", string(st.Jobs[0].State))
	require.Eventually(t, func() bool { return r.status().Workers[0].Answered == m.asked() }, 20*time.Second, 200*time.Millisecond, "a worker's figures are up to 2 seconds old")
	require.Len(t, slices.DeleteFunc(w.all("note", ""), func(e watchEvent) bool { return !strings.Contains(e.Text, st.Jobs[0].ID) }), 1, "told once")

	canceled := make(chan struct{})
	t.Cleanup(func() { close(canceled) })
	m.behave(blocked(canceled))
	require.NoError(t, os.WriteFile(filepath.Join(in, "late.md"), []byte("A text that is late.\n"), 0o600))
	w.until("begun", "late.md", 1)
	require.Eventually(t, func() bool { return r.status().Jobs[0].State == "running" }, time.Minute, 50*time.Millisecond)
	b, err := combined(r.command("cluster", "cancel", st.Jobs[0].ID))
	require.NoError(t, err, b)
	require.Error(t, <-w.ended)
	require.NotEmpty(t, w.all("undone", "late.md"))
}

// TLS with certificates on both sides and credentials, as docs/cluster.md asks for.
func TestClusterSecurity(t *testing.T) {
	t.Parallel()
	servers, sec := clustertest.StartSecure(t)
	m := serveSegments(t, nil)
	all := []string{"--cluster-ca", sec.CA, "--cluster-cert", sec.Cert, "--cluster-cert-key", sec.Key, "--cluster-credentials", sec.Credentials}
	r := newClusterRigAt(t, servers, m, all...)
	r.worker("w")
	out := filepath.Join(t.TempDir(), "out")
	b, err := combined(r.translate(manyDocs(t, 1, 3), out))
	require.NoError(t, err, b)
	require.Len(t, translated(t, out), 2)
	require.Positive(t, m.asked())

	for missing, said := range map[string]string{"--cluster-ca": "certificate", "--cluster-cert": "tls", "--cluster-credentials": "uthorization"} {
		var flags []string
		for i := 0; i < len(all); i += 2 {
			if all[i] != missing && (missing != "--cluster-cert" || all[i] != "--cluster-cert-key") {
				flags = append(flags, all[i], all[i+1])
			}
		}
		b, err := combined(newClusterRigAt(t, servers, m, flags...).command("cluster", "status"))
		require.Error(t, err)
		require.Contains(t, b, said, "without %s", missing)
	}
}
