package xlsx

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
	"atelier/formats/xlsx/internal/sheetml"
	"atelier/internal/lenient"
)

// Operation is one edit of a workbook. Which members count depends on Op.
type Operation struct {
	Op      string        `json:"op" jsonschema:"ensure_sheet, set_cells, set_range, delete_sheet, set_column_widths, set_row_heights, freeze_panes, insert_rows …"`
	Sheet   string        `json:"sheet" jsonschema:"name of the sheet; set_cells, set_range and ensure_sheet create it when it is missing"`
	Cells   []CellValue   `json:"cells,omitempty" jsonschema:"set_cells: the cells to write"`
	Start   string        `json:"start,omitempty" jsonschema:"set_range: top left cell of the block, for example A1"`
	Values  [][]any       `json:"values,omitempty" jsonschema:"set_range: rows of values; each a string, number, boolean or null (clears the cell); a string that begins with = is a formula, {=…} an array formula in one cell; a full date such as 2026-11-22 or 2026-11-22T10:30 becomes a date, unless the cell has a text format"`
	Literal lenient.Bool  `json:"literal,omitempty" jsonschema:"set_range: text stays text, also when it begins with ="`
	Columns []ColumnWidth `json:"columns,omitempty" jsonschema:"set_column_widths: the columns"`
	Rows    []RowHeight   `json:"rows,omitempty" jsonschema:"set_row_heights: the rows"`
	Row     *lenient.Int  `json:"row,omitempty" jsonschema:"freeze_panes: 0-based first row that scrolls; insert_, delete_ and hide_rows: 1-based first row"`
	Column  any           `json:"column,omitempty" jsonschema:"freeze_panes: 0-based first column that scrolls; insert_, delete_ and hide_columns: letter such as C, or 1-based number"`

	// Operations that move cells or sheets.
	Count       *lenient.Int  `json:"count,omitempty" jsonschema:"insert_, delete_ and hide_rows, _columns: how many, default 1"`
	NewName     string        `json:"new_name,omitempty" jsonschema:"rename_sheet, copy_sheet, copy_sheet_from"`
	Position    *lenient.Int  `json:"position,omitempty" jsonschema:"move_sheet, copy_sheet: 1 is the first tab"`
	Hidden      *lenient.Bool `json:"hidden,omitempty" jsonschema:"hide_rows, hide_columns: false shows them again"`
	Target      string        `json:"target,omitempty" jsonschema:"copy_range: top left cell of the copy"`
	TargetSheet string        `json:"target_sheet,omitempty" jsonschema:"copy_range: default the same sheet"`
	ValuesOnly  lenient.Bool  `json:"values_only,omitempty" jsonschema:"copy_range: results instead of formulas"`
	What        string        `json:"what,omitempty" jsonschema:"clear_range: values (default), formats or all"`
	Direction   string        `json:"direction,omitempty" jsonschema:"fill: down or right; the first row or column of range is copied into the rest"`
	By          []SortKey     `json:"by,omitempty" jsonschema:"sort_range: the columns to sort by"`
	Search      string        `json:"search,omitempty" jsonschema:"replace_text: what to find in texts; without sheet in all sheets"`
	Replace     *string       `json:"replace,omitempty" jsonschema:"replace_text: what to put there; $1 with regex"`
	MatchCase   lenient.Bool  `json:"match_case,omitempty" jsonschema:"replace_text"`
	WholeCell   lenient.Bool  `json:"whole_cell,omitempty" jsonschema:"replace_text: only where it is the whole text of a cell"`
	Regex       lenient.Bool  `json:"regex,omitempty" jsonschema:"replace_text: search is a regular expression (RE2)"`
	InFormulas  lenient.Bool  `json:"in_formulas,omitempty" jsonschema:"replace_text: also in formulas"`
	RefersTo    string        `json:"refers_to,omitempty" jsonschema:"define_name: such as Sheet1!$A$1:$B$9, or a formula"`
	Scope       string        `json:"scope,omitempty" jsonschema:"define_name, delete_name: the sheet a name is limited to; default the workbook"`

	Range string         `json:"range,omitempty" jsonschema:"A1:C3, B2, A:C or 3:9; set_style takes several with commas; set_hyperlink: instead of cell"`
	Cell  string         `json:"cell,omitempty" jsonschema:"set_hyperlink: where; add_chart, add_image: top left corner; such as B2"`
	Style map[string]any `json:"style,omitempty" jsonschema:"set_style, set_range, set_cells, set_hyperlink: what to change of font_name, font_size, font_bold, font_italic, font_underline, font_strike, font_color (RRGGBB), fill_color, fill_pattern, number_format, h_align, v_align, wrap_text, text_rotation, indent, border (all sides), border_top, border_bottom, border_left, border_right ({style,color} or a style), locked, hidden"`

	Remove   lenient.Bool `json:"remove,omitempty" jsonschema:"autofilter, conditional_format, data_validation: take it away"`
	URL      *string      `json:"url,omitempty" jsonschema:"set_hyperlink: web or mail address; an empty one removes the link. The cell looks like a link unless style says otherwise"`
	Location string       `json:"location,omitempty" jsonschema:"set_hyperlink: a place in this workbook, such as Sheet2!A1"`
	Text     *string      `json:"text,omitempty" jsonschema:"set_hyperlink: new text of the cell; add_comment"`
	Tooltip  string       `json:"tooltip,omitempty" jsonschema:"set_hyperlink"`

	Name       string         `json:"name,omitempty" jsonschema:"add_table: its name; define_name, delete_name"`
	TableStyle string         `json:"table_style,omitempty" jsonschema:"add_table: none, or such as TableStyleMedium2"`
	HasHeader  *lenient.Bool  `json:"has_header,omitempty" jsonschema:"the first row holds the column names; default true for add_table, false for sort_range"`
	Type       string         `json:"type,omitempty" jsonschema:"add_chart: column, bar, line, pie, scatter, area or doughnut, also stacked_column, stacked_bar, stacked_area; data_validation: list, whole, decimal, date, time, text_length or custom; set_range: text or date, for all values"`
	Title      string         `json:"title,omitempty" jsonschema:"add_chart"`
	XTitle     string         `json:"x_title,omitempty" jsonschema:"add_chart: of the label axis"`
	YTitle     string         `json:"y_title,omitempty" jsonschema:"add_chart: of the value axis"`
	Series     []ChartSeries  `json:"series,omitempty" jsonschema:"add_chart: instead of range, whose first row has the names and first column the labels"`
	Width      *lenient.Float `json:"width,omitempty" jsonschema:"inches"`
	Height     *lenient.Float `json:"height,omitempty" jsonschema:"inches"`
	Rule       *FormatRule    `json:"rule,omitempty" jsonschema:"conditional_format"`
	Operator   string         `json:"operator,omitempty" jsonschema:"data_validation: > >= < <= = <> between or not_between"`
	Value      any            `json:"value,omitempty" jsonschema:"data_validation: number, date or =formula; list: a range such as =Lists!A1:A9"`
	Value2     any            `json:"value2,omitempty" jsonschema:"data_validation: the upper end"`
	List       []any          `json:"list,omitempty" jsonschema:"data_validation: the choices"`
	Error      string         `json:"error,omitempty" jsonschema:"data_validation: said when a value is refused"`
	Prompt     string         `json:"prompt,omitempty" jsonschema:"data_validation: said when a cell is selected"`
	Source     string         `json:"source,omitempty" jsonschema:"copy_styles: where the formats are, such as Sheet1!A1:C3"`
	Author     string         `json:"author,omitempty" jsonschema:"add_comment"`
	Path       string         `json:"path,omitempty" jsonschema:"add_image: png, jpeg or gif file; copy_styles, copy_sheet_from: another workbook"`
	Alt        string         `json:"alt,omitempty" jsonschema:"add_image, add_chart: description for people who cannot see it"`
}

// CellValue is one cell of set_cells.
type CellValue struct {
	Cell  string         `json:"cell" jsonschema:"reference such as B2"`
	Value any            `json:"value" jsonschema:"string, number, boolean, or null to clear; a string that begins with = is a formula, {=…} an array formula in one cell; a full date such as 2026-11-22 or 2026-11-22T10:30 becomes a date, unless the cell has a text format"`
	Type  string         `json:"type,omitempty" jsonschema:"text: store the value as text even when it begins with = or is a number or a date; date: store it as a date whatever the format of the cell; also number, boolean, formula"`
	Style map[string]any `json:"style,omitempty" jsonschema:"as in set_style; without value the cell keeps its value"`
	keep  bool           // there is no value member, only a style
}

// ColumnWidth is one column of set_column_widths.
type ColumnWidth struct {
	Column string `json:"column" jsonschema:"letter such as B, or A:D"`
	Width  any    `json:"width" jsonschema:"in characters, 0 to 255, or auto: as wide as what the cells show"`
}

// ChartSeries is one series of add_chart.
type ChartSeries struct {
	Name       string `json:"name,omitempty" jsonschema:"text, or a cell as =B1"`
	Categories string `json:"categories,omitempty" jsonschema:"range of the labels (scatter: of x)"`
	Values     string `json:"values" jsonschema:"range, such as B2:B9 or Data!B2:B9"`
}

// RowHeight is one row of set_row_heights.
type RowHeight struct {
	Row    lenient.Int `json:"row" jsonschema:"1-based row number"`
	Height float64     `json:"height" jsonschema:"in points, 0 to 409"`
}

var opNames = []string{"ensure_sheet", "set_cells", "set_range", "delete_sheet", "set_column_widths", "set_row_heights", "freeze_panes", "set_style", "merge_cells", "unmerge_cells", "autofilter", "set_hyperlink", "add_table", "add_image", "add_chart", "conditional_format", "data_validation", "add_comment", "delete_comment", "copy_styles", "copy_sheet_from"}

// Operation gives the struct that one op decodes into, and the op names.
func (editor) Operation() (zero any, names []string) {
	return Operation{}, append(opNames[:len(opNames):len(opNames)], structuralNames...)
}

// decodeOp reads one op; the name it gives is known also when the rest fails.
func decodeOp(raw json.RawMessage) (op Operation, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&op); err != nil {
		var head struct {
			Op string `json:"op"`
		}
		_ = json.Unmarshal(raw, &head)
		op.Op = head.Op
		var te *json.UnmarshalTypeError
		if errors.As(err, &te) && te.Field != "" {
			return op, formats.Errorf(formats.CodeInvalid, "%s: expected %s, got a JSON %s", te.Field, shapeOf(te.Field, te.Type.String()), te.Value)
		}
		if op.Op == "" && errors.As(err, &te) {
			return op, formats.Errorf(formats.CodeInvalid, "an operation must be an object with a member op")
		}
		return op, formats.Errorf(formats.CodeInvalid, "the operation is malformed: %s", lenient.Problem(err))
	}
	if op.Search == "" && op.Op == "replace_text" {
		var old struct {
			Find string `json:"find"` // what search was called
		}
		_ = json.Unmarshal(raw, &old)
		op.Search = old.Find
	}
	op.markKept(raw)
	return op, nil
}

// markKept marks the cells that give a style but no value: unlike a null it
// leaves what is there.
func (op *Operation) markKept(raw json.RawMessage) {
	var given struct {
		Cells []map[string]json.RawMessage `json:"cells"`
	}
	for i, c := range op.Cells {
		if c.Style == nil || c.Value != nil {
			continue
		}
		if given.Cells == nil && json.Unmarshal(raw, &given) != nil {
			return
		}
		_, has := given.Cells[i]["value"]
		op.Cells[i].keep = !has
	}
}

func shapeOf(field, goType string) string {
	switch {
	case strings.HasPrefix(field, "values"):
		return "an array of rows, each an array of values"
	case field == "cells":
		return `an array of {"cell","value"}`
	case goType == "string":
		return "a string"
	case goType == "float64":
		return "a number"
	}
	return "another type"
}

type valueKind uint8

const (
	valClear valueKind = iota
	valNumber
	valBool
	valText
	valFormula
	valArray // as valFormula, an array formula in one cell
	valRich  // s is the content of an <is> element, as XML without prefixes
)

// value is what a cell is to hold. s is the number as written, "1"/"0", the
// text, the formula as stored without '=', or XML.
type value struct {
	kind valueKind
	s    string
}

// formula reports whether the value is a formula of either kind.
func (v value) formula() bool { return v.kind == valFormula || v.kind == valArray }

const (
	maxCellText    = 32767
	maxFormulaText = 8192
)

// cellValue reads a JSON value (decoded with UseNumber).
func cellValue(v any, asText bool) (value, error) {
	switch v := v.(type) {
	case nil:
		return value{}, nil
	case bool:
		if asText {
			return value{valText, strings.ToUpper(strconv.FormatBool(v))}, nil
		}
		if v {
			return value{valBool, "1"}, nil
		}
		return value{valBool, "0"}, nil
	case json.Number:
		if asText {
			return value{valText, v.String()}, nil
		}
		if f, err := v.Float64(); err != nil || math.IsInf(f, 0) {
			return value{}, formats.Errorf(formats.CodeInvalid, "the number %s is beyond what a cell can hold", cellref.QuoteArg(v.String()))
		}
		return value{valNumber, v.String()}, nil
	case string:
		return textValue(v, asText)
	}
	return value{}, formats.Errorf(formats.CodeInvalid, "a value must be a string, number, boolean or null, got %s", jsonKind(v))
}

func jsonKind(v any) string {
	switch v.(type) {
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return fmt.Sprintf("%T", v)
}

func textValue(s string, asText bool) (value, error) {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if f, ok := strings.CutPrefix(s, "="); ok && !asText && f != "" {
		f = strings.TrimSpace(f)
		if err := checkFormula(f); err != nil {
			return value{}, err
		}
		return value{valFormula, formula.Stored(f)}, nil
	}
	if f, ok := strings.CutPrefix(strings.TrimSpace(s), "{="); ok && !asText && strings.HasSuffix(f, "}") {
		f = strings.TrimSpace(f[:len(f)-1])
		if err := checkFormula(f); err != nil {
			return value{}, err
		}
		return value{valArray, formula.Stored(f)}, nil
	}
	if n := sheetml.UTF16Len(s); n > maxCellText {
		return value{}, formats.Errorf(formats.CodeInvalid, "the text has %d characters; a cell holds at most %d", n, maxCellText)
	}
	return value{valText, s}, nil
}

// checkFormula refuses what would make Excel offer a repair: it does not prove
// that a formula is right.
func checkFormula(f string) error {
	bad := func(why string) error {
		return formats.Errorf(formats.CodeInvalid, `the formula =%s is malformed: %s (for text that begins with "=" give "type":"text")`, cellref.QuoteArg(f), why)
	}
	if sheetml.UTF16Len(f) > maxFormulaText {
		return formats.Errorf(formats.CodeInvalid, "a formula has %d characters; the limit is %d", sheetml.UTF16Len(f), maxFormulaText)
	}
	depth := 0
	for t := range formula.Tokens(f) {
		switch c := f[t.Start]; {
		case strings.HasPrefix(f[t.Start:], "[@"):
			return bad("[@Column] needs the name of its table: Table1[@Column]")
		case c == '"' || c == '\'':
			if n := strings.Count(f[t.Start:t.End], string(c)); n%2 != 0 {
				return bad("a quote is not closed")
			}
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth < 0 {
				return bad("a bracket closes that is not open")
			}
		}
	}
	if depth != 0 {
		return bad("a bracket is not closed")
	}
	if strings.TrimSpace(f) == "" {
		return bad("it is empty")
	}
	return nil
}

// checkSheetName holds a new name against Excel's rules.
func checkSheetName(name string) error {
	bad := func(why string) error {
		return formats.Errorf(formats.CodeInvalid, "invalid sheet name %q: %s", name, why)
	}
	switch {
	case strings.TrimSpace(name) == "":
		return formats.Errorf(formats.CodeInvalid, "sheet is required")
	case sheetml.UTF16Len(name) > maxSheetNameLen:
		return bad(fmt.Sprintf("it has %d characters, at most %d are allowed", sheetml.UTF16Len(name), maxSheetNameLen))
	case strings.ContainsAny(name, `:\/?*[]`):
		return bad(`the characters : \ / ? * [ ] are not allowed`)
	case strings.HasPrefix(name, "'") || strings.HasSuffix(name, "'"):
		return bad("it must not begin or end with an apostrophe")
	case strings.EqualFold(name, "history"):
		return bad("Excel keeps this name for itself")
	}
	for _, r := range name {
		if r < 0x20 || r == utf8.RuneError || r == 0xFFFE || r == 0xFFFF {
			return bad("it holds a control character")
		}
	}
	return nil
}
