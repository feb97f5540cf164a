package metrics

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// parsed reads what a set writes with Prometheus' own reader.
func parsed(t require.TestingT, s *Set) map[string]*dto.MetricFamily {
	var b bytes.Buffer
	require.NoError(t, s.Write(&b))
	p := expfmt.NewTextParser(model.LegacyValidation)
	out, err := p.TextToMetricFamilies(&b)
	require.NoError(t, err, "%s", b.String())
	return out
}

func labelsOf(m *dto.Metric) string {
	var out []string
	for _, l := range m.GetLabel() {
		out = append(out, l.GetName()+"="+l.GetValue())
	}
	return strings.Join(out, " ")
}

func TestText(t *testing.T) {
	s := NewSet()
	c := s.Counter("calls_total", "Calls \\ of\ntools.", "tool", "outcome")
	c.Add(1, "read", "ok")
	c.Add(2, "read", "ok")
	c.Add(1, `a"b\c`+"\n", "failed")
	c.Add(-5, "read", "ok")         // a counter never falls
	c.Add(math.NaN(), "read", "ok") // and stays a number
	s.Counter("nothing_total", "None yet.")
	s.Gauge("runs", "Runs.", func() float64 { return 3 })
	h := s.Histogram("seconds", "Times.", []float64{0.1, 1}, "route")
	for _, v := range []float64{0.05, 0.1, 0.5, 7} {
		h.Observe(v, "/a")
	}
	var b bytes.Buffer
	require.NoError(t, s.Write(&b))
	require.Equal(t, `# HELP calls_total Calls \\ of\ntools.
# TYPE calls_total counter
calls_total{tool="a\"b\\c\n",outcome="failed"} 1
calls_total{tool="read",outcome="ok"} 3
# HELP nothing_total None yet.
# TYPE nothing_total counter
nothing_total 0
# HELP runs Runs.
# TYPE runs gauge
runs 3
# HELP seconds Times.
# TYPE seconds histogram
seconds_bucket{route="/a",le="0.1"} 2
seconds_bucket{route="/a",le="1"} 3
seconds_bucket{route="/a",le="+Inf"} 4
seconds_sum{route="/a"} 7.65
seconds_count{route="/a"} 4
`, b.String())
	got := parsed(t, s)
	require.Equal(t, dto.MetricType_COUNTER, got["calls_total"].GetType())
	require.Equal(t, "Calls \\ of\ntools.", got["calls_total"].GetHelp())
	require.Equal(t, "tool=a\"b\\c\n outcome=failed", labelsOf(got["calls_total"].GetMetric()[0]))
	hist := got["seconds"].GetMetric()[0].GetHistogram()
	require.Equal(t, uint64(4), hist.GetSampleCount())
	require.Equal(t, uint64(2), hist.GetBucket()[0].GetCumulativeCount(), "a bound belongs to its bucket")
}

// TestReadByPrometheus: whatever was counted, Prometheus' reader gets the same numbers.
func TestReadByPrometheus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := NewSet()
		c, h := s.Counter("c_total", rapid.String().Draw(t, "help"), "a", "b"), s.Histogram("h", "", []float64{-1, 0.25, 3, 1e9}, "a")
		want, observed := map[string]float64{}, map[string][]float64{}
		value := rapid.OneOf(rapid.SampledFrom([]string{"", "x", `"`, `\n`, "\n", "ü", "\xff", "{}, "}), rapid.String())
		for range rapid.IntRange(0, 30).Draw(t, "n") {
			a, b := strings.ToValidUTF8(value.Draw(t, "a"), "�"), strings.ToValidUTF8(value.Draw(t, "b"), "�")
			n := rapid.Float64Range(0, 1e12).Draw(t, "v")
			c.Add(n, a, b)
			want["a="+a+" b="+b] += n
			v := rapid.Float64Range(-1e10, 1e10).Draw(t, "o")
			h.Observe(v, a)
			observed["a="+a] = append(observed["a="+a], v)
		}
		got := parsed(t, s)
		require.Len(t, got["c_total"].GetMetric(), len(want))
		for _, m := range got["c_total"].GetMetric() {
			require.Equal(t, want[labelsOf(m)], m.GetCounter().GetValue())
		}
		for _, m := range got["h"].GetMetric() {
			all := observed[labelsOf(m)]
			require.Equal(t, uint64(len(all)), m.GetHistogram().GetSampleCount())
			for _, b := range m.GetHistogram().GetBucket() {
				n := uint64(0)
				for _, v := range all {
					if v <= b.GetUpperBound() {
						n++
					}
				}
				require.Equal(t, n, b.GetCumulativeCount(), "%v", b.GetUpperBound())
			}
		}
	})
}

// TestBounded: values that nobody foresaw do not grow a figure without bound, and are told.
func TestBounded(t *testing.T) {
	s := NewSet()
	c := s.Counter("c_total", "C.", "a", "b")
	for i := range 3 * MaxSeries {
		c.Add(1, strconv.Itoa(i), "x")
	}
	got := parsed(t, s)["c_total"].GetMetric()
	require.Len(t, got, MaxSeries)
	sum, others := 0.0, 0.0
	for _, m := range got {
		sum += m.GetCounter().GetValue()
		if labelsOf(m) == "a=other b=other" {
			others = m.GetCounter().GetValue()
		}
	}
	require.Equal(t, 3.0*MaxSeries, sum, "nothing is lost")
	require.Equal(t, 2.0*MaxSeries+1, others)
	s.Gauges("g", "G.", []string{"a"}, func(emit func(float64, ...string)) {
		for i := range 2 * MaxSeries {
			emit(1, strconv.Itoa(i))
		}
	})
	require.Len(t, parsed(t, s)["g"].GetMetric(), MaxSeries)
}

// TestOff: without a set nothing is counted and nothing fails.
func TestOff(t *testing.T) {
	var s *Set
	s.Counter("c_total", "C.", "a").Add(1, "x")
	s.Histogram("h", "H.", []float64{1}, "a").Observe(1, "x")
	s.Gauge("g", "G.", func() float64 { return 1 })
	s.CounterOf("d_total", "D.", func() float64 { return 1 })
	s.AddProcess()
	c := s.Counter("e_total", "E.")
	require.Zero(t, testing.AllocsPerRun(100, func() { c.Add(1) }))
}

func TestProcess(t *testing.T) {
	s := NewSet()
	s.AddProcess()
	got := parsed(t, s)
	for _, name := range []string{"go_goroutines", "go_memory_heap_bytes", "go_memory_total_bytes", "go_memory_limit_bytes", "process_start_time_seconds"} {
		require.Positive(t, got[name].GetMetric()[0].GetGauge().GetValue(), name)
	}
	require.Equal(t, dto.MetricType_COUNTER, got["go_gc_cycles_total"].GetType())
}

// TestAtTheSameTime: figures are counted and read at once.
func TestAtTheSameTime(t *testing.T) {
	s := NewSet()
	c, h := s.Counter("c_total", "C.", "a"), s.Histogram("h", "H.", []float64{1, 2}, "a")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 200 {
				c.Add(1, fmt.Sprint(j%5))
				h.Observe(float64(i%4), fmt.Sprint(j%5))
				if j%50 == 0 {
					require.NoError(t, s.Write(&bytes.Buffer{}))
				}
			}
		})
	}
	wg.Wait()
	n, seen := 0.0, uint64(0)
	got := parsed(t, s)
	for i := range 5 {
		n += got["c_total"].GetMetric()[i].GetCounter().GetValue()
		seen += got["h"].GetMetric()[i].GetHistogram().GetSampleCount()
	}
	require.Equal(t, 1600.0, n)
	require.Equal(t, uint64(1600), seen)
}

func TestMistakes(t *testing.T) {
	s := NewSet()
	c := s.Counter("c_total", "C.", "a")
	require.Panics(t, func() { s.Counter("c_total", "C.") }, "twice")
	require.Panics(t, func() { s.Counter("C total", "C.") }, "no name")
	require.Panics(t, func() { c.Add(1) }, "a value is missing")
	require.Panics(t, func() { s.Histogram("h", "H.", []float64{2, 1}) }, "not in order")
}
