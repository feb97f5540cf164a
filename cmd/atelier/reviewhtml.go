package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"atelier/engine"
	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/review"
	"atelier/workshop/review/page"
)

// htmlOptions configure the content of the page.
type htmlOptions struct {
	File     string
	Only     []string // paths; none: all
	Pictures bool     // include pictures of pages
}

// reviewHTML writes the review of the draft as one HTML page (RV-06).
func reviewHTML(ctx context.Context, e *engine.Engine, wb *workshop.Workbench, out io.Writer, opt htmlOptions) error {
	set, err := engine.CallAs[engine.ChangeSetResult](ctx, e, "ReviewGetChangeSet", engine.WorkbenchRef{WorkbenchID: wb.ID()})
	if err != nil {
		return err
	}
	if err := changed(set.Changes, opt.Only); err != nil {
		return err
	}
	// Rendering takes long, so a folder that is not there is said before it.
	if _, err := os.Stat(filepath.Dir(opt.File)); err != nil {
		return fmt.Errorf("%s cannot be written: %w", opt.File, err)
	}
	report := page.Report{Title: filepath.Base(wb.Root()), Made: time.Now(), Version: engine.Version}
	pictures := &pagePictures{ctx: ctx, e: e, workbench: wb.ID(), bytesLeft: maxPictureBytes}
	for _, c := range set.Changes {
		if !selected(c.Path, opt.Only) {
			continue
		}
		f := page.File{Change: c}
		content, err := engine.CallAs[review.ContentDiff](ctx, e, "ReviewGetContentDiff", engine.ReviewContentParams{WorkbenchID: wb.ID(), Path: c.Path})
		if err != nil {
			return err
		}
		f.Content = &content
		if content.Message != "" {
			text, err := engine.CallAs[review.TextDiff](ctx, e, "ReviewGetTextDiff", engine.ReviewTextParams{WorkbenchID: wb.ID(), Path: c.Path})
			if err != nil {
				return err
			}
			f.Text = &text
		}
		if opt.Pictures {
			if f.Pages, f.Note, err = pictures.of(c, content); err != nil {
				return err
			}
		}
		report.Files = append(report.Files, f)
	}
	var buf bytes.Buffer
	if err := page.Write(&buf, report); err != nil {
		return err
	}
	if err := writeOutBytes(opt.File, forOwner, buf.Bytes()); err != nil {
		return err
	}
	fmt.Fprintf(out, "Wrote %s (%s, %s).\n", opt.File, formats.Count(len(report.Files), "changed file"), size(int64(buf.Len())))
	return nil
}
