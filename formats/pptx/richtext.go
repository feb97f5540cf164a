package pptx

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"atelier/formats"
	"atelier/formats/ooxml/element"
	"atelier/formats/ooxml/xmlscan"
	"atelier/internal/lenient"
)

// Run is text of one formatting. What is absent is as the text it replaces.
type Run struct {
	Text string `json:"text"`
	Font
	URL string `json:"url,omitempty" jsonschema:"makes the text a link"`
}

// Font is how text is set; what is absent is as before.
type Font struct {
	FontName  string         `json:"font_name,omitempty" group:"FONT"`
	FontSize  *lenient.Float `json:"font_size,omitempty" jsonschema:"points"`
	Bold      *lenient.Bool  `json:"bold,omitempty"`
	Italic    *lenient.Bool  `json:"italic,omitempty"`
	Underline *lenient.Bool  `json:"underline,omitempty"`
	FontColor string         `json:"font_color,omitempty" jsonschema:"RRGGBB, or a theme colour such as accent1"`
}

// over returns the font with the members of base where f says nothing.
func (f Font) over(base Font) Font {
	return Font{cmp.Or(f.FontName, base.FontName), cmp.Or(f.FontSize, base.FontSize), cmp.Or(f.Bold, base.Bold), cmp.Or(f.Italic, base.Italic),
		cmp.Or(f.Underline, base.Underline), cmp.Or(f.FontColor, base.FontColor)}
}

// withFont returns lines the font that an operation asks for all of their text.
func withFont(lines []line, all Font) []line {
	for i := range lines {
		l := &lines[i]
		if len(l.runs) == 0 && l.text != "" && all != (Font{}) {
			l.runs = []Run{{Text: l.text}}
		}
		for k := range l.runs {
			l.runs[k].Font = l.runs[k].Font.over(all)
		}
	}
	return lines
}

// ParagraphFormat is how a paragraph is set; what is absent is as before.
type ParagraphFormat struct {
	Level       *lenient.Int   `json:"level,omitempty" group:"LAYOUT" jsonschema:"outline level, 0 to 8"`
	Alignment   string         `json:"alignment,omitempty" jsonschema:"left, center, right or justify"`
	SpaceBefore *lenient.Float `json:"space_before,omitempty" jsonschema:"points"`
	SpaceAfter  *lenient.Float `json:"space_after,omitempty" jsonschema:"points"`
	LineSpacing *lenient.Float `json:"line_spacing,omitempty" jsonschema:"lines, such as 1.5; 10 and more are points"`
	Bullet      string         `json:"bullet,omitempty" jsonschema:"none, number, or a character such as •"`
}

// Paragraph is a paragraph to write: text, or runs of different formatting.
type Paragraph struct {
	Text string `json:"text,omitempty"`
	Runs []Run  `json:"runs,omitempty" jsonschema:"instead of text"`
	ParagraphFormat
	Font // of its text; runs may differ from it
}

// UnmarshalJSON implements json.Unmarshaler: a plain text will do.
func (p *Paragraph) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &p.Text) == nil {
		return nil
	}
	type plain Paragraph
	return json.Unmarshal(data, (*plain)(p))
}

// line returns the paragraph as a line to write; a line break in it stays
// inside.
func (p Paragraph) line() line {
	brk := strings.NewReplacer("\r\n", "\v", "\r", "\v", "\n", "\v")
	l := line{level: -1, text: brk.Replace(p.Text), format: p.ParagraphFormat}
	for _, r := range p.Runs {
		r.Text = brk.Replace(r.Text)
		l.runs = append(l.runs, r)
	}
	if p.Level != nil {
		l.level = int(*p.Level)
	} else if len(p.Runs) == 0 {
		l.text = strings.TrimLeft(l.text, "\t")
		if n := len(p.Text) - len(strings.TrimLeft(p.Text, "\t")); n > 0 {
			l.level = min(maxLevel, n)
		}
	}
	return withFont([]line{l}, p.Font)[0]
}

// splitRuns parts formatted text into paragraphs at its line breaks; tabs at
// the start of one are its level.
func splitRuns(runs []Run) []line {
	lines := []line{{}}
	for _, r := range runs {
		for i, text := range strings.Split(newlines(r.Text), "\n") {
			if i > 0 {
				lines = append(lines, line{})
			}
			l := &lines[len(lines)-1]
			if len(l.runs) == 0 {
				n := len(text) - len(strings.TrimLeft(text, "\t"))
				l.level, text = min(maxLevel, n), text[n:]
			}
			r.Text = text
			l.runs = append(l.runs, r)
		}
	}
	return lines
}

// withFormat returns lines the format that an operation asks for all of them.
func withFormat(lines []line, all ParagraphFormat) []line {
	for i := range lines {
		l := &lines[i]
		own := l.format
		l.format = all
		if own != (ParagraphFormat{}) {
			l.format = own.over(all)
		}
		if all.Level != nil && l.level <= 0 {
			l.level = int(*all.Level)
		}
	}
	return lines
}

// over is l with what it leaves open taken from all.
func (l ParagraphFormat) over(all ParagraphFormat) ParagraphFormat {
	if l.Alignment == "" {
		l.Alignment = all.Alignment
	}
	if l.Bullet == "" {
		l.Bullet = all.Bullet
	}
	for _, f := range []struct {
		own **lenient.Float
		all *lenient.Float
	}{{&l.SpaceBefore, all.SpaceBefore}, {&l.SpaceAfter, all.SpaceAfter}, {&l.LineSpacing, all.LineSpacing}} {
		if *f.own == nil {
			*f.own = f.all
		}
	}
	return l
}

var alignments = map[string]string{"left": "l", "center": "ctr", "centre": "ctr", "right": "r", "justify": "just", "distribute": "dist", "l": "l", "ctr": "ctr", "r": "r", "just": "just"}

// check says what of a format cannot be written.
func (l ParagraphFormat) check() error {
	if l.Level != nil && (*l.Level < 0 || *l.Level > maxLevel) {
		return formats.Errorf(formats.CodeInvalid, "level must be 0 to %d, not %d", maxLevel, int(*l.Level))
	}
	if l.Alignment != "" && alignments[strings.ToLower(l.Alignment)] == "" {
		return formats.Errorf(formats.CodeInvalid, "alignment must be left, center, right or justify, not %s", quote(l.Alignment))
	}
	for _, f := range []struct {
		name  string
		value *lenient.Float
	}{{"space_before", l.SpaceBefore}, {"space_after", l.SpaceAfter}, {"line_spacing", l.LineSpacing}} {
		if f.value != nil && (*f.value < 0 || *f.value > 1584) { // 21.1.10.72
			return formats.Errorf(formats.CodeInvalid, "%s must be 0 to 1584, not %v", f.name, *f.value)
		}
	}
	if b := l.Bullet; b != "" && b != "none" && b != "number" && utf8.RuneCountInString(b) > 1 {
		return formats.Errorf(formats.CodeInvalid, "bullet must be none, number or one character, not %s", quote(b))
	}
	return nil
}

// checkLines says what of the lines cannot be written.
func checkLines(lines []line) error {
	for _, l := range lines {
		if err := l.format.check(); err != nil {
			return err
		}
		for _, r := range l.runs {
			if r.URL != "" {
				if err := formats.CheckLink(r.URL); err != nil {
					return err
				}
			}
			if r.FontColor != "" {
				if _, err := solidFill(r.FontColor); err != nil {
					return err
				}
			}
			if s := r.FontSize; s != nil && (*s < 1 || *s > 4000) { // 21.1.10.68
				return formats.Errorf(formats.CodeInvalid, "font_size must be 1 to 4000 points, not %v", *s)
			}
		}
	}
	return nil
}

// apply puts the format into the paragraph properties raw.
func (l ParagraphFormat) apply(raw []byte, name string, strict bool) []byte {
	l.Level = nil // is in raw already
	if l == (ParagraphFormat{}) {
		return raw
	}
	e := paraProps(raw, name)
	if l.Alignment != "" {
		e.SetAttr("algn", alignments[strings.ToLower(l.Alignment)])
	}
	points := func(f *lenient.Float) string {
		return fmt.Sprintf(`<a:spcPts val="%d"/>`, int(math.Round(float64(*f)*100)))
	}
	if f := l.LineSpacing; f != nil {
		val := points(f)
		if *f < 10 {
			val = `<a:spcPct val="` + percent(float64(*f), strict) + `"/>`
		}
		putChild(e, "lnSpc", `<a:lnSpc>`+val+`</a:lnSpc>`)
	}
	if l.SpaceBefore != nil {
		putChild(e, "spcBef", `<a:spcBef>`+points(l.SpaceBefore)+`</a:spcBef>`)
	}
	if l.SpaceAfter != nil {
		putChild(e, "spcAft", `<a:spcAft>`+points(l.SpaceAfter)+`</a:spcAft>`)
	}
	l.bullet(e)
	return []byte(e.Optional())
}

// bullet sets the bullet. Text without one has no hanging indent; a bullet
// needs one where neither paragraph nor outline has it.
func (l ParagraphFormat) bullet(e *element.Element) {
	others := []string{"buNone", "buAutoNum", "buChar", "buBlip"}
	switch l.Bullet {
	case "":
		return
	case "none":
		e.SetAttr("marL", "0")
		e.SetAttr("indent", "0")
		putChild(e, "buNone", `<a:buNone/>`, others...)
		return
	case "number":
		putChild(e, "buFont", `<a:buFont typeface="+mj-lt"/>`, "buFontTx")
		putChild(e, "buAutoNum", `<a:buAutoNum type="arabicPeriod"/>`, others...)
	default:
		putChild(e, "buFont", `<a:buFont typeface="Arial"/>`, "buFontTx")
		putChild(e, "buChar", `<a:buChar char="`+xmlscan.Escape(l.Bullet)+`"/>`, others...)
	}
	e.SetAttr("marL", "342900")
	e.SetAttr("indent", "-342900")
}

// percent returns a percentage as the vocabulary writes it: thousandths of a
// percent, or in strict documents with its sign (22.9.2.9).
func percent(of1 float64, strict bool) string {
	if strict {
		return fmt.Sprintf("%d%%", int(math.Round(of1*100)))
	}
	return fmt.Sprintf("%d", int(math.Round(of1*100000)))
}

// apply puts the run's formatting into the run properties raw.
func (r Run) apply(raw []byte, name string) []byte {
	e := runProps(raw, name)
	flag := func(attr string, b *lenient.Bool, on, off string) {
		if b != nil && bool(*b) {
			e.SetAttr(attr, on)
		} else if b != nil {
			e.SetAttr(attr, off)
		}
	}
	flag("b", r.Bold, "1", "0")
	flag("i", r.Italic, "1", "0")
	flag("u", r.Underline, "sng", "none")
	if r.FontSize != nil {
		e.SetAttr("sz", fmt.Sprint(int(math.Round(float64(*r.FontSize)*100))))
	}
	if r.FontColor != "" {
		if fill, err := solidFill(r.FontColor); err == nil { // checked before
			putChild(e, "solidFill", fill, "noFill", "gradFill", "blipFill", "pattFill", "grpFill")
		}
	}
	if r.FontName != "" {
		for _, script := range []string{"latin", "ea", "cs"} {
			putChild(e, script, `<a:`+script+` typeface="`+xmlscan.Escape(r.FontName)+`"/>`)
		}
	}
	return []byte(e.Optional())
}
