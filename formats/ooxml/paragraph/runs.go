package paragraph

import (
	"strings"
)

// Runs returns text as runs of one formatting, for a new paragraph: prefix is
// that of the elements, with colon, properties are the bytes of an rPr or "".
// Line breaks, and in Word tabs, become elements.
func Runs(d *Dialect, prefix, properties, text string) string {
	if text == "" {
		return ""
	}
	p := &Paragraph{source: &source{dialect: d, prefix: prefix}}
	run := func(content string) string { return "<" + prefix + "r>" + properties + content + "</" + prefix + "r>" }
	if d.breakInRun {
		return run(p.contentXML(text, -1))
	}
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteString("<" + prefix + "br>" + properties + "</" + prefix + "br>")
		}
		if line != "" {
			b.WriteString(run(p.textXML(line)))
		}
	}
	return b.String()
}
