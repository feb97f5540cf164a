package looks

import (
	"strconv"
	"strings"

	"atelier/formats/ooxml/xmlscan"
)

var basicColors = map[string]string{"000000": "black", "FFFFFF": "white", "FF0000": "red", "00FF00": "green", "0000FF": "blue", "FFFF00": "yellow"}

// Color says a colour (18.8.3) in words.
func (lb *Book) Color(t xmlscan.Token) string {
	out := "automatic"
	for a := range t.Attrs() {
		v := a.Value()
		switch a.Name {
		case "rgb":
			if len(v) == 8 {
				v = v[2:]
			}
			if out = strings.ToUpper(v); basicColors[out] != "" {
				out = basicColors[out]
			}
		case "theme":
			out = themeColor(v)
		case "indexed":
			out = indexedColor(v)
		}
	}
	if n, err := strconv.ParseFloat(t.AttrLocal("tint"), 64); err == nil && n > 0.001 {
		out += " " + strconv.Itoa(int(n*100+0.5)) + "% lighter"
	} else if err == nil && n < -0.001 {
		out += " " + strconv.Itoa(int(0.5-n*100)) + "% darker"
	}
	return out
}

// themeColor names a colour of the theme by its place (20.1.6.2): the usual
// ones of text and background are white and black.
func themeColor(v string) string {
	names := []string{"white (background 1)", "black (text 1)", "background 2", "text 2", "accent 1", "accent 2", "accent 3", "accent 4", "accent 5", "accent 6", "link", "followed link"}
	if i, err := strconv.Atoi(v); err == nil && i >= 0 && i < len(names) {
		return names[i]
	}
	return "theme colour " + v
}

func indexedColor(v string) string {
	switch v {
	case "0", "8":
		return "black"
	case "1", "9":
		return "white"
	case "2", "10":
		return "red"
	case "3", "11":
		return "green"
	case "4", "12":
		return "blue"
	case "5", "13":
		return "yellow"
	case "64", "65", "81", "32767":
		return "automatic"
	}
	return "colour " + v
}

// Differ says in words what two looks differ in; "" for nothing.
func (l *Look) Differ(o *Look) (was, now string) {
	var a, b []string
	for i := range l.props {
		x, y := l.props[i], o.props[i]
		if x == y {
			continue
		}
		a, b = append(a, sayLook(i, x)), append(b, sayLook(i, y))
	}
	if len(a) == 0 && l.Rest != o.Rest {
		return "cell format", "cell format (in its details)"
	}
	return strings.Join(a, ", "), strings.Join(b, ", ")
}

func sayLook(i int, v string) string {
	switch {
	case v == "yes":
		return lookNames[i]
	case v == "" && lookNone[i] != "":
		v = lookNone[i]
	case v == "" && (i == lookBold || i == lookItalic || i == lookStrike || i == lookUnderline || i == lookWrap || i == lookShrink || i == lookHidden):
		return "not " + lookNames[i]
	case v == "" && i == lookUnlocked:
		return "locked"
	case v == "":
		return "no " + lookNames[i]
	}
	return lookNames[i] + " " + v
}

// Say describes the look, but for the defaults.
func (l *Look) Say() string {
	var out []string
	for i, v := range l.props {
		if v != "" {
			out = append(out, sayLook(i, v))
		}
	}
	if len(out) == 0 {
		return "plain"
	}
	return strings.Join(out, ", ")
}

// Hides says how a look hides what its cells hold; "" when it does not.
func (l *Look) Hides() string {
	if s := strings.ReplaceAll(l.props[lookNumber], " ", ""); s != "" && strings.Trim(s, ";") == "" {
		return "number format " + l.props[lookNumber] + " shows nothing"
	}
	ink, paper := plainColor(l.props[lookColor]), plainColor(l.props[lookFill])
	if ink == "" || ink == "automatic" {
		ink = "black"
	}
	if paper == "" || paper == "automatic" {
		paper = "white"
	}
	if ink == paper {
		return "text is " + ink + " on " + paper
	}
	if n, err := strconv.ParseFloat(l.props[lookSize], 64); err == nil && n < 2 {
		return "text of size " + l.props[lookSize]
	}
	return ""
}

// plainColor is a colour without its place in the theme, and without a shade of it
// that is hardly another colour.
func plainColor(s string) string {
	base, rest, _ := strings.Cut(s, " (")
	_, shade, _ := strings.Cut(rest, ") ")
	percent, _, _ := strings.Cut(shade, "%")
	if n, err := strconv.Atoi(percent); err == nil && n > 10 {
		return base + " " + shade
	}
	return base
}
