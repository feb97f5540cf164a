// Command cluster-simulation says what a cluster of many servers of atelier http would do, by a
// model whose parameters and whose check are measured with 1 to 5 servers: docs/cluster.md.
//
//	go run ./testdata/cluster-simulation               # 10, 100 and 1,000 servers
//	go run ./testdata/cluster-simulation -check        # 1 to 5 beside what was measured
//
// measured.json has what `go test ./cmd/atelier -run '^$' -bench HTTPClusterServers` and
// `go test ./internal/replica/stream -run '^$' -bench Appends` printed.
package main

import (
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
)

// Measured is measured.json.
type Measured struct {
	Parameters Parameters `json:"parameters"`
	Cores      float64    `json:"cores"` // of the machine that the test had, as others left them
	Runs       []Observed `json:"runs"`
	About      string     `json:"about"`
}

// Observed is a line of the benchmark.
type Observed struct {
	Servers    int     `json:"servers"`
	Writes     float64 `json:"writes_per_second"`
	WriteP50   float64 `json:"write_p50_ms"`
	Renewals   float64 `json:"renewals_per_second"`
	LeaseMS    float64 `json:"lease_ms"`
	TakeoverMS float64 `json:"takeover_ms"`
}

//go:embed measured.json
var measuredJSON []byte

func measured() (m Measured, err error) { return m, json.Unmarshal(measuredJSON, &m) }

func main() {
	servers := flag.String("servers", "10,100,1000", "how many servers, with commas")
	check := flag.Bool("check", false, "1 to 5 servers beside what was measured")
	s := Setup{}
	flag.IntVar(&s.Workspaces, "workspaces", 20, "at work on each server")
	flag.Float64Var(&s.Writes, "writes", 0.05, "of a workspace in a second")
	flag.Float64Var(&s.Reads, "reads", 0.5, "of a workspace in a second")
	flag.Float64Var(&s.Lease, "lease", 5000, "ms")
	flag.Float64Var(&s.MB, "mb", 20, "of a workspace, that a takeover fetches")
	flag.Float64Var(&s.Cores, "cores", 4, "of a server")
	flag.Float64Var(&s.Seconds, "seconds", 40, "that are simulated; one server dies in the middle")
	flag.Uint64Var(&s.Seed, "seed", 1, "the same seed gives the same result")
	serial := flag.Float64("serial", 0, "ms in which the leader of a stream takes no other message; 0: as measured")
	flag.Parse()
	m, err := measured()
	if err == nil {
		if *serial > 0 {
			m.Parameters.Serial = *serial
		}
		err = run(os.Stdout, m, s, *servers, *check)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(w io.Writer, m Measured, s Setup, servers string, check bool) error {
	if check {
		return compare(w, m, s.Seed)
	}
	fmt.Fprintln(w, "| servers | workspaces | writes/s | median, 99 % ms | reads/s | median, 99 % ms | renewals/s | log busy | leases busy | leases lost | takeover, median and 99 % s |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|---|---|---|---|---|")
	for _, text := range strings.Split(servers, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 {
			return fmt.Errorf("-servers %q: numbers from 1, with commas", servers)
		}
		s.Servers, s.Dies = n, n > 1
		r := Simulate(m.Parameters, s)
		takeover := "none"
		if r.TakeoverP50 > 0 {
			takeover = fmt.Sprintf("%.1f, %.1f", r.TakeoverP50/1000, r.TakeoverP99/1000)
		}
		fmt.Fprintf(w, "| %d | %d | %.0f | %.0f, %.0f | %.0f | %.1f, %.1f | %.0f | %.0f %% | %.0f %% | %d | %s |\n", n, n*s.Workspaces, r.Writes, r.WriteP50, r.WriteP99,
			r.Reads, r.ReadP50, r.ReadP99, r.Renewals, 100*r.LogBusy, 100*r.LeaseBusy, r.Lost, takeover)
	}
	return nil
}

// Compared is a prediction beside what was measured.
type Compared struct {
	Observed
	Predicted Result
}

// Off is how far a prediction is from what was measured, as a part of the latter.
func Off(predicted, measured float64) float64 { return math.Abs(predicted-measured) / measured }

// comparison predicts what was measured: a client of each server's workspace writes again and
// again, and all processes are on one machine.
func comparison(m Measured, seed uint64) (all []Compared) {
	for _, o := range m.Runs {
		s := Setup{Servers: o.Servers, Workspaces: 1, Lease: o.LeaseMS, Writers: 1, Cores: m.Cores, OneMachine: true, Seconds: 30, Seed: seed}
		r := Simulate(m.Parameters, s)
		if o.TakeoverMS > 0 {
			s.Dies, s.Writers, s.Writes = true, 0, 0
			var took []float64
			for i := range uint64(20) {
				s.Seed = seed + i
				took = append(took, Simulate(m.Parameters, s).TakeoverP50)
			}
			r.TakeoverP50 = percentile(took, 50)
		}
		all = append(all, Compared{o, r})
	}
	return all
}

func compare(w io.Writer, m Measured, seed uint64) error {
	fmt.Fprintln(w, "| servers | writes/s, measured and predicted | median ms | renewals/s | takeover s |")
	fmt.Fprintln(w, "|---|---|---|---|---|")
	for _, c := range comparison(m, seed) {
		fmt.Fprintf(w, "| %d | %.0f, %.0f | %.0f, %.0f | %.1f, %.1f | %.1f, %.1f |\n", c.Servers, c.Writes, c.Predicted.Writes, c.WriteP50, c.Predicted.WriteP50,
			c.Renewals, c.Predicted.Renewals, c.TakeoverMS/1000, c.Predicted.TakeoverP50/1000)
	}
	return nil
}
