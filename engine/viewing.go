package engine

import (
	"context"

	"atelier/formats"
	"atelier/workshop"
)

// ReviewSheetWindowParams are the params of ReviewGetSheetWindow.
type ReviewSheetWindowParams struct {
	WorkbenchID string `json:"workbench_id"`
	Path        string `json:"path"`
	Version     string `json:"version,omitempty"` // "draft" (the default), "published" or a version of the file
	Sheet       string `json:"sheet,omitempty" jsonschema:"the sheet by its name in any case; default the first that is shown and has cells"`
	Row         int    `json:"row,omitempty" jsonschema:"the first row, from 1"`
	Column      int    `json:"column,omitempty" jsonschema:"the first column, from 1"`
	Rows        int    `json:"rows,omitempty" jsonschema:"how many rows, at most 1000; default 100"`
	Columns     int    `json:"columns,omitempty" jsonschema:"how many columns, at most 500; default 30"`
	Measure     bool   `json:"measure,omitempty" jsonschema:"read a large sheet to its end if that was not done yet, so that totals and merged cells are exact"`
}

// ReviewSheetWindowResult is the result of ReviewGetSheetWindow.
type ReviewSheetWindowResult struct {
	Hash string `json:"hash" jsonschema:"SHA-256 of the content, in hexadecimal digits: the same hash has the same cells"`
	formats.SheetWindow
}

// reviewSheetWindow gives cells of a workbook to be drawn. It runs beside other calls
// and changes nothing.
func (e *Engine) reviewSheetWindow(ctx context.Context, p ReviewSheetWindowParams) (ReviewSheetWindowResult, error) {
	return viewed(ctx, e, p.WorkbenchID, p.Path, p.Version, func(f *formats.Format, src workshop.Source) (ReviewSheetWindowResult, error) {
		if f.Sheets == nil {
			return ReviewSheetWindowResult{}, formats.Errorf(formats.CodeUnsupported, "%s is %s; sheets are shown of an xlsx", p.Path, f.Kind.WithArticle())
		}
		w, err := f.Sheets.SheetWindow(ctx, src, formats.SheetRequest{Sheet: p.Sheet, Row: p.Row, Column: p.Column, Rows: p.Rows, Columns: p.Columns, Measure: p.Measure})
		if err != nil {
			return ReviewSheetWindowResult{}, err
		}
		return ReviewSheetWindowResult{Hash: src.Hash(), SheetWindow: *w}, nil
	})
}

// viewed opens one side of a file for a function that shows it.
func viewed[R any](ctx context.Context, e *Engine, workbench, path, version string, show func(*formats.Format, workshop.Source) (R, error)) (R, error) {
	var none R
	wb, done, err := e.reader(ctx, workbench)
	if err != nil {
		return none, err
	}
	defer done()
	src, err := openSide(ctx, wb, path, version)
	if err != nil {
		return none, err
	}
	defer src.Close()
	f, err := e.formats.Detect(ctx, src)
	if err != nil {
		return none, err
	}
	return show(f, src)
}

// ReviewBlocksParams are the params of ReviewGetBlocks.
type ReviewBlocksParams struct {
	WorkbenchID string `json:"workbench_id"`
	Path        string `json:"path"`
	Version     string `json:"version,omitempty"` // "draft" (the default), "published" or a version of the file
	First       int    `json:"first,omitempty" jsonschema:"the first block, from 0"`
	Count       int    `json:"count,omitempty" jsonschema:"how many blocks, at most 2000; default 200"`
}

// ReviewBlocksResult is the result of ReviewGetBlocks.
type ReviewBlocksResult struct {
	Hash string `json:"hash" jsonschema:"SHA-256 of the content, in hexadecimal digits"`
	formats.BlockWindow
}

// reviewBlocks gives blocks of a text document to be drawn. It runs beside other calls
// and changes nothing.
func (e *Engine) reviewBlocks(ctx context.Context, p ReviewBlocksParams) (ReviewBlocksResult, error) {
	return viewed(ctx, e, p.WorkbenchID, p.Path, p.Version, func(f *formats.Format, src workshop.Source) (ReviewBlocksResult, error) {
		if f.Blocks == nil {
			return ReviewBlocksResult{}, formats.Errorf(formats.CodeUnsupported, "%s is %s; blocks are shown of a docx", p.Path, f.Kind.WithArticle())
		}
		w, err := f.Blocks.Blocks(ctx, src, formats.BlockRequest{First: p.First, Count: p.Count})
		if err != nil {
			return ReviewBlocksResult{}, err
		}
		return ReviewBlocksResult{Hash: src.Hash(), BlockWindow: *w}, nil
	})
}
