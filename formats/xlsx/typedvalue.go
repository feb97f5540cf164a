package xlsx

import (
	"encoding/json"
	"strings"

	"atelier/formats"
	"atelier/formats/xlsx/internal/cellref"
	"atelier/formats/xlsx/internal/formula"
)

// typedValue reads a value with the type that an operation gives for it, and
// the date that it becomes, nil for none.
func (p *plan) typedValue(at cellref.Cell, raw any, typ string) (value, *dateCell, error) {
	typ = strings.ToLower(typ)
	asText := typ == "text" || typ == "string"
	s, isText := raw.(string)
	switch typ {
	case "text", "string":
	case "", "auto":
	case "date":
		d, err := p.dated(at, raw, true)
		if err != nil || raw == nil {
			return value{}, nil, err
		}
		return value{valText, s}, d, nil
	case "number":
		if isText && !strings.HasPrefix(s, "=") {
			n := json.Number(strings.TrimSpace(s))
			if !numeral.MatchString(n.String()) {
				return value{}, nil, formats.Errorf(formats.CodeInvalid, `%s is not a number such as 1234.5; leave type out to store it as text`, cellref.QuoteArg(s))
			}
			raw = n
		}
	case "boolean":
		switch {
		case !isText || strings.HasPrefix(s, "="):
		case !strings.EqualFold(s, "true") && !strings.EqualFold(s, "false"):
			return value{}, nil, formats.Errorf(formats.CodeInvalid, `%s is neither true nor false; leave type out to store it as text`, cellref.QuoteArg(s))
		default:
			raw = strings.EqualFold(s, "true")
		}
	case "formula":
		if isText && s != "" && !strings.HasPrefix(s, "=") && !strings.HasPrefix(s, "{=") {
			raw = "=" + s
		}
	default:
		return value{}, nil, formats.Errorf(formats.CodeInvalid, `unknown type %q; leave it out, or give "text" or "date"`, cellref.QuoteArg(typ))
	}
	v, err := cellValue(raw, asText)
	if err != nil {
		return v, nil, err
	}
	if v.kind == valFormula {
		if name := formula.Spills(v.s); name != "" {
			p.spilling = append(p.spilling, name+" in "+cellref.Name(at.Row, at.Col))
		}
	}
	if asText || v.kind != valText {
		return v, nil, nil
	}
	d, err := p.dated(at, raw, false)
	return v, d, err
}
