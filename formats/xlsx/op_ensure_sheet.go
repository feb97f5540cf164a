package xlsx

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/xlsx/internal/book"
	"atelier/formats/xlsx/internal/sheetml"
)

func (p *plan) ensureSheet(_ context.Context, op sheetArgs) (int, error) {
	_, err := p.ensure(op.Sheet)
	return 0, err
}

// checkSheetName holds a new name against Excel's rules.
func checkSheetName(name string) error {
	bad := func(why string) error {
		return formats.Errorf(formats.CodeInvalid, "invalid sheet name %q: %s", name, why)
	}
	switch {
	case strings.TrimSpace(name) == "":
		return formats.Errorf(formats.CodeInvalid, "sheet is required")
	case sheetml.UTF16Len(name) > book.MaxSheetNameLen:
		return bad(fmt.Sprintf("it has %d characters, at most %d are allowed", sheetml.UTF16Len(name), book.MaxSheetNameLen))
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
