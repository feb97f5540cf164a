package tools

import (
	"context"
	"encoding/json"

	"atelier/internal/textclip"
	"atelier/llm"
	"atelier/workshop"
)

// Outside is what a tool gave that is in no catalogue.
type Outside struct {
	Text   string
	Note   string // what there is to say of the text; at most noteMost bytes count
	Images []llm.Image
	// Pages: the model has recall_tool_result.
	Pages bool
}

// noteMost is how long the note of a result from outside may be.
const noteMost = 1000

// ResultOf returns the result of a tool that is in no catalogue, within the same
// bounds as those of a catalogue. An error is a failure.
func ResultOf(ctx context.Context, env *Env, tool string, args json.RawMessage, o Outside, err error) (r Result) {
	if err != nil {
		(&Catalogue{}).fail(env, tool, &r, FaultOf(ctx, err))
		return r
	}
	o.Note = textclip.HeadBytes(o.Note, noteMost)
	r = Result{Success: true, Full: o.Text, Images: o.Images}
	r.Data = Part{Note: o.Note, Text: o.Text}.Said()
	if r.Text, err = textOf(r.Data); err == nil && len(r.Text) <= env.Max() {
		return r
	}
	own := *env
	if !o.Pages {
		own.LogResult = nil // the model cannot page through the log
	}
	part := firstPart(ctx, &own, tool, string(args), o.Text, o.Note)
	part.Note = o.Note
	b, err := Compact(part)
	if err != nil {
		(&Catalogue{}).fail(env, tool, &r, workshop.AsFault(err))
		return r
	}
	r.Text, r.Truncated = string(b), true
	return r
}
