package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"atelier/formats/password"
	"atelier/internal/budget"
	"atelier/internal/timelimit"
	"atelier/llm"
	"atelier/workshop"
	"atelier/workshop/agent/runerr"
	"atelier/workshop/provenance"
	"atelier/workshop/tools"
	"atelier/workshop/tools/docs"
	"atelier/workshop/tools/servertools"
)

// execute carries out the calls of one answer and stores a result for each, in
// call order. Contiguous read-only calls run side by side, writes alone. When
// the run is canceled or stuck, the calls that remain are answered without
// being carried out.
func (r *run) execute(ctx context.Context, messageID string, calls []llm.ToolCall) error {
	var stop error
	for i := 0; i < len(calls); {
		if skip := r.skip(ctx, i, stop); skip != "" {
			if err := r.store(calls[i:i+1], []outcome{{Result: tools.Result{Text: skip}}}); err != nil {
				return err
			}
			i++
			continue
		}
		if r.cfg.BeforeCalls != nil {
			if err := r.cfg.BeforeCalls(ctx); err != nil {
				return err
			}
		}
		n := r.group(calls, i)
		stuck, err := r.finish(calls[i:i+n], r.runGroup(ctx, messageID, calls[i:i+n]))
		if err != nil {
			return err
		}
		if stop == nil {
			stop = stuck
		}
		i += n
	}
	if stop == nil {
		stop = ctx.Err()
	}
	return stop
}

// skip returns the result of call number i when it must not be carried out, "" when
// it may.
func (r *run) skip(ctx context.Context, i int, stop error) string {
	switch {
	case stop != nil:
		return "Error: not carried out: the run was stopped because it repeated itself"
	case ctx.Err() != nil:
		return "Error: not carried out: the run was canceled"
	case i >= r.cfg.Limits.CallsPerTurn:
		return fmt.Sprintf("Error: tool call limit exceeded (max %d per turn)", r.cfg.Limits.CallsPerTurn)
	}
	return ""
}

// group returns how many calls from i on run side by side.
func (r *run) group(calls []llm.ToolCall, i int) int {
	most := min(len(calls), r.cfg.Limits.CallsPerTurn) - i
	n := 0
	for n < min(most, r.cfg.Limits.Parallel) && r.readOnly(calls[i+n]) {
		n++
	}
	return max(n, 1)
}

func (r *run) readOnly(c llm.ToolCall) bool {
	if t, ok := r.serverTool(c.Function.Name); ok {
		return t.ReadOnly && !r.mayAsk(t.Name)
	}
	effect, ok := r.cfg.Catalogue.Effect(c.Function.Name)
	return ok && effect == tools.Read && !r.mayAsk(c.Function.Name)
}

// outcome of one call.
type outcome struct {
	tools.Result
	entry int64 // its place in the tool log, 0 while it has none
	ran   bool  // it was carried out, or tried
	took  time.Duration

	kept    []workshop.ImageRef // the images of the result, as they are kept
	sources []string            // files whose content the result carries
	locked  []string            // encrypted files that it opened: what it carries is not stored
	changes *changes            // what it did to files; nil: nothing
	outside string              // server that was sent the call
}

// storable returns what is stored of a text of the outcome.
func (o outcome) storable(text string) string {
	if len(o.locked) == 0 {
		return text
	}
	return fmt.Sprintf("[This result has content of encrypted files (%s), which is not stored. Make the call again to see it.]", strings.Join(o.locked, ", "))
}

// runGroup runs calls side by side and returns their outcomes in call order.
// The events that begin them come first, so that their order does not depend on
// which is done first.
func (r *run) runGroup(ctx context.Context, messageID string, calls []llm.ToolCall) []outcome {
	for _, c := range calls {
		r.emit(EventToolExecuting, r.executing(c))
	}
	outs := make([]outcome, len(calls))
	if len(calls) == 1 {
		outs[0] = r.one(ctx, messageID, calls[0])
		return outs
	}
	var wg sync.WaitGroup
	for i, c := range calls {
		wg.Go(func() { outs[i] = r.one(ctx, messageID, c) })
	}
	wg.Wait()
	return outs
}

// one carries out a call within its time limit. It changes nothing of r, since
// several run at once.
func (r *run) one(ctx context.Context, messageID string, c llm.ToolCall) outcome {
	if res, answered := r.withoutTool(c); answered {
		res.Full = res.Text
		return outcome{Result: res, ran: true}
	}
	start := time.Now()
	name := c.Function.Name
	server, servers := r.serverTool(name)
	limit := cmp.Or(server.Timeout, r.cfg.Limits.ToolTimeout)
	tctx, cancel := context.WithTimeout(ctx, limit)
	if r.mayAsk(name) { // the time of the person is not the tool's
		cancel()
		tctx, cancel = timelimit.With(ctx, limit)
	}
	if effect, _ := r.cfg.Catalogue.Effect(name); effect == tools.Interact { // people take their time (M-10)
		cancel()
		tctx, cancel = context.WithCancel(ctx)
	}
	defer cancel()
	done := make(chan outcome, 1)
	go func() { done <- r.call(tctx, messageID, c) }()

	var out outcome
	returned := true
	select {
	case out = <-done:
	case <-tctx.Done():
		if out, returned = r.grace(done); !returned {
			r.cfg.Log.Error("a tool does not stop when it is canceled", "tool", name, "workbench", r.wb.ID())
			out.outside = server.Server // it may have been called
		}
	}
	out.ran, out.took = true, time.Since(start)
	if tctx.Err() == nil || returned && out.Success {
		return out // what was finished counts, even at the last moment
	}
	why := ""
	if returned && out.Fault != nil {
		why = budget.Why(out.Fault.Err)
	}
	out.Text = fmt.Sprintf("Error: tool %s timed out after %s%s", name, limit, why)
	if ctx.Err() != nil {
		out.Text = fmt.Sprintf("Error: tool %s did not finish: the run was canceled", name)
	}
	if servers {
		out.Text += whyNotDone(server)
	}
	out.Result = tools.Result{Text: out.Text, Full: out.Text}
	return out
}

// grace gives a canceled tool a moment to return.
func (r *run) grace(done <-chan outcome) (outcome, bool) {
	t := time.NewTimer(r.cfg.Limits.Grace)
	defer t.Stop()
	select {
	case out := <-done:
		return out, true
	case <-t.C:
		return outcome{}, false
	}
}

// withoutTool returns the result of a call for which no tool is needed.
func (r *run) withoutTool(c llm.ToolCall) (res tools.Result, answered bool) {
	switch name := c.Function.Name; {
	case name == servertools.FindTools && r.servers.Deferred():
		return r.findTools(c), true
	case !r.offered(name):
		if _, ok := r.serverTool(name); !ok {
			return tools.Result{Text: r.unknownTool(name)}, true
		}
	case name == inPhases.Function.Name:
		return tools.Result{Text: inPhasesResult, Success: true}, true
	}
	text := r.cutCall(c)
	return tools.Result{Text: text}, text != ""
}

// call runs the tool. A result that has to be shortened is logged before, since
// its text names the entry. A call that was given up may come here when the run
// is long somewhere else: it touches nothing of r that changes during a run.
func (r *run) call(ctx context.Context, messageID string, c llm.ToolCall) (out outcome) {
	name, args := c.Function.Name, c.Function.Arguments
	did := &changes{}
	defer func() { out.changes = did }()
	env := &tools.Env{
		View:      r.view(workshop.Cause{MessageID: messageID, Tool: name, Author: author, Later: true, Changed: did.note}),
		Published: r.published(),
		Skills:    r.skills,
		Formats:   r.cfg.Formats,
		Texts:     r.cfg.Texts,
		ResultMax: resultMax(r.cfg.Limits.ResultMax, r.cfg.Window),
		Session:   r.cfg.Session,
		NewID:     func() string { return r.wb.Conversation().NewMessageID("") },
		Recall:    r.recall,
		Pages:     r.cfg.Pages,
		Sees:      r.sees(),
	}
	if r.cfg.Fetch != nil {
		env.Fetch = askedFetch{r, c}
	}
	var err error
	if env.Guard, err = r.guard(ctx, name); err != nil {
		text := "Error: " + workshop.AsFault(err).Message
		return outcome{Result: tools.Result{Text: text, Full: text}}
	}
	set, named := r.noting(env)
	defer func() { out.sources = named(ctx) }()
	if err := r.pass(ctx, env, c); err != nil {
		text := "Error: what the user allows cannot be read"
		return outcome{Result: tools.Result{Text: text, Full: text}}
	}
	env.View = docs.Guard(r.trail.Over(env.View, set), env.Session)
	env.Published = docs.Guard(r.trail.Over(env.Published, set), env.Session)
	ctx = provenance.With(ctx, set)
	ctx, opened := password.Watch(ctx)
	defer func() { out.locked = opened.Names() }()
	if r.cfg.Questions != nil {
		env.Asker = asker{r}
	}
	if r.cfg.Mode != nil {
		var err error
		if env.Mode, err = r.cfg.Mode(ctx); err != nil {
			text := "Error: the mode of the session cannot be read"
			return outcome{Result: tools.Result{Text: text, Full: text}}
		}
	}
	start := time.Now()
	env.LogResult = func(ctx context.Context, _, _, full string, success bool) (id int64, err error) {
		if opened.Any() {
			return 0, errors.New("the content of encrypted files is not logged")
		}
		out.entry, err = r.log(c, full, success, time.Since(start), named(ctx))
		return out.entry, err
	}
	if t, ok := r.serverTool(name); ok {
		out.Result = r.callServer(ctx, env, t, c, func() { out.outside = t.Server })
		return out
	}
	out.Result = r.cfg.Catalogue.Call(ctx, env, name, json.RawMessage(args))
	return out
}

// log keeps a result in the tool log, also when the run is being canceled.
func (r *run) log(c llm.ToolCall, full string, success bool, took time.Duration, files []string) (int64, error) {
	return r.wb.LogTool(context.Background(), r.logEntry(c, full, success, took, files))
}

func (r *run) logEntry(c llm.ToolCall, full string, success bool, took time.Duration, files []string) workshop.ToolLogEntry {
	return workshop.ToolLogEntry{Tool: c.Function.Name, CallID: c.ID,
		Args: c.Function.Arguments, Result: full, Success: success, Elapsed: took, At: r.cfg.Now().UTC(), Sources: files}
}

func (r *run) offered(name string) bool {
	if c, ok := r.cfg.Catalogue.(interface{ Resolve(string) string }); ok {
		name = c.Resolve(name) // it may be called by another name (C-01)
	}
	for _, t := range r.tools {
		if t.Function.Name == name {
			return true
		}
	}
	return false
}

// finish stores the outcomes of calls that were carried out side by side, says
// so, and notices when one is the same again and again (W-12): stuck is the first
// that was so too often.
func (r *run) finish(calls []llm.ToolCall, outs []outcome) (stuck, err error) {
	times := make([]int, len(outs))
	for i, c := range calls {
		r.result.ToolCalls++
		if t, ok := r.serverTool(c.Function.Name); ok && !r.servers.IsOffered(t.Name) {
			r.servers.Load(t.Name)
			r.offerAgain()
		}
		times[i] = r.stuck.seen(c.Function.Name, c.Function.Arguments, outs[i].Full)
		if times[i] >= stuckWarn {
			outs[i].Text += stuckNote(times[i])
		}
	}
	if err := r.store(calls, outs); err != nil {
		return nil, err
	}
	for i, c := range calls {
		r.emit(EventToolComplete, r.complete(c, outs[i]))
		switch {
		case times[i] >= stuckStop && stuck == nil:
			e := runerr.Errorf(runerr.CodeLoopDetected, "the model made the same %s call with the same result %d times", c.Function.Name, times[i])
			e.Hint, e.Actions = "what was done so far is in the draft; say what to do instead and run again", []string{"review_draft"}
			stuck = e
		case times[i] == stuckWarn:
			r.emit(EventLoopWarning, LoopWarning{r.wb.ID(), c.Function.Name, r.turn})
		}
	}
	return stuck, nil
}

// store logs the calls that ran and puts all results into the conversation, as
// one step: none of them is any use to anybody before the last has ended.
func (r *run) store(calls []llm.ToolCall, outs []outcome) error {
	if err := r.keepImages(outs); err != nil {
		return err
	}
	var entries []workshop.ToolLogEntry
	var of []int // the call of each entry
	for i := range outs {
		out := &outs[i]
		out.sources = append([]string{}, out.sources...) // never nil: it is known that there are none
		if out.ran && out.entry == 0 {
			entries, of = append(entries, r.logEntry(calls[i], out.storable(out.Full), out.Success, out.took, out.sources)), append(of, i)
		}
	}
	err := r.wb.StoreResults(context.Background(), entries, func(ids []int64) []workshop.Record {
		for n, id := range ids {
			outs[of[n]].entry = id
		}
		var records []workshop.Record
		for i, out := range outs {
			if !r.phase.private { // else it is in the tool log and in the state of the phases
				rec := r.resultRecord(calls[i].ID, calls[i].Function.Name, out.storable(out.Text), out.Success, out.entry, out.sources)
				rec.Images = out.kept
				if out.outside != "" {
					rec.Metadata[workshop.MetaOutside] = out.outside
				}
				records = append(records, rec)
			} else if out.outside != "" { // an undo has to tell of it
				records = append(records, workshop.Record{Type: workshop.TypeSystem, MessageID: r.wb.Conversation().NewMessageID("s-"), EventKind: eventOutside,
					ToolName: calls[i].Function.Name, Metadata: map[string]any{workshop.MetaOutside: out.outside}, CreatedAt: r.cfg.Now().UTC()})
			}
		}
		return records
	})
	if err != nil {
		return fmt.Errorf("results of tools cannot be stored: %w", err)
	}
	for i, c := range calls {
		if outs[i].ran {
			r.entries[c.ID] = outs[i].entry
		}
		r.carried.Add(outs[i].sources...)
		if !r.phase.private {
			r.stored.Add(outs[i].sources...)
		}
		r.msgs = append(r.msgs, llm.Message{Role: llm.RoleTool, ToolCallID: c.ID, Content: outs[i].Text, Images: outs[i].Images})
	}
	return nil
}
