package plans

import (
	"context"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
	"atelier/workshop/tools"
)

// B17-02: three words; five names that are taken end the search.
func TestB1702Names(t *testing.T) {
	form := regexp.MustCompile(`^[a-z]+-[a-z]+-[a-z]+$`)
	seen := map[string]bool{}
	for range 2000 {
		n := randomName()
		require.Regexp(t, form, n)
		seen[n] = true
	}
	require.Greater(t, len(seen), 1900)

	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	defer home.Close()
	wb, err := home.OpenFolder(context.Background(), t.TempDir())
	require.NoError(t, err)
	env := &tools.Env{View: wb.LiveView(workshop.Cause{})}
	names := 0
	cat, err := tools.NewCatalogue(tools.Style{}, tools.Direct("plan_write", writeNamed(func() string {
		if names++; names < 10 {
			return "same-old-name"
		}
		return "a-new-name"
	}, time.Now)))
	require.NoError(t, err)
	call := func() tools.Result {
		return cat.Call(context.Background(), env, "plan_write", []byte(`{"Title":"t","Content":"c","Path":"","Status":""}`))
	}
	require.True(t, call().Success)
	r := call() // names 2 to 6
	require.Equal(t, "No free name for the plan was found in 5 attempts; give a path of your own", r.Fault.Message)
	require.Equal(t, []string{"path", "INVALID"}, []string{r.Fault.Field, string(r.Fault.Code)})
	require.Equal(t, 6, names)
	require.True(t, call().Success) // 7, 8, 9, then a free one
	require.Equal(t, 10, names)
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"", "---\n---\n", "---\ntitle: a\nstatus: draft\ncreated_at: 2025-01-15T10:30:00Z\n---\nbody", "---\na: &a [*a]\n---\n", "---\r\nx\r\n---"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, head := split(s)
		if (m == nil) != (head == 0) || head < 0 || head > len(s) {
			t.Fatalf("%q: %v %d", s, m, head)
		}
		if m == nil {
			return
		}
		out, err := render(*m, s[head:])
		if err != nil {
			t.Fatal(err)
		}
		again, h := split(out)
		if again == nil || *again != *m || out[h:] != s[head:] {
			t.Fatalf("%q became %q", s, out)
		}
	})
}
