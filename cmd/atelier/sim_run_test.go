//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// say stores a message of the user with a unique text.
func (d *simUser) say() (id, text string) {
	d.n++
	text = fmt.Sprintf("Request %s-%d: please do the next thing%s", d.name, d.n, pickOne(d, ".", "?", " äöü \"quoted\" \\ ."))
	d.said[text] = "maybe"
	if d.working {
		d.meanwhile = append(d.meanwhile, text)
	}
	var r struct {
		ID string `json:"message_id"`
	}
	d.call("WorkshopSendUserMessage", obj{"text": text}, &r)
	d.said[text] = "yes"
	return r.ID, text
}

// ask lets the model do something, or repeat it.
func (d *simUser) ask() {
	method, params := "WorkshopRunAgent", obj{}
	if d.planning && d.chance(60) {
		d.mode("build")
	}
	d.flight, d.moved = nil, nil
	must := ""
	if id, text := d.unanswered(); id != "" && d.chance(50) {
		params["message_id"], must = id, text
	} else if len(d.conv) > 0 && d.chance(15) {
		method = "WorkshopRegenerate"
		var last string
		for _, r := range d.conv {
			if r.Type == "user_message" && r.MessageID != "" {
				last, must = r.MessageID, r.Text
			}
		}
		if d.at[last] == nil {
			return
		}
		d.moved, _ = back(d.conv, last, false)
		d.flight = d.at[last].clone()
		params["message_id"] = last
	} else {
		id, text := d.say()
		d.at[id] = d.files.clone()
		params["message_id"], must = id, text
	}
	params["workflow"] = pickOne(d, "agent", "agent", "agent", "rpi", "auto")
	params["headless"] = d.chance(20)
	if d.chance(15) {
		params["catalogue"] = "buildscale"
	}
	budget := d.chance(10)
	if budget {
		params["budget"] = obj{"tokens": 1000 + d.rng.IntN(60_000)}
	}
	calm := d.chance(40)
	var number int
	d.e.with(func() {
		m := d.model
		m.run++
		number = m.run
		m.must, m.calm, m.steps, m.calls, m.last, m.later, m.faulty = must[:strings.Index(must, ":")+1], calm, 0, nil, nil, nil, 0
	})
	d.note("run %d %s %v: %s", number, method, params, must)
	d.working, d.broken, d.unsure, d.meanwhile = true, true, false, nil
	m, canceled := d.attend(method, d.begin(method, params), !calm && d.chance(40))
	d.working = false
	// A run stores the results that a killed one left out, unless it is canceled
	// before that; then the next run does.
	d.killed = d.killed && canceled
	d.ended(m, method, canceled, budget, number)
}

// unanswered returns the last message if its run was interrupted.
func (d *simUser) unanswered() (id, text string) {
	if !d.broken {
		return "", ""
	}
	for _, r := range d.conv {
		if r.Type == "user_message" && strings.HasPrefix(r.Text, "Request ") {
			id, text = r.MessageID, r.Text
		}
	}
	return id, text
}

// attend waits for a run and meanwhile acts like a person.
func (d *simUser) attend(method string, ch <-chan message, impatient bool) (m message, canceled bool) {
	begun, asked := time.Now(), time.Time{}
	words := d.rng.IntN(6) // limited, because a run with endless messages never ends
	cancelAt := time.Duration(d.rng.IntN(400)) * time.Millisecond
	for {
		select {
		case m = <-ch:
			return m, canceled
		case <-d.app.gone:
			return d.await(method, ch), canceled
		case <-time.After(time.Duration(1+d.rng.IntN(25)) * time.Millisecond):
		}
		silent := false
		d.e.with(func() { silent = d.model.silent > 0 })
		q := d.question()
		switch {
		case canceled && time.Since(asked) > simPatience, time.Since(begun) > 2*simPatience:
			d.hangs(method)
		case !canceled && (impatient && time.Since(begun) > cancelAt || silent && d.chance(20) || q != nil && d.chance(3)):
			canceled, asked = true, time.Now()
			d.note("cancel")
			if d.chance(30) {
				d.app.cancel(ch)
			} else {
				d.call("WorkshopCancelRun", nil, nil)
			}
		case q != nil && !canceled && d.chance(10):
			d.tooEarly()
		case q != nil:
			d.answer(q)
		case words > 0 && method == "WorkshopRunAgent" && d.chance(2):
			words--
			d.drop()
		case words > 0 && d.chance(4):
			words--
			d.steer()
		case words > 0 && d.chance(1):
			words--
			d.say()
		case d.chance(5):
			d.call(pickOne(d, "WorkshopGetState", "WorkshopGetConversation", "ReviewGetChangeSet", "WorkbenchGetClutter", "WorkbenchFilesList", "WorkbenchGetUsage"), nil, nil)
		}
	}
}

// tooEarly tries what is not possible while a run waits for an answer.
func (d *simUser) tooEarly() {
	method := pickOne(d, "WorkshopRunAgent", "DraftPublish", "DraftDiscard", "WorkshopUndoToMessage", "WorkshopRegenerate", "WorkshopCompact")
	id := "u-none"
	if len(d.conv) > 0 {
		id = d.conv[0].MessageID
	}
	if m := d.await(method, d.begin(method, obj{"message_id": id})); d.errorCode(method, m) != "VALIDATION_FAILED" {
		d.fail("%s in the middle of a run: %s %+v", method, m.Result, m.Error)
	}
}

func (d *simUser) question() obj {
	d.app.mu.Lock()
	defer d.app.mu.Unlock()
	if qs := d.app.watch(d.id).questions; len(qs) > 0 {
		return qs[0]
	}
	return nil
}

// answer answers a question, sometimes wrongly.
func (d *simUser) answer(q obj) {
	answers := obj{}
	for _, one := range q["questions"].([]any) {
		switch name := one.(obj)["name"].(string); {
		case q["approval"] != nil:
			answers[name] = pickOne[any](d, "once", "once", "run", "always", "no", "no: not this one", "perhaps")
		case name == "budget":
			answers[name] = pickOne[any](d, "stop", "go on", "+5000", 20000, "never")
		default:
			answers[name] = pickOne[any](d, "Yes", "No", "Yes", 7)
		}
	}
	var r struct{ Accepted bool }
	code := d.try("WorkshopAnswerQuestion", obj{"question_id": q["question_id"], "answers": answers}, &r, "VALIDATION_FAILED", "FILE_READ_FAILED", "NOT_FOUND")
	d.note("answer %v: %s", answers, code)
	if code == "VALIDATION_FAILED" { // it was invalid; the question stays
		return
	}
	d.app.mu.Lock()
	defer d.app.mu.Unlock()
	w := d.app.watch(d.id)
	if len(w.questions) > 0 {
		w.questions = w.questions[1:]
	}
}

// steer sends a message to the run, unless it is just ending.
func (d *simUser) steer() {
	d.n++
	text := fmt.Sprintf("By the way %s-%d: mind that.", d.name, d.n)
	d.said[text] = "maybe"
	if d.working {
		d.meanwhile = append(d.meanwhile, text)
	}
	d.e.with(func() { d.model.later = append(d.model.later, text) })
	if d.try("WorkshopSteerRun", obj{"text": text, "when": pickOne(d, "now", "now", "after")}, nil, "VALIDATION_FAILED") == "" {
		d.said[text] = "yes"
	} else {
		d.said[text] = "no"
	}
}

// ended updates the model after the end of a run.
func (d *simUser) ended(m message, method string, canceled, budget bool, number int) {
	code := d.errorCode(method, m)
	d.note("ended %s", code)
	switch code {
	case "", "AGENT_LOOP_DETECTED", "PROVIDER_UNAVAILABLE", "NETWORK_UNAVAILABLE":
	case "VALIDATION_FAILED":
		d.note("%s", m.Error.Message)
		for _, known := range []string{"no items", "window", "too long", "context", "limit of", "plan mode"} {
			if strings.Contains(m.Error.Message, known) {
				code = "known"
			}
		}
		if code != "known" {
			d.fail("%s: %s", method, m.Error.Message)
		}
	case "USER_CANCELED":
		if !canceled {
			d.fail("%s ended as canceled without a cancel: %s", method, m.Error.Message)
		}
	case "BUDGET_EXCEEDED":
		if !budget {
			d.fail("%s without a budget: %s", method, m.Error.Message)
		}
	default:
		d.fail("%s ended with %s: %s", method, code, m.Error.Message)
	}
	if d.moved != nil { // a separate run came after the undo
		d.undone(d.moved)
		d.files = d.flight
	}
	d.flight, d.moved, d.meanwhile = nil, nil, nil
	for _, c := range d.newCalls() {
		d.files.apply(c.Name, c.Args)
	}
	if d.broken = code != ""; d.broken {
		return
	}
	var r struct {
		MessageID string `json:"message_id"`
		Usage     struct {
			Input     int `json:"input_tokens"`
			Output    int `json:"output_tokens"`
			Estimated int `json:"estimated_requests"`
			Failed    int `json:"failed_requests"`
		} `json:"usage"`
	}
	json.Unmarshal(m.Result, &r)
	if !d.unsure {
		d.at[r.MessageID] = d.files.clone()
	}
	least, most := d.counted(number)
	within := r.Usage.Input >= least.in && r.Usage.Output >= least.out
	if r.Usage.Estimated == 0 {
		within = within && r.Usage.Input <= most.in && r.Usage.Output <= most.out
	}
	if !within {
		d.fail("run %d: usage %+v, the endpoint counted from %+v to %+v", number, r.Usage, least, most)
	}
}

// counted returns the least and the most that the endpoint counted for a run:
// answers that the program surely received whole, and those that it may have
// received whole. It waits for answers that are still being sent.
func (d *simUser) counted(run int) (least, most simRequest) {
	for playing, begun := true, time.Now(); playing; {
		least, most, playing = simRequest{}, simRequest{}, false
		d.e.with(func() {
			for _, s := range d.model.sent {
				if s.run != run {
					continue
				}
				playing = playing || s.playing
				if s.written {
					most.in, most.out = most.in+s.in, most.out+s.out
				}
				if s.received {
					least.in, least.out = least.in+s.in, least.out+s.out
				}
			}
		})
		if playing && time.Since(begun) > simPatience {
			d.fail("run %d has ended, and the endpoint still sends an answer", run)
		}
		time.Sleep(time.Millisecond)
	}
	return least, most
}

// newCalls returns the successful calls in the tool log since it was last
// read.
func (d *simUser) newCalls() []simCall {
	var calls []simCall
	for more := true; more; {
		var r struct {
			Entries []struct {
				ID                        int64
				Tool, Args, Error, Result string
				CallID                    string `json:"call_id"`
			}
			HasMore bool `json:"has_more"`
		}
		d.call("WorkshopGetToolLog", obj{"after": d.logged, "limit": 100}, &r)
		for _, e := range r.Entries {
			d.logged = e.ID
			if e.Error == "" {
				calls = append(calls, simCall{e.CallID, e.Tool, e.Args})
			}
		}
		more = r.HasMore
	}
	return calls
}

// compact has the conversation summarized.
func (d *simUser) compact() {
	calm := d.chance(60)
	d.e.with(func() {
		d.model.run++
		d.model.must, d.model.calm, d.model.steps = "", calm, 0
	})
	d.note("compact")
	method := "WorkshopCompact"
	m, canceled := d.attend(method, d.begin(method, obj{"keep": "all names"}), !calm && d.chance(40))
	switch code := d.errorCode(method, m); {
	case code == "USER_CANCELED" && canceled:
	case !slices.Contains([]string{"", "VALIDATION_FAILED", "PROVIDER_UNAVAILABLE", "NETWORK_UNAVAILABLE"}, code):
		d.fail("%s: %s %s", method, code, m.Error.Message)
	}
}
