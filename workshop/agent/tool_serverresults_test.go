package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
	"atelier/workshop/tools/servertools"
)

// W-18: long results are shortened and can be recalled; failures are errors; images reach
// a model that sees.
func TestW18ServerResults(t *testing.T) {
	r, o := withServers(t)
	r.cfg.Catalogue = catalogue.Workshop()
	var pic bytes.Buffer
	require.NoError(t, png.Encode(&pic, image.NewGray(image.Rect(0, 0, 3, 2))))
	o.answer = func(_ context.Context, _ servertools.Tool, args json.RawMessage) (servertools.Result, error) {
		switch string(args) {
		case `{"id":1}`:
			return servertools.Result{Text: strings.Repeat("line of a result\n", 4000), Notes: []string{"3 links were left out"}}, nil
		case `{"id":2}`:
			return servertools.Result{Text: "no such customer", Failed: true}, nil
		case `{"id":3}`:
			return servertools.Result{}, workshop.Faultf(workshop.Internal, "server crm: it ended")
		}
		return servertools.Result{Text: "a picture", Images: []servertools.Image{{MIME: "image/png", Data: pic.Bytes()}, {MIME: "image/webp", Data: []byte("x")}}}, nil
	}
	get := func(id int) reply { return calls("crm__get", fmt.Sprintf(`{"id":%d}`, id)) }
	_, err := r.run(play(get(1), calls("recall_tool_result", `{"entry_id":1,"offset":60000}`), get(2), get(3), get(4), says("Done.")), "go")
	require.NoError(t, err)
	got := r.results()
	require.LessOrEqual(t, len(got[0]), tools.DefaultResultMax)
	require.Contains(t, got[0], `recall_tool_result {\"entry_id\":1`)
	require.Contains(t, got[0], "3 links were left out")
	require.Contains(t, got[1], "line of a result")
	require.Equal(t, "Error: no such customer", got[2])
	require.Equal(t, "Error: server crm: it ended", got[3])
	require.Contains(t, got[4], "2 images were left out: you cannot see images")

	r.cfg.Sees = func() bool { return true }
	s := play(get(5), says("Done."))
	_, err = r.run(s, "look")
	require.NoError(t, err)
	last := s.requests[1][len(s.requests[1])-1]
	require.Len(t, last.Images, 1)
	require.Equal(t, 3, last.Images[0].Width)
	require.Contains(t, last.Content, "image 2 (image/webp, 1 bytes) was left out")
}

// V-01: phases that only read have the tools that only read.
func TestV01ServerToolsInPhases(t *testing.T) {
	r, _ := withServers(t)
	rr := newRun(r.cfg)
	require.NoError(t, rr.meetServers(t.Context()))
	rr.enter(rr.stage(researchPhase))
	_, reads := rr.serverTool("crm__get")
	_, acts := rr.serverTool("crm__drop")
	require.True(t, reads && !acts)
	require.True(t, rr.offered("crm__get"))
	require.False(t, rr.offered("crm__drop"))
	rr.enter(rr.stage(planPhase))
	require.False(t, rr.offered("crm__get"))
	rr.enter(rr.stage(implementPhase))
	require.True(t, rr.offered("crm__drop"))
}

// The room that tools of other programs take counts in the fill of the window, without
// a program being started or told of.
func TestMeasureCountsServerTools(t *testing.T) {
	r, _ := withServers(t)
	cfg := r.cfg
	cfg.Servers = nil
	without, err := Measure(t.Context(), cfg)
	require.NoError(t, err)
	with, err := Measure(t.Context(), r.cfg)
	require.NoError(t, err)
	require.Greater(t, with.Tokens, without.Tokens+100)
	require.Empty(t, r.events.list)
}
