package main

import (
	"context"
	"encoding/json"
	"fmt"

	"atelier/engine"
	"atelier/llm/probe"
)

// probe asks a model what it can do.
func (d *doctor) probe(ctx context.Context, s *settings, overflow bool) error {
	e, err := s.engine()
	if err != nil {
		return err
	}
	defer e.Close()
	r, err := callAs[probe.Report](ctx, e, "ModelsProbe", engine.ModelsProbeParams{ModelID: s.model, Overflow: overflow})
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		d.failed = true
		d.say("FAIL", "model", explain(err))
		return nil
	}
	for _, c := range r.Checks {
		fmt.Fprintf(d.out, "%-5s %-15s %s\n", c.Status, c.Name, c.Detail)
	}
	d.failed = d.failed || r.Failed()
	if r.Rule == nil {
		return nil
	}
	b, err := json.MarshalIndent(map[string]any{"models": []any{r.Rule}}, "", "  ")
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "\nThe built-in table does not say this; put it into config.json:\n%s\n\n", b)
	return nil
}
