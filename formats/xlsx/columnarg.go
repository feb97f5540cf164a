package xlsx

import (
	"encoding/json"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
)

// columnIndex reads the number of a column as JSON gave it, "2" or 2; a letter
// counts from A = 0.
func columnIndex(v any) (int, error) {
	switch v := v.(type) {
	case json.Number:
		if n, err := strconv.Atoi(v.String()); err == nil {
			return n, nil
		}
		if f, err := v.Float64(); err == nil && f == float64(int(f)) {
			return int(f), nil
		}
	case string:
		if n, err := strconv.Atoi(strings.TrimSpace(v)); err == nil {
			return n, nil
		}
		if a := cellref.ParseEnd(strings.TrimSpace(v)); a.Kind == cellref.ColumnEnd {
			return a.Col - 1, nil
		}
	}
	return 0, formats.Errorf(formats.CodeInvalid, "invalid column: %s (expected a letter such as C, or a number)", argText(v))
}

// columnNumber reads a column given as a letter or a 1-based number.
func columnNumber(v any) (int, error) {
	if s, ok := v.(string); ok {
		if a := cellref.ParseEnd(strings.TrimSpace(s)); a.Kind == cellref.ColumnEnd {
			return a.Col, nil
		}
	}
	n, err := columnIndex(v)
	if err == nil && (n < 1 || n > cellref.MaxCol) {
		err = formats.Errorf(formats.CodeInvalid, "invalid column: %d (expected a letter from A to XFD, or 1 to %d)", n, cellref.MaxCol)
	}
	return n, err
}

func argText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return cellref.QuoteArg(string(b))
}
