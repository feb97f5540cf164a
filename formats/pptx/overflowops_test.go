package pptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func warningsAfter(t *testing.T, file []byte, op string) (string, []byte) {
	t.Helper()
	out, rep := editReport(t, file, op)
	return strings.Join(rep.Ops[len(rep.Ops)-1].Warnings, "\n"), out
}

// replace_text tells texts that no longer fit, with their slide, and nothing that was so
// before.
func TestReplaceTellsTextThatDoesNotFit(t *testing.T) {
	deck := edit(t, nil, `{"op":"add_slide","title":"Aim","body":"a"}`, `{"op":"add_slide","title":"The aim of all","body":"b"}`, `{"op":"add_slide","title":"Other","body":"c"}`)
	long := strings.TrimSpace(strings.Repeat("very long word ", 25))
	said, after := warningsAfter(t, deck, fmt.Sprintf(`{"op":"replace_text","search":"aim","replace":"%s"}`, long))
	require.Contains(t, said, "slide index 0: the text of shape")
	require.Contains(t, said, "slide index 1: the text of shape")
	require.NotContains(t, said, "slide index 2")
	said, _ = warningsAfter(t, after, `{"op":"replace_text","search":"very","replace":"very"}`)
	require.NotContains(t, said, "may not fit")
	said, _ = warningsAfter(t, after, `{"op":"replace_text","search":"very long word","replace":"x"}`)
	require.NotContains(t, said, "may not fit")

	var many []string
	for range 20 {
		many = append(many, `{"op":"add_slide","title":"Aim","body":"a"}`)
	}
	said, _ = warningsAfter(t, edit(t, nil, many...), fmt.Sprintf(`{"op":"replace_text","search":"aim","replace":"%s"}`, long))
	require.Equal(t, overflowsTold, strings.Count(said, "slide index"))
	require.Contains(t, said, "8 more texts may not fit")
}

// Operations on tables tell a table that newly ends below the slide.
func TestTablesTellThatTheyEndBelowTheSlide(t *testing.T) {
	rows := strings.Repeat(`["a","b"],`, 8) + `["c","d"]`
	deck := edit(t, nil, `{"op":"add_slide","layout":"title_only","title":"T"}`)
	said, deck := warningsAfter(t, deck, `{"op":"add_table","index":0,"rows":[`+rows+`],"x":1,"y":2,"width":4}`)
	require.Empty(t, said)
	said, deck = warningsAfter(t, deck, `{"op":"set_table_cell","index":0,"row":1,"column":0,"text":"short"}`)
	require.Empty(t, said)
	tall := fmt.Sprintf(`{"op":"set_table_cell","index":0,"row":2,"column":0,"text":"%s"}`, strings.Repeat("many words ", 40))
	said, over := warningsAfter(t, deck, tall)
	require.Contains(t, said, "ends below the slide")
	said, _ = warningsAfter(t, over, `{"op":"set_table_cell","index":0,"row":1,"column":0,"text":"other"}`)
	require.Empty(t, said)
	said, _ = warningsAfter(t, over, `{"op":"add_table_row","index":0,"cells":["one more"]}`)
	require.Contains(t, said, "ends below the slide")
	said, _ = warningsAfter(t, deck, `{"op":"add_table","index":0,"rows":[`+strings.Repeat(rows+",", 3)+rows+`],"x":6,"y":2,"width":4}`)
	require.Contains(t, said, "ends below the slide")
}
