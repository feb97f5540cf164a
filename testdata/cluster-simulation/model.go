package main

import (
	"container/heap"
	"math/rand/v2"
	"slices"
)

// Parameters are what is measured (go test ./cmd/atelier -bench HTTPClusterServers). Times are
// in milliseconds.
type Parameters struct {
	WriteCPU float64 `json:"write_cpu_ms"`  // processor time of the server for a write
	ReadCPU  float64 `json:"read_cpu_ms"`   // and for a read
	NatsCPU  float64 `json:"nats_cpu_ms"`   // of all three NATS servers together for a record in the log
	Client   float64 `json:"client_cpu_ms"` // of the client, where it is on the same machine
	RenewCPU float64 `json:"renew_cpu_ms"`  // as NatsCPU, for a renewal of a lease or a claim
	Serial   float64 `json:"serial_ms"`     // in which the leader of a stream takes no other message
	Delay    float64 `json:"delay_ms"`      // of a record besides, on its way and on the disks
	PassCPU  float64 `json:"pass_cpu_ms"`   // of the server that passes a request on
	Restore  float64 `json:"restore_ms"`    // of a takeover: claim, reading the log, opening
	RestoreM float64 `json:"restore_mb_ms"`
}

// Setup is a cluster and what is asked of it.
type Setup struct {
	Servers    int
	Workspaces int     // of each server
	Lease      float64 // ms
	Writers    int     // clients of each workspace that write again and again; 0: Writes
	Writes     float64 // of a workspace in a second, at random times
	Reads      float64 // likewise
	MB         float64 // of a workspace, that a takeover fetches
	Cores      float64 // of a server; of the one machine where all are on it
	OneMachine bool    // servers and NATS share a machine, as when it was measured
	Dies       bool    // one server dies in the middle
	Seconds    float64
	Seed       uint64
}

// Result is what a simulation saw.
type Result struct {
	Writes, Reads    float64 // acknowledged in a second
	WriteP50         float64
	WriteP99         float64
	ReadP50, ReadP99 float64
	Renewals         float64 // of leases in a second
	LogBusy          float64 // part of the time in which the leader of the log is busy
	LeaseBusy        float64 // likewise of the leases
	Lost             int     // leases that ended though their server lived, with all workspaces of it
	TakeoverP50      float64 // from the death to the first write that is acknowledged
	TakeoverP99      float64
}

// queue serves jobs in the order in which they come, on some cores of a speed.
type queue struct {
	free  []float64 // when each core is free
	speed []float64 // of each; the last one may have less than 1
	busy  float64
}

func newQueue(cores float64) *queue {
	q := &queue{}
	for ; cores > 0.001; cores-- {
		q.free, q.speed = append(q.free, 0), append(q.speed, min(1, cores))
	}
	return q
}

// serve returns when a job has ended that comes now, and is not earlier than others before it:
// it gets the core that has done it first.
func (q *queue) serve(now, work float64) float64 {
	at, ends := 0, 0.0
	for i, f := range q.free {
		if end := max(now, f) + work/q.speed[i]; i == 0 || end < ends {
			at, ends = i, end
		}
	}
	q.busy += work / q.speed[at]
	q.free[at] = ends
	return ends
}

type event struct {
	at  float64
	seq int // events of one time have an order, so that a seed has one result
	do  func(now float64)
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].seq < e[j].seq
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// server has the lease by which it has its workspaces.
type server struct {
	until float64 // the lease can be relied on
	ends  float64 // others may end it
	dead  bool
}

// workspace is one of a server.
type workspace struct {
	server int
	flying bool // a record is on its way
	waits  []func(now float64)
	gone   float64 // when its server died; 0: it lives
}

// simulation is one run.
type simulation struct {
	p       Parameters
	s       Setup
	r       *rand.Rand
	now     float64
	queue   events
	seq     int
	cpus    []*queue // of the servers
	nats    *queue
	log     *queue // the leader of the stream of all logs
	leases  *queue // the leader of the bucket of the leases of all servers
	claims  *queue // the leader of the bucket that says which server has which workspace
	servers []*server
	all     []*workspace
	renewed int
	lost    int

	writes, reads, takeovers []float64
}

// Simulate runs a setup.
func Simulate(p Parameters, s Setup) Result {
	m := &simulation{p: p, s: s, r: rand.New(rand.NewPCG(s.Seed, 22)), log: newQueue(1), leases: newQueue(1), claims: newQueue(1)}
	shared := newQueue(s.Cores)
	for range s.Servers {
		cpu := shared
		if !s.OneMachine {
			cpu = newQueue(s.Cores)
		}
		m.cpus = append(m.cpus, cpu)
		of := &server{until: s.Lease * 7 / 8, ends: s.Lease}
		m.servers = append(m.servers, of)
		m.at(m.r.Float64()*s.Lease/4, func(t float64) { m.renew(of, t) })
	}
	if m.nats = shared; !s.OneMachine {
		m.nats = newQueue(3 * s.Cores) // three machines
	}
	for i := range s.Servers * s.Workspaces {
		m.begin(&workspace{server: i % s.Servers})
	}
	end := s.Seconds * 1000
	if s.Dies {
		m.at(end/2, m.kill)
	}
	for len(m.queue) > 0 {
		e := heap.Pop(&m.queue).(event)
		if e.at > end {
			break
		}
		m.now = e.at
		e.do(e.at)
	}
	return Result{Writes: float64(len(m.writes)) / s.Seconds, Reads: float64(len(m.reads)) / s.Seconds,
		WriteP50: percentile(m.writes, 50), WriteP99: percentile(m.writes, 99), ReadP50: percentile(m.reads, 50), ReadP99: percentile(m.reads, 99),
		Renewals: float64(m.renewed) / s.Seconds, LogBusy: min(1, m.log.busy/end), LeaseBusy: min(1, m.leases.busy/end), Lost: m.lost,
		TakeoverP50: percentile(m.takeovers, 50), TakeoverP99: percentile(m.takeovers, 99)}
}

func (m *simulation) at(t float64, do func(float64)) {
	m.seq++
	heap.Push(&m.queue, event{max(t, m.now), m.seq, do})
}

// begin lets a workspace be at work, with its clients.
func (m *simulation) begin(w *workspace) {
	m.all = append(m.all, w)
	for range m.s.Writers {
		m.at(m.r.Float64()*10, func(t float64) { m.write(w, t, t, true) })
	}
	if m.s.Writers == 0 {
		m.arrive(w, m.s.Writes, func(t float64) { m.write(w, t, t, false) })
	}
	m.arrive(w, m.s.Reads, func(t float64) { m.read(w, t) })
}

// arrive calls do at random times, so many in a second.
func (m *simulation) arrive(w *workspace, rate float64, do func(t float64)) {
	if rate <= 0 {
		return
	}
	m.at(m.now+m.r.ExpFloat64()*1000/rate, func(t float64) {
		do(t)
		m.arrive(w, rate, do)
	})
}

// renew renews the lease of a server, and again a quarter of its time after the answer.
func (m *simulation) renew(of *server, sent float64) {
	if of.dead {
		return
	}
	m.renewed++
	m.store(m.leases, sent, m.p.RenewCPU, func(t float64) {
		if t > of.until { // the server has given its workspaces up meanwhile, and takes them again
			m.lost++
			t += m.p.Restore
			sent = t
		}
		of.until, of.ends = max(of.until, sent+m.s.Lease*7/8), max(of.ends, t+m.s.Lease)
		m.at(t+m.s.Lease/4, func(t float64) { m.renew(of, t) })
	})
}

// store puts a message into a stream: its leader takes it, alone, and one of two others.
func (m *simulation) store(leader *queue, now, cpu float64, then func(t float64)) {
	taken := max(leader.serve(now, m.p.Serial), m.nats.serve(now, cpu/3))
	m.at(taken, func(t float64) {
		m.at(min(m.nats.serve(t, cpu/3), m.nats.serve(t, cpu/3))+m.p.Delay, then)
	})
}

// write carries out a write that a client sent at begun, and then the client's next one.
func (m *simulation) write(w *workspace, now, begun float64, again bool) {
	if w.gone > 0 { // it waits for the next server
		m.at(now+100, func(t float64) { m.write(w, t, begun, again) })
		return
	}
	work := m.p.WriteCPU
	if m.s.OneMachine {
		work += m.p.Client
	}
	m.passOn(w, now, work, func(t float64, server int) {
		w.flying = true
		m.store(m.log, t, m.p.NatsCPU, func(t float64) {
			w.landed(t)
			if w.gone > 0 && w.server == server { // its answer is lost; the client asks again
				m.write(w, t, begun, again)
				return
			}
			m.writes = append(m.writes, t-begun)
			if again {
				m.write(w, t, t, true)
			}
		})
	})
}

// landed lets the reads go that wait for the record that is on its way.
func (w *workspace) landed(now float64) {
	w.flying = false
	for _, wait := range w.waits {
		wait(now)
	}
	w.waits = nil
}

// read carries out a read: it waits for a record that is on its way.
func (m *simulation) read(w *workspace, begun float64) {
	if w.gone > 0 {
		m.at(begun+100, func(t float64) { m.read(w, t) })
		return
	}
	m.passOn(w, begun, m.p.ReadCPU, func(t float64, _ int) {
		if w.flying {
			w.waits = append(w.waits, func(t float64) { m.reads = append(m.reads, t-begun) })
			return
		}
		m.reads = append(m.reads, t-begun)
	})
}

// passOn has a request that comes to any server carried out on the one that has the workspace.
func (m *simulation) passOn(w *workspace, now, work float64, then func(t float64, server int)) {
	server := w.server
	there := func(t float64) {
		m.at(m.cpus[server].serve(t, work), func(t float64) { then(t, server) })
	}
	first := m.r.IntN(m.s.Servers)
	if first == server || m.p.PassCPU == 0 || m.s.OneMachine {
		there(now)
		return
	}
	m.at(m.cpus[first].serve(now, m.p.PassCPU)+hop, there)
}

// hop is the way to another server of a data center and back, in ms.
const hop = 0.3

// kill ends a server. When its lease has not been renewed for its time another server ends the
// lease, and each of the workspaces is taken when a request for it comes, as at once.
func (m *simulation) kill(now float64) {
	of := m.servers[0]
	of.dead = true
	var left []*workspace
	for _, w := range m.all {
		if w.server == 0 {
			w.gone = now
			left = append(left, w)
		}
	}
	m.at(of.ends+50, func(t float64) { // servers look every 100 ms
		m.store(m.leases, t, m.p.RenewCPU, func(t float64) {
			for _, w := range left {
				m.take(w, t)
			}
		})
	})
}

// take has another server take a workspace: a claim, a record in the log, and reading and
// opening the workspace.
func (m *simulation) take(w *workspace, now float64) {
	server := 0
	if m.s.Servers > 1 {
		server = 1 + m.r.IntN(m.s.Servers-1)
	}
	m.store(m.claims, now, m.p.RenewCPU, func(t float64) {
		m.store(m.log, t, m.p.NatsCPU, func(t float64) {
			m.at(m.cpus[server].serve(t, m.p.Restore+m.p.RestoreM*m.s.MB), func(t float64) { m.taken(w, server, t) })
		})
	})
}

// taken lets a workspace be at work on its next server.
func (m *simulation) taken(w *workspace, server int, now float64) {
	died := w.gone
	w.server, w.gone = server, 0
	m.at(m.cpus[server].serve(now, m.p.WriteCPU), func(t float64) {
		m.store(m.log, t, m.p.NatsCPU, func(t float64) { m.takeovers = append(m.takeovers, t-died) })
	})
}

func percentile(list []float64, p float64) float64 {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Clone(list)
	slices.Sort(sorted)
	return sorted[min(len(sorted)-1, int(float64(len(sorted))*p/100))]
}
