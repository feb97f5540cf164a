package html

import (
	"context"
	"fmt"
	"strings"

	"atelier/formats"
	"atelier/formats/tags"
	"atelier/formats/text"
)

const (
	// maxDepth bounds the block elements that are open at once.
	maxDepth = 10_000
	// maxUnits bounds the segments of a page.
	maxUnits = 50_000
	// maxRunTokens bounds the markup in one segment; what is longer is two.
	maxRunTokens = 1_000
	// maxText bounds text without any markup, in bytes.
	maxText = 256 << 10
)

// frame is an open element that matters: a block, or one that changes what is
// translated.
type frame struct {
	name    string
	off     bool // its text is not taken
	pre     bool // blanks and line ends of its text count
	foreign bool // of SVG or MathML
}

// scanner finds the units of a page.
type scanner struct {
	page
	z      tokenizer
	stack  []frame
	counts map[string]int // names in stack
	run    run
	units  []text.Unit
	runs   int // with any text, so far
	attrs  int // likewise
	line   int // 1-based, of lineAt
	lineAt int
	langs  languages
	err    error
}

// run is the running text that the next token may continue.
type run struct {
	start, end int
	open       bool
	text       bool // there is text in it
	tokens     int
	breaks     int // <br> in a row
}

// scan finds all units.
func (sc *scanner) scan(ctx context.Context) error {
	for n := 0; sc.err == nil; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t, ok := sc.z.next()
		if !ok {
			break
		}
		sc.token(t)
	}
	sc.closeRun()
	return sc.err
}

func (sc *scanner) top() frame {
	if len(sc.stack) == 0 {
		return frame{}
	}
	return sc.stack[len(sc.stack)-1]
}

func (sc *scanner) token(t token) {
	f := sc.top()
	switch t.kind {
	case textToken, rawToken:
		if !f.off && t.end-t.start > maxText && (t.kind == textToken || f.name == "title" || f.name == "textarea") {
			sc.err = formats.Errorf(formats.CodeTooLarge, "the page has a text of %d bytes without a tag; %d are too many", t.end-t.start, maxText)
			return
		}
	}
	switch t.kind {
	case rawToken:
		if f.name == "title" || f.name == "textarea" {
			sc.rawText(t)
		}
	case textToken:
		if !f.off {
			sc.addText(t, f.pre)
		}
	case otherToken:
		if hasPrefixFold(sc.s[t.start:t.end], "<!doctype") {
			sc.closeRun()
		} else {
			sc.addMark(t)
		}
	case startToken:
		sc.startTag(t)
	case endToken:
		sc.endTag(t)
	}
}

// addText continues the run; a line end in preformatted text ends it.
func (sc *scanner) addText(t token, pre bool) {
	if !pre {
		sc.extendRun(t)
		return
	}
	for pos := t.start; pos < t.end; {
		end := t.end
		n := strings.IndexByte(sc.s[pos:end], '\n')
		if n >= 0 {
			end = pos + n
		}
		if end > pos {
			sc.extendRun(token{kind: textToken, start: pos, end: end})
		}
		if n >= 0 {
			sc.closeRun()
			end++
		}
		pos = end
	}
}

// extendRun puts a token of running text into the run.
func (sc *scanner) extendRun(t token) {
	blank := t.kind == textToken && strings.Trim(sc.s[t.start:t.end], " \t\r\n\f") == ""
	if !sc.run.open {
		if blank {
			return
		}
		sc.run = run{start: t.start, open: true}
	}
	sc.run.end = t.end
	sc.run.tokens++
	if t.kind == textToken && !blank {
		sc.run.text = true
		sc.run.breaks = 0
	}
	if sc.run.tokens > maxRunTokens {
		sc.closeRun()
	}
}

// closeRun makes a unit of the run.
func (sc *scanner) closeRun() {
	r := sc.run
	sc.run = run{}
	if !r.open || !r.text {
		return
	}
	sc.runs++
	if u, ok := sc.runUnit(r.start, r.end, sc.top().pre); ok {
		sc.add(fmt.Sprintf("h%d", sc.runs), sc.partName(), u)
	}
}

// partName returns the name of the innermost open element that has an entry in
// partOf.
func (sc *scanner) partName() string {
	for i := len(sc.stack) - 1; i >= 0 && i >= len(sc.stack)-8; i-- {
		if p := partOf[sc.stack[i].name]; p != "" {
			return p
		}
	}
	return "body"
}

// addPlain adds a segment without tags, when it is language.
func (sc *scanner) addPlain(id, part string, u text.Unit) {
	if text.Translatable(tags.Plain(u.Text)) {
		sc.add(id, part, u)
	}
}

func (sc *scanner) add(id, part string, u text.Unit) {
	if len(sc.units) >= maxUnits {
		sc.err = formats.Errorf(formats.CodeTooLarge, "the page has more than %d segments; split it", maxUnits)
		return
	}
	if u.Start >= sc.lineAt {
		sc.line += strings.Count(sc.s[sc.lineAt:u.Start], "\n")
		sc.lineAt = u.Start
	}
	u.ID, u.Part = id, part
	u.Place = fmt.Sprintf("line %d", sc.line)
	if part != "body" {
		u.Place += ", " + part
	}
	sc.units = append(sc.units, u)
}

// rawText adds the text of title and textarea, which cannot contain tags.
func (sc *scanner) rawText(t token) {
	if f := sc.top(); !f.off && strings.TrimSpace(sc.s[t.start:t.end]) != "" {
		sc.runs++
		sc.addPlain(fmt.Sprintf("h%d", sc.runs), sc.partName(), sc.rawUnit(t.start, t.end, f.name == "textarea"))
	}
}
