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

// C-45, C-46: the workshop catalogue reads a workbook as text, and says how a
// document is built along with what it is.
func TestC45C46WorkshopReads(t *testing.T) {
	r := newRig(t)
	require.Regexp(t, `^Sheet: Sales\nA1: `, r.ok("read_file", `{"path":"sales.xlsx","sheet":"Sales","range":"A1:B5"}`))
	info := r.ok("get_file_info", `{"path":"sales.xlsx"}`)
	for _, want := range []string{`"used_range":"A1:J18"`, `"mime_type":`, `"hash":`, `"sheets":[{"name":"Sales"`} {
		require.Contains(t, info, want)
	}
}
