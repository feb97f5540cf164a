//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"time"

	"atelier/workshop"
)

// simUser is a simulated user with one workbench, and the model of what must be
// true of it.
type simUser struct {
	name  string
	rng   *rand.Rand
	e     *simEndpoint
	model *simModel
	app   *simApp
	id    string
	root  string
	host  string // folder of files to add

	n           int
	files       *simFiles
	at          map[string]*simFiles // by message: the files when it was complete
	conv        []workshop.Record
	past        [][]workshop.Record // the conversation before each undo
	said        map[string]string   // by text: "yes", "maybe" (its answer was lost), "no" (undone)
	checkpoints map[string]map[string]string
	logged      int64 // the last entry of the tool log that was applied

	broken    bool              // the last run did not complete
	dropped   string            // the file that is being added during a run
	unsure    bool              // files were added during the last run
	planning  bool              // in plan mode
	meanwhile []string          // messages to the current run
	working   bool              // a run is in progress
	killed    bool              // and no run since: calls may be open
	wasKilled bool              // at any time
	flight    *simFiles         // the result of the call in flight
	moved     []workshop.Record // the conversation after the undo in flight; nil: no undo
	history   []string
}

// simFault is a violated promise; simDead means that the program was
// killed.
type (
	simFault struct{ error }
	simDead  struct{}
)

func (d *simUser) fail(format string, args ...any) {
	panic(simFault{fmt.Errorf("%s: "+format, append([]any{d.name}, args...)...)})
}

func (d *simUser) note(format string, args ...any) {
	d.history = append(d.history, fmt.Sprintf(format, args...))
}

func (d *simUser) chance(percent int) bool { return d.rng.IntN(100) < percent }

func pickOne[T any](d *simUser, list ...T) T { return list[d.rng.IntN(len(list))] }

// begin sends a request about the workbench.
func (d *simUser) begin(method string, params obj) <-chan message {
	all := obj{"workbench_id": d.id}
	maps.Copy(all, params)
	return d.app.start(method, all)
}

func (d *simUser) await(method string, ch <-chan message) message {
	select {
	case m := <-ch:
		return m
	case <-d.app.gone:
		select { // it may have answered before
		case m := <-ch:
			return m
		default:
		}
		panic(simDead{})
	case <-time.After(simPatience):
		d.hangs(method)
	}
	return message{}
}

// hangs fails with the stacks of all goroutines of the program.
func (d *simUser) hangs(method string) {
	d.app.cmd.Process.Signal(syscall.SIGQUIT)
	<-d.app.gone
	d.fail("%s was not answered\n%s", method, d.app.stderr.String())
}

// errorCode returns the code of an error, or "". Errors are typed (I-03).
func (d *simUser) errorCode(method string, m message) string {
	if m.Error == nil {
		return ""
	}
	var data struct {
		Code   string `json:"error_code"`
		Detail string `json:"detail"`
	}
	json.Unmarshal(m.Error.Data, &data)
	if data.Code == "" || m.Error.Message == "" || strings.Contains(m.Error.Message, "internal error") {
		d.fail("%s was refused without saying why: %+v %s", method, m.Error, m.Error.Data)
	}
	return data.Code
}

// try makes a call that may be refused with one of codes.
func (d *simUser) try(method string, params obj, into any, codes ...string) (code string) {
	m := d.await(method, d.begin(method, params))
	code = d.errorCode(method, m)
	if code != "" && !slices.Contains(codes, code) {
		d.fail("%s %v: %s %s", method, params, code, m.Error.Message)
	}
	if code == "" && into != nil {
		if err := json.Unmarshal(m.Result, into); err != nil {
			d.fail("%s: %v in %s", method, err, m.Result)
		}
	}
	return code
}

func (d *simUser) call(method string, params obj, into any) { d.try(method, params, into) }

// shift works until the program is gone or n steps are done.
func (d *simUser) shift(app *simApp, n int) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil, simDead:
		case simFault:
			err = p.error
		default:
			panic(p)
		}
	}()
	d.app = app
	if d.id == "" {
		d.create()
	} else {
		d.reopen()
	}
	for range n {
		d.step()
		d.check()
	}
	return nil
}

func (d *simUser) create() {
	params := obj{"name": d.name}
	if d.root != "" {
		params["root"] = d.root
	}
	var wb struct {
		ID   string `json:"workbench_id"`
		Root string `json:"root"`
	}
	m := d.await("WorkbenchCreate", d.app.start("WorkbenchCreate", params))
	switch {
	case m.Error == nil:
		json.Unmarshal(m.Result, &wb)
		d.id, d.root = wb.ID, wb.Root
	case strings.Contains(m.Error.Message, "has a workbench already"): // the program was killed before it could answer
		d.id = m.Error.Message[strings.LastIndex(m.Error.Message, " ")+1:]
	default:
		d.fail("WorkbenchCreate: %+v", m.Error)
	}
	d.wide()
}

// wide chooses the model that a user starts with.
func (d *simUser) wide() {
	d.call("WorkshopSetActiveModel", obj{"model_id": d.name + "-wide"}, nil)
}

// step is one complete action of the person.
func (d *simUser) step() {
	switch n := d.rng.IntN(100); {
	case n < 50:
		d.ask()
	case n < 60:
		d.publish()
	case n < 64:
		d.discard()
	case n < 72:
		d.undo()
	case n < 76:
		d.add()
	case n < 79:
		d.remove()
	case n < 83:
		d.keep()
	case n < 87:
		d.restore()
	case n < 90:
		d.call("WorkshopSetActiveModel", obj{"model_id": d.name + pickOne(d, "-wide", "-wide", "-tiny", "-turns")}, nil)
	case n < 93:
		d.rules()
	case n < 96:
		d.compact()
	case n < 98:
		d.mode(pickOne(d, "plan", "build"))
	default:
		d.look()
	}
}

func (d *simUser) mode(mode string) {
	d.note("mode %s", mode)
	d.call("WorkshopSetMode", obj{"mode": mode}, nil)
	d.planning = mode == "plan"
}
