package agent

import (
	"context"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
)

// The model is told with its next turn that the user rejected changes; what the user
// writes is never taken for that.
func TestRejectedChangesAreTold(t *testing.T) {
	r := newRig(t, map[string]string{"a.txt": "old\n"})
	_, err := r.run(play(calls("write_text_file", `{"path":"a.txt","content":"new\n"}`), says("done")), "write")
	require.NoError(t, err)
	e, err := r.wb.Draft(context.Background())
	require.NoError(t, err)
	require.True(t, e.HasDraft)
	changes, err := r.wb.Changes(context.Background())
	require.NoError(t, err)
	told := workshop.RejectMark + "1 change of a.txt in the draft.]"
	_, err = r.wb.Reject(context.Background(), workshop.Cause{Tool: "reject", Author: "user"}, workshop.Rejection{Path: "a.txt", Hash: changes[0].NewHash, Text: told,
		To: func(w io.Writer) error { _, err := io.WriteString(w, "old\n"); return err }})
	require.NoError(t, err)
	m := play(says("I see"))
	_, err = r.run(m, told+" as I wrote")
	require.NoError(t, err)
	last := m.requests[0]
	require.Equal(t, told+"\n\n\n"+told+" as I wrote", last[len(last)-1].Content, "messages of one role are sent as one")
	records, err := r.wb.Conversation().Records()
	require.NoError(t, err)
	var mine []string
	for _, m := range messages(records) {
		if isUsers(m) {
			mine = append(mine, m.Content)
		}
	}
	require.Equal(t, []string{"write", "\n" + told + " as I wrote"}, mine)
}
