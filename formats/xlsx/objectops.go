package xlsx

import "context"

// cellOps are the operations that go through a plan: they write cells, and what
// stands around them, into places that stay where they are. They say how many
// cells they wrote.
var cellOps = map[string]func(*plan, context.Context, Operation) (int, error){
	"ensure_sheet":      (*plan).ensureSheet,
	"set_cells":         (*plan).setCells,
	"set_range":         (*plan).setRange,
	"delete_sheet":      (*plan).deleteSheet,
	"set_column_widths": (*plan).setWidths,
	"set_row_heights":   (*plan).setHeights,
	"freeze_panes":      (*plan).freezePanes,

	"set_style":     (*plan).setStyle,
	"merge_cells":   (*plan).mergeCells,
	"unmerge_cells": (*plan).unmergeCells,
	"autofilter":    (*plan).autoFilter,
	"set_hyperlink": (*plan).setHyperlink,
	"add_table":     (*plan).addTable,
	"add_image":     (*plan).addImage,
	"add_chart":     (*plan).addChart,

	"conditional_format": (*plan).conditionalFormat,
	"data_validation":    (*plan).dataValidation,
	"add_comment":        (*plan).addComment,
	"delete_comment":     (*plan).deleteComment,
	"copy_styles":        (*plan).copyStyles,
	"copy_sheet_from":    (*plan).copySheetFrom,
}
