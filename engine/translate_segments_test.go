package engine_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/engine"
)

// translatedNotes makes a workbench with texts, and a job that marks them.
func translatedNotes(t testing.TB, e *engine.Engine, more obj) (id, dir, job string, n ends) {
	t.Helper()
	id, dir = folder(t, e, map[string]string{
		"a.md": "# Total amount\n\nThe **price** is 1250 euros.\n\nThe seller delivers the goods.\n",
		"b.md": "# Total amount\n\nThe seller pays the freight.\n",
	})
	n = listen(t, e, nil)
	params := obj{"workbench_id": id, "to": []string{"es"}, "from": "en", "paths": []string{"a.md", "b.md"}}
	for k, v := range more {
		params[k] = v
	}
	job = must(t, e, "TranslateStart", params)["job_id"].(string)
	require.EqualValues(t, "complete", n.next(t).Status)
	return id, dir, job, n
}

// segmentsOf reads segments; more narrows them.
func segmentsOf(t testing.TB, e *engine.Engine, id, job string, more obj) (list []obj, all obj) {
	t.Helper()
	params := obj{"workbench_id": id, "job_id": job}
	for k, v := range more {
		params[k] = v
	}
	all = must(t, e, "TranslateSegments", params)
	for _, s := range all["segments"].([]any) {
		list = append(list, s.(obj))
	}
	return list, all
}

// segmentWith is the segment whose source has a text.
func segmentWith(t testing.TB, e *engine.Engine, id, job, path, text string) obj {
	t.Helper()
	list, _ := segmentsOf(t, e, id, job, obj{"path": path, "text": text})
	require.Len(t, list, 1, text)
	return list[0]
}

func correction(s obj, target string) obj {
	return obj{"path": s["path"], "segment": s["segment"], "target": target}
}

func correct(t testing.TB, e *engine.Engine, id, job string, fixes ...obj) obj {
	t.Helper()
	return must(t, e, "TranslateCorrect", obj{"workbench_id": id, "job_id": job, "corrections": fixes})
}

// draftText is the text of a file as the draft has it.
func draftText(t testing.TB, e *engine.Engine, id, path string) string {
	t.Helper()
	return fmt.Sprint(must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "read_file", "args": obj{"path": path}})["result"])
}

func draftHash(t testing.TB, e *engine.Engine, id, path string) string {
	t.Helper()
	for _, c := range must(t, e, "ReviewGetChangeSet", obj{"workbench_id": id})["changes"].([]any) {
		if c.(obj)["path"] == path {
			return c.(obj)["new_hash"].(string)
		}
	}
	t.Fatalf("the draft does not change %s", path)
	return ""
}

// Segments come in windows, in the order of the documents, and are counted.
func TestTranslateSegments(t *testing.T) {
	e := newEngine(t)
	id, _, job, _ := translatedNotes(t, e, nil)
	list, all := segmentsOf(t, e, id, job, obj{"counts": true})
	require.EqualValues(t, 5, all["total"])
	require.Len(t, list, 5)
	require.Equal(t, "The <1>price</1> is 1250 euros.", list[1]["source"])
	require.Equal(t, "machine", list[1]["origin"])
	documents := all["documents"].([]any)
	require.Equal(t, "translated/es/a.md", documents[0].(obj)["path"])
	require.EqualValues(t, 3, documents[0].(obj)["segments"])
	for at := range 5 {
		one, all := segmentsOf(t, e, id, job, obj{"offset": at, "limit": 1})
		require.Equal(t, list[at], one[0])
		require.EqualValues(t, 5, all["total"])
	}
	none, _ := segmentsOf(t, e, id, job, obj{"offset": 5})
	require.Empty(t, none)
	for text, want := range map[string]int{"SELLER": 2, "price is": 1, "[": 5, "nowhere": 0} {
		_, all := segmentsOf(t, e, id, job, obj{"text": text})
		require.EqualValues(t, want, all["total"], text)
	}
	for show, want := range map[string]int{"machine": 5, "person": 0, "left": 0, "translated": 5} {
		_, all := segmentsOf(t, e, id, job, obj{"show": show})
		require.EqualValues(t, want, all["total"], show)
	}
	_, info := call(t, e, "TranslateSegments", obj{"workbench_id": id, "job_id": job, "path": "c.md"})
	require.Contains(t, info.Detail, "no translation c.md")
	_, info = call(t, e, "TranslateSegments", obj{"workbench_id": id, "job_id": job, "show": "best"})
	require.Contains(t, info.Detail, "show must be one of")
}

// What a person corrects is in the document, in the memory, and stays in later runs;
// what would break the document is refused; the inverse gives the same document.
func TestTranslateCorrect(t *testing.T) {
	e := newEngine(t)
	id, _, job, n := translatedNotes(t, e, nil)
	const path = "translated/es/a.md"
	price := segmentWith(t, e, id, job, path, "price")
	before := draftHash(t, e, id, path)
	told := make(chan engine.TranslateSegmentsChanged, 10)
	t.Cleanup(e.Subscribe(func(n engine.Notification) {
		if p, ok := n.Params.(engine.TranslateSegmentsChanged); ok {
			told <- p
		}
	}))

	r := correct(t, e, id, job, correction(price, "El precio es 1250 euros."))
	require.Equal(t, "tags", r["refused"].([]any)[0].(obj)["code"])
	require.Zero(t, r["corrected"])
	require.Equal(t, before, draftHash(t, e, id, path), "a refused correction changes nothing")
	require.Empty(t, told)

	r = correct(t, e, id, job, correction(price, "El <1>precio</1> es 1520 euros."))
	require.EqualValues(t, 1, r["corrected"])
	require.Equal(t, []any{path}, r["written"])
	s := r["segments"].([]any)[0].(obj)
	require.Equal(t, "person", s["origin"])
	require.Equal(t, "number", s["remarks"].([]any)[0].(obj)["code"], "a remark, which does not refuse it")
	require.Contains(t, draftText(t, e, id, path), "El **precio** es 1520 euros.")
	require.Equal(t, []string{path}, (<-told).Paths)
	changed := draftHash(t, e, id, path)

	correct(t, e, id, job, correction(price, price["target"].(string)))
	require.Equal(t, before, draftHash(t, e, id, path), "the inverse gives the same document")
	correct(t, e, id, job, correction(price, "El <1>precio</1> es 1520 euros."))
	require.Equal(t, changed, draftHash(t, e, id, path))

	goods := segmentWith(t, e, id, job, path, "delivers")
	r = correct(t, e, id, job, correction(goods, goods["target"].(string)))
	require.EqualValues(t, 1, r["corrected"], "confirmed")
	require.Nil(t, r["written"], "the document is as it was")
	_, all := segmentsOf(t, e, id, job, obj{"show": "person"})
	require.EqualValues(t, 2, all["total"])

	r = correct(t, e, id, job, obj{"path": path, "segment": "nowhere", "target": "x"}, obj{"path": "other.md", "segment": "1", "target": "x"})
	require.Len(t, r["refused"], 2)

	start := obj{"workbench_id": id, "to": []string{"es"}, "from": "en", "paths": []string{"a.md", "b.md"}, "force": true}
	require.Equal(t, job, must(t, e, "TranslateStart", start)["job_id"])
	require.EqualValues(t, "complete", n.next(t).Status)
	require.Equal(t, changed, draftHash(t, e, id, path), "a forced run keeps what people wrote")
	start["folder"], start["instructions"] = "again", "Formal."
	must(t, e, "TranslateStart", start)
	require.Positive(t, n.next(t).Figures.Memory)
	require.Contains(t, draftText(t, e, id, "again/es/a.md"), "El **precio** es 1520 euros.", "the memory fills a job of another recipe")
}

// A correction counts for equal texts when that is asked for, but not where a person
// decided otherwise.
func TestTranslateCorrectEqual(t *testing.T) {
	e := newEngine(t)
	id, _, job, _ := translatedNotes(t, e, nil)
	total := segmentWith(t, e, id, job, "translated/es/a.md", "Total")
	r := must(t, e, "TranslateCorrect", obj{"workbench_id": id, "job_id": job, "equal": true, "corrections": []obj{correction(total, "Importe total")}})
	require.EqualValues(t, 2, r["corrected"])
	require.Contains(t, draftText(t, e, id, "translated/es/b.md"), "# Importe total")
	r = must(t, e, "TranslateCorrect", obj{"workbench_id": id, "job_id": job, "equal": true, "corrections": []obj{correction(total, "Suma")}})
	require.EqualValues(t, 1, r["corrected"], "the other is a person's now")
}

// Documents that were changed otherwise are not made again, and nothing of the
// correction is stored.
func TestTranslateCorrectConflict(t *testing.T) {
	e := newEngine(t)
	id, dir, job, n := translatedNotes(t, e, nil)
	const path = "translated/es/a.md"
	total := segmentWith(t, e, id, job, path, "Total")
	must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "write_text_file", "args": obj{"path": path, "content": "Mine.\n"}})
	_, info := call(t, e, "TranslateCorrect", obj{"workbench_id": id, "job_id": job, "corrections": []obj{correction(total, "Suma")}})
	require.Contains(t, info.Detail, "was changed since it was translated")
	require.Equal(t, "machine", segmentWith(t, e, id, job, path, "Total")["origin"])

	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.md"), []byte("# Total amount\n\nNew.\n"), 0o644))
	require.Eventually(t, func() bool {
		_, info = call(t, e, "TranslateCorrect", obj{"workbench_id": id, "job_id": job, "corrections": []obj{correction(segmentWith(t, e, id, job, "translated/es/b.md", "Total"), "Suma")}})
		return info != nil && strings.Contains(info.Detail, "has changed since it was translated")
	}, 10*time.Second, 100*time.Millisecond)

	// In place, published.
	must(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"es"}, "from": "en", "paths": []string{"a.md"}, "in_place": true})
	end := n.next(t)
	require.EqualValues(t, "complete", end.Status)
	total = segmentWith(t, e, id, end.JobID, "a.md", "Total")
	correct(t, e, id, end.JobID, correction(total, "Suma"))
	require.Contains(t, draftText(t, e, id, "a.md"), "# Suma")
	must(t, e, "DraftPublish", obj{"workbench_id": id})
	_, info = call(t, e, "TranslateCorrect", obj{"workbench_id": id, "job_id": end.JobID, "corrections": []obj{correction(total, "Otra")}})
	require.Contains(t, info.Detail, "published, so its original is gone")
}

// Two jobs of a workbench with outputs of the same name keep their segments.
func TestTranslateSegmentsOfTwoJobs(t *testing.T) {
	e := newEngine(t)
	id, _, job, n := translatedNotes(t, e, nil)
	for _, more := range []obj{{"in_place": true, "to": []string{"de"}}, {"folder": "other", "to": []string{"de", "fr"}}} {
		params := obj{"workbench_id": id, "from": "en", "paths": []string{"a.md", "b.md"}}
		for k, v := range more {
			params[k] = v
		}
		must(t, e, "TranslateStart", params)
		end := n.next(t)
		require.EqualValues(t, "complete", end.Status, end.Error)
		require.Zero(t, end.Failed)
		_, all := segmentsOf(t, e, id, end.JobID, nil)
		require.EqualValues(t, 5*len(more["to"].([]string)), all["total"])
	}
	_, all := segmentsOf(t, e, id, job, nil)
	require.EqualValues(t, 5, all["total"])
}

// Find and replace changes text between tags only, shows first what it would do, and
// goes through the checks.
func TestTranslateReplace(t *testing.T) {
	e := newEngine(t)
	id, _, job, _ := translatedNotes(t, e, nil)
	price := segmentWith(t, e, id, job, "translated/es/a.md", "price")
	freight := segmentWith(t, e, id, job, "translated/es/b.md", "freight")
	correct(t, e, id, job, correction(price, "El <1>precio</1> del vendedor es 1250 euros."), correction(freight, "El Vendedor paga, vendedores no."))
	find := func(more obj) obj {
		params := obj{"workbench_id": id, "job_id": job, "find": "vendedor", "replace": "proveedor"}
		for k, v := range more {
			params[k] = v
		}
		return must(t, e, "TranslateReplace", params)
	}
	r := find(obj{"preview": true})
	require.EqualValues(t, 2, r["found"])
	require.EqualValues(t, 3, r["matches"])
	require.Equal(t, "El <1>precio</1> del proveedor es 1250 euros.", r["segments"].([]any)[0].(obj)["target"])
	require.EqualValues(t, 1, find(obj{"preview": true, "match_case": true, "whole_words": true})["matches"])
	require.EqualValues(t, 2, find(obj{"preview": true, "whole_words": true})["matches"])
	require.EqualValues(t, 1, find(obj{"preview": true, "path": "translated/es/b.md"})["found"])
	require.EqualValues(t, 1, find(obj{"preview": true, "find": "precio del"})["across"])
	require.Equal(t, "El <1>precio</1> es 1250 euros.", find(obj{"preview": true, "find": ` del (\w+) es`, "replace": " es", "regexp": true})["segments"].([]any)[0].(obj)["target"])
	require.Equal(t, "El <1>precio</1> del vendedorx es 1250 euros.", find(obj{"preview": true, "find": `del (\w+) es`, "replace": "del $1x es", "regexp": true})["segments"].([]any)[0].(obj)["target"])
	require.Contains(t, draftText(t, e, id, "translated/es/b.md"), "El Vendedor paga")
	r = find(obj{"whole_words": true})
	require.EqualValues(t, 2, r["corrected"])
	require.Contains(t, draftText(t, e, id, "translated/es/b.md"), "El proveedor paga, vendedores no.")
	_, info := call(t, e, "TranslateReplace", obj{"workbench_id": id, "job_id": job, "find": "(", "replace": "", "regexp": true})
	require.Contains(t, info.Detail, "not a regular expression")
	_, info = call(t, e, "TranslateReplace", obj{"workbench_id": id, "job_id": job, "find": "x*", "replace": "", "regexp": true})
	require.Contains(t, info.Detail, "matches the empty text")
}

// The memory shows similar texts with their similarity, the glossary its terms.
func TestTranslateMatches(t *testing.T) {
	e := newEngine(t)
	id, dir, job, n := translatedNotes(t, e, nil)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "terms.csv"), []byte("seller,parte vendedora\n"), 0o644))
	goods := segmentWith(t, e, id, job, "translated/es/a.md", "delivers")
	correct(t, e, id, job, correction(goods, "El vendedor entrega la mercancía."))
	must(t, e, "TranslateStart", obj{"workbench_id": id, "to": []string{"es"}, "from": "en", "paths": []string{"b.md"}, "folder": "b", "glossary": "terms.csv", "do_not_translate": []string{"freight"}})
	end := n.next(t)
	require.EqualValues(t, "complete", end.Status, end.Error)
	r := must(t, e, "TranslateMatches", obj{"workbench_id": id, "job_id": end.JobID, "language": "es", "text": "The seller delivers the freight."})
	m := r["matches"].([]any)[0].(obj)
	require.Equal(t, "El vendedor entrega la mercancía.", m["target"])
	require.EqualValues(t, 83, m["percent"])
	require.Equal(t, "parte vendedora", r["terms"].([]any)[0].(obj)["target"])
	require.Equal(t, []any{"freight"}, r["keep"])
}

// XLIFF and TMX leave and come back, as content and as files of the draft.
func TestTranslateExchange(t *testing.T) {
	e := newEngine(t)
	id, _, job, _ := translatedNotes(t, e, nil)
	const path = "translated/es/a.md"
	r := must(t, e, "TranslateExport", obj{"workbench_id": id, "job_id": job, "format": "xliff", "path": path, "version": "1.2"})
	require.Equal(t, "a.md.xlf", r["name"])
	b, err := base64.StdEncoding.DecodeString(r["bytes_base64"].(string))
	require.NoError(t, err)
	total := segmentWith(t, e, id, job, path, "Total")["target"].(string)
	require.Contains(t, string(b), total)
	back := strings.Replace(string(b), total, "Importe", 1)
	in := must(t, e, "TranslateImport", obj{"workbench_id": id, "job_id": job, "format": "xliff", "name": "a.xlf", "content": base64.StdEncoding.EncodeToString([]byte(back))})
	require.EqualValues(t, 1, in["corrected"], "only what a person changed")
	require.Contains(t, draftText(t, e, id, path), "# Importe")
	require.Nil(t, in["refused"])

	all := must(t, e, "TranslateExport", obj{"workbench_id": id, "job_id": job, "format": "xliff"})
	require.Equal(t, "xliff.zip", all["name"])
	require.EqualValues(t, 2, all["entries"])
	r = must(t, e, "TranslateExport", obj{"workbench_id": id, "job_id": job, "format": "xliff", "to_path": "review"})
	require.Equal(t, []any{"review/a.md.xlf", "review/b.md.xlf"}, r["written"])
	in = must(t, e, "TranslateImport", obj{"workbench_id": id, "job_id": job, "format": "xliff", "path": "review"})
	require.Zero(t, in["corrected"])

	r = must(t, e, "TranslateExport", obj{"workbench_id": id, "format": "tmx"})
	b, err = base64.StdEncoding.DecodeString(r["bytes_base64"].(string))
	require.NoError(t, err)
	require.Contains(t, string(b), "Importe")
	other, _ := folder(t, e, map[string]string{"x.md": "# Total amount\n"})
	in = must(t, e, "TranslateImport", obj{"workbench_id": other, "format": "tmx", "content": base64.StdEncoding.EncodeToString(b)})
	require.EqualValues(t, r["entries"], in["tmx"].(obj)["entries"])
	opt := must(t, e, "TranslateOptions", obj{"workbench_id": other})
	require.EqualValues(t, 1, opt["memory"].([]any)[0].(obj)["person"])
	_, info := call(t, e, "TranslateImport", obj{"workbench_id": id, "format": "tmx", "content": "!"})
	require.Contains(t, info.Detail, "not base64")
	_, info = call(t, e, "TranslateExport", obj{"workbench_id": id, "format": "tmx", "to_path": "a.docx"})
	require.Contains(t, info.Detail, "must end in .tmx")
}

// The options say what can be translated, and why not.
func TestTranslateOptions(t *testing.T) {
	e := newEngine(t)
	id, _ := folder(t, e, map[string]string{"a.md": "x", "p.png": "x", "c.json": "{}", "d.pdf": "%PDF"})
	r := must(t, e, "TranslateOptions", obj{"workbench_id": id})
	can := map[string]any{}
	for _, f := range r["files"].([]any) {
		f := f.(obj)
		can[f["path"].(string)] = fmt.Sprint(f["can"], " ", f["only_named"], " ", f["why"])
	}
	require.Equal(t, "true <nil> <nil>", can["a.md"])
	require.Equal(t, "true true <nil>", can["c.json"])
	require.Contains(t, can["p.png"], "false <nil> the text of pictures")
	require.Contains(t, can["d.pdf"], "false <nil> pdf files are only read")
	require.Len(t, r["engines"], 4)
}
