package formats

import "context"

// SheetViewer gives windows of the cells of a workbook, for programs that draw them.
type SheetViewer interface {
	// SheetWindow returns the cells of a window. A window that reaches over the end of
	// the sheet is cut there. Errors are *Error: CodeInvalid for a request that cannot be
	// met, CodeNotFound for an unknown sheet.
	SheetWindow(ctx context.Context, src Source, req SheetRequest) (*SheetWindow, error)
}

// SheetRequest says which window of which sheet is wanted.
type SheetRequest struct {
	Sheet   string // name in any case; "" is the first sheet that is shown and has cells
	Row     int    // first row, 1-based; 0 is 1
	Column  int    // first column, 1-based; 0 is 1
	Rows    int    // how many rows, at most 1000; 0 is 100
	Columns int    // how many columns, at most 500; 0 is 30
	Measure bool   // read the sheet to its end if that was not done yet, so that Exact is true
}

// SheetWindow is a part of a sheet. Rows and columns are counted from 1.
type SheetWindow struct {
	Sheets        []SheetTab   `json:"sheets" jsonschema:"all sheets, in order"`
	Sheet         string       `json:"sheet" jsonschema:"the name of the sheet that is shown"`
	Row           int          `json:"row" jsonschema:"the first row of the window"`
	Column        int          `json:"column" jsonschema:"the first column of the window"`
	RowCount      int          `json:"row_count" jsonschema:"less than was asked for at the end, and where the answer would be too large"`
	ColumnCount   int          `json:"column_count" jsonschema:"how many columns the window has"`
	TotalRows     int          `json:"total_rows" jsonschema:"the last row that holds anything"`
	TotalColumns  int          `json:"total_columns" jsonschema:"the last column that holds anything"`
	Exact         bool         `json:"exact" jsonschema:"false: the totals are what the file says of itself, and merged is not known"`
	Rows          []SheetRow   `json:"rows" jsonschema:"those that hold cells or have a height of their own"`
	Styles        []CellStyle  `json:"styles" jsonschema:"the looks that cells, rows and column_spans name, the first is number 1"`
	ColumnSpans   []ColumnSpan `json:"column_spans" jsonschema:"of the whole sheet, in order; other columns have the default width"`
	DefaultWidth  float64      `json:"default_width" jsonschema:"the width of other columns, in characters of the default font"`
	DefaultHeight float64      `json:"default_height" jsonschema:"the height of other rows, in points"`
	FrozenRows    int          `json:"frozen_rows,omitempty" jsonschema:"how many rows from the top stay when a program scrolls"`
	FrozenColumns int          `json:"frozen_columns,omitempty" jsonschema:"how many columns from the start stay when a program scrolls"`
	RightToLeft   bool         `json:"right_to_left,omitempty" jsonschema:"column A is at the right"`
	Merged        []string     `json:"merged,omitempty" jsonschema:"merged cells that meet the window, such as B2:D3"`
	Notes         []string     `json:"notes,omitempty" jsonschema:"what the cells do not show, in sentences"`
}

// SheetTab is a sheet in the list of all.
type SheetTab struct {
	Name   string `json:"name" jsonschema:"its name"`
	Kind   string `json:"kind" jsonschema:"worksheet, chartsheet, dialogsheet, macrosheet"`
	Hidden bool   `json:"hidden,omitempty" jsonschema:"it is hidden"`
}

// SheetRow is a row of a window.
type SheetRow struct {
	Row    int         `json:"row" jsonschema:"its number"`
	Height float64     `json:"height,omitempty" jsonschema:"points; 0: the default"`
	Hidden bool        `json:"hidden,omitempty" jsonschema:"it is hidden"`
	Style  int         `json:"style,omitempty" jsonschema:"of its cells that are not listed: an index into styles, from 1"`
	Cells  []SheetCell `json:"cells,omitempty" jsonschema:"its cells in the window that hold a value or show a format"`
}

// SheetCell is a cell that holds a value or shows a format.
type SheetCell struct {
	Column  int    `json:"column" jsonschema:"its column"`
	Text    string `json:"text,omitempty" jsonschema:"as it is shown"`
	Cut     bool   `json:"cut,omitempty" jsonschema:"the text is longer; ask for the cell alone to have it whole"`
	Value   string `json:"value,omitempty" jsonschema:"a number as it is stored, where text differs"`
	Formula string `json:"formula,omitempty" jsonschema:"with =; =… where it is too long to be given here"`
	Type    string `json:"type,omitempty" jsonschema:"number, date, boolean or error; left out for text"`
	Style   int    `json:"style,omitempty" jsonschema:"an index into styles, from 1; 0 is the plain style"`
}

// CellStyle is how cells look. Colors are RRGGBB; "" is the default.
type CellStyle struct {
	Bold         bool    `json:"bold,omitempty" jsonschema:"bold"`
	Italic       bool    `json:"italic,omitempty" jsonschema:"italic"`
	Underline    bool    `json:"underline,omitempty" jsonschema:"underlined, in any way"`
	Strike       bool    `json:"strike,omitempty" jsonschema:"struck through"`
	Font         string  `json:"font,omitempty" jsonschema:"the font, where it is not the default one"`
	Size         float64 `json:"size,omitempty" jsonschema:"points"`
	Color        string  `json:"color,omitempty" jsonschema:"the color of the text"`
	Fill         string  `json:"fill,omitempty" jsonschema:"the color behind it"`
	Align        string  `json:"align,omitempty" jsonschema:"left, center, right, fill, justify, centerContinuous, distributed"`
	Vertical     string  `json:"vertical_align,omitempty" jsonschema:"top, center, justify, distributed; left out for bottom"`
	Wrap         bool    `json:"wrap,omitempty" jsonschema:"the text breaks into lines"`
	Indent       int     `json:"indent,omitempty" jsonschema:"steps of indentation"`
	NumberFormat string  `json:"number_format,omitempty" jsonschema:"left out for General"`
	Top          string  `json:"border_top,omitempty" jsonschema:"line style and color: thin 000000"`
	Bottom       string  `json:"border_bottom,omitempty" jsonschema:"as border_top"`
	Left         string  `json:"border_left,omitempty" jsonschema:"as border_top"`
	Right        string  `json:"border_right,omitempty" jsonschema:"as border_top"`
}

// ColumnSpan is a run of columns with the same width.
type ColumnSpan struct {
	First  int     `json:"first" jsonschema:"the first column"`
	Last   int     `json:"last" jsonschema:"the last column"`
	Width  float64 `json:"width,omitempty" jsonschema:"characters of the default font (18.3.1.13); 0: the default"`
	Hidden bool    `json:"hidden,omitempty" jsonschema:"it is hidden"`
	Style  int     `json:"style,omitempty" jsonschema:"of its cells that are not listed: an index into styles, from 1"`
}
