package search

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"atelier/formats"
	"atelier/workshop"
)

// MaxMatchBytes limits the memory of all matches of one Grep.
const MaxMatchBytes = 32 << 20

// GrepOptions select what to search for (B9-01). Limit 0 means all.
type GrepOptions struct {
	Pattern     string // RE2 with \m \M \y \Y (C-23), matched line by line
	PathPattern string // B9-04; "" is every file
	// Dir is the folder to search; "" is the root.
	Dir workshop.Path
	// Keep, if not nil, decides which files are searched.
	Keep          func(workshop.Item) bool
	CaseSensitive bool
	Before, After int // context lines
	Limit         int
	// Budget ends the search after this time with the matches so far; 0 means
	// that only the context ends it, which is an error.
	Budget time.Duration
	// MostBytes ends the search when the files that were searched have this many
	// bytes together, those of a document counted DocumentWeight times; 0 is no
	// limit.
	MostBytes int64
	// Extract returns the text of office and PDF files; nil skips them. With a
	// Partial error the text is searched too.
	Extract func(ctx context.Context, src formats.Source) (string, error)
	// Images also asks Extract for the text of images.
	Images bool
	// Names also matches the names of files and folders.
	Names bool
	// Unread lists binary files in GrepResult.Skipped.
	Unread bool
}

// DocumentWeight is how many bytes of plain text take about as long to search as
// one of a document, whose text is extracted first.
const DocumentWeight = 16

// Partial says why a text is only part of a document's.
type Partial string

func (p Partial) Error() string { return string(p) }

// Match is one matching line.
type Match struct {
	Path      workshop.Path
	Line      int    // 1-based
	Text      string // without its terminator; at most MaxLine bytes around the match
	Cut       bool   // Text is only part of the line
	Before    []string
	After     []string
	Extracted bool // Line counts lines of the extracted text
}

func (m *Match) size() int {
	n := matchSize + len(m.Path) + len(m.Text)
	for _, l := range m.Before {
		n += stringSize + len(l)
	}
	for _, l := range m.After {
		n += stringSize + len(l)
	}
	return n
}

// Memory of a match and of a string besides the text, so that the memory of
// matches of short lines is limited too.
const (
	matchSize  = 128
	stringSize = 16
)

// GrepResult is the result of Grep, in order of path, then line.
type GrepResult struct {
	Matches []Match
	// Limited says that the search ended at a limit (GrepOptions.Limit or
	// MaxMatchBytes) and that there may be more matches.
	Limited bool
	// Late says that the search ended because of its budget, Spent that it ended
	// because of MostBytes: files after Last, in path order, were not searched.
	Late, Spent bool
	Last        workshop.Path
	// Skipped lists the files that could not be read, or only in part, up to
	// where the search ended.
	Skipped []Skipped
	Files   int // text files searched
	// Names are the files and folders with a matching name, in path order: of a
	// search that ended early those that the walk had come to.
	Names []workshop.Item
}

// Grep searches the text of every file of the view in its current state. It
// skips binary files (NUL in the first 8 KiB).
func Grep(ctx context.Context, v workshop.View, opt GrepOptions) (GrepResult, error) {
	m, err := compilePattern(opt.Pattern, opt.CaseSensitive)
	if err != nil {
		return GrepResult{}, err
	}
	paths, err := compilePathPattern(opt.PathPattern)
	if err != nil {
		return GrepResult{}, err
	}
	root, err := openFolder(ctx, v, opt.Dir)
	if err != nil {
		return GrepResult{}, err
	}
	defer root.release()
	g := &grep{view: v, opt: opt, matcher: m, paths: paths}
	g.room = sync.NewCond(&g.mu)
	return g.run(ctx, root)
}

type grep struct {
	view    workshop.View
	opt     GrepOptions
	matcher *matcher
	paths   *pathFilter

	late       atomic.Bool // the budget is used up
	unfinished bool        // a batch was not searched completely; set only by the collector
	spent      int64       // bytes of the files of the result, as MostBytes counts them; set only by the collector

	mu      sync.Mutex
	skipped []Skipped
	names   []workshop.Item // of the walk, which has ended when all results are collected
	next    int             // the next batch of the result
	batches int             // of the walk, once it has ended
	held    int             // bytes of matches of later batches
	room    *sync.Cond      // on mu: held or next changed, or the search has ended
}

// batch is a range of files of one folder; batches are numbered in path
// order.
type batch struct {
	number int
	folder *folder
	items  []workshop.Item
	alone  bool // a document
}

type batchResult struct {
	number  int
	matches []Match
	bytes   int
	files   int
	spent   int64 // bytes of the files, as MostBytes counts them
	last    workshop.Path
	cut     []workshop.Item // not searched, because the search ended before the batch did
}

const (
	batchFiles = 32
	// window limits how many batches the search may be ahead of the result.
	window = 256
)

func (g *grep) run(ctx context.Context, root *folder) (GrepResult, error) {
	outer := ctx
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if g.opt.Budget > 0 {
		defer time.AfterFunc(g.opt.Budget, func() {
			g.late.Store(true)
			stop()
		}).Stop()
	}
	defer context.AfterFunc(ctx, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.room.Broadcast()
	})()
	jobs := make(chan batch)
	results := make(chan batchResult, 16)
	tokens := make(chan struct{}, window)
	var walked error
	go func() {
		defer close(jobs)
		walked = g.produce(ctx, root, jobs, tokens)
	}()
	var workers sync.WaitGroup
	for range max(2, runtime.GOMAXPROCS(0)) { // a document that takes long holds up one
		workers.Go(func() {
			s := &scanner{checks: g.opt.Extract != nil, matcher: g.matcher, before: g.opt.Before, after: g.opt.After, max: g.opt.Limit}
			for b := range jobs {
				r := g.search(ctx, s, b)
				b.folder.release()
				g.waitForRoom(ctx, r)
				results <- r
			}
		})
	}
	go func() {
		workers.Wait()
		close(results)
	}()
	out := g.collect(results, tokens, stop)
	if err := outer.Err(); err != nil {
		return GrepResult{}, err
	}
	if walked != nil && ctx.Err() == nil {
		return GrepResult{}, walked
	}
	out.Late = g.late.Load() && !out.Limited && !out.Spent && (walked != nil || g.unfinished)
	out.Spent = out.Spent && (walked != nil || g.next < g.batches)
	out.Skipped = g.skippedUpTo(out)
	out.Names = g.names
	return out, nil
}

// produce walks the tree in path order and sends files in batches.
func (g *grep) produce(ctx context.Context, root *folder, jobs chan<- batch, tokens chan<- struct{}) error {
	var cur batch
	flush := func() error {
		if len(cur.items) == 0 {
			return nil
		}
		b := cur
		cur = batch{number: b.number + 1}
		select {
		case tokens <- struct{}{}:
		case <-ctx.Done():
			b.folder.release()
			return ctx.Err()
		}
		select {
		case jobs <- b:
			return nil
		case <-ctx.Done():
			b.folder.release()
			return ctx.Err()
		}
	}
	err := walkFolder(ctx, root, func(f *folder, it workshop.Item) (bool, error) {
		g.addName(it)
		if it.IsDir || !it.Regular || !g.chosen(it) || !g.searchable(it.Name) {
			return it.IsDir, nil
		}
		alone := extractable(it.Name) // others need not wait for it
		if cur.folder != f || len(cur.items) == batchFiles || alone || cur.alone {
			if err := flush(); err != nil {
				return false, err
			}
			f.retain()
			cur.folder, cur.alone = f, alone
		}
		cur.items = append(cur.items, it)
		return false, nil
	}, g.addSkipped)
	if err != nil {
		if cur.folder != nil {
			cur.folder.release()
		}
		return err
	}
	if len(cur.items) > 0 {
		g.batches = cur.number + 1
	} else {
		g.batches = cur.number
	}
	return flush()
}

// chosen reports whether a file is among those to search.
func (g *grep) chosen(it workshop.Item) bool {
	return g.paths.match(it.Path) && (g.opt.Keep == nil || g.opt.Keep(it))
}

// addName adds an item with a matching name. Folders are not among chosen files.
func (g *grep) addName(it workshop.Item) {
	all := g.paths == nil && g.opt.Keep == nil
	if g.opt.Names && (it.Regular || it.IsDir) && (all || !it.IsDir && g.chosen(it)) && g.matcher.re.MatchString(it.Name) {
		g.names = append(g.names, it)
	}
}

// search searches the files of a batch.
func (g *grep) search(ctx context.Context, s *scanner, b batch) batchResult {
	r := batchResult{number: b.number}
	for i, it := range b.items {
		if ctx.Err() != nil {
			r.cut = b.items[i:]
			break
		}
		ms, searched, err := g.searchFile(ctx, s, b.folder, it)
		r.spent += s.read
		if err != nil && ctx.Err() == nil && !workshop.IsFault(err, workshop.NotFound) { // else deleted in the meantime
			g.addSkipped(Skipped{it.Path, err.Error()})
		}
		if err != nil && ctx.Err() != nil {
			r.cut = b.items[i:]
			break
		}
		r.last = it.Path
		if searched {
			r.files++
		}
		r.matches = append(r.matches, ms...)
		for i := range ms {
			r.bytes += ms[i].size()
		}
		if r.bytes > MaxMatchBytes {
			break // more than the whole result may have
		}
		if g.opt.Limit > 0 && len(r.matches) >= g.opt.Limit {
			break
		}
	}
	return r
}

// extractable reports whether a file is searched by its extracted text.
func extractable(name string) bool {
	switch formats.KindOfName(name) {
	case formats.KindDocx, formats.KindODT, formats.KindXlsx, formats.KindPptx, formats.KindPDF:
		return true
	}
	return false
}

// searchable reports whether a file may have text; pictures have none.
func (g *grep) searchable(name string) bool {
	return g.opt.Extract != nil || !extractable(name)
}

// searchFile returns the matches of one file.
func (g *grep) searchFile(ctx context.Context, s *scanner, f *folder, it workshop.Item) (ms []Match, searched bool, err error) {
	s.read = 0
	if extractable(it.Name) || g.opt.Images && formats.KindOfName(it.Name) == formats.KindImage {
		return g.searchExtracted(ctx, s, it)
	}
	c, err := f.Open(ctx, it)
	if err != nil {
		return nil, false, err
	}
	defer c.Close()
	s.read = c.Size()
	hits, binary, err := s.scan(ctx, c, c.Size())
	switch {
	case err != nil:
		return nil, false, err
	case g.opt.Extract != nil && (binary && utf16(c) || s.encoded && c.Size() <= maxEncoded):
		return g.searchExtracted(ctx, s, it)
	case binary:
		if g.opt.Unread {
			g.addSkipped(Skipped{it.Path, notText(it.Name)})
		}
		return nil, false, nil
	case s.encoded && g.opt.Unread:
		g.addSkipped(Skipped{it.Path, "it is not in UTF-8 and too large to convert: only text without accents is found in it"})
	}
	ms, err = g.withContext(ctx, s, c, c.Size(), it.Path, hits)
	return ms, true, err
}

// maxEncoded limits the size of text in other encodings than UTF-8 that is
// converted.
const maxEncoded = 16 << 20

// notText says why a file has no text to search.
func notText(name string) string {
	if formats.KindOfName(name) == formats.KindImage {
		return "images have no text to search"
	}
	return "it is a binary file"
}

// utf16 reports whether a file begins with the byte order mark of UTF-16,
// which is text with NUL bytes.
func utf16(r io.ReaderAt) bool {
	var b [2]byte
	n, _ := r.ReadAt(b[:], 0)
	return n == 2 && (b == [2]byte{0xff, 0xfe} || b == [2]byte{0xfe, 0xff})
}

// searchExtracted returns the matches in the extracted text of a document.
func (g *grep) searchExtracted(ctx context.Context, s *scanner, it workshop.Item) ([]Match, bool, error) {
	src, err := g.view.Open(ctx, it.Path)
	if err != nil {
		return nil, false, err
	}
	defer src.Close()
	s.read = DocumentWeight * src.Size()
	text, err := g.opt.Extract(ctx, src)
	var part Partial
	switch {
	case errors.As(err, &part):
		g.addSkipped(Skipped{it.Path, part.Error()})
	case err != nil:
		return nil, false, err
	}
	r := strings.NewReader(text)
	hits, _, err := s.scan(ctx, r, r.Size())
	if err != nil {
		return nil, false, err
	}
	ms, err := g.withContext(ctx, s, r, r.Size(), it.Path, hits)
	for i := range ms {
		ms[i].Extracted = true
	}
	return ms, true, err
}

// withContext adds the context lines to the hits.
func (g *grep) withContext(ctx context.Context, s *scanner, r io.ReaderAt, size int64, p workshop.Path, hits []hit) ([]Match, error) {
	ms := make([]Match, len(hits))
	for i, h := range hits {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ms[i] = Match{Path: p, Line: h.line, Text: h.text, Cut: h.cut}
		if s.before > 0 || s.after > 0 {
			var err error
			if ms[i].Before, ms[i].After, err = s.readContext(r, size, h); err != nil {
				return ms[:i], err
			}
		}
	}
	return ms, nil
}
