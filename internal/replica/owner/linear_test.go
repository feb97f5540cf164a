//go:build unix

package owner_test

import (
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// registers is the model of the settings of a workspace: each a value that calls set and
// get. A call that set a value and whose outcome is unknown may take effect at any later time.
var registers = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		by := map[string][]porcupine.Operation{}
		for _, o := range history {
			c := o.Input.(call)
			by[c.Workspace+"/"+c.Key] = append(by[c.Workspace+"/"+c.Key], o)
		}
		var all [][]porcupine.Operation
		for _, ops := range by {
			all = append(all, ops)
		}
		return all
	},
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		c := input.(call)
		if c.Kind == "set" {
			return true, c.Value
		}
		return output.(answer).Value == state, state
	},
	Equal: func(a, b any) bool { return a == b },
}

// checkRegisters checks that the registers are linearizable. Values are set once, so a set
// whose outcome is unknown took effect before the end of the first get that saw its value,
// and where none saw it the history is linearizable with it only if it is without.
func (h *recorder) checkRegisters(t *testing.T) {
	t.Helper()
	seen := map[string]int64{}
	for _, e := range h.events {
		if id := e.register() + e.answer.Value; e.call.Kind == "get" && e.answer.Done && (seen[id] == 0 || e.ended < seen[id]) {
			seen[id] = e.ended
		}
	}
	var ops []porcupine.Operation
	for _, e := range h.events {
		switch {
		case e.call.Kind == "set" && !e.answer.Done:
			if e.ended = seen[e.register()+e.call.Value]; e.ended == 0 {
				continue
			}
			e.ended = max(e.ended, e.began+1) // seen before it was sent: the check fails for it
		case e.call.Kind == "set" || e.call.Kind == "get" && e.answer.Done:
		default:
			continue
		}
		ops = append(ops, porcupine.Operation{ClientId: e.client, Input: e.call, Call: e.began, Output: e.answer, Return: e.ended})
	}
	switch porcupine.CheckOperationsTimeout(registers, ops, time.Minute) {
	case porcupine.Illegal:
		t.Errorf("the history of %d calls is not linearizable", len(ops))
	case porcupine.Unknown:
		t.Errorf("the history of %d calls could not be checked within a minute", len(ops))
	}
}

// register names the one of a call.
func (e event) register() string { return e.call.Workspace + "/" + e.call.Key + "=" }

// TestCheckerFindsFaults: the checks of a history fail for one that lost a write, one that
// read an old value, and a message that is there twice or lost.
func TestCheckerFindsFaults(t *testing.T) {
	set := func(v string, from, to int64, done bool) event {
		return event{0, call{Kind: "set", Key: "k", Value: v}, answer{Done: done}, from, to}
	}
	get := func(v string, from, to int64) event {
		return event{1, call{Kind: "get", Key: "k"}, answer{Value: v, Done: true}, from, to}
	}
	for name, c := range map[string]struct {
		events []event
		fine   bool
	}{
		"lost":            {[]event{set("1", 0, 10, true), get("", 20, 30)}, false},
		"old":             {[]event{set("1", 0, 10, true), set("2", 11, 15, true), get("2", 16, 17), get("1", 20, 30)}, false},
		"fine":            {[]event{set("1", 0, 10, true), get("1", 5, 30)}, true},
		"unknown, old":    {[]event{set("1", 0, 10, false), get("1", 20, 30), get("", 40, 50)}, false},
		"unknown, unseen": {[]event{set("1", 0, 10, false), get("", 20, 30)}, true},
		"unknown is late": {[]event{set("1", 0, 10, false), get("", 20, 30), get("1", 40, 50)}, true},
	} {
		probe := &testing.T{}
		(&recorder{events: c.events}).checkRegisters(probe)
		if probe.Failed() == c.fine {
			t.Errorf("%s: failed %v", name, probe.Failed())
		}
	}
	said := []event{{0, call{Kind: "say", Workspace: "w", Value: "a"}, answer{Done: true}, 0, 1}}
	for ids, fine := range map[string]bool{"a": true, "": false, "aa": false, "ab": false} {
		probe := &testing.T{}
		var list []string
		for _, r := range ids {
			list = append(list, string(r))
		}
		(&recorder{events: said}).checkSaid(probe, "w", list)
		if probe.Failed() == fine {
			t.Errorf("%q: failed %v", ids, probe.Failed())
		}
	}
}
