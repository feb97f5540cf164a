package skills

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/internal/need"
	"atelier/workshop"
)

func write(t *testing.T, root, name, text string) {
	p := filepath.Join(root, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
	require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
}

func source(t *testing.T) (Source, string) {
	root := t.TempDir()
	home, err := workshop.OpenHome(t.TempDir(), workshop.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { home.Close() })
	wb, err := home.OpenFolder(t.Context(), root)
	require.NoError(t, err)
	return Source{Workbench: wb, Published: wb.PublishedView(), Own: filepath.Join(t.TempDir(), "skills")}, root
}

func load(t *testing.T, s Source) map[string]Item {
	list, err := Load(t.Context(), s)
	require.NoError(t, err)
	out := map[string]Item{}
	for _, it := range list {
		out[it.Source+" "+it.Name] = it
	}
	return out
}

// A decision counts for one content; a change of any file asks again.
func TestDecisionsCountForOneContent(t *testing.T) {
	s, root := source(t)
	ctx := t.Context()
	write(t, root, "AGENTS.md", "Be brief.\n")
	write(t, root, ".atelier/skills/letters/SKILL.md", "---\nname: ../../x\ndescription: >\n  Letters to\n  customers\n---\nSteps.\n")
	write(t, root, ".atelier/skills/letters/more/tone.md", "Kind.\n")
	got := load(t, s)
	for _, name := range []string{"folder AGENTS.md", "folder letters"} {
		require.Equal(t, New, got[name].Status, name)
		require.NoError(t, Decide(ctx, s.Workbench, got[name].Decision(true, time.Now())))
	}
	require.Equal(t, "Letters to customers", got["folder letters"].Description)
	list, err := Load(ctx, s)
	require.NoError(t, err)
	require.Empty(t, list.Undecided())
	a, ok := list.Agents()
	require.True(t, ok)
	require.Equal(t, "Be brief.\n", a.Text())
	text, from, err := list.Read("letters")
	require.NoError(t, err)
	require.Contains(t, text, "read_skill: letters/more/tone.md")
	require.Equal(t, ".atelier/skills/letters/SKILL.md", from)
	text, _, err = list.Read("letters/more/tone.md")
	require.NoError(t, err)
	require.Equal(t, "Kind.\n", text)
	for _, bad := range []string{"letters/../../../AGENTS.md", "letters//etc/passwd", "../letters", "AGENTS.md", ""} {
		_, _, err = list.Read(bad)
		require.True(t, workshop.IsFault(err, workshop.NotFound), "%q: %v", bad, err)
	}
	write(t, root, ".atelier/skills/letters/more/tone.md", "Rude.\n")
	text, _, err = list.Read("letters/more/tone.md")
	require.NoError(t, err)
	require.Equal(t, "Kind.\n", text, "what was approved is what is read")
	got = load(t, s)
	require.Equal(t, Changed, got["folder letters"].Status)
	require.Equal(t, Used, got["folder AGENTS.md"].Status)
	require.NoError(t, Decide(ctx, s.Workbench, got["folder letters"].Decision(false, time.Now())))
	list, err = Load(ctx, s)
	require.NoError(t, err)
	_, _, err = list.Read("letters")
	require.ErrorContains(t, err, "declined")
	require.NoError(t, Forget(ctx, s.Workbench, "AGENTS.md"))
	require.Equal(t, New, load(t, s)["folder AGENTS.md"].Status)
}

// AGENTS.md is read as it is published, never from a draft.
func TestDraftsDoNotInstruct(t *testing.T) {
	s, _ := source(t)
	_, err := s.Workbench.DraftView(workshop.Cause{}).Put(t.Context(), "AGENTS.md", workshop.PutOptions{}, func(w io.Writer) error {
		_, err := w.Write([]byte("Obey."))
		return err
	})
	require.NoError(t, err)
	require.NotContains(t, load(t, s), "folder AGENTS.md")
	_, err = s.Workbench.Publish(t.Context(), workshop.PublishOptions{})
	require.NoError(t, err)
	require.Equal(t, New, load(t, s)["folder AGENTS.md"].Status)
}

// The user's own skill comes first, then an approved one of the folder.
func TestSameNames(t *testing.T) {
	s, root := source(t)
	write(t, root, ".atelier/skills/report/SKILL.md", "The folder's.\n")
	got := load(t, s)
	require.Equal(t, New, got["folder report"].Status)
	require.Equal(t, Used, got["program report"].Status, "what is not approved hides nothing")
	list, err := Load(t.Context(), s)
	require.NoError(t, err)
	list.Approve(got["folder report"].Path, true)
	text, _, err := list.Read("report")
	require.NoError(t, err)
	require.Equal(t, "The folder's.\n", text)
	write(t, s.Own, "Report/SKILL.md", "My own.\n")
	got = load(t, s)
	require.Equal(t, Hidden, got["folder report"].Status)
	require.Equal(t, Hidden, got["program report"].Status)
	list, err = Load(t.Context(), s)
	require.NoError(t, err)
	require.Empty(t, list.Undecided(), "nothing is asked about what would not be used")
	text, from, err := list.Read("report")
	require.NoError(t, err)
	require.Equal(t, "My own.\n", text)
	require.Empty(t, from)
}

func TestHostileSkills(t *testing.T) {
	s, root := source(t)
	dir := ".atelier/skills/"
	write(t, root, "secret.txt", "document")
	write(t, root, dir+"ok/SKILL.md", "fine")
	write(t, root, dir+"none/README.md", "no skill")
	write(t, root, dir+"big/SKILL.md", strings.Repeat("x", maxFile+1))
	write(t, root, dir+"binary/SKILL.md", "\xff\xfe\x00")
	write(t, root, dir+"sp ace/SKILL.md", "x")
	write(t, root, dir+"front/SKILL.md", "---\n"+strings.Repeat("a: &a [*a,*a]\n", 4000)+"---\nbody")
	write(t, root, dir+"open/SKILL.md", "---\ndescription: "+strings.Repeat("long ", 5000))
	write(t, root, dir+"deep/SKILL.md", "x")
	write(t, root, dir+"deep/a/b/c/d.md", "x")
	write(t, root, dir+"hidden/SKILL.md", "say\u202eevil\U000e0041")
	write(t, root, dir+"heavy/SKILL.md", "x")
	for i := range maxFiles + 1 {
		write(t, root, fmt.Sprintf("%smany/%d.md", dir, i), "x")
	}
	write(t, root, dir+"many/SKILL.md", "x")
	for i := range 5 {
		write(t, root, fmt.Sprintf("%sheavy/%d.md", dir, i), strings.Repeat("x", maxFile))
	}
	want := map[string]string{"big": "more than 64 KiB", "binary": "not UTF-8", "sp ace": "other characters", "deep": "deeper", "heavy": "more than 256 KiB", "many": "more than 16 files"}
	if runtime.GOOS != "windows" {
		need.Symlink(t, "../../secret.txt", filepath.Join(root, dir+"ok2"))
		write(t, root, dir+"link/SKILL.md", "x")
		need.Symlink(t, "../../../secret.txt", filepath.Join(root, dir+"link/a.md"))
		want["ok2"], want["link"] = "no folder", "holds a link"
	}
	got := load(t, s)
	for name, why := range want {
		it := got["folder "+name]
		require.Equal(t, Refused, it.Status, name)
		require.Contains(t, it.Why, why, name)
		require.Empty(t, it.Shown(0), name)
	}
	require.NotContains(t, got, "folder none")
	for _, name := range []string{"ok", "front", "open", "hidden"} {
		require.Equal(t, New, got["folder "+name].Status, name)
		require.LessOrEqual(t, len([]rune(got["folder "+name].Description)), describedInChars+1)
	}
	require.Contains(t, got["folder hidden"].Shown(0), "⟦U+202E⟧", "a person sees what cannot be seen")
	for i := range 3000 {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir, fmt.Sprintf("n%04d", i)), 0o755))
	}
	require.Contains(t, load(t, s)["folder skills"].Why, "more than 256 entries")
	require.NoError(t, os.RemoveAll(filepath.Join(root, dir)))
	for i := range maxSkills + 5 {
		write(t, root, fmt.Sprintf("%sn%03d/SKILL.md", dir, i), "x")
	}
	require.Equal(t, New, load(t, s)["folder n031"].Status)
	require.Contains(t, load(t, s)["folder n032"].Why, "more than 32 skills")
}

// A link in the place of the folder could lead to documents, which models write.
func TestLinkedFolderOfSkills(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	s, root := source(t)
	write(t, root, "docs/evil/SKILL.md", "x")
	require.NoError(t, os.MkdirAll(filepath.Join(root, ".atelier"), 0o755))
	need.Symlink(t, "../docs", filepath.Join(root, ".atelier/skills"))
	got := load(t, s)
	require.NotContains(t, got, "folder evil")
	require.Contains(t, got["folder skills"].Why, "not followed")
}
