package approvals

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// M-14: what comes behind an exception for some files counts for a request that
// leaves for a server.
func TestM14RuleBehindAnException(t *testing.T) {
	wb := open(t, map[string]string{"public/a.txt": "a"})
	ctx := t.Context()
	for _, action := range []string{Ask, Deny} {
		asks := 0
		p := Policy{{Path: "public/**", Action: Allow}, {Effect: Read, Path: "other/**", Action: Allow}, {Action: action}}
		gate := func() *Gate {
			g, err := NewRun(NewStore(wb, p), time.Now).Gate(ctx, Call{Tool: "fetch", Ask: func(context.Context, Request) (Answer, error) { asks++; return Answer{Choice: No}, nil }})
			require.NoError(t, err)
			return g
		}
		g := gate()
		require.NoError(t, g.Begin(ctx, false))
		require.Error(t, g.Whole(ctx), "before a request leaves")
		require.Error(t, g.Done(ctx))
		g = gate()
		require.NoError(t, g.Begin(ctx, false))
		require.NoError(t, g.Done(ctx), "names of files are no secret")
		g = gate()
		require.NoError(t, g.Begin(ctx, false))
		require.NoError(t, g.Read("public/a.txt"))
		require.NoError(t, g.Done(ctx), "files of the exception are no matter of the rule")
		if action == Ask {
			require.Equal(t, 1, asks)
		}
	}
}

// A name cannot speak in the question: what could be taken for more than a name
// is in quotation marks.
func TestA09NamesInQuestions(t *testing.T) {
	r := Request{Tool: "write", Uses: []Use{{Write, "a b.txt"}, {Write, "x, read y) (once)"}, {Write, "n\nAllow?"}, {Write, "\u202etxt.exe"}, {Read, ""}}}
	require.Equal(t, `write (write a b.txt, write "x, read y) (once)", write "n\nAllow?", write "\u202etxt.exe", read .)`, r.Describe())
}
