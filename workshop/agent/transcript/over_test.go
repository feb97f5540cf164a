package transcript

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/campaign"
	"atelier/llm/api"
)

// overAlways are the transcripts that every test run plays over each API.
var overAlways = []string{"cancel_stream", "cut_stream", "look", "look_refused", "malformed_arguments", "parallel", "rate_limit", "steer_calls", "stuck"}

// overDiffer are those whose requests differ in an API, and a line that shows how.
var overDiffer = map[string]string{
	"anthropic/look":         `\"shown\":[\"notes.md page 1 of 1\"]}\nnotes.md page 1 of 1\n[image/png]"`, // the image is part of the result
	"anthropic/look_refused": `[image not shown: notes.md page 1 of 1`,
	"anthropic/steer_calls":  `In one sentence, please.\nAnd in French.`, // messages of the user one after another are one turn
	"responses/look":         `\"shown\":[\"notes.md page 1 of 1\"]}\nnotes.md page 1 of 1\n[image/png]"`,
	"responses/look_refused": `[image not shown: notes.md page 1 of 1`,
}

// A transcript plays the same over each API (D-20): the requests, the answers, the
// files, the events.
func TestGoldenOverEachAPI(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "transcripts", "*.txtar"))
	require.NoError(t, err)
	for _, name := range []string{api.Anthropic, api.Responses} {
		for _, path := range paths {
			transcript := strings.TrimSuffix(filepath.Base(path), ".txtar")
			t.Run(name+"/"+transcript, func(t *testing.T) {
				if !slices.Contains(overAlways, transcript) {
					campaign.Slow(t)
				}
				t.Parallel()
				file, err := os.ReadFile(path)
				require.NoError(t, err)
				rep, err := Run(t.Context(), file, Options{API: name})
				require.NoError(t, err)
				differs, ok := overDiffer[name+"/"+transcript]
				if !ok {
					require.True(t, rep.OK(), "%s", rep.Diff)
					return
				}
				require.Equal(t, []string{"want-requests"}, rep.Mismatches, "%s", rep.Diff)
				_, requests, _ := strings.Cut(string(rep.Updated), "-- want-requests --")
				require.Contains(t, requests, differs)
			})
		}
	}
}
