package pseudo

import (
	"encoding/json"
	"path"
	"slices"
	"sort"
	"strings"
)

// One turn asks for at most callsPerTurn calls, well under the loop's limit. A
// page holds pageSize segments; a put brings up to putSize, since each one
// rewrites the document.
const (
	callsPerTurn = 40
	pageSize     = 50
	putSize      = 500
)

// work is one file to translate and how far it is.
type work struct {
	path     string
	pages    []page
	tries    map[string]int    // put_translations calls by segment id
	rejected map[string]string // reason of the last refusal by segment id
	failure  string            // why the file was given up, "" when it was not
}

// works follows what the steps did to each of the paths.
func works(paths []string, steps []step) []*work {
	all := make([]*work, len(paths))
	for i, p := range paths {
		all[i] = follow(p, steps)
	}
	return all
}

func follow(name string, steps []step) *work {
	w := &work{path: name, tries: map[string]int{}, rejected: map[string]string{}}
	for _, s := range steps {
		if s.args.Path != name {
			continue
		}
		switch s.name {
		case "get_segments":
			var pg page
			if s.failed || decode(s.result, &pg) != nil {
				w.fail(s.result)
				continue
			}
			w.pages = append(w.pages, pg)
		case "put_translations":
			w.put(s)
		}
	}
	return w
}

// put follows one call that stored translations.
func (w *work) put(s step) {
	var r receipt
	if s.failed || decode(s.result, &r) != nil {
		w.fail(s.result)
		return
	}
	for _, t := range s.args.Translations {
		w.tries[t.ID]++
		delete(w.rejected, t.ID)
	}
	for _, no := range r.Rejected {
		w.rejected[no.ID] = no.Reason
	}
}

// decode reads the JSON value a result begins with; a note may follow it.
func decode(result string, v any) error {
	return json.NewDecoder(strings.NewReader(result)).Decode(v)
}

func (w *work) fail(result string) {
	if w.failure != "" {
		return
	}
	line, _, _ := strings.Cut(result, "\n")
	w.failure = strings.TrimPrefix(line, "Error: ")
}

// puts returns the calls that answer the segments seen so far: a refused
// translation is tried once more in its plainest form.
func (w *work) puts(language string) []call {
	if w.failure != "" {
		return nil
	}
	var calls []call
	var ts []translation
	seen := map[string]bool{}
	for _, pg := range w.pages {
		for _, s := range pg.Segments {
			_, refused := w.rejected[s.ID]
			switch tries := w.tries[s.ID]; {
			case seen[s.ID]:
				continue
			case tries == 0:
				ts = append(ts, translation{s.ID, Within(s.Text, s.MaxLength)})
			case tries == 1 && refused:
				ts = append(ts, translation{s.ID, Plain(s.Text)})
			}
			seen[s.ID] = true
		}
	}
	for chunk := range slices.Chunk(ts, putSize) {
		calls = append(calls, call{"put_translations", putArgs{Path: w.path, Language: language, Translations: chunk}})
	}
	return calls
}

// gets returns at most n calls for pages not seen yet.
func (w *work) gets(n int) []call {
	if w.failure != "" || n <= 0 {
		return nil
	}
	if len(w.pages) == 0 {
		return []call{{"get_segments", getArgs{Path: w.path, Limit: pageSize}}}
	}
	starts := map[int]bool{}
	sort.SliceStable(w.pages, func(i, j int) bool { return w.pages[i].Offset < w.pages[j].Offset })
	covered, total := 0, w.pages[0].Total
	for _, pg := range w.pages {
		starts[pg.Offset] = true
		if pg.Offset <= covered {
			covered = max(covered, pg.Offset+len(pg.Segments))
		}
	}
	if starts[covered] {
		return nil // a page that brought nothing: there is no more to get
	}
	var calls []call
	for at := covered; at < total && len(calls) < n; at += pageSize {
		if !starts[at] {
			calls = append(calls, call{"get_segments", getArgs{Path: w.path, Offset: at, Limit: pageSize}})
		}
	}
	return calls
}

// done counts the segments that carry a translation now.
func (w *work) done() int { return len(w.tries) - len(w.rejected) }

// choose gives the paths to translate: those the request names, or all that
// can be; other names in the request that cannot be are returned in cannot.
func choose(files []file, request string) (paths, cannot []string) {
	var named []file
	for _, f := range files {
		p := strings.ToLower(f.Path)
		if strings.Contains(request, p) || strings.Contains(request, path.Base(p)) {
			named = append(named, f)
		}
	}
	if len(named) > 0 {
		files = named
	}
	for _, f := range files {
		switch {
		case hasSegments(f):
			paths = append(paths, f.Path)
		case len(named) > 0:
			cannot = append(cannot, f.Path)
		}
	}
	return paths, cannot
}

// hasSegments reports whether a file is of a kind that people have translated;
// program text and data are left alone.
func hasSegments(f file) bool {
	switch f.Kind {
	case "docx", "xlsx", "pptx":
		return true
	case "text":
		return slices.Contains([]string{".txt", ".md", ".markdown", ".csv"}, strings.ToLower(path.Ext(f.Path)))
	}
	return false
}
