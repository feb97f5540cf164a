package metrics

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// MaxSeries is how many combinations of values of labels a figure has at most.
const MaxSeries = 1000

// Other is the value of labels beyond MaxSeries.
const Other = "other"

// ContentType is that of what Set.Write writes.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Set is a list of figures. It is safe for concurrent use.
type Set struct {
	mu   sync.Mutex // protects list
	list []figure
}

// figure is a figure with all its series.
type figure interface {
	title() string
	write(w *bufio.Writer)
}

// NewSet returns a set without figures.
func NewSet() *Set { return &Set{} }

// Write writes all figures, in the order of their names.
func (s *Set) Write(w io.Writer) error {
	s.mu.Lock()
	list := slices.Clone(s.list)
	s.mu.Unlock()
	by := make(map[string]figure, len(list))
	for _, f := range list {
		by[f.title()] = f
	}
	b := bufio.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(by)) {
		by[name].write(b)
	}
	return b.Flush()
}

// add adds a figure. Names are constants of the program, so a wrong one is a mistake in it.
func (s *Set) add(f figure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.ContainsFunc(s.list, func(o figure) bool { return o.title() == f.title() }) {
		panic("metrics: there are two figures " + f.title())
	}
	s.list = append(s.list, f)
}

// head is what every figure has.
type head struct {
	name, help, kind string
	labels           []string
}

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func newHead(name, help, kind string, labels []string) head {
	for _, n := range append([]string{name}, labels...) {
		if !nameForm.MatchString(n) {
			panic(fmt.Sprintf("metrics: %q is not a name", n))
		}
	}
	return head{name, help, kind, labels}
}

func (h *head) title() string { return h.name }

var escapeHelp = strings.NewReplacer(`\`, `\\`, "\n", `\n`)

func (h *head) begin(w *bufio.Writer) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", h.name, escapeHelp.Replace(h.help), h.name, h.kind)
}

var escapeValue = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// sample writes one line. values are those of the labels; extra is one more label with its
// value, or nothing.
func (h *head) sample(w *bufio.Writer, suffix string, values []string, v float64, extra ...string) {
	w.WriteString(h.name + suffix)
	sep := byte('{')
	pair := func(label, value string) {
		w.WriteByte(sep)
		w.WriteString(label + `="` + escapeValue.Replace(strings.ToValidUTF8(value, "�")) + `"`)
		sep = ','
	}
	for i, l := range h.labels {
		pair(l, values[i])
	}
	if len(extra) == 2 {
		pair(extra[0], extra[1])
	}
	if sep == ',' {
		w.WriteByte('}')
	}
	w.WriteString(" " + number(v) + "\n")
}

// number writes a value as the format has it.
func number(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "+Inf"
	case math.IsInf(v, -1):
		return "-Inf"
	case math.IsNaN(v):
		return "NaN"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// series are the values of a figure by those of its labels.
type series[T any] struct {
	head
	mu   sync.Mutex // protects what is below and what is in it
	keys []string   // sorted
	by   map[string]*T
	make func() *T
}

const separator = "\xff" // in no valid UTF-8

// of returns the series with these values. mu is held.
func (s *series[T]) of(values []string) *T {
	if len(values) != len(s.labels) {
		panic(fmt.Sprintf("metrics: %s has the labels %v, not %d values", s.name, s.labels, len(values)))
	}
	key := strings.Join(values, separator)
	if v := s.by[key]; v != nil {
		return v
	}
	if len(s.by) >= MaxSeries-1 && len(s.labels) > 0 {
		key = strings.Repeat(Other+separator, len(s.labels)-1) + Other
		if v := s.by[key]; v != nil {
			return v
		}
	}
	v := s.make()
	s.by[key] = v
	at, _ := slices.BinarySearch(s.keys, key)
	s.keys = slices.Insert(s.keys, at, key)
	return v
}

// each calls f for every series in the order of its values. mu is held.
func (s *series[T]) each(f func(values []string, v *T)) {
	for _, key := range s.keys {
		var values []string
		if len(s.labels) > 0 {
			values = strings.Split(key, separator)
		}
		f(values, s.by[key])
	}
}

// Counter is a number that only grows, for each combination of values of its labels.
type Counter struct{ series[float64] }

// Counter adds a counter; nil for a nil set.
func (s *Set) Counter(name, help string, labels ...string) *Counter {
	if s == nil {
		return nil
	}
	c := &Counter{series[float64]{head: newHead(name, help, "counter", labels), by: map[string]*float64{}, make: func() *float64 { return new(float64) }}}
	if len(labels) == 0 {
		c.Add(0) // it is told before the first
	}
	s.add(c)
	return c
}

// Add adds n, which is not below 0, to the series with these values of the labels.
func (c *Counter) Add(n float64, values ...string) {
	if c == nil || !(n >= 0) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	*c.of(values) += n
}

func (c *Counter) write(w *bufio.Writer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begin(w)
	c.each(func(values []string, v *float64) { c.sample(w, "", values, *v) })
}

// Histogram counts observations by size, for each combination of values of its labels.
type Histogram struct {
	series[observed]
	bounds []float64
}

// observed are the observations of a series.
type observed struct {
	counts []uint64 // by bucket, each without those before; the last is above all bounds
	sum    float64
}

// Histogram adds a histogram; bounds are the upper ones of its buckets, in order. nil for a
// nil set.
func (s *Set) Histogram(name, help string, bounds []float64, labels ...string) *Histogram {
	if s == nil {
		return nil
	}
	if !slices.IsSorted(bounds) || len(bounds) == 0 {
		panic("metrics: the bounds of " + name + " are not in order")
	}
	h := &Histogram{bounds: slices.Clone(bounds)}
	h.series = series[observed]{head: newHead(name, help, "histogram", labels), by: map[string]*observed{},
		make: func() *observed { return &observed{counts: make([]uint64, len(bounds)+1)} }}
	s.add(h)
	return h
}

// Observe counts v in the series with these values of the labels.
func (h *Histogram) Observe(v float64, values ...string) {
	if h == nil || math.IsNaN(v) {
		return
	}
	at, _ := slices.BinarySearch(h.bounds, v) // the first bound that is not below v
	h.mu.Lock()
	defer h.mu.Unlock()
	o := h.of(values)
	o.counts[at]++
	o.sum += v
}

func (h *Histogram) write(w *bufio.Writer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begin(w)
	h.each(func(values []string, o *observed) {
		var n uint64
		for i, bound := range append(slices.Clone(h.bounds), math.Inf(1)) {
			n += o.counts[i]
			h.sample(w, "_bucket", values, float64(n), "le", number(bound))
		}
		h.sample(w, "_sum", values, o.sum)
		h.sample(w, "_count", values, float64(n))
	})
}

// asked is a figure that is asked for when it is written.
type asked struct {
	head
	each func(emit func(v float64, values ...string))
}

func (a *asked) write(w *bufio.Writer) {
	a.begin(w)
	left := MaxSeries
	a.each(func(v float64, values ...string) {
		if left--; left >= 0 && len(values) == len(a.labels) {
			a.sample(w, "", values, v)
		}
	})
}

// Gauge adds a number that goes up and down; value is called when it is written.
func (s *Set) Gauge(name, help string, value func() float64) {
	s.Gauges(name, help, nil, func(emit func(float64, ...string)) { emit(value()) })
}

// Gauges adds a gauge with labels; each emits its series, each once.
func (s *Set) Gauges(name, help string, labels []string, each func(emit func(v float64, values ...string))) {
	if s != nil {
		s.add(&asked{newHead(name, help, "gauge", labels), each})
	}
}

// CounterOf adds a counter that something else counts.
func (s *Set) CounterOf(name, help string, value func() float64) {
	if s != nil {
		s.add(&asked{newHead(name, help, "counter", nil), func(emit func(float64, ...string)) { emit(value()) }})
	}
}
