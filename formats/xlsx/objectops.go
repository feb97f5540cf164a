package xlsx

import "context"

// objectOps are the operations on what is not the content of cells: formats,
// merged cells, tables, pictures and so on. They say how many cells they wrote.
var objectOps = map[string]func(*plan, context.Context, Operation) (int, error){
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
