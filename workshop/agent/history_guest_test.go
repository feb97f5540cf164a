package agent

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/llm"
	"atelier/workshop"
)

// A model is told which files another program changed, once for each run of changes, and
// a user who writes the same words is not taken for that.
func TestChangesOfOtherProgramsAreTold(t *testing.T) {
	guest := func(id, file string) workshop.Record {
		return workshop.Record{Type: workshop.TypeSystem, MessageID: id, EventKind: workshop.EventGuest, Text: workshop.GuestMark + file + " in the draft.]"}
	}
	user := workshop.Record{Type: workshop.TypeUser, MessageID: "u", Role: llm.RoleUser, Text: workshop.GuestMark + "a.txt in the draft.]"}
	got := messages([]workshop.Record{guest("1", "a.txt"), guest("2", "b.txt"), guest("3", "a.txt"), user, guest("4", "a.txt")})
	var texts []string
	for _, m := range got {
		require.Equal(t, llm.RoleUser, m.Role)
		texts = append(texts, m.Content)
	}
	require.Equal(t, []string{guest("", "a.txt").Text, guest("", "b.txt").Text, "\n" + user.Text, guest("", "a.txt").Text}, texts)
	require.False(t, isUsers(got[0]))
	require.True(t, isUsers(got[2]))
}
