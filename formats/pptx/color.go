package pptx

import (
	"slices"
	"strings"

	"atelier/formats"
	"atelier/internal/lazyregexp"
)

var (
	hexColor    = lazyregexp.New(`^#?(?:[0-9A-Fa-f]{2})?([0-9A-Fa-f]{6})$`)
	shortColor  = lazyregexp.New(`^#?([0-9A-Fa-f])([0-9A-Fa-f])([0-9A-Fa-f])$`)
	themeColors = []string{"accent1", "accent2", "accent3", "accent4", "accent5", "accent6", "tx1", "tx2", "bg1", "bg2", "dk1", "dk2", "lt1", "lt2", "hlink", "folHlink"}
	namedColors = map[string]string{"black": "000000", "white": "FFFFFF", "red": "FF0000", "green": "008000", "blue": "0000FF", "yellow": "FFFF00", "orange": "FFA500", "purple": "800080", "gray": "808080", "grey": "808080", "brown": "A52A2A", "pink": "FFC0CB", "cyan": "00FFFF", "magenta": "FF00FF", "navy": "000080", "teal": "008080"}
)

// solidFill returns an a:solidFill for a colour: RRGGBB, a name of the theme
// such as accent1, or a plain English name.
func solidFill(color string) (string, error) {
	color = strings.TrimSpace(color)
	fill := func(kind, val string) (string, error) {
		return `<a:solidFill><a:` + kind + ` val="` + val + `"/></a:solidFill>`, nil
	}
	if m := hexColor.FindStringSubmatch(color); m != nil {
		return fill("srgbClr", strings.ToUpper(m[1]))
	}
	if m := shortColor.FindStringSubmatch(color); m != nil {
		return fill("srgbClr", strings.ToUpper(m[1]+m[1]+m[2]+m[2]+m[3]+m[3]))
	}
	if i := slices.IndexFunc(themeColors, func(c string) bool { return strings.EqualFold(c, color) }); i >= 0 {
		return fill("schemeClr", themeColors[i])
	}
	if rgb := namedColors[strings.ToLower(color)]; rgb != "" {
		return fill("srgbClr", rgb)
	}
	return "", formats.Errorf(formats.CodeInvalid, "%s is no colour; use RRGGBB or a theme colour such as accent1", quote(color))
}
