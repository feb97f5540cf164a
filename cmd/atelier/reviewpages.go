package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"

	"atelier/engine"
	"atelier/formats"
	"atelier/formats/preview"
	"atelier/internal/lazyregexp"
	"atelier/internal/seqdiff"
	"atelier/workshop/review"
	"atelier/workshop/review/page"
)

// Limits for the pictures of a review page.
const (
	maxPagesCompared = 60       // of one file
	maxPagesShown    = 4        // of one file
	maxPictureBytes  = 12 << 20 // of all files
	maxOnePicture    = 600 << 10
)

// pagePictures finds the pages that differ.
type pagePictures struct {
	ctx       context.Context
	e         *engine.Engine
	workbench string
	bytesLeft int
}

// of returns the first pages of a change that differ, and a note about the
// pages it left out. Text files are not drawn, because their lines show
// everything.
func (p *pagePictures) of(c review.Change, content review.ContentDiff) ([]page.Page, string, error) {
	switch formats.Kind(c.FileKind) {
	case formats.KindText, formats.KindBinary, review.KindFolder:
		return nil, "", nil
	}
	if c.ChangeType == "renamed" {
		return nil, "", nil
	}
	before, err := p.side(c, "published", c.ChangeType == "added")
	if err != nil {
		return nil, "", err
	}
	after, err := p.side(c, "draft", c.ChangeType == "deleted")
	if err != nil {
		return nil, "", err
	}
	notes := notesWith(nil, before.note, after.note)
	if before.textOnly || after.textOnly {
		return nil, "No pictures of pages: " + strings.TrimPrefix(strings.Join(notes, "; "), "plain text view: ") + ".", nil
	}
	slides := c.FileKind == string(formats.KindPptx)
	var pairs [][2]int
	if slides && content.Message == "" && c.ChangeType == "modified" { // a copy has no page before
		pairs = slidePairs(content.Groups, before.count, after.count)
	} else {
		pairs = pagePairs(before.pages, after.pages)
	}
	var out []page.Page
	more := 0
	for _, pair := range pairs {
		a, b := before.page(pair[0]), after.page(pair[1])
		if a == nil && b == nil || string(a) == string(b) {
			continue
		}
		if len(out) == maxPagesShown || len(a)+len(b) > p.bytesLeft {
			more++
			continue
		}
		p.bytesLeft -= len(a) + len(b)
		out = append(out, page.Page{OldNumber: pair[0] + 1, Number: pair[1] + 1, Before: a, After: b, Slide: slides})
	}
	if more > 0 {
		notes = append(notes, formats.Count(more, "more page differs and is", "more pages differ and are")+" not shown")
	}
	if n := max(before.count, after.count); n > maxPagesCompared {
		notes = append(notes, fmt.Sprintf("of %d pages the first %d were compared", n, maxPagesCompared))
	}
	if len(out) == 0 && len(notes) == 0 {
		notes = append(notes, "no page looks different")
	}
	return out, sentence(notes), nil
}

func notesWith(list []string, more ...string) []string {
	for _, m := range more {
		if m != "" && !strings.Contains(strings.Join(list, "\x00"), m) {
			list = append(list, m)
		}
	}
	return list
}

func sentence(notes []string) string {
	s := strings.Join(notes, "; ")
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// drawn has the pages of one side.
type drawn struct {
	pages    [][]byte // PNG
	count    int      // of the document, which may have more
	textOnly bool
	note     string
}

// page returns a picture, or nil if the side has no such page.
func (d drawn) page(n int) []byte {
	if n < 0 || n >= len(d.pages) {
		return nil
	}
	return d.pages[n]
}

// side draws the pages of one side. If they cannot be drawn, the note says
// why.
func (p *pagePictures) side(c review.Change, version string, absent bool) (drawn, error) {
	var out drawn
	if absent {
		return out, nil
	}
	for n := 0; n == 0 || n < min(out.count, maxPagesCompared); n++ {
		r, err := p.draw(c.Path, version, n)
		var info *engine.ErrorInfo
		switch {
		case p.ctx.Err() != nil:
			return out, p.ctx.Err()
		case errors.As(err, &info):
			out.note = "not drawn: " + info.Detail
			return out, nil
		case err != nil:
			return out, err
		}
		out.count, out.textOnly, out.note = r.PageCount, r.Rendering == preview.ByText, r.Note
		if out.textOnly {
			return out, nil
		}
		png, err := base64.StdEncoding.DecodeString(r.BytesBase64)
		if err != nil {
			return out, err
		}
		out.pages = append(out.pages, png)
	}
	return out, nil
}

// draw draws a page at the largest size whose picture is small enough.
func (p *pagePictures) draw(path, version string, n int) (r engine.ReviewPreviewResult, err error) {
	for _, scale := range []float64{1, 0.5, preview.MinScale} {
		r, err = engine.CallAs[engine.ReviewPreviewResult](p.ctx, p.e, "ReviewGetPreview", engine.ReviewPreviewParams{WorkbenchID: p.workbench, Path: path, Version: version, Page: n, Scale: scale})
		if err != nil || len(r.BytesBase64) <= maxOnePicture {
			break
		}
	}
	return r, err
}

var pageSeed = maphash.MakeSeed()

// pagePairs aligns pages by their appearance, so that an inserted page does
// not make all pages after it differ. Between equal pages, pages are paired
// in order. -1 means no page.
func pagePairs(a, b [][]byte) [][2]int {
	var out [][2]int
	for _, s := range seqdiff.Lists(len(a), len(b), seqdiff.Options{
		KeyA: func(i int) uint64 { return maphash.Bytes(pageSeed, a[i]) }, KeyB: func(j int) uint64 { return maphash.Bytes(pageSeed, b[j]) },
		Similar: func(int, int) float64 { return 1 },
	}) {
		if !s.Moved {
			out = append(out, [2]int{s.A, s.B})
		}
	}
	return out
}

var slideNumber = lazyregexp.New(`^slide ([1-9][0-9]*)`)

// slidePairs returns the slides that changed, each with its old slide: the
// review knows which were added, deleted and moved; the others kept their
// order.
func slidePairs(groups []formats.DiffGroup, before, after int) [][2]int {
	number := func(s string) int {
		m := slideNumber.FindStringSubmatch(s)
		if m == nil {
			return -1
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return -1
		}
		return n - 1
	}
	was := map[int]int{}      // the old position of a slide of the draft; -1: none
	spoken := map[int]bool{}  // slides of the published file that have a counterpart
	changed := map[int]bool{} // slides of the draft
	var gone []int
	for _, g := range groups {
		n := number(g.Name)
		if n < 0 {
			continue
		}
		switch g.Change {
		case formats.Added:
			was[n], changed[n] = -1, true
		case formats.Removed:
			spoken[n] = true
			gone = append(gone, n)
		case formats.Moved:
			was[n] = number(g.From)
			spoken[was[n]] = true
			changed[n] = len(g.Items) > 0
		default:
			changed[n] = len(g.Items) > 0
		}
	}
	var out [][2]int
	old := 0
	for n := range after {
		from, known := was[n]
		if !known {
			for spoken[old] {
				old++
			}
			from = old
			old++
		}
		if from >= before {
			from = -1
		}
		if changed[n] {
			out = append(out, [2]int{from, n})
		}
	}
	for _, n := range gone {
		out = append(out, [2]int{n, -1})
	}
	return out
}
