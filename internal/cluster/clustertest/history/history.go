// Package history checks what clients saw of files that several servers keep together.
//
//	h := history.NewRecorder()
//	began := h.Now()
//	… a request …
//	h.Add(history.Op{Client: 1, File: "a.txt", Kind: history.Put, Value: "7", Outcome: history.Done, Began: began, Ended: h.Now()})
//	faults := history.Check(h.Ops(), versions) // the versions of each file at the end, oldest first
//
// A history is good if each file behaves as one that a single server has (linearizable): each
// operation that was acknowledged took effect at one time between its beginning and its end,
// and each version of the file was made by one operation. A write of which the client does not
// know whether it was done may take effect at any later time, or never.
//
// The list of versions at the end says which of these writes took effect, and in which order
// all did; that list is not trusted, since reads and answers have to agree with it. So only one
// write is possible at each step, and histories of many thousand operations are checked in
// seconds.
//
// A file that is removed and made again is several files with lists. It is checked without
// one, which takes long for more than some dozens of operations.
package history

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// Kind is what an operation does.
type Kind string

// The kinds of operations. Values of writes are not empty, and no two writes have the same.
const (
	Put    Kind = "put"    // gives the file the Value
	Create Kind = "create" // the same if there is no file
	Swap   Kind = "swap"   // the same if the file has the value Base
	Get    Kind = "get"    // reads Value, "" if there is no file
	Remove Kind = "remove" // removes the file
	list   Kind = "list"   // of the versions, at the end
)

// Outcome is what the client knows of an operation.
type Outcome string

// The outcomes of operations.
const (
	Done    Outcome = "done"
	Refused Outcome = "refused" // by the condition of Create or Swap; by Remove, since there is no file
	Unknown Outcome = "unknown" // no answer, or an error: done, or not, or later
)

// Op is an operation as its client saw it.
type Op struct {
	Client       int
	File         string
	Kind         Kind
	Value, Base  string
	Outcome      Outcome
	Began, Ended int64 // nanoseconds since the recorder was made
}

func (o Op) String() string {
	return fmt.Sprintf("%s %s %s %q (base %q), client %d, %.3f s to %.3f s", o.Outcome, o.Kind, o.File, o.Value, o.Base, o.Client,
		time.Duration(o.Began).Seconds(), time.Duration(o.Ended).Seconds())
}

func (o Op) writes() bool { return o.Kind != Get && o.Outcome != Refused }

// Recorder collects operations. It is safe for concurrent use.
type Recorder struct {
	begun time.Time
	mu    sync.Mutex
	ops   []Op
}

// NewRecorder makes a recorder whose time begins now.
func NewRecorder() *Recorder { return &Recorder{begun: time.Now()} }

// Now is the time of the recorder.
func (r *Recorder) Now() int64 { return time.Since(r.begun).Nanoseconds() }

// Add adds an operation.
func (r *Recorder) Add(o Op) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ops = append(r.ops, o)
}

// Ops are the operations so far.
func (r *Recorder) Ops() []Op {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.ops)
}

// Files are the names of the files in operations, sorted.
func Files(ops []Op) []string {
	var names []string
	for _, o := range ops {
		names = append(names, o.File)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// checkTime bounds the check of one file.
const checkTime = time.Minute

// Check returns what is wrong with a history. versions are the values that each file had, the
// oldest first, as they were listed after the last operation. A file that may have been removed
// has no list.
func Check(ops []Op, versions map[string][]string) (faults []string) {
	for _, name := range Files(ops) {
		var of []Op
		for _, o := range ops {
			if o.File == name {
				of = append(of, o)
			}
		}
		if list, has := versions[name]; has {
			faults = append(faults, checkFile(name, of, list)...)
		} else {
			faults = append(faults, checkUnlisted(name, of)...)
		}
	}
	return faults
}

// checkFile names what can be said plainly first; porcupine finds the rest.
func checkFile(name string, ops []Op, versions []string) (faults []string) {
	at := map[string]int{} // versions by value
	for i, v := range versions {
		if first, twice := at[v]; twice {
			faults = append(faults, fmt.Sprintf("%s: the write of %q was done twice: version %d and %d", name, v, first+1, i+1))
		}
		at[v] = i
	}
	sent := map[string]bool{}
	for _, o := range ops {
		if o.writes() || o.Outcome == Refused {
			sent[o.Value] = true
		}
		if _, there := at[o.Value]; o.Outcome == Done && o.Value != "" && !there {
			faults = append(faults, fmt.Sprintf("%s: a value is lost: %s", name, o))
		}
	}
	for _, v := range versions {
		if !sent[v] {
			faults = append(faults, fmt.Sprintf("%s: nobody wrote %q", name, v))
		}
	}
	if len(faults) > 0 {
		return faults
	}
	var all []porcupine.Operation
	last := int64(0)
	for _, o := range ops {
		if last = max(last, o.Ended); o.Outcome == Unknown {
			if _, there := at[o.Value]; o.Kind == Get || !there {
				continue // it had no effect before the end
			}
			o.Ended = math.MaxInt64
		}
		all = append(all, porcupine.Operation{ClientId: o.Client, Input: o, Call: o.Began, Return: o.Ended})
	}
	all = append(all, porcupine.Operation{Input: Op{Kind: list}, Call: last + 1, Return: math.MaxInt64})
	return checked(name, model(versions), all, func() string { return hint(ops, at) })
}

func checked(name string, m porcupine.Model, ops []porcupine.Operation, hint func() string) []string {
	switch porcupine.CheckOperationsTimeout(m, ops, checkTime) {
	case porcupine.Illegal:
		return []string{fmt.Sprintf("%s: its %d operations are not linearizable%s", name, len(ops), hint())}
	case porcupine.Unknown:
		return []string{fmt.Sprintf("%s: its %d operations could not be checked within %s", name, len(ops), checkTime)}
	}
	return nil
}

// model is a file whose versions become those of the list, one after the other; its state is
// how many there are.
func model(versions []string) porcupine.Model {
	value := func(n int) string {
		if n == 0 {
			return ""
		}
		return versions[n-1]
	}
	return porcupine.Model{
		Init: func() any { return 0 },
		Step: func(state, input, _ any) (bool, any) {
			n, o := state.(int), input.(Op)
			fits := o.Kind == Put || o.Kind == Create && n == 0 || o.Kind == Swap && value(n) == o.Base
			switch {
			case o.Kind == list:
				return n == len(versions), n
			case o.Kind == Get:
				return value(n) == o.Value, n
			case o.Outcome == Refused:
				return !fits, n
			}
			return fits && n < len(versions) && versions[n] == o.Value, n + 1
		},
		Equal: func(a, b any) bool { return a == b },
	}
}

// hint names a read that is older than what was acknowledged before it began, if there is one.
func hint(ops []Op, at map[string]int) string {
	for _, read := range ops {
		if read.Kind != Get || read.Outcome != Done {
			continue
		}
		seen := -1
		if read.Value != "" {
			seen = at[read.Value]
		}
		for _, o := range ops {
			if o.Outcome == Done && o.Value != "" && o.Ended < read.Began && at[o.Value] > seen {
				return fmt.Sprintf(": %s, though before it: %s", read, o)
			}
		}
	}
	return ""
}

// Counts are how many operations had each outcome.
func Counts(ops []Op) map[Outcome]int {
	n := map[Outcome]int{}
	for _, o := range ops {
		n[o.Outcome]++
	}
	return n
}
