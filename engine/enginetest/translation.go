// Package enginetest holds tests of what the engine offers to apps, for each
// transport to run over its own wire.
package enginetest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// App is an app that is connected to an engine whose model is the built-in one. It
// works on one workbench.
type App interface {
	// Put publishes a file.
	Put(path, content string)
	// Translate starts a job, waits for its end and returns its status. It fails
	// the test when the start is refused.
	Translate(params map[string]any) map[string]any
	// Refused starts a job that must be refused, and returns why.
	Refused(params map[string]any) string
	// Draft is a file's content as the draft has it; "" when it is not there.
	Draft(path string) string
	Discard()
}

const tmx = `<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4"><header creationtool="x" creationtoolversion="1" segtype="paragraph" o-tmf="x" adminlang="en" srclang="en" datatype="plaintext"/><body>
<tu><tuv xml:lang="en"><seg>The manager signs.</seg></tuv><tuv xml:lang="es"><seg>Firma el gerente.</seg></tuv></tu>
</body></tmx>`

const reviewed = `<?xml version="1.0" encoding="UTF-8"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="es">
<file id="f" original="a.md">
<unit id="1"><segment state="final"><source>The manager signs.</source><target>El jefe firma.</target></segment></unit>
<unit id="2"><segment state="final"><source>We pay Acme the price. It is high.</source><target>Pagamos a Acme el precio. Es alto.</target></segment></unit>
</file>
</xliff>`

// put publishes the files that the tests work with.
func put(app App) {
	app.Put("a.md", "The manager signs.\n\nWe pay Acme the price. It is high.\n")
	app.Put("job/m.tmx", tmx)
	app.Put("job/terms.csv", "en,es\nmanager,gerente\n")
	app.Put("job/stays.txt", "# names\nAcme\n")
	app.Put("job/back/a.md.xlf", reviewed)
}

// job is the params of a translation of a.md.
func job(more map[string]any) map[string]any {
	p := map[string]any{"paths": []string{"a.md"}, "to": []string{"es"}, "from": "en", "engine": "pseudo"}
	for k, v := range more {
		p[k] = v
	}
	return p
}

func figures(status map[string]any) map[string]any { return status["figures"].(map[string]any) }

// Translation tests that every capability of a translation is in an app's reach:
// memory, terms, XLIFF out and in, reports, sentences, estimates, strictness.
func Translation(t *testing.T, app App) {
	put(app)
	t.Run("dry run", func(t *testing.T) { dryRun(t, app) })
	t.Run("memory", func(t *testing.T) { memory(t, app) })
	t.Run("xliff and reports", func(t *testing.T) { handedOut(t, app) })
	t.Run("reviewed xliff and strictness", func(t *testing.T) { handedBack(t, app) })
	t.Run("all documents", func(t *testing.T) { allDocuments(t, app) })
	t.Run("refusals", func(t *testing.T) { refusals(t, app) })
}

func dryRun(t *testing.T, app App) {
	end := app.Translate(job(map[string]any{"dry_run": true, "tmx": []string{"job/m.tmx"}, "reports": []string{"out/plan.json"}}))
	require.Equal(t, "complete", end["status"], end["error"])
	require.Equal(t, true, end["dry_run"])
	require.EqualValues(t, 1, figures(end)["memory"])
	require.EqualValues(t, 1, figures(end)["ask_segments"])
	require.Positive(t, figures(end)["estimated_prompt_tokens"])
	require.Equal(t, "planned", end["results"].([]any)[0].(map[string]any)["status"])
	require.Empty(t, app.Draft("translated/es/a.md"))
	require.Contains(t, app.Draft("out/plan.json"), `"dry_run": true`)
	app.Discard()
}

func memory(t *testing.T, app App) {
	end := app.Translate(job(map[string]any{"tmx": []string{"job/m.tmx"}, "tmx_out": "out/memory.tmx", "sentences": true, "jobs": 4,
		"glossary": "job/terms.csv", "do_not_translate": []string{"@job/stays.txt"}}))
	require.Equal(t, "complete", end["status"], end["error"])
	text := app.Draft("translated/es/a.md")
	require.Contains(t, text, "Firma el gerente.")
	require.Contains(t, text, "Acme", "a name of the list stays")
	out := app.Draft("out/memory.tmx")
	require.Contains(t, out, "Firma el gerente.")
	require.Contains(t, out, "<seg>It is high.</seg>", "sentences are what the memory holds")
	app.Discard()
}

func handedOut(t *testing.T, app App) {
	for version, want := range map[string]string{"": `version="2.1"`, "1.2": `version="1.2"`} {
		p := job(map[string]any{"xliff_out": "out/review" + version, "reports": []string{"out/report.html", "out/report.json"}})
		if version != "" {
			p["xliff_version"] = version
		}
		end := app.Translate(p)
		require.Equal(t, "complete", end["status"], end["error"])
		require.EqualValues(t, 1, end["xliff"])
		require.Contains(t, app.Draft("out/review"+version+"/a.md.xlf"), want)
	}
	require.Contains(t, app.Draft("out/report.html"), "The manager signs.")
	require.Contains(t, app.Draft("out/report.json"), `"files": [`)
	app.Discard()
}

func handedBack(t *testing.T, app App) {
	end := app.Translate(job(map[string]any{"engine": "none", "xliff_in": "job/back", "glossary": "job/terms.csv"}))
	require.Equal(t, "complete", end["status"], end["error"])
	require.Equal(t, "El jefe firma.\n\nPagamos a Acme el precio. Es alto.\n", app.Draft("translated/es/a.md"))
	app.Discard()
	end = app.Translate(job(map[string]any{"engine": "none", "xliff_in": "job/back/a.md.xlf", "glossary": "job/terms.csv", "strict": true, "folder": "strict"}))
	require.Equal(t, "complete", end["status"], end["error"])
	text := app.Draft("strict/es/a.md")
	require.NotContains(t, text, "El jefe firma.", "the term is missing")
	require.Contains(t, text, "Pagamos a Acme el precio.")
	flags := end["results"].([]any)[0].(map[string]any)["flags"].([]any)
	require.Contains(t, flags[0].(map[string]any)["reason"], "gerente")
	app.Discard()
}

// allDocuments: the files of a job are no documents of it, and the same params
// but for the pace are the same job.
func allDocuments(t *testing.T, app App) {
	p := map[string]any{"to": []string{"es"}, "engine": "pseudo", "in_place": true, "glossary": "job/terms.csv", "xliff_in": "job/back",
		"xliff_out": "out", "reports": []string{"report.html"}}
	first := app.Translate(p)
	require.EqualValues(t, 2, first["files"], "a.md, and the XLIFF of no document of the job: %v", first["results"])
	require.Contains(t, app.Draft("report.html"), "The manager signs.")
	p["jobs"], p["rate"] = 1, 1000
	require.Equal(t, first["job_id"], app.Translate(p)["job_id"])
	app.Discard()
}

func refusals(t *testing.T, app App) {
	for _, c := range []struct {
		more map[string]any
		want string
	}{
		{map[string]any{"tmx": []string{"none.tmx"}}, "none.tmx"},
		{map[string]any{"tmx": []string{"../m.tmx"}}, "contains .."},
		{map[string]any{"xliff_in": "nowhere"}, "nowhere"},
		{map[string]any{"xliff_out": "../x"}, "contains .."},
		{map[string]any{"xliff_out": "x", "dry_run": true}, "leave one out"},
		{map[string]any{"xliff_version": "1.2"}, "xliff_version is of what xliff_out writes"},
		{map[string]any{"xliff_out": "x", "xliff_version": "3.0"}, "2.1 or 1.2"},
		{map[string]any{"reports": []string{"a.md"}}, "must end in .html or .json"},
		{map[string]any{"reports": []string{"../a.json"}}, "contains .."},
		{map[string]any{"tmx_out": "a.md"}, "must end in .tmx"},
		{map[string]any{"jobs": 17}, "from 1 to 16"},
		{map[string]any{"rate": -1}, "cannot be negative"},
		{map[string]any{"price": map[string]any{"input": -1, "output": 1}}, "cannot be negative"},
		{map[string]any{"do_not_translate": []string{"@../../../../../../../../etc/hostname"}}, "contains .."},
	} {
		require.Contains(t, app.Refused(job(c.more)), c.want, "%v", c.more)
	}
	// What is wrong in a file is the end of the job.
	for _, c := range []struct {
		more map[string]any
		want string
	}{
		{map[string]any{"tmx": []string{"a.md"}}, "tmx a.md"},
		{map[string]any{"xliff_in": "a.md"}, "there is no XLIFF document"},
	} {
		end := app.Translate(job(c.more))
		require.Equal(t, "failed", end["status"])
		require.True(t, strings.Contains(end["error"].(string), c.want), "%v", end["error"])
	}
}
