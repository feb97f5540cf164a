package trace

import (
	"context"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Kind is what a span is to the process on the other side.
type Kind int

// The kinds, with their numbers in OTLP.
const (
	Internal Kind = 1
	Server   Kind = 2 // it answers a request
	Client   Kind = 3 // it makes one
)

// Attr is an attribute of a span.
type Attr struct {
	Key   string
	Value any // string, int64 or bool
}

// longest is how long a value may be, in bytes.
const longest = 128

// String is an attribute. What is longer than 128 bytes is cut.
func String(key, value string) Attr {
	value = strings.ToValidUTF8(value, "�")
	for len(value) > longest {
		_, n := utf8.DecodeLastRuneInString(value[:longest+1])
		value = value[:longest+1-n]
	}
	return Attr{key, value}
}

// Int is an attribute.
func Int[T int | int64 | uint64](key string, value T) Attr { return Attr{key, int64(value)} }

// Bool is an attribute.
func Bool(key string, value bool) Attr { return Attr{key, value} }

// Finished is a span that has ended.
type Finished struct {
	Trace  [16]byte
	ID     [8]byte
	Parent [8]byte // zero: it has none
	Remote bool    // the parent is of another process
	Name   string
	Kind   Kind
	Begun  time.Time
	Took   time.Duration
	Attrs  []Attr
	Failed bool
}

// Tracer makes spans.
type Tracer struct {
	// Sample decides whether a trace is recorded that begins here, or that another process
	// began (remote) with or without recording it. nil: as the other process decided, else yes.
	Sample func(id [16]byte, remote, recorded bool) bool
	// Ended is called with each span; it must not block.
	Ended func(Finished)
	// Alone: spans neither come from other processes nor go to them.
	Alone bool
}

// place is where a span is in its trace; without a span it says where the next one is.
type place struct {
	tracer   *Tracer
	trace    [16]byte // zero: the next span begins a trace
	span     [8]byte
	recorded bool
	remote   bool // span is of another process
}

type placeKey struct{}

func placeOf(ctx context.Context) (place, bool) {
	p, ok := ctx.Value(placeKey{}).(place)
	return p, ok
}

// Into returns a context in which Start begins a trace. A nil tracer makes no spans.
func (t *Tracer) Into(ctx context.Context) context.Context {
	if t == nil {
		return ctx
	}
	return context.WithValue(ctx, placeKey{}, place{tracer: t})
}

// In returns ctx with the span of another context, for work that outlives the other.
func In(ctx, of context.Context) context.Context {
	if p, ok := placeOf(of); ok {
		return context.WithValue(ctx, placeKey{}, p)
	}
	return ctx
}

// Root returns ctx as one in which Start begins another trace.
func Root(ctx context.Context) context.Context {
	if p, ok := placeOf(ctx); ok {
		return p.tracer.Into(ctx)
	}
	return ctx
}

// Span is work in progress. A nil span does nothing.
type Span struct {
	tracer *Tracer
	mu     sync.Mutex // protects what is below
	f      Finished
	over   bool
}

// Start begins a span. End it always.
func Start(ctx context.Context, name string, attrs ...Attr) (context.Context, *Span) {
	return StartKind(ctx, Internal, name, attrs...)
}

// StartKind is Start of a span of another kind.
func StartKind(ctx context.Context, kind Kind, name string, attrs ...Attr) (context.Context, *Span) {
	p, ok := placeOf(ctx)
	if !ok {
		return ctx, nil
	}
	f := Finished{Trace: p.trace, Parent: p.span, Remote: p.remote, Name: name, Kind: kind, Begun: time.Now(), Attrs: attrs}
	if p.trace == ([16]byte{}) {
		fill(f.Trace[:])
		p.recorded = p.tracer.samples(f.Trace, false, false)
	}
	fill(f.ID[:])
	p.trace, p.span, p.remote = f.Trace, f.ID, false
	ctx = context.WithValue(ctx, placeKey{}, p)
	if !p.recorded {
		return ctx, nil // other processes are told that they need not record it either
	}
	return ctx, &Span{tracer: p.tracer, f: f}
}

func (t *Tracer) samples(id [16]byte, remote, recorded bool) bool {
	if t.Sample == nil {
		return !remote || recorded
	}
	return t.Sample(id, remote, recorded)
}

// fill makes an id, which is never zero.
func fill(id []byte) {
	for i := range id {
		id[i] = byte(rand.Uint32())
	}
	id[len(id)-1] |= 1
}

// Set adds attributes.
func (s *Span) Set(attrs ...Attr) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.f.Attrs = append(s.f.Attrs, attrs...)
	}
}

// Name names a span whose name was not known when it began.
func (s *Span) Name(name string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.f.Name = name
}

// Fail says that the work failed, with the code of an error. A message does not belong here.
func (s *Span) Fail(code string) {
	if s == nil {
		return
	}
	s.Set(String("error.type", code))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.f.Failed = true
}

// FailIf is Fail where err is one.
func (s *Span) FailIf(err error, code string) {
	if err != nil {
		s.Fail(code)
	}
}

// End ends a span; a second End does nothing.
func (s *Span) End() {
	if s == nil {
		return
	}
	s.mu.Lock()
	f, over := s.f, s.over
	s.over = true
	s.mu.Unlock()
	if !over {
		f.Took = time.Since(f.Begun)
		s.tracer.Ended(f)
	}
}

// Parent is the header traceparent for another process; "": there is no span.
func Parent(ctx context.Context) string {
	p, ok := placeOf(ctx)
	if !ok || p.tracer.Alone || p.trace == ([16]byte{}) {
		return ""
	}
	flags := "00"
	if p.recorded {
		flags = "01"
	}
	return "00-" + hex.EncodeToString(p.trace[:]) + "-" + hex.EncodeToString(p.span[:]) + "-" + flags
}

// Continue returns ctx as one in which Start continues the span of another process. A
// parent that is none begins a trace, as in a context of Into; without one, nothing does.
func Continue(ctx context.Context, parent string) context.Context {
	p, ok := placeOf(ctx)
	if !ok {
		return ctx
	}
	next := place{tracer: p.tracer}
	recorded, valid := next.parse(parent)
	if valid && !p.tracer.Alone {
		next.remote, next.recorded = true, p.tracer.samples(next.trace, true, recorded)
	} else {
		next = place{tracer: p.tracer}
	}
	return context.WithValue(ctx, placeKey{}, next)
}

// parse reads a header traceparent. Later versions may have more after the flags.
func (p *place) parse(s string) (recorded, ok bool) {
	if len(s) < 55 || s[2] != '-' || s[35] != '-' || s[52] != '-' || s[:2] == "ff" || s[:2] == "00" && len(s) != 55 || len(s) > 55 && s[55] != '-' || strings.ToLower(s[:55]) != s[:55] {
		return false, false
	}
	var version, flags [1]byte
	for _, part := range []struct {
		to   []byte
		from string
	}{{version[:], s[:2]}, {p.trace[:], s[3:35]}, {p.span[:], s[36:52]}, {flags[:], s[53:55]}} {
		if _, err := hex.Decode(part.to, []byte(part.from)); err != nil {
			return false, false
		}
	}
	return flags[0]&1 != 0, p.trace != [16]byte{} && p.span != [8]byte{}
}
