//go:build unix

package main

import (
	"fmt"
	"maps"
	"strings"

	"atelier/workshop"
)

// check compares the user with its model, while no run is in progress.
func (d *simUser) check() {
	d.checkRecords(d.records())
	found := d.found()
	if err := d.files.differs(found); err != nil {
		d.fail("%v", err)
	}
	if n := len(d.conv); n > 0 && !d.unsure && strings.HasPrefix(d.conv[n-1].Text, "Request ") && d.at[d.conv[n-1].MessageID] == nil {
		d.at[d.conv[n-1].MessageID] = d.files.clone() // it waited for the end of a run
	}
	var st struct {
		Running bool  `json:"running"`
		Queued  []any `json:"queued"`
		Draft   bool  `json:"has_draft"`
	}
	d.call("WorkshopGetState", nil, &st)
	if st.Running || len(st.Queued) > 0 {
		d.fail("after the end of the run: %+v", st)
	}
	if !st.Draft && len(d.files.rows) > 0 {
		d.fail("no draft, expected %v", keysOf(d.files.rows))
	}
	d.checkUsage()
	d.app.mu.Lock()
	faults := d.app.faults
	d.app.mu.Unlock()
	d.e.with(func() { faults, d.e.faults = append(faults, d.e.faults...), nil })
	if len(faults) > 0 {
		d.fail("%s", strings.Join(faults[:min(len(faults), 3)], "\n"))
	}
}

// simFound are the observed files.
type simFound struct{ disk, view map[string]string }

// found reads the published files like other programs, and the draft like
// reviews and tools.
func (d *simUser) found() simFound {
	disk, err := simDisk(d.root)
	if err != nil {
		d.fail("%v", err)
	}
	var list struct{ Files []struct{ Path string } }
	d.call("WorkbenchFilesList", nil, &list)
	var set struct {
		Changes []struct {
			Path, From string
			Type       string `json:"change_type"`
			NewHash    string `json:"new_hash"`
			FileKind   string `json:"file_kind"`
		}
	}
	d.call("ReviewGetChangeSet", nil, &set)
	view := maps.Clone(disk)
	for _, c := range set.Changes {
		if c.Type == "renamed" {
			delete(view, c.From)
		}
	}
	for _, c := range set.Changes {
		if c.FileKind == "folder" { // one that came or went empty; lists have files only
			continue
		}
		if c.Type == "deleted" {
			delete(view, c.Path)
			continue
		}
		var r struct {
			Success bool
			Result  struct{ Text string }
			Error   any
		}
		d.call("ToolCall", obj{"tool": "read_file", "args": obj{"path": c.Path, "line_count": 1000}}, &r)
		if !r.Success {
			d.fail("%s cannot be read: %v", c.Path, r.Error)
		}
		if !isOffice(c.Path) {
			view[c.Path] = c.NewHash
			continue
		}
		view[c.Path] = fact(c.Path, r.Result.Text)
	}
	if len(list.Files) != len(view) {
		d.fail("listed are %v, with the changes there are %v", list.Files, keysOf(view))
	}
	for _, f := range list.Files {
		if _, ok := view[f.Path]; !ok {
			d.fail("%s is listed", f.Path)
		}
	}
	return simFound{disk, view}
}

func (f *simFiles) differs(found simFound) error {
	if want := facts(f.disk); !maps.Equal(found.disk, want) {
		return fmt.Errorf("published %s", difference(found.disk, want))
	}
	if want := facts(f.view()); !maps.Equal(found.view, want) {
		return fmt.Errorf("draft %s", difference(found.view, want))
	}
	return nil
}

func difference(got, want map[string]string) string {
	var sb strings.Builder
	all := maps.Clone(got)
	maps.Copy(all, want)
	for _, p := range keysOf(all) {
		g, there := got[p]
		w, expected := want[p]
		if g != w || there != expected {
			fmt.Fprintf(&sb, "%s is %q (there %v), expected %q (%v); ", p, short200(g), there, short200(w), expected)
		}
	}
	return sb.String()
}

func short200(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}

func (d *simUser) records() []workshop.Record {
	var r struct{ Messages []workshop.Record }
	d.call("WorkshopGetConversation", nil, &r)
	return r.Messages
}

// checkRecords: the conversation only grows, each call has one result, and
// each message of the person is there once.
func (d *simUser) checkRecords(rs []workshop.Record) {
	for i, r := range d.conv {
		if i >= len(rs) || rs[i].MessageID != r.MessageID || rs[i].Type != r.Type {
			d.fail("record %d of the conversation was %s %s and is not there any more", i, r.Type, r.MessageID)
		}
	}
	open := map[string]int{}
	total := 0
	said := map[string]int{}
	for i, r := range rs {
		switch r.Type {
		case workshop.TypeUser:
			said[r.Text]++
		case workshop.TypeAssistant:
			if total > 0 && !d.killed {
				d.fail("record %d: the calls %v have no result", i, open)
			}
			for _, c := range r.ToolCalls {
				open[c.ID]++
				total++
			}
			d.app.mu.Lock()
			text, streamed := d.app.watch(d.id).deltas[r.MessageID]
			d.app.mu.Unlock()
			if streamed && text != r.Text {
				d.fail("streamed was %q, stored is %q (W-22)", text, r.Text)
			}
		case workshop.TypeToolResult:
			if open[r.ToolCallID] == 0 {
				d.fail("record %d is a result of %s, which has no open call", i, r.ToolCallID)
			}
			open[r.ToolCallID]--
			total--
		}
	}
	if total > 0 && !d.killed {
		d.fail("calls without results at the end: %v", open)
	}
	for text, is := range d.said {
		n := said[text]
		switch {
		case is == "maybe" && n <= 1:
			d.said[text] = map[int]string{0: "no", 1: "yes"}[n]
		case is == "yes" && n != 1, is == "no" && n != 0, n > 1:
			d.fail("%q is in the conversation %d times (%s)", text, n, is)
		}
		delete(said, text)
	}
	if len(said) > 0 {
		d.fail("nobody said %v", said)
	}
	d.conv = rs
}

// checkUsage: the sums agree with each other and are not less than what the
// endpoint surely delivered.
func (d *simUser) checkUsage() {
	type totals struct {
		Requests int `json:"requests"`
		Input    int `json:"input_tokens"`
		Output   int `json:"output_tokens"`
	}
	var u struct {
		Totals totals
		Models []totals
	}
	d.call("WorkbenchGetUsage", nil, &u)
	sum := totals{}
	for _, m := range u.Models {
		sum.Requests, sum.Input, sum.Output = sum.Requests+m.Requests, sum.Input+m.Input, sum.Output+m.Output
	}
	if sum != u.Totals {
		d.fail("usage: %+v of the models, %+v in all", sum, u.Totals)
	}
	least, most := totals{}, 0
	d.e.with(func() {
		for i, s := range d.model.sent {
			most++
			// The next request of the same run proves that this answer was
			// read.
			if s.written && i+1 < len(d.model.sent) && d.model.sent[i+1].run == s.run {
				least.Input, least.Output = least.Input+s.in, least.Output+s.out
			}
		}
	})
	if u.Totals.Input < least.Input || u.Totals.Output < least.Output {
		d.fail("usage: %+v, the endpoint counted at least %+v", u.Totals, least)
	}
}

// reopen runs first after a start of the program: the state is that before or
// after the operation in flight when the program ended.
func (d *simUser) reopen() {
	d.note("reopened")
	d.killed, d.wasKilled = true, true
	var wb struct {
		Workbench struct{ Recovered []string }
	}
	d.call("WorkbenchOpen", nil, &wb)
	if len(d.said) == 0 {
		d.wide() // it may have been killed before
	}
	rs := d.records()
	if d.moved != nil && !startsWith(rs, d.conv) {
		d.undone(d.moved)
	}
	d.checkRecords(rs)
	starts := []*simFiles{d.files}
	if d.flight != nil {
		starts = append(starts, d.flight)
	}
	if d.dropped != "" {
		with := d.files.clone()
		with.disk[d.dropped] = "Added " + d.dropped
		starts, d.dropped = append(starts, with), ""
	}
	var calls []simCall
	d.e.with(func() { calls = d.model.calls })
	logged := d.newCalls()
	found := d.found()
	var first error
	for _, s := range starts {
		base := s.clone()
		for _, c := range logged {
			base.apply(c.Name, c.Args)
		}
		options := []*simFiles{base}
		if d.working { // one call may have been executed and not logged
			for _, c := range calls {
				o := base.clone()
				o.apply(c.Name, c.Args)
				options = append(options, o)
			}
		}
		for _, o := range options {
			err := o.differs(found)
			if err == nil {
				d.settles(o)
				d.working, d.meanwhile = false, nil
				d.check()
				return
			}
			if first == nil {
				first = err
			}
		}
	}
	d.fail("after a kill it is neither as before nor as after: %v", first)
}

func startsWith(rs, prefix []workshop.Record) bool {
	if len(rs) < len(prefix) {
		return false
	}
	for i, r := range prefix {
		if rs[i].MessageID != r.MessageID {
			return false
		}
	}
	return true
}
