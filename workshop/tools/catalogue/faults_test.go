package catalogue_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
	"atelier/workshop/tools/catalogue"
)

// one fault of one handler, in the words and the shape of each
// catalogue.
func TestA05FaultsByCatalogue(t *testing.T) {
	c := newCage(t)
	for _, x := range []struct{ catalogue, tool, args, want string }{
		{"workshop", "read_file", `{"path":"none.txt"}`, `Error: file not found: none.txt`},
		{"buildscale", "read", `{"path":"none.txt"}`, `Error: File not found: /none.txt`},
		{"sila", "read", `{"uri":"file:///none.txt"}`, `Error: `},
		{"aptix", "workspace_read_file", `{"path":"root/none.txt"}`, `{"success":false,"errorCode":"NOT_FOUND"`},
	} {
		cat, err := catalogue.Named(x.catalogue)
		require.NoError(t, err)
		r := cat.Call(ctx, c.env, x.tool, []byte(x.args))
		require.False(t, r.Success, x.catalogue)
		require.Contains(t, r.Text, x.want, x.catalogue)
		require.Equal(t, workshop.NotFound, r.Fault.Code, x.catalogue)
	}
}
