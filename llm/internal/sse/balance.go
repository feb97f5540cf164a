package sse

// Balance follows a JSON text that arrives in pieces and tells when its one
// top-level value (object, array or string) is closed. It costs O(1) a byte
// however small the pieces are, where trying to parse again after every piece
// would be quadratic. The zero value is ready to use.
//
// It does not validate: a text that is closed may still be malformed.
type Balance struct {
	depth   int
	started bool
	done    bool
	inText  bool
	escaped bool
}

// Feed takes the next piece.
func (b *Balance) Feed(p []byte) {
	for i := 0; i < len(p) && !b.done; i++ {
		b.feed(p[i])
	}
}

func (b *Balance) feed(c byte) {
	switch {
	case b.escaped:
		b.escaped = false
	case b.inText && c == '\\':
		b.escaped = true
	case c == '"':
		b.inText = !b.inText
		b.started = true
		b.done = !b.inText && b.depth == 0
	case b.inText:
	case c == '{' || c == '[':
		b.depth++
		b.started = true
	case c == '}' || c == ']':
		b.depth--
		b.done = b.depth <= 0
	}
}

// Started reports whether a value has begun.
func (b *Balance) Started() bool { return b.started }

// Done reports whether the value is closed.
func (b *Balance) Done() bool { return b.done }
