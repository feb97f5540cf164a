package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/formats/formatstest"
)

// ends gathers the ends of translation jobs.
type ends struct {
	c chan engine.TranslateCompleted
}

func listen(t testing.TB, e *engine.Engine, each func(engine.TranslateProgress)) ends {
	c := make(chan engine.TranslateCompleted, 10)
	t.Cleanup(e.Subscribe(func(n engine.Notification) {
		switch p := n.Params.(type) {
		case engine.TranslateProgress:
			if each != nil {
				each(p)
			}
		case engine.TranslateCompleted:
			c <- p
		}
	}))
	return ends{c}
}

func (n ends) next(t testing.TB) engine.TranslateCompleted {
	t.Helper()
	select {
	case c := <-n.c:
		return c
	case <-time.After(2 * time.Minute):
		t.Fatal("the job did not end")
	}
	panic("unreachable")
}

// documents makes a workbench on a copy of our own documents.
func documents(t testing.TB, e *engine.Engine) (id, dir string) {
	t.Helper()
	id, dir = folder(t, e, nil)
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(formatstest.Root(t), "testdata", "documents"))))
	return id, dir
}

func paths(changes obj) []string {
	var out []string
	for _, c := range changes["changes"].([]any) {
		out = append(out, c.(obj)["change_type"].(string)+" "+c.(obj)["path"].(string))
	}
	return out
}

// TR-01, D-10 over the protocol: the documents of a workbench are translated in
// place, in its draft; published, they are not translated again; nothing of the
// job stands among the user's files.
func TestTranslateInPlace(t *testing.T) {
	e := newEngine(t)
	id, dir := documents(t, e)
	before, err := os.ReadFile(filepath.Join(dir, "contrato.docx"))
	require.NoError(t, err)
	var mu sync.Mutex
	done := map[string]string{}
	n := listen(t, e, func(p engine.TranslateProgress) {
		mu.Lock()
		defer mu.Unlock()
		if p.Status != "" {
			done[p.Path] = p.Status
		}
	})
	params := obj{"workbench_id": id, "to": []string{"English"}, "from": "es", "in_place": true}
	job := must(t, e, "TranslateStart", params)["job_id"].(string)
	end := n.next(t)
	require.EqualValues(t, "complete", end.Status, end.Error)
	require.Equal(t, job, end.JobID)
	require.Equal(t, 5, end.FilesDone)
	require.Zero(t, end.Failed)
	require.Positive(t, end.Figures.Words)
	require.Len(t, done, 5)

	status := must(t, e, "TranslateStatus", obj{"workbench_id": id, "job_id": job, "limit": 2})
	require.Len(t, status["results"], 2)
	require.Equal(t, true, status["has_more"])
	require.Len(t, must(t, e, "TranslateList", obj{"workbench_id": id})["jobs"], 1)
	now, err := os.ReadFile(filepath.Join(dir, "contrato.docx"))
	require.NoError(t, err)
	require.Equal(t, before, now, "the published file is as it was")
	require.ElementsMatch(t, []string{"modified clientes.csv", "modified contrato.docx", "modified notas.md", "modified presentacion.pptx", "modified sales.xlsx"},
		paths(must(t, e, "ReviewGetChangeSet", obj{"workbench_id": id})))

	// Again: all of it is there.
	again := must(t, e, "TranslateStart", params)
	require.Equal(t, job, again["job_id"])
	require.Equal(t, true, again["resumed"])
	n.next(t)
	skipped := func() {
		t.Helper()
		for _, r := range must(t, e, "TranslateStatus", obj{"workbench_id": id, "job_id": job})["results"].([]any) {
			require.Equal(t, "skipped", r.(obj)["status"])
		}
	}
	skipped()
	must(t, e, "DraftPublish", obj{"workbench_id": id})
	must(t, e, "TranslateStart", params)
	n.next(t)
	skipped()
	require.Equal(t, false, must(t, e, "DraftGetState", obj{"workbench_id": id})["has_draft"], "a translation is not translated")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 5)
}

// Below a folder, several languages; a draft that was discarded is made again
// from what was paid for.
func TestTranslateIntoFolder(t *testing.T) {
	e := newEngine(t)
	id, _ := documents(t, e)
	n := listen(t, e, nil)
	params := obj{"workbench_id": id, "to": []string{"en", "ar"}, "folder": "out", "paths": []string{"notas.md", "contrato.docx"}}
	must(t, e, "TranslateStart", params)
	require.EqualValues(t, "complete", n.next(t).Status)
	want := []string{"added out/ar/contrato.docx", "added out/ar/notas.md", "added out/en/contrato.docx", "added out/en/notas.md"}
	require.ElementsMatch(t, want, paths(must(t, e, "ReviewGetChangeSet", obj{"workbench_id": id})))
	must(t, e, "DraftDiscard", obj{"workbench_id": id})
	must(t, e, "TranslateStart", params)
	end := n.next(t)
	require.EqualValues(t, "complete", end.Status)
	require.Zero(t, end.Figures.Turns)
	require.ElementsMatch(t, want, paths(must(t, e, "ReviewGetChangeSet", obj{"workbench_id": id})))
	// All documents, one language: translations are no originals.
	must(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"de"}, "folder": "out"})
	require.Equal(t, 5, n.next(t).Files)
}

// What can't be done is said, before or file by file.
func TestTranslateRefuses(t *testing.T) {
	e := newEngine(t)
	id, _ := documents(t, e)
	for _, c := range []struct {
		params obj
		want   string
	}{
		{obj{"workbench_id": id}, "to is required"},
		{obj{"workbench_id": id, "to": []string{"qqq-nonsense-zz"}}, "to:"},
		{obj{"workbench_id": id, "to": []string{"en", "de"}, "in_place": true}, "one language"},
		{obj{"workbench_id": id, "to": []string{"en"}, "in_place": true, "folder": "x"}, "exclude each other"},
		{obj{"workbench_id": id, "to": []string{"en"}, "folder": "../x"}, ""},
		{obj{"workbench_id": id, "to": []string{"en"}, "engine": "magic"}, "unknown engine"},
		{obj{"workbench_id": id, "to": []string{"en"}, "glossary": "none.csv"}, "none.csv"},
		{obj{"workbench_id": id, "to": []string{"en"}, "do_not_translate": []string{"/(/"}}, "do_not_translate"},
		{obj{"workbench_id": id, "to": []string{"en"}, "model": "gpt-5"}, "no API key"},
	} {
		_, info := call(t, e, "TranslateStart", c.params)
		require.NotNil(t, info, "%v", c.params)
		require.Contains(t, info.Detail, c.want, "%v", c.params)
	}
	for _, method := range []string{"TranslateStatus", "TranslateCancel"} {
		for _, job := range []string{"", "t-0123456789abcdef", "../../job"} {
			_, info := call(t, e, method, obj{"workbench_id": id, "job_id": job})
			require.NotNil(t, info)
			require.Contains(t, info.Detail, "there is no translation job")
		}
	}
	// A file that a person changed in the draft is not replaced; the others are done.
	must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "write_text_file", "args": obj{"path": "notas.md", "content": "mine"}})
	n := listen(t, e, nil)
	job := must(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"en"}, "in_place": true})["job_id"]
	end := n.next(t)
	require.Equal(t, 1, end.Failed)
	for _, r := range must(t, e, "TranslateStatus", obj{"workbench_id": id, "job_id": job})["results"].([]any) {
		if f := r.(obj); f["input"] == "notas.md" {
			require.Contains(t, f["error"], "publish or discard them first")
		} else {
			require.NotEqual(t, "failed", f["status"])
		}
	}
	out := must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "read_file", "args": obj{"path": "notas.md"}})
	require.Contains(t, out["result"].(obj)["text"], "mine")
	// Nothing to translate fails as a whole.
	must(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"en"}, "paths": []string{"absent.md"}})
	end = n.next(t)
	require.EqualValues(t, "failed", end.Status)
	require.Contains(t, end.Error, "absent.md")
}

// A job that is canceled keeps what is done, and the same start goes on.
func TestTranslateCancel(t *testing.T) {
	e := newEngine(t)
	files := map[string]string{}
	for _, n := range strings.Split("abcdefghijklmnopqrst", "") {
		files[n+".md"] = "Text " + n + " number one.\n"
	}
	id, _ := folder(t, e, files)
	held, release := make(chan bool), make(chan bool)
	var once sync.Once
	n := listen(t, e, func(p engine.TranslateProgress) {
		if p.Status != "" {
			once.Do(func() { held <- true; <-release })
		}
	})
	params := obj{"workbench_id": id, "to": []string{"es"}, "in_place": true}
	job := must(t, e, "TranslateStart", params)["job_id"]
	<-held
	ref := obj{"workbench_id": id, "job_id": job}
	require.Equal(t, job, must(t, e, "TranslateStart", params)["job_id"], "it is at work already")
	_, info := call(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"fr"}})
	require.NotNil(t, info)
	require.Contains(t, info.Detail, "already in progress")
	require.Equal(t, "running", must(t, e, "TranslateStatus", ref)["status"])
	require.Equal(t, true, must(t, e, "TranslateCancel", ref)["cancel_requested"])
	close(release)
	end := n.next(t)
	require.EqualValues(t, "canceled", end.Status)
	require.Less(t, end.FilesDone, 20)
	require.Equal(t, false, must(t, e, "TranslateCancel", ref)["cancel_requested"])
	require.Equal(t, "canceled", must(t, e, "TranslateStatus", ref)["status"])
	must(t, e, "TranslateStart", params)
	require.EqualValues(t, "complete", n.next(t).Status)
	require.Len(t, must(t, e, "ReviewGetChangeSet", obj{"workbench_id": id})["changes"], 20)
}

// K-08: a second engine lists the jobs of the one that has the workbench: the
// one at work as running, one that an earlier engine left as interrupted.
func TestTranslateListOfAnotherEngine(t *testing.T) {
	home := t.TempDir()
	open := func() *engine.Engine {
		e, err := engine.New(engine.Options{Home: home, Model: engine.PseudoModel, Keys: &memoryKeys{}})
		require.NoError(t, err)
		t.Cleanup(func() { e.Close() })
		return e
	}
	e, other := open(), open()
	id, _ := folder(t, e, map[string]string{"a.md": "Text number one.\n"})
	held, release := make(chan bool), make(chan bool, 1)
	seen := map[string]bool{}
	n := listen(t, e, func(p engine.TranslateProgress) {
		if p.Status == "" || seen[p.JobID] {
			return
		}
		seen[p.JobID] = true
		select {
		case held <- true:
		case <-t.Context().Done():
		}
		select {
		case <-release:
		case <-t.Context().Done():
		}
	})
	ref := obj{"workbench_id": id}
	require.Empty(t, must(t, other, "TranslateList", ref)["jobs"])
	old := must(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"fr"}})["job_id"].(string)
	<-held
	record := filepath.Join(e.Home().StateDir(id), "translate", old+".json")
	running, err := os.ReadFile(record)
	require.NoError(t, err)
	release <- true
	n.next(t)
	require.NoError(t, os.WriteFile(record, running, 0o600)) // as if the engine had been killed a minute ago
	earlier := time.Now().Add(-time.Minute)
	require.NoError(t, os.Chtimes(record, earlier, earlier))
	job := must(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"es"}})["job_id"]
	<-held
	status := func(job any) any {
		return must(t, other, "TranslateStatus", obj{"workbench_id": id, "job_id": job})["status"]
	}
	require.Equal(t, "running", status(job))
	require.Equal(t, "interrupted", status(old))
	require.Len(t, must(t, other, "TranslateList", ref)["jobs"], 2)
	_, info := call(t, other, "TranslateCancel", obj{"workbench_id": id, "job_id": job})
	require.NotNil(t, info)
	require.Contains(t, info.Detail, "in use by process")
	release <- true
	n.next(t)
	require.Equal(t, "complete", status(job))
}

// A job that the end of the engine interrupts is listed as such, and goes on.
func TestTranslateSurvivesRestart(t *testing.T) {
	home := t.TempDir()
	open := func() *engine.Engine {
		e, err := engine.New(engine.Options{Home: home, Model: engine.PseudoModel, Keys: &memoryKeys{}})
		require.NoError(t, err)
		return e
	}
	e := open()
	files := map[string]string{}
	for _, n := range strings.Split("abcdefghijklmnopqrst", "") {
		files[n+".md"] = "Text " + n + " number one.\n"
	}
	id, _ := folder(t, e, files)
	held, release := make(chan bool), make(chan bool)
	var once sync.Once
	stop := e.Subscribe(func(n engine.Notification) {
		if p, ok := n.Params.(engine.TranslateProgress); ok && p.Status != "" {
			once.Do(func() { held <- true; <-release })
		}
	})
	params := obj{"workbench_id": id, "to": []string{"es"}, "in_place": true}
	job := must(t, e, "TranslateStart", params)["job_id"]
	<-held
	closed := make(chan error)
	go func() { closed <- e.Close() }()
	require.Eventually(t, func() bool { // jobs are told to stop before any new one is refused
		_, info := call(t, e, "TranslateStart", params)
		return info != nil && strings.Contains(info.Detail, "closing")
	}, time.Minute, time.Millisecond)
	close(release)
	require.NoError(t, <-closed)
	stop()
	e = open()
	defer e.Close()
	n := listen(t, e, nil)
	listed := must(t, e, "TranslateList", obj{"workbench_id": id})["jobs"].([]any)[0].(obj)
	require.Equal(t, job, listed["job_id"])
	require.Equal(t, "interrupted", listed["status"])
	must(t, e, "TranslateStart", params)
	require.EqualValues(t, "complete", n.next(t).Status)
	require.Len(t, must(t, e, "ReviewGetChangeSet", obj{"workbench_id": id})["changes"], 20)
}
