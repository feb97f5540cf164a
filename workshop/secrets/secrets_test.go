package secrets_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/internal/need"
	"atelier/workshop"
	"atelier/workshop/approvals"
	"atelier/workshop/secrets"
)

func TestTable(t *testing.T) {
	g := secrets.New(nil, nil)
	for _, p := range []workshop.Path{".env", "a/.env.production", ".envrc", "prod.env", "server.pem", "SERVER.PEM", "x/server.key", "id_rsa", "id_ed25519", "id_rsa.old",
		".netrc", ".npmrc", ".pgpass", ".aws/credentials", "home/.aws/sso/cache.json", "a.p12", "a.pfx", "pw.kdbx", ".ssh/config", "repo/.git/config", ".GIT/HEAD",
		".docker/config.json", ".git-credentials", "credentials.json", ".cargo/credentials.toml"} {
		require.NotEmpty(t, g.Reason(p, false), p)
		require.True(t, workshop.IsFault(g.Check(p), workshop.Forbidden), p)
	}
	for _, p := range []workshop.Path{"", "a.txt", "environment.md", "env", "id_list.xlsx", "id_rsa.pub", "key.txt", "keys/list.docx", ".github/workflows/ci.yml", ".gitignore",
		"config.json", "aws/credentials", "contracts/a.docx", ".git"} {
		require.Empty(t, g.Reason(p, false), p)
		require.NoError(t, g.Check(p), p)
	}
	require.Empty(t, g.Reason(".env", true), "a folder of that name")
	require.NoError(t, (*secrets.Guard)(nil).Check(".env"))
	seen := map[string]bool{}
	for _, r := range secrets.Table {
		require.False(t, seen[r.Pattern], r.Pattern)
		seen[r.Pattern] = true
	}
}

// bench returns a workbench on a folder with secrets and a list.
func bench(t *testing.T, ignore string) *workshop.Workbench {
	t.Helper()
	root := t.TempDir()
	for p, s := range map[string]string{".env": "K=1", "a.txt": "a", "salaries/2026.txt": "s", ".atelier/ignore": ignore} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(p)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(root, p), []byte(s), 0o600))
	}
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { home.Close() })
	wb, err := home.OpenFolder(t.Context(), root)
	require.NoError(t, err)
	return wb
}

// A rule unlocks the paths and tools that it names; a rule about everything
// unlocks nothing.
func TestUnlocking(t *testing.T) {
	for _, c := range []struct {
		rules  approvals.Policy
		tool   []string
		path   workshop.Path
		opened bool
	}{
		{nil, nil, ".env", false},
		{approvals.Policy{{Action: "allow"}}, nil, ".env", false},
		{approvals.Policy{{Path: "**", Action: "allow"}}, nil, ".env", false},
		{approvals.Policy{{Path: "*", Action: "allow"}}, nil, ".env", false},
		{approvals.Policy{{Path: ".env", Action: "allow"}}, nil, ".env", true},
		{approvals.Policy{{Path: "**/.env*", Action: "allow"}}, nil, "a/b/.env.x", true},
		{approvals.Policy{{Path: "a/**", Action: "allow"}}, nil, "a/b/.env", false},
		{approvals.Policy{{Path: ".env", Effect: "read", Action: "allow"}}, nil, ".env", true},
		{approvals.Policy{{Path: ".env", Effect: "write", Action: "allow"}}, nil, ".env", false},
		{approvals.Policy{{Path: ".env", Action: "ask"}}, nil, ".env", true},
		{approvals.Policy{{Path: ".env", Action: "deny"}}, nil, ".env", false},
		{approvals.Policy{{Path: ".env", Action: "deny"}, {Path: ".env", Action: "allow"}}, nil, ".env", false},
		{approvals.Policy{{Action: "ask"}, {Path: ".env", Action: "allow"}}, nil, ".env", true},
		{approvals.Policy{{Tool: "read_file", Path: ".env", Action: "allow"}}, []string{"read_file"}, ".env", true},
		{approvals.Policy{{Tool: "read_file", Path: ".env", Action: "allow"}}, []string{"grep"}, ".env", false},
		{approvals.Policy{{Path: ".ssh/**", Action: "allow"}}, nil, ".ssh/config", true},
		{approvals.Policy{{Path: "**/*.pem", Action: "allow"}}, nil, "x/server.pem", true},
		{approvals.Policy{{Path: "salaries/**", Action: "allow"}}, nil, "salaries/2026.txt", true},
		{approvals.Policy{{Path: "**/*.txt", Action: "allow"}}, nil, "salaries/2026.txt", false},
		{approvals.Policy{{Path: "salaries/2026.txt", Action: "allow"}}, nil, "salaries/2026.txt", true},
	} {
		wb := bench(t, "salaries/\n")
		unlocked, err := approvals.NewStore(wb, c.rules).Unlocks(t.Context(), c.tool...)
		require.NoError(t, err)
		g, err := secrets.Load(t.Context(), wb, unlocked)
		require.NoError(t, err)
		require.Equal(t, c.opened, g.Check(c.path) == nil, "%v %v %s", c.rules, c.tool, c.path)
	}
}

// A guarded view opens no withheld file, does not move one to where it could
// be read, and still lists it.
func TestGuardedView(t *testing.T) {
	ctx := t.Context()
	wb := bench(t, "# of the office\nsalaries/\n")
	g, err := secrets.Load(ctx, wb, nil)
	require.NoError(t, err)
	v := g.View(wb.DraftView(workshop.Cause{}))
	_, err = v.Open(ctx, ".env")
	require.ErrorContains(t, err, "it matches .env*: such files usually hold passwords and keys of programs")
	require.Contains(t, workshop.AsFault(err).Hint, `{"path":".env","effect":"read","action":"allow"}`)
	_, err = v.Open(ctx, "salaries/2026.txt")
	require.ErrorContains(t, err, "the user's .atelier/ignore lists it (line 2: salaries/)")
	for from, to := range map[workshop.Path]workshop.Path{".env": "b.txt", "salaries": "open", "salaries/2026.txt": "2026.txt"} {
		require.True(t, workshop.IsFault(v.Move(ctx, from, to), workshop.Forbidden), from)
		err := workshop.Rearrange(ctx, v, workshop.Edit{Kind: workshop.EditCopy, Path: from, To: to})
		require.True(t, workshop.IsFault(err, workshop.Forbidden), from)
	}
	require.NoError(t, v.Move(ctx, ".env", "old/.env"))
	_, err = v.Open(ctx, "old/.env")
	require.Error(t, err)
	list, err := v.List(ctx, "", workshop.ListOptions{Recursive: true})
	require.NoError(t, err)
	held := map[workshop.Path]bool{}
	for _, e := range list {
		held[e.Path] = e.Withheld != ""
	}
	require.Equal(t, map[workshop.Path]bool{"a.txt": false, "old": false, "old/.env": true, "salaries": true, "salaries/2026.txt": true}, held)
	f, err := v.(workshop.Explorer).Explore(ctx, "salaries")
	require.NoError(t, err)
	defer f.Close()
	_, err = f.Open(ctx, f.Items()[0])
	require.Error(t, err)
}

// The list in the folder applies: a model can neither write nor read it.
func TestListIsThePersons(t *testing.T) {
	ctx := t.Context()
	wb := bench(t, "salaries/\n")
	for _, parse := range []func(string) (workshop.Path, error){workshop.ParseStrict, workshop.ParseClamp} {
		_, err := parse(".atelier/ignore")
		require.True(t, workshop.IsFault(err, workshop.Sandbox))
	}
	// A list in the draft has no effect.
	_, _ = wb.DraftView(workshop.Cause{}).Put(ctx, ".atelier/ignore", workshop.PutOptions{}, func(w io.Writer) error { return nil })
	g, err := secrets.Load(ctx, wb, nil)
	require.NoError(t, err)
	require.Error(t, g.Check("salaries/2026.txt"))
	// If the list cannot be read, everything is withheld.
	require.NoError(t, os.Remove(filepath.Join(wb.Root(), ".atelier", "ignore")))
	need.Symlink(t, "../a.txt", filepath.Join(wb.Root(), ".atelier", "ignore"))
	_, err = secrets.Load(ctx, wb, nil)
	require.ErrorContains(t, err, ".atelier/ignore is a link or a special file")
}

// BenchmarkReason measures the cost for each file of a listing.
func BenchmarkReason(b *testing.B) {
	ig, err := secrets.ParseIgnore("salaries/\n*.bak\n/drafts/**\n")
	require.NoError(b, err)
	g := secrets.New(ig, nil)
	for b.Loop() {
		g.Reason("contracts/2026/customers/north/agreement-17.docx", false)
	}
}
