package engine

import (
	"context"
	"encoding/base64"

	"atelier/formats/preview"
	"atelier/workshop"
)

// ReviewPreviewParams are the params of ReviewGetPreview.
type ReviewPreviewParams struct {
	WorkbenchID string  `json:"workbench_id"`
	Path        string  `json:"path"`
	Version     string  `json:"version,omitempty"` // "draft" (the default), "published", or a version as WorkbenchFileVersions gives it
	Page        int     `json:"page,omitempty"`    // 0-based; of a presentation the slide
	Scale       float64 `json:"scale,omitempty"`   // 0.25 to 2, default 1: a pixel is 1/72 inch, of an image a pixel
}

// ReviewPreviewResult is the result of ReviewGetPreview.
type ReviewPreviewResult struct {
	BytesBase64 string `json:"bytes_base64"`
	MIMEType    string `json:"mime_type"` // image/png
	PageIndex   int    `json:"page_index"`
	PageCount   int    `json:"page_count"`
	ScaledDown  bool   `json:"scaled_down"`    // drawn smaller than asked, for its size
	Rendering   string `json:"rendering"`      // "pdf", "libreoffice", "text", "image": how the picture was made
	Note        string `json:"note,omitempty"` // what a viewer should be told, such as that layout is missing
}

// reviewPreview draws a page (RV-04). It runs beside other calls and changes
// nothing.
func (e *Engine) reviewPreview(ctx context.Context, p ReviewPreviewParams) (ReviewPreviewResult, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return ReviewPreviewResult{}, err
	}
	defer done()
	src, err := openSide(ctx, wb, p.Path, p.Version)
	if err != nil {
		return ReviewPreviewResult{}, err
	}
	defer src.Close()
	page, err := e.previews.Page(ctx, src, preview.Request{Page: p.Page, Scale: p.Scale})
	if err != nil {
		return ReviewPreviewResult{}, err
	}
	return ReviewPreviewResult{
		BytesBase64: base64.StdEncoding.EncodeToString(page.PNG), MIMEType: "image/png", PageIndex: page.Index, PageCount: page.Count,
		ScaledDown: page.ScaledDown, Rendering: page.Rendering, Note: page.Note,
	}, nil
}

func isSide(version string) bool { return version == "draft" || version == "published" }

// openSide opens a file as the draft has it, as it is published, or a version of it.
func openSide(ctx context.Context, wb *openWorkbench, path, version string) (workshop.Source, error) {
	if version == "" {
		version = "draft"
	}
	paths, err := parsePaths([]string{path})
	if err != nil {
		return nil, err
	}
	if !isSide(version) {
		_, src, err := wb.OpenFileVersion(ctx, workshop.FileRef{Path: paths[0]}, version)
		return src, err
	}
	src, err := wb.OpenVersion(ctx, paths[0], version)
	if workshop.IsFault(err, workshop.NotFound) {
		return nil, noVersion(ctx, wb, paths[0], version, err)
	}
	return src, err
}

// noVersion says which side of a change is missing.
func noVersion(ctx context.Context, wb *openWorkbench, p workshop.Path, version string, cause error) error {
	other := map[string]string{"draft": "published", "published": "draft"}[version]
	src, err := wb.OpenVersion(ctx, p, other)
	if err != nil {
		return cause // there is no such file at all
	}
	src.Close()
	if version == "published" {
		return workshop.Faultf(workshop.NotFound, "%s has no published version: it is new in the draft", p).OnField("version")
	}
	return workshop.Faultf(workshop.NotFound, "%s has no draft version: the draft removes it", p).OnField("version")
}
