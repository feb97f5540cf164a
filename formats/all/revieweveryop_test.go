package all

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/formats/formatstest"
)

// place is where in a document a random operation goes to work.
type place struct {
	r      *rand.Rand
	sheets []string
	cells  map[string][]string // of a sheet: those with a value
	lists  []listPlace
	paras  int      // paragraphs of the body
	tables [][2]int // rows and columns of the body's tables
	words  []string
	slides []slidePlace
	other  string // another document of the kind
}

type slidePlace struct {
	shapes []string // ids
	tables []string // ids of shapes that are tables
}

func (p *place) sheet() string { return p.sheets[p.r.IntN(len(p.sheets))] }

func (p *place) cell(sheet string) string {
	if list := p.cells[sheet]; len(list) > 0 {
		return list[p.r.IntN(len(list))]
	}
	return "B2"
}

// block returns a range that begins at a cell with a value.
func (p *place) block(sheet string) string {
	at := p.cell(sheet)
	col, row := splitCell(at)
	return at + ":" + columnName(col+p.r.IntN(3)) + strconv.Itoa(row+p.r.IntN(4)+1)
}

func (p *place) row() int       { return 1 + p.r.IntN(12) }
func (p *place) col() string    { return columnName(1 + p.r.IntN(6)) }
func (p *place) para() string   { return "p" + strconv.Itoa(p.r.IntN(max(1, p.paras))) }
func (p *place) table() int     { return p.r.IntN(max(1, len(p.tables))) }
func (p *place) slide() int     { return p.r.IntN(max(1, len(p.slides))) }
func (p *place) word() string   { return p.words[p.r.IntN(len(p.words))] }
func (p *place) words2() string { return fmt.Sprintf("new text %d", p.r.IntN(1000)) }

func (p *place) shape(slide int) string {
	if slide < len(p.slides) {
		if ids := p.slides[slide].shapes; len(ids) > 0 {
			return ids[p.r.IntN(len(ids))]
		}
	}
	return "2"
}

func (p *place) slideTable() (slide int, shape string) {
	for i, s := range p.slides {
		if len(s.tables) > 0 {
			return i, s.tables[0]
		}
	}
	return 0, "2"
}

func columnName(n int) string {
	s := ""
	for ; n > 0; n = (n - 1) / 26 {
		s = string(rune('A'+(n-1)%26)) + s
	}
	return s
}

func splitCell(at string) (col, row int) {
	i := strings.IndexAny(at, "0123456789")
	for _, c := range at[:i] {
		col = col*26 + int(c-'A') + 1
	}
	row, _ = strconv.Atoi(at[i:])
	return col, row
}

// makeOps makes an operation of each name at a random place.
var makeOps = map[formats.Kind]map[string]func(p *place) string{
	formats.KindXlsx: {
		"set_page_setup": func(p *place) string {
			return fmt.Sprintf(`"sheet":%q,"orientation":"landscape","paper":"A5","header":{"left":"Title %d"},"print_area":"A1:C9"`, p.sheet(), p.r.IntN(99))
		},
		"filter_rows": func(p *place) string {
			return fmt.Sprintf(`"sheet":%q,"range":"A1:C9","criteria":[{"column":"A","values":["x%d"]}]`, p.sheet(), p.r.IntN(99))
		},
		"ensure_sheet": func(p *place) string { return `"sheet":"Added by the test"` },
		"set_cells": func(p *place) string {
			s := p.sheet()
			return fmt.Sprintf(`"sheet":%q,"cells":[{"cell":%q,"value":%q},{"cell":%q,"value":"=1+%d"}]`, s, p.cell(s), p.words2(), p.cell(s), p.r.IntN(99))
		},
		"set_range": func(p *place) string {
			s := p.sheet()
			return fmt.Sprintf(`"sheet":%q,"start":%q,"values":[["x%d",%d],[true,"=2*3"]]`, s, p.cell(s), p.r.IntN(99), p.r.IntN(9999))
		},
		"delete_sheet": func(p *place) string { return fmt.Sprintf(`"sheet":%q`, p.sheet()) },
		"set_column_widths": func(p *place) string {
			return fmt.Sprintf(`"sheet":%q,"columns":[{"column":%q,"width":%d}]`, p.sheet(), p.col(), p.r.IntN(60))
		},
		"set_row_heights": func(p *place) string {
			return fmt.Sprintf(`"sheet":%q,"rows":[{"row":%d,"height":%d}]`, p.sheet(), p.row(), p.r.IntN(90))
		},
		"set_sheet_view": func(p *place) string {
			return fmt.Sprintf(`"sheet":%q,"zoom":%d,"headings":false`, p.sheet(), 60+p.r.IntN(30))
		},
		"freeze_panes": func(p *place) string {
			return fmt.Sprintf(`"sheet":%q,"row":%d,"column":%d`, p.sheet(), p.r.IntN(4), 1+p.r.IntN(3))
		},
		"set_style": func(p *place) string {
			s := p.sheet()
			style := []string{`{"font_bold":true,"font_color":"FF0000"}`, `{"number_format":";;;"}`, `{"fill_color":"FFFF00"}`, `{"h_align":"center","wrap_text":true}`, `{"font_size":1}`}[p.r.IntN(5)]
			return fmt.Sprintf(`"sheet":%q,"range":%q,"style":%s`, s, p.block(s), style)
		},
		"merge_cells":   func(p *place) string { s := p.sheet(); return fmt.Sprintf(`"sheet":%q,"range":%q`, s, p.block(s)) },
		"unmerge_cells": func(p *place) string { return fmt.Sprintf(`"sheet":%q,"range":"A1:Z60"`, p.sheet()) },
		"autofilter":    func(p *place) string { s := p.sheet(); return fmt.Sprintf(`"sheet":%q,"range":%q`, s, p.block(s)) },
		"set_hyperlink": func(p *place) string {
			s := p.sheet()
			return fmt.Sprintf(`"sheet":%q,"cell":%q,"url":"https://example.com/%d"`, s, p.cell(s), p.r.IntN(99))
		},
		"add_table": func(p *place) string {
			return fmt.Sprintf(`"sheet":%q,"range":"AA1:AC4","name":"T%d"`, p.sheet(), p.r.IntN(999))
		},
		"add_image": func(p *place) string {
			s := p.sheet()
			return fmt.Sprintf(`"sheet":%q,"cell":%q,"path":"a.png","alt":"a dot"`, s, p.cell(s))
		},
		"add_chart": func(p *place) string {
			s := p.sheet()
			return fmt.Sprintf(`"sheet":%q,"cell":%q,"type":"bar","range":"A1:B4","title":"T"`, s, p.cell(s))
		},
		"change_chart": func(p *place) string {
			return fmt.Sprintf(`"sheet":%q,"chart":"1","title":"T%d","legend":"top"`, p.sheet(), p.r.IntN(99))
		},
		"delete_chart": func(p *place) string { return fmt.Sprintf(`"sheet":%q,"chart":"1"`, p.sheet()) },
		"set_sparklines": func(p *place) string {
			return fmt.Sprintf(`"sheet":%q,"range":"K%d","source":"A1:F1","type":"column"`, p.sheet(), 1+p.r.IntN(40))
		},
		"conditional_format": func(p *place) string {
			s := p.sheet()
			return fmt.Sprintf(`"sheet":%q,"range":%q,"rule":{"type":"cell","operator":">","value":5,"style":{"font_bold":true}}`, s, p.block(s))
		},
		"data_validation": func(p *place) string {
			s := p.sheet()
			return fmt.Sprintf(`"sheet":%q,"range":%q,"type":"list","list":["a","b"]`, s, p.block(s))
		},
		"add_comment": func(p *place) string {
			s := p.sheet()
			return fmt.Sprintf(`"sheet":%q,"cell":%q,"text":"look at this"`, s, p.cell(s))
		},
		"delete_comment":  func(p *place) string { s := p.sheet(); return fmt.Sprintf(`"sheet":%q,"cell":%q`, s, p.cell(s)) },
		"resolve_comment": nil, // it needs a thread; it has tests of its own
		"copy_styles": func(p *place) string {
			s := p.sheet()
			return fmt.Sprintf(`"sheet":%q,"range":%q,"source":%q`, s, p.block(s), s+"!"+p.cell(s))
		},
		"copy_sheet_from": func(p *place) string {
			return fmt.Sprintf(`"path":%q,"sheet":"Sales","new_name":"From another"`, p.other)
		},
		"insert_rows": func(p *place) string {
			return fmt.Sprintf(`"sheet":%q,"row":%d,"count":%d`, p.sheet(), p.row(), 1+p.r.IntN(2))
		},
		"delete_rows": func(p *place) string {
			row := p.row()
			return fmt.Sprintf(`"sheet":%q,"range":"%d,%d:%d"`, p.sheet(), row, row+3, row+4)
		},
		"insert_columns": func(p *place) string { return fmt.Sprintf(`"sheet":%q,"column":%q`, p.sheet(), p.col()) },
		"delete_columns": func(p *place) string { return fmt.Sprintf(`"sheet":%q,"column":%q`, p.sheet(), p.col()) },
		"move_rows":      func(p *place) string { return fmt.Sprintf(`"sheet":%q,"row":%d,"to":2`, p.sheet(), 3+p.row()) },
		"move_columns":   func(p *place) string { return fmt.Sprintf(`"sheet":%q,"column":%q,"to":"H"`, p.sheet(), p.col()) },
		"rename_sheet": func(p *place) string {
			return fmt.Sprintf(`"sheet":%q,"new_name":"Renamed %d"`, p.sheet(), p.r.IntN(99))
		},
		"copy_sheet":       func(p *place) string { return fmt.Sprintf(`"sheet":%q,"new_name":"Copied"`, p.sheet()) },
		"move_sheet":       func(p *place) string { return fmt.Sprintf(`"sheet":%q,"position":1`, p.sheet()) },
		"hide_sheet":       func(p *place) string { return fmt.Sprintf(`"sheet":%q`, p.sheet()) },
		"unhide_sheet":     func(p *place) string { return fmt.Sprintf(`"sheet":%q`, p.sheet()) },
		"hide_rows":        func(p *place) string { return fmt.Sprintf(`"sheet":%q,"row":%d,"count":2`, p.sheet(), p.row()) },
		"hide_columns":     func(p *place) string { return fmt.Sprintf(`"sheet":%q,"range":"%s,F:G"`, p.sheet(), p.col()) },
		"group_rows":       func(p *place) string { return fmt.Sprintf(`"sheet":%q,"row":%d,"count":2`, p.sheet(), p.row()) },
		"group_columns":    func(p *place) string { return fmt.Sprintf(`"sheet":%q,"column":%q`, p.sheet(), p.col()) },
		"protect_sheet":    func(p *place) string { return fmt.Sprintf(`"sheet":%q,"allow":["sort"]`, p.sheet()) },
		"protect_workbook": func(*place) string { return `"password":false` },
		"clear_range": func(p *place) string {
			s := p.sheet()
			return fmt.Sprintf(`"sheet":%q,"range":%q,"what":%q`, s, p.block(s), []string{"values", "formats", "all"}[p.r.IntN(3)])
		},
		"copy_range": func(p *place) string {
			s := p.sheet()
			return fmt.Sprintf(`"sheet":%q,"range":%q,"target":"H9"`, s, p.block(s))
		},
		"fill": func(p *place) string {
			s := p.sheet()
			return fmt.Sprintf(`"sheet":%q,"range":%q,"direction":"down"`, s, p.block(s))
		},
		"sort_range": func(p *place) string {
			s := p.sheet()
			return fmt.Sprintf(`"sheet":%q,"range":"A2:F9","by":[{"column":"A","descending":true}]`, s)
		},
		"replace_text": func(p *place) string { return fmt.Sprintf(`"search":%q,"replace":"REPLACED"`, p.word()) },
		"define_name": func(p *place) string {
			return fmt.Sprintf(`"name":"made_%d","refers_to":"=%d"`, p.r.IntN(99), p.r.IntN(99))
		},
		"delete_name": func(p *place) string { return `"name":"made_1"` },
		"add_pivot": func(p *place) string { // random tables: TestReviewOfRandomPivots
			l := p.list()
			return fmt.Sprintf(`"source":%q,"sheet":"Pivots %d","row_fields":[%q],"value_fields":[{"field":%q,"function":"count","name":"n"}]`, l.source, p.r.IntN(99), l.names[0], l.names[1])
		},
		"change_pivot":  func(p *place) string { return `"name":"PivotTable1","grand_totals":"none","overwrite":true` },
		"refresh_pivot": func(p *place) string { return `"overwrite":true` },
		"delete_pivot":  func(p *place) string { return `"name":"PivotTable1"` },
		"recalculate":   nil, // LibreOffice; it has tests of its own
	},
	formats.KindDocx: {
		"set_list": func(p *place) string { return fmt.Sprintf(`"at":%q,"format":"lower_letter","label":"%%1)"`, p.para()) },
		"fill_form_field": func(p *place) string {
			return fmt.Sprintf(`"name":"Text1","value":"filled %d"`, p.r.IntN(99))
		},
		"insert_document":       func(p *place) string { return fmt.Sprintf(`"path":%q,"at":%q`, p.other, p.para()) },
		"add_footnote":          func(p *place) string { return fmt.Sprintf(`"at":%q,"text":"a note %d"`, p.para(), p.r.IntN(99)) },
		"delete_footnote":       func(p *place) string { return `"at":"fn1"` },
		"add_cross_reference":   func(p *place) string { return fmt.Sprintf(`"at":%q,"to":%q`, p.para(), p.para()) },
		"add_table_of_contents": func(p *place) string { return fmt.Sprintf(`"at":%q,"text":"Contents"`, p.para()) },
		"format_table":          func(p *place) string { return fmt.Sprintf(`"at":"t%d","alignment":"right"`, p.table()) },
		"format_section":        func(p *place) string { return `"columns":2,"start_at":7` },
		"insert_section_break":  func(p *place) string { return fmt.Sprintf(`"at":%q`, p.para()) },
		"delete_section_break":  func(p *place) string { return fmt.Sprintf(`"at":%q`, p.para()) },
		"set_watermark":         func(p *place) string { return fmt.Sprintf(`"text":"Draft %d"`, p.r.IntN(99)) },
		"replace_text":          func(p *place) string { return fmt.Sprintf(`"search":%q,"replace":"REPLACED"`, p.word()) },
		"set_paragraph":         func(p *place) string { return fmt.Sprintf(`"at":%q,"text":%q`, p.para(), p.words2()) },
		"insert_paragraph":      func(p *place) string { return fmt.Sprintf(`"at":%q,"text":%q`, p.para(), p.words2()) },
		"delete_paragraph":      func(p *place) string { return fmt.Sprintf(`"at":%q`, p.para()) },
		"append_paragraph":      func(p *place) string { return fmt.Sprintf(`"text":%q`, p.words2()) },
		"set_paragraphs":        func(p *place) string { return `"paragraphs":[{"text":"one"},{"text":"two"}]` },
		"format_paragraph": func(p *place) string {
			return fmt.Sprintf(`"at":%q,"alignment":"center","space_before":13,"bold":true`, p.para())
		},
		"format_text":         func(p *place) string { return fmt.Sprintf(`"search":%q,"italic":true,"font_color":"FF0000"`, p.word()) },
		"insert_page_break":   func(p *place) string { return fmt.Sprintf(`"at":%q`, p.para()) },
		"add_table":           func(p *place) string { return fmt.Sprintf(`"at":%q,"rows":[["a","b"],["c","d"]]`, p.para()) },
		"set_table_cell":      func(p *place) string { return fmt.Sprintf(`"at":"t%d.r0.c0","text":%q`, p.table(), p.words2()) },
		"add_table_row":       func(p *place) string { return fmt.Sprintf(`"at":"t%d","cells":["x","y"]`, p.table()) },
		"delete_table_row":    func(p *place) string { return fmt.Sprintf(`"at":"t%d.r0"`, p.table()) },
		"add_table_column":    func(p *place) string { return fmt.Sprintf(`"at":"t%d.r0.c0","cells":["x"]`, p.table()) },
		"delete_table_column": func(p *place) string { return fmt.Sprintf(`"at":"t%d.r0.c0"`, p.table()) },
		"delete_table":        func(p *place) string { return fmt.Sprintf(`"at":"t%d"`, p.table()) },
		"set_header":          func(p *place) string { return `"text":"a header, page {page}"` },
		"set_page_setup":      func(p *place) string { return `"paper":"A5","orientation":"landscape","margin_top":0.5` },
		"set_footer":          func(p *place) string { return `"text":"a footer"` },
		"add_image":           func(p *place) string { return fmt.Sprintf(`"at":%q,"path":"a.png","alt":"a dot"`, p.para()) },
		"add_hyperlink": func(p *place) string {
			return fmt.Sprintf(`"url":"https://example.com/x","at":%q,"text":"a link"`, p.para())
		},
		"add_comment":    func(p *place) string { return fmt.Sprintf(`"at":%q,"text":"look at this"`, p.para()) },
		"delete_comment": func(p *place) string { return `"id":0` },
		"add_content_control": func(p *place) string {
			return fmt.Sprintf(`"at":%q,"type":"text","name":"made%d"`, p.para(), p.r.IntN(99))
		},
		"change_content_control":   func(p *place) string { return fmt.Sprintf(`"name":"Text1","title":"T%d"`, p.r.IntN(99)) },
		"change_repeating_section": nil, // it needs a repeating section; it has tests of its own
		"add_caption":              func(p *place) string { return fmt.Sprintf(`"at":%q,"text":"caption %d"`, p.para(), p.r.IntN(99)) },
		"insert_field":             func(p *place) string { return fmt.Sprintf(`"at":%q,"code":"SEQ Thing%d"`, p.para(), p.r.IntN(9)) },
		"change_field":             func(p *place) string { return fmt.Sprintf(`"at":%q,"unlink":true`, p.para()) },
		"number_headings":          func(p *place) string { return fmt.Sprintf(`"format":"chapter","start_at":%d`, 1+p.r.IntN(9)) },
		"update_contents":          func(p *place) string { return `"pages":false` },
		"insert_equation": func(p *place) string {
			return fmt.Sprintf(`"at":%q,"equation":"x_%d^2+\\frac{a}{b}"`, p.para(), p.r.IntN(99))
		},
		"replace_equation": func(p *place) string { return fmt.Sprintf(`"at":%q,"equation":"y"`, p.para()) },
		"copy_styles":      func(p *place) string { return fmt.Sprintf(`"path":%q,"styles":["Heading 1"]`, p.other) },
		"accept_changes":   func(p *place) string { return `"author":""` },
		"reject_changes":   func(p *place) string { return `"author":""` },
		"add_chart": func(p *place) string {
			return fmt.Sprintf(`"type":"column","categories":["a","b"],"series":[{"name":"s","values":[1,%d]}],"title":"T"`, p.r.IntN(99))
		},
		"change_chart": func(p *place) string {
			return fmt.Sprintf(`"chart":"1","title":"T%d","legend":"top"`, p.r.IntN(99))
		},
		"delete_chart": func(p *place) string { return `"chart":"1"` },
	},
	formats.KindPptx: {
		"format_shape": func(p *place) string {
			s := p.slide()
			return fmt.Sprintf(`"index":%d,"shape_id":%s,"line":"C0%04d","line_width":2.5`, s, p.shape(s), p.r.IntN(9999))
		},
		"set_sections":   func(p *place) string { return fmt.Sprintf(`"sections":[{"name":%q,"slide":0}]`, p.words2()) },
		"set_slide_size": func(p *place) string { return fmt.Sprintf(`"width":%d,"height":8`, 7+p.r.IntN(9)) },
		"set_transition": func(p *place) string {
			return fmt.Sprintf(`"slides":[%d],"effect":"wheel","after":%d`, p.slide(), p.r.IntN(99))
		},
		"arrange_shapes": func(p *place) string {
			s := p.slide()
			return fmt.Sprintf(`"index":%d,"shapes":[%s],"order":%q,"align":"bottom"`, s, p.shape(s), []string{"front", "back"}[p.r.IntN(2)])
		},
		"group_shapes": func(p *place) string {
			s := p.slide()
			return fmt.Sprintf(`"index":%d,"shapes":[%s,%s]`, s, p.shape(s), p.shape(s))
		},
		"ungroup_shapes": func(p *place) string { s := p.slide(); return fmt.Sprintf(`"index":%d,"shape_id":%s`, s, p.shape(s)) },
		"set_theme": func(p *place) string {
			return fmt.Sprintf(`"theme_colors":{"accent%d":"A1B2C3"},"body_font":"Verdana"`, 1+p.r.IntN(6))
		},
		"format_master":  func(p *place) string { return `"style":"body","level":0,"font_size":21.5,"bullet":"–"` },
		"set_background": func(p *place) string { return fmt.Sprintf(`"slides":[%d],"color":"A1B2C3"`, p.slide()) },
		"set_logo":       func(p *place) string { return `"path":"a.png","alt":"a dot"` },
		"fill_placeholders": func(p *place) string {
			return fmt.Sprintf(`"index":%d,"title":%q,"body":"filled"`, p.slide(), p.words2())
		},
		"set_footers": func(p *place) string {
			return fmt.Sprintf(`"number":true,"footer":%q,"date":"auto","first_number":4`, p.words2())
		},
		"set_chart_data": func(p *place) string {
			sl := p.slide()
			return fmt.Sprintf(`"index":%d,"shape_id":%s,"categories":["a","b","c"],"series":[{"name":"s","values":[1,%d,3]}]`, sl, p.shape(sl), p.r.IntN(99))
		},
		"set_chart_options": func(p *place) string {
			sl := p.slide()
			return fmt.Sprintf(`"index":%d,"shape_id":%s,"title":"T%d","legend":"bottom"`, sl, p.shape(sl), p.r.IntN(99))
		},
		"set_chart_type": func(p *place) string {
			sl := p.slide()
			return fmt.Sprintf(`"index":%d,"shape_id":%s,"type":"area"`, sl, p.shape(sl))
		},
		"format_table": func(p *place) string {
			sl, id := p.slideTable()
			return fmt.Sprintf(`"index":%d,"shape_id":%s,"font_size":9,"row_height":0.9`, sl, id)
		},
		"add_slide":       func(p *place) string { return `"title":"Added","body":"one\ntwo"` },
		"duplicate_slide": func(p *place) string { return fmt.Sprintf(`"index":%d`, p.slide()) },
		"delete_slide":    func(p *place) string { return fmt.Sprintf(`"index":%d`, p.slide()) },
		"move_slide":      func(p *place) string { return fmt.Sprintf(`"index":%d,"position":0`, p.slide()) },
		"hide_slide":      func(p *place) string { return fmt.Sprintf(`"index":%d`, p.slide()) },
		"set_slide_text":  func(p *place) string { return fmt.Sprintf(`"index":%d,"title":%q`, p.slide(), p.words2()) },
		"append_bullets":  func(p *place) string { return fmt.Sprintf(`"index":%d,"bullets":[%q]`, p.slide(), p.words2()) },
		"set_shape_text": func(p *place) string {
			s := p.slide()
			return fmt.Sprintf(`"index":%d,"shape_id":%s,"text":%q`, s, p.shape(s), p.words2())
		},
		"replace_text": func(p *place) string { return fmt.Sprintf(`"search":%q,"replace":"REPLACED"`, p.word()) },
		"set_table_cell": func(p *place) string {
			s, id := p.slideTable()
			return fmt.Sprintf(`"index":%d,"shape_id":%s,"row":0,"column":0,"text":%q`, s, id, p.words2())
		},
		"add_table_row": func(p *place) string {
			s, id := p.slideTable()
			return fmt.Sprintf(`"index":%d,"shape_id":%s,"cells":["x"]`, s, id)
		},
		"delete_table_row": func(p *place) string {
			s, id := p.slideTable()
			return fmt.Sprintf(`"index":%d,"shape_id":%s,"row":0`, s, id)
		},
		"add_table_column": func(p *place) string {
			s, id := p.slideTable()
			return fmt.Sprintf(`"index":%d,"shape_id":%s,"cells":["x"]`, s, id)
		},
		"delete_table_column": func(p *place) string {
			s, id := p.slideTable()
			return fmt.Sprintf(`"index":%d,"shape_id":%s,"column":0`, s, id)
		},
		"set_notes":  func(p *place) string { return fmt.Sprintf(`"index":%d,"text":%q`, p.slide(), p.words2()) },
		"set_layout": func(p *place) string { return fmt.Sprintf(`"index":%d,"layout":"title_only"`, p.slide()) },
		"add_table":  func(p *place) string { return fmt.Sprintf(`"index":%d,"rows":[["a","b"],["c","d"]]`, p.slide()) },
		"add_chart": func(p *place) string {
			return fmt.Sprintf(`"index":%d,"type":"pie","categories":["a","b"],"series":[{"name":"s","values":[1,2]}]`, p.slide())
		},
		"add_image":    func(p *place) string { return fmt.Sprintf(`"index":%d,"path":"a.png","alt":"a dot"`, p.slide()) },
		"add_text_box": func(p *place) string { return fmt.Sprintf(`"index":%d,"text":%q`, p.slide(), p.words2()) },
		"move_shape": func(p *place) string {
			s := p.slide()
			return fmt.Sprintf(`"index":%d,"shape_id":%s,"x":1.25,"y":2.5`, s, p.shape(s))
		},
		"delete_shape": func(p *place) string { s := p.slide(); return fmt.Sprintf(`"index":%d,"shape_id":%s`, s, p.shape(s)) },
		"set_hyperlink": func(p *place) string {
			s := p.slide()
			return fmt.Sprintf(`"index":%d,"shape_id":%s,"url":"https://example.com/x"`, s, p.shape(s))
		},
		"set_alt_text": func(p *place) string {
			s := p.slide()
			return fmt.Sprintf(`"index":%d,"shape_id":%s,"text":%q`, s, p.shape(s), p.words2())
		},
	},
}

// The table above leaves no operation out.
func TestEveryOperationIsReviewed(t *testing.T) {
	for kind, table := range makeOps {
		_, names := editorOf(t, kind).Operation()
		for _, n := range names {
			require.Contains(t, table, n, "%s: no way to make this operation", kind)
		}
		for n := range table {
			require.Contains(t, names, n)
		}
	}
}

// placesOf reads a document with encoding/xml for places to work at.
func placesOf(t testing.TB, kind formats.Kind, file []byte, r *rand.Rand) *place {
	p := &place{r: r, cells: map[string][]string{}, other: "other." + string(kind)}
	pkg := formatstest.OpenPackage(t, file)
	seen := map[string]bool{}
	note := func(text string) {
		for _, w := range strings.Fields(text) {
			if len(w) > 3 && len(p.words) < 400 && !seen[w] {
				seen[w] = true
				p.words = append(p.words, w)
			}
		}
	}
	switch kind {
	case formats.KindXlsx:
		for _, s := range sheetsOf(pkg) {
			if s.tree == nil || s.tree.Name != "x:worksheet" {
				continue
			}
			p.sheets = append(p.sheets, s.name)
			p.listsOf(s.name, cellsOf(pkg, s, nil))
			for _, c := range s.tree.All("x:c") {
				if len(c.Kids) > 0 && len(p.cells[s.name]) < 300 {
					p.cells[s.name] = append(p.cells[s.name], c.Attr("r"))
				}
			}
		}
		if sst := pkg.Tree("xl/sharedStrings.xml"); sst != nil {
			for _, n := range sst.All("x:t") {
				note(n.Text)
			}
		}
	case formats.KindDocx:
		body := pkg.Tree("word/document.xml")
		if body == nil {
			break
		}
		for _, k := range body.All("w:p", "w:tbl") {
			if k.Up.Name != "w:body" {
				continue
			}
			if k.Name == "w:p" {
				p.paras++
			} else {
				rows := k.All("w:tr")
				p.tables = append(p.tables, [2]int{len(rows), 1})
			}
		}
		for _, n := range body.All("w:t") {
			note(n.Text)
		}
	case formats.KindPptx:
		for _, part := range slideParts(pkg) {
			var s slidePlace
			tree := pkg.Tree(part)
			if tree == nil {
				continue
			}
			for _, n := range tree.All("p:cNvPr") {
				s.shapes = append(s.shapes, n.Attr("id"))
				if n.Up.Up.Name == "p:graphicFrame" && len(n.Up.Up.All("a:tbl")) > 0 {
					s.tables = append(s.tables, n.Attr("id"))
				}
			}
			if len(s.shapes) > 1 {
				s.shapes = s.shapes[1:] // the first is the slide itself
			}
			p.slides = append(p.slides, s)
			for _, n := range tree.All("a:t") {
				note(n.Text)
			}
		}
	}
	if len(p.words) == 0 {
		p.words = []string{"nothing-to-find"}
	}
	return p
}

// op makes one operation; "" where the document has no place for it.
func (p *place) op(kind formats.Kind, name string) string {
	make := makeOps[kind][name]
	if make == nil || kind == formats.KindXlsx && len(p.sheets) == 0 {
		return ""
	}
	return fmt.Sprintf(`{"op":%q,%s}`, name, make(p))
}

func opNames(kind formats.Kind) []string {
	var out []string
	for n := range makeOps[kind] {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

func dot(t testing.TB) []byte {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 6))))
	return b.Bytes()
}
