package crashtest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"atelier/formats"
	"atelier/formats/all"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

// Child executes operations from in on the workbench of dir, until in ends.
// args are those that Run appends to Options.Child: home, dir, and the
// failpoint for opening.
func Child(args []string, in io.Reader, out io.Writer) error {
	c := &child{home: args[0], dir: args[1], catalogue: catalogue.Workshop(), formats: all.Formats(all.Options{})}
	if len(args) > 2 {
		if err := json.Unmarshal([]byte(args[2]), &c.now); err != nil {
			return err
		}
	}
	ctx := context.Background()
	enc := json.NewEncoder(out)
	opt := workshop.Options{Failpoint: c.failpoint, Now: c.clock}
	if c.now.Nth < 0 {
		opt.Failpoint = nil // files are then written in parallel
	}
	h, err := workshop.OpenHome(c.home, opt)
	if err == nil {
		c.wb, err = h.OpenFolder(ctx, c.dir)
	}
	if err != nil {
		return enc.Encode(failed(err))
	}
	defer h.Close()
	if err := enc.Encode(reply{Repaired: c.wb.Recovered()}); err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		c.now, c.hits = op{}, 0
		if err := json.Unmarshal(lines.Bytes(), &c.now); err != nil {
			return err
		}
		r, err := c.do(ctx, c.now)
		if err != nil {
			r = failed(err)
		}
		if err := enc.Encode(r); err != nil {
			return err
		}
	}
	return lines.Err()
}

func failed(err error) reply {
	return reply{Error: err.Error(), Code: string(workshop.AsFault(err).Code)}
}

type child struct {
	home, dir string
	wb        *workshop.Workbench
	catalogue *tools.Catalogue
	formats   *formats.Set
	now       op
	hits      int
	ahead     atomic.Int64 // how far the clock is ahead, for garbage collection
}

func (c *child) clock() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// failpoint kills the process at the step that the operation names.
func (c *child) failpoint(step string) error {
	if step == c.now.Failpoint {
		if c.hits++; c.hits == c.now.Nth {
			killSelf()
		}
	}
	return nil
}

func (c *child) do(ctx context.Context, o op) (reply, error) {
	view := c.wb.DraftView(workshop.Cause{MessageID: o.ID, Tool: o.Kind})
	var paths []workshop.Path
	for _, p := range o.Paths {
		paths = append(paths, workshop.Path(p))
	}
	if strings.HasPrefix(o.Kind, "live ") {
		view = c.wb.LiveView(workshop.Cause{Tool: o.Kind})
	}
	switch o.Kind {
	case opPut, opLivePut:
		_, err := view.Put(ctx, workshop.Path(o.Path), workshop.PutOptions{}, func(w io.Writer) error {
			_, err := io.WriteString(w, o.Text)
			return err
		})
		return reply{}, err
	case opTool:
		return c.tool(ctx, view, o)
	case opRemove, opLiveRemove:
		return reply{}, view.Remove(ctx, workshop.Path(o.Path))
	case opMove, opLiveMove:
		return reply{}, view.Move(ctx, workshop.Path(o.Path), workshop.Path(o.To))
	case opCopyAll, opMoveAll, opRemoveAll:
		kinds := map[string]workshop.EditKind{opCopyAll: workshop.EditCopy, opMoveAll: workshop.EditMove, opRemoveAll: workshop.EditRemove}
		return reply{}, workshop.Rearrange(ctx, view, workshop.Edit{Kind: kinds[o.Kind], Path: workshop.Path(o.Path), To: workshop.Path(o.To)})
	case opPublish:
		r, err := c.wb.Publish(ctx, workshop.PublishOptions{Paths: paths})
		return reply{ID: r.CheckpointID}, err
	case opDiscard:
		return reply{}, c.wb.Discard(ctx, paths)
	case opCheckpoint:
		r, err := c.wb.CreateCheckpoint(ctx, "crashtest")
		return reply{ID: r.ID}, err
	case opRestore:
		r, err := c.wb.Restore(ctx, o.ID)
		return reply{ID: r.CheckpointID}, err
	case opSay:
		return reply{}, c.wb.Conversation().Append(workshop.Record{Type: workshop.TypeUser, MessageID: o.ID, Role: "user", Text: o.Text})
	case opUndo:
		_, err := c.wb.UndoTo(ctx, o.ID)
		return c.newest(ctx, err)
	case opGC, opForget:
		c.ahead.Store(int64(2 * time.Hour)) // otherwise everything would be too recent
		defer c.ahead.Store(0)
		opt := workshop.GCOptions{}
		if o.Kind == opForget {
			opt.OlderThan = time.Hour
		}
		if _, err := c.wb.GC(ctx, opt); err != nil {
			return reply{}, err
		}
		left, err := c.wb.Checkpoints(ctx)
		var r reply
		for _, cp := range left {
			r.Kept = append(r.Kept, cp.ID)
		}
		return r, err
	case opAdd:
		rs, err := c.wb.AddFiles(ctx, []string{o.Path})
		if err == nil && rs[0].Status != "added" {
			err = workshop.Faultf(workshop.Conflict, "%s", rs[0].Reason)
		}
		return c.newest(ctx, err)
	case opDrop:
		rs, err := c.wb.RemoveFiles(ctx, []workshop.Path{workshop.Path(o.Path)})
		if err == nil && rs[0].Status != "removed" {
			err = workshop.Faultf(workshop.NotFound, "%s", rs[0].Reason)
		}
		return c.newest(ctx, err)
	}
	return reply{}, fmt.Errorf("unknown operation %q", o.Kind)
}

// newest is the reply to an operation that created a checkpoint without
// returning its id.
func (c *child) newest(ctx context.Context, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	all, err := c.wb.Checkpoints(ctx)
	return reply{ID: all[0].ID}, err
}

// tool writes text into an office file with the tool for its format.
func (c *child) tool(ctx context.Context, view workshop.View, o op) (reply, error) {
	kind := formats.KindOfName(o.Path)
	_, err := view.Stat(ctx, workshop.Path(o.Path))
	var edit map[string]any
	switch {
	case kind == formats.KindXlsx:
		edit = map[string]any{"op": "set_cells", "sheet": "Data", "cells": []any{map[string]any{"cell": "B2", "value": o.Text}}}
	case kind == formats.KindDocx:
		edit = map[string]any{"op": "set_paragraphs", "paragraphs": []any{map[string]any{"text": o.Text}}}
	case err == nil:
		edit = map[string]any{"op": "set_slide_text", "index": 0, "title": o.Text}
	default:
		edit = map[string]any{"op": "add_slide", "title": o.Text}
	}
	ops := []any{edit}
	if kind == formats.KindXlsx {
		ops = []any{map[string]any{"op": "ensure_sheet", "sheet": "Data"}, edit}
	}
	args, err := json.Marshal(map[string]any{"path": o.Path, "create_if_missing": true, "operations": ops})
	if err != nil {
		return reply{}, err
	}
	r := c.catalogue.Call(ctx, &tools.Env{View: view, Formats: c.formats}, string(kind)+"_operations", args)
	if !r.Success {
		return reply{}, fmt.Errorf("%s", r.Text)
	}
	e, err := view.Stat(ctx, workshop.Path(o.Path))
	return reply{Hash: e.Hash}, err
}

// killSelf ends the process as SIGKILL does, on systems that have it.
func killSelf() {
	if p, err := os.FindProcess(os.Getpid()); err == nil && p.Kill() == nil {
		select {} // until the signal arrives
	}
	os.Exit(137)
}
