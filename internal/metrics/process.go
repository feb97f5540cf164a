package metrics

import (
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"atelier/internal/cputime"
)

// fromRuntime are figures of Go's runtime, which it tells without stopping the program.
var fromRuntime = []struct{ name, help, of string }{
	{"go_goroutines", "Goroutines that exist.", "/sched/goroutines:goroutines"},
	{"go_memory_heap_bytes", "Memory of objects, live ones and those not yet collected.", "/memory/classes/heap/objects:bytes"},
	{"go_memory_total_bytes", "Memory that the Go runtime has mapped.", "/memory/classes/total:bytes"},
	{"go_memory_limit_bytes", "The Go runtime's memory limit.", "/gc/gomemlimit:bytes"},
}

var cycles = "/gc/cycles/total:gc-cycles"

// AddProcess adds figures of the process and of Go's runtime, under the names that
// Prometheus' own libraries use where they mean the same.
func (s *Set) AddProcess() {
	if s == nil {
		return
	}
	started := float64(time.Now().UnixMilli()) / 1000
	s.Gauges("go_info", "The version of Go.", []string{"version"}, func(emit func(float64, ...string)) { emit(1, runtime.Version()) })
	for _, f := range fromRuntime {
		s.Gauge(f.name, f.help, func() float64 { return sampled(f.of) })
	}
	s.CounterOf("go_gc_cycles_total", "Garbage collections.", func() float64 { return sampled(cycles) })
	s.Gauge("process_start_time_seconds", "When the figures began, as Unix time.", func() float64 { return started })
	if cputime.Used() > 0 {
		s.CounterOf("process_cpu_seconds_total", "Processor time used.", func() float64 { return cputime.Used().Seconds() })
	}
	if _, ok := resident(); ok {
		s.Gauge("process_resident_memory_bytes", "Memory in RAM.", func() float64 { n, _ := resident(); return n })
	}
	if _, ok := openFiles(); ok {
		s.Gauge("process_open_fds", "Open files and connections.", func() float64 { n, _ := openFiles(); return n })
	}
}

func sampled(name string) float64 {
	one := []metrics.Sample{{Name: name}}
	metrics.Read(one)
	switch one[0].Value.Kind() {
	case metrics.KindUint64:
		return float64(one[0].Value.Uint64())
	case metrics.KindFloat64:
		return one[0].Value.Float64()
	}
	return 0
}

// resident is the memory in RAM, where /proc tells it.
func resident() (float64, bool) {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseFloat(fields[1], 64)
	return pages * float64(os.Getpagesize()), err == nil
}

func openFiles() (float64, bool) {
	d, err := os.Open("/proc/self/fd")
	if err != nil {
		return 0, false
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	return float64(max(len(names)-1, 0)), err == nil // without d
}
