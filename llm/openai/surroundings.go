package openai

import "strings"

// surroundings is what is known of the text so far: whether what comes next is
// quoted, as Markdown quotes (CommonMark 4.4, 4.5, 5.1, 6.1). Where it leaves a
// doubt, the text is taken to be quoted: a call that was meant and stays text
// does no harm.
type surroundings struct {
	spoken bool // something that is not blank
	block  run  // the fence of the block of code around, zero outside
	think  bool // inside <think>, which began a line
	tag    int  // bytes of the next such tag just before

	// of the line
	midway bool // it has something that is not blank
	indent int  // columns before that
	quote  bool // it begins with >
	listed bool // so far it has nothing but the marker of a list
	first  run  // the fence it begins with, or has in its middle, zero for none
	info   int  // words behind that fence
	gap    bool // the last byte behind it was blank
	ticks  int  // backticks just before
	inline int  // backticks that began the `code` we are in, 0 outside
}

// run is a row of backticks or tildes.
type run struct {
	mark      byte
	n, indent int
	open      bool // it may go on
}

func (r run) fences() bool { return r.n >= 3 }

// code reports whether what comes next is quoted.
func (c surroundings) code() bool {
	return c.think || c.block.fences() || c.first.fences() || c.quote || c.inline > 0 || c.ticks > 0 || c.indent >= 4
}

func (c *surroundings) step(b byte) {
	blank := b == ' ' || b == '\t' || b == '\r'
	switch {
	case b == '\n':
		c.endLine()
		return
	case blank && !c.midway:
		c.indent++
		if b == '\t' {
			c.indent += 3 - (c.indent-1)%4
		}
		return
	}
	begins := !c.midway || c.listed && !blank
	c.reasoning(b, !c.midway)
	if !blank {
		c.listed = (begins || c.listed) && strings.IndexByte("-*+.)0123456789", b) >= 0
		c.quote = c.quote || begins && b == '>'
		c.spoken, c.midway = true, true
	}
	c.tick(b)
	c.fence(b, begins, blank)
}

// fence keeps account of the row of marks that may begin a block of code, and of the
// words behind it.
func (c *surroundings) fence(b byte, begins, blank bool) {
	switch {
	case c.first.open && b == c.first.mark:
		c.first.n++
	case c.first.fences():
		if c.first.open = false; b == '`' && c.first.mark == '`' {
			c.info = manyWords // it is `code`, no fence
		} else if !blank && (c.info == 0 || c.gap) {
			c.info++
		}
		c.gap = blank
	case begins && b == '~' || b == '`' && c.inline == 0:
		c.first = run{b, 1, c.indent, true}
		if !begins {
			c.first.indent = notFirst
		}
	default:
		c.first = run{}
	}
}

const (
	manyWords = 100
	notFirst  = -1 // the indent of a fence in the middle of a line
)

// reasoning keeps account of <think> behind the beginning of an answer, where
// models try out calls that they do not mean.
func (c *surroundings) reasoning(b byte, begins bool) {
	tag := thinkOpen
	if c.think {
		tag, begins = thinkClose, true
	}
	switch {
	case b == tag[c.tag] && (c.tag > 0 || begins && (c.think || !c.code())):
		if c.tag++; c.tag == len(tag) {
			c.think, c.tag = !c.think, 0
		}
	case b == '<' && c.think:
		c.tag = 1
	default:
		c.tag = 0
	}
}

// tick keeps account of `code`.
func (c *surroundings) tick(b byte) {
	if b == '`' {
		c.ticks++
		return
	}
	switch {
	case c.ticks == 0:
	case c.inline == 0:
		c.inline = c.ticks
	case c.inline == c.ticks:
		c.inline = 0
	}
	c.ticks = 0
}

// endLine opens or closes a block of code.
func (c *surroundings) endLine() {
	f := c.first
	switch {
	case !f.fences():
	case c.block.fences():
		if f.mark == c.block.mark && f.n >= c.block.n && c.info == 0 && f.indent != notFirst && f.indent <= max(c.block.indent, 0)+3 {
			c.block = run{}
		}
	case f.indent == notFirst && c.info > 1, c.info >= manyWords: // a fence that is talked about
	default:
		c.block = f
	}
	*c = surroundings{spoken: c.spoken, block: c.block, think: c.think}
}

func (c surroundings) after(s string) surroundings {
	for i := range len(s) {
		c.step(s[i])
	}
	return c
}
