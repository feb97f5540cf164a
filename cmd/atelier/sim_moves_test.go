//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"atelier/workshop"
)

// The person's actions while no run is in progress. Each sets d.flight to its
// result until its answer arrives: after a kill the state is either one.

func (d *simUser) settles(after *simFiles) { d.files, d.flight, d.moved = after, nil, nil }

// some picks paths, nil for all.
func (d *simUser) some() []string {
	var paths []string
	if !d.files.removes() && d.chance(30) {
		for p := range d.files.rows {
			if d.chance(50) {
				paths = append(paths, p)
			}
		}
		slices.Sort(paths)
	}
	return paths
}

func (d *simUser) publish() {
	paths := d.some()
	after := d.files.clone()
	after.publish(paths)
	d.flight = after
	d.note("publish %v", paths)
	var r struct {
		CheckpointID string   `json:"checkpoint_id"`
		Published    []string `json:"published"`
	}
	before := d.files.disk
	switch code := d.try("DraftPublish", obj{"paths": paths}, &r, "CONFLICT_PUBLISHED_CHANGED", "VALIDATION_FAILED"); {
	case code == "CONFLICT_PUBLISHED_CHANGED" && d.files.conflicts(), code == "VALIDATION_FAILED" && len(d.files.rows) == 0:
		d.note("refused")
		d.settles(d.files)
	case code != "":
		d.fail("a publish of %v was refused: %s", d.files.rows, code)
	default:
		if r.CheckpointID != "" {
			d.checkpoints[r.CheckpointID] = before
		}
		d.settles(after)
	}
}

func (d *simUser) discard() {
	paths := d.some()
	after := d.files.clone()
	after.discard(paths)
	d.flight = after
	d.note("discard %v", paths)
	if d.try("DraftDiscard", obj{"paths": paths}, nil, "VALIDATION_FAILED") != "" {
		if len(d.files.rows) > 0 {
			d.fail("a discard of %v was refused", paths)
		}
		after = d.files
	}
	d.settles(after)
}

func (d *simUser) keep() {
	var r struct {
		ID string `json:"checkpoint_id"`
	}
	d.note("checkpoint")
	d.call("CheckpointCreate", obj{"description": "so far"}, &r)
	d.checkpoints[r.ID] = d.files.disk
}

func (d *simUser) restore() {
	ids := keysOf(d.checkpoints)
	if len(ids) == 0 {
		return
	}
	id := pickOne(d, ids...)
	after := d.files.clone()
	after.disk = d.checkpoints[id]
	d.flight = after
	d.note("restore %s", id)
	var r struct {
		ID string `json:"checkpoint_id"`
	}
	if d.try("CheckpointRestore", obj{"checkpoint_id": id}, &r, "CONFLICT_PUBLISHED_CHANGED", "VALIDATION_FAILED") != "" {
		if len(d.files.rows) == 0 {
			d.fail("a restore without a draft was refused")
		}
		d.note("refused")
		d.settles(d.files)
		return
	}
	if r.ID != "" {
		d.checkpoints[r.ID] = d.files.disk
	}
	d.settles(after)
}

func (d *simUser) add() {
	d.n++
	name := fmt.Sprintf("added%d.txt", d.n)
	d.flight = d.files.clone()
	d.flight.disk[name] = "Added " + name
	d.addFile(name)
	d.settles(d.flight)
}

// drop adds a file during a run.
func (d *simUser) drop() {
	d.n++
	d.dropped = fmt.Sprintf("added%d.txt", d.n)
	d.addFile(d.dropped)
	d.files = d.files.clone()
	d.files.disk[d.dropped] = "Added " + d.dropped
	d.dropped, d.unsure = "", true
}

func (d *simUser) addFile(name string) {
	path := filepath.Join(d.host, name)
	if err := os.WriteFile(path, []byte("Added "+name), 0o644); err != nil {
		d.fail("%v", err)
	}
	d.note("add %s", name)
	var r struct {
		Results []struct{ Status, Reason string } `json:"add_results"`
	}
	d.call("WorkbenchFilesAdd", obj{"source_paths": []string{path}}, &r)
	if len(r.Results) != 1 || r.Results[0].Status != "added" {
		d.fail("adding %s: %+v", name, r)
	}
}

func (d *simUser) remove() {
	names := keysOf(d.files.disk)
	if len(names) == 0 {
		return
	}
	name := pickOne(d, names...)
	d.flight = d.files.clone()
	delete(d.flight.disk, name)
	d.note("remove %s", name)
	var r struct {
		Results []struct{ Status, Reason string } `json:"remove_results"`
	}
	d.call("WorkbenchFilesRemove", obj{"workbench_paths": []string{name}}, &r)
	if len(r.Results) != 1 || r.Results[0].Status != "removed" {
		d.note("not removed: %+v", r)
		if _, drafted := d.files.rows[name]; !drafted {
			d.fail("removing %s: %+v", name, r)
		}
		d.settles(d.files)
		return
	}
	d.settles(d.flight)
}

// back returns the conversation after an undo to a message, or to before it.
func back(live []workshop.Record, id string, before bool) ([]workshop.Record, bool) {
	for i, r := range live {
		if r.MessageID != id || r.Type != workshop.TypeUser && r.Type != workshop.TypeAssistant {
			continue
		}
		if before {
			return live[:i:i], true
		}
		n := i + 1
		for j := n; r.Type == workshop.TypeAssistant && j < len(live) && (live[j].Type == workshop.TypeToolResult || live[j].Type == workshop.TypeSystem); j++ {
			if live[j].Type == workshop.TypeToolResult {
				n = j + 1
			}
		}
		return live[:n:n], true
	}
	return nil, false
}

func (d *simUser) undo() {
	branch := d.conv
	if len(d.past) > 0 && d.chance(40) {
		branch = d.past[len(d.past)-1] // the last undone branch
	}
	var ids []string
	for _, r := range branch {
		if (r.Type == workshop.TypeUser || r.Type == workshop.TypeAssistant) && r.MessageID != "" && d.at[r.MessageID] != nil {
			ids = append(ids, r.MessageID)
		}
	}
	if len(ids) == 0 {
		return
	}
	id, before := pickOne(d, ids...), false
	if _, live := back(d.conv, id, false); live {
		branch = d.conv
		before = id[0] == 'u' && d.chance(30)
	}
	conv, _ := back(branch, id, before)
	after := d.at[id].clone()
	d.flight, d.moved = after, append([]workshop.Record{}, conv...)
	d.note("undo to %s before %v", id, before)
	d.call("WorkshopUndoToMessage", obj{"message_id": id, "before": before}, nil)
	d.undone(conv)
	d.settles(after)
}

// undone updates the model after an undo.
func (d *simUser) undone(conv []workshop.Record) {
	d.past = append(d.past, d.conv)
	d.conv = conv
	// The run after a kill stores the results that are missing, behind its message;
	// an undo to that message takes them away until the next run.
	d.killed = d.wasKilled
	live := map[string]bool{}
	for _, r := range conv {
		live[r.Text] = live[r.Text] || r.Type == workshop.TypeUser
	}
	for text := range d.said {
		if slices.Contains(d.meanwhile, text) { // it came later
			continue
		}
		d.said[text] = "no"
		if live[text] {
			d.said[text] = "yes"
		}
	}
}

func (d *simUser) rules() {
	rules := pickOne(d, []obj{}, []obj{},
		[]obj{{"path": "*.md", "action": "ask"}},
		[]obj{{"path": "*.csv", "action": "deny"}, {"effect": "delete", "action": "ask"}},
		[]obj{{"tool": "write*", "path": "sub/", "action": "ask"}, {"effect": "read", "path": "a.txt", "action": "ask"}})
	d.note("rules %v", rules)
	d.call("WorkshopSetApprovals", obj{"rules": rules}, nil)
}

// look queries everything that can be queried.
func (d *simUser) look() {
	for _, method := range []string{"WorkshopGetState", "WorkbenchGetClutter", "WorkbenchGetUsage", "DraftGetState", "CheckpointsList", "EgressListEvents", "WorkshopGetApprovals", "WorkbenchGetScope"} {
		d.call(method, nil, nil)
	}
	for p := range d.files.rows {
		d.call("ReviewGetTextDiff", obj{"path": p}, nil)
		d.call("ReviewGetContentDiff", obj{"path": p}, nil)
	}
	for p := range d.files.disk {
		d.call("WorkbenchFileVersions", obj{"path": p}, nil)
	}
}

func keysOf[V any](m map[string]V) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}
