package pseudo

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
)

func TestSummariesSayWhatWasAskedAndWhere(t *testing.T) {
	system := llm.Message{Role: llm.RoleSystem, Content: "You write the summary with which an assistant goes on, because …"}
	sum := func(record string) string {
		resp, err := New().Chat(t.Context(), llm.Request{Model: Model, Messages: []llm.Message{system, {Role: llm.RoleUser, Content: record}}})
		require.NoError(t, err)
		return resp.Content
	}
	require.Equal(t, "The person asked:\n- The budget is 4711.\n- Translate a.docx > PERSON: no\nFiles that were worked with: a.docx",
		sum("EARLIER SUMMARY: The budget is 4711.\n\nPERSON: Translate a.docx\n> PERSON: no\n\nCALL: read_file {\"path\":\"a.docx\"}\n\nRESULT (entry_id 1): PATH\n\nCALL: get_segments {\"path\":\"a.docx\"}\n\nASSISTANT: Done.\n\n"))
	long := sum(strings.Repeat("PERSON: "+strings.Repeat("ä", 300)+"\n\n", 30))
	require.Contains(t, long, "- (10 earlier requests)\n- "+strings.Repeat("ä", 200)+"…\n")
	require.Equal(t, 20, strings.Count(long, "ä…"))
}

// What is said of the last answer in the user's place is no request.
func TestNotesAreNoRequests(t *testing.T) {
	p := readProgress([]llm.Message{{Role: llm.RoleUser, Content: "Translate a.txt."}, {Role: llm.RoleAssistant, Content: "Half"},
		{Role: llm.RoleUser, Content: "[Your last answer broke off where it ends above. Go on.]"}})
	require.Equal(t, "Translate a.txt.", p.request)
}
