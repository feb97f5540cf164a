package workshop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// anyName draws the last part of a path: everything a file system of Unix takes
// and people or programs write.
func anyName() *rapid.Generator[string] {
	special := rapid.SampledFrom([]string{
		"_x.csv", "__", "report..final.txt", "...", "..a", "a..", " leading", "trailing ", " ", ".hidden", "-rf", "--", "~", "~user",
		"caf\u00e9.txt", "cafe\u0301.txt", "\u1e69\u0323", "🙂 emoji 👨‍👩‍👧.txt", "quote\"s'.txt", "new\nline.txt", "tab\t.txt", "cr\r.txt", "a,b;c.txt", "%s%d.txt", "100%.txt",
		"*?[x].txt", "$HOME `x` $(y).txt", "<a>&amp;|.txt", "#1.txt", "=1+1.csv", "con.txt", "NUL", "aux.h", "x.", "\u202egnp.exe", "\ufeffbom", "\u00a0nbsp", "名前.txt", "شيء.txt",
		strings.Repeat("x", 255), strings.Repeat("é", 127) + "x", strings.Repeat("🙂", 63) + "abc", "C", "c;", "file:x", "@at", "a b  c", "\x01", "\x7f",
	})
	random := rapid.Custom(func(t *rapid.T) string {
		s := rapid.StringOfN(rapid.Rune(), 1, 40, 255).Draw(t, "random")
		return strings.Map(func(r rune) rune {
			if r == '/' || r == 0 || r == '\\' || r == 0xfffd {
				return '_'
			}
			return r
		}, s)
	})
	return rapid.OneOf(special, special, random).Filter(func(s string) bool {
		p, err := ParseStrict(s)
		return err == nil && p == Path(s) && !litter(s)
	})
}

// K-09: whatever a file is called, every operation works on it and on nothing
// else; the files beside it stay.
func TestK09AnyNameSurvivesEveryOperation(t *testing.T) {
	campaign.Slow(t)
	if onWindows {
		t.Skip("Windows refuses most of these names; see TestNamesWindowsCannotHold")
	}
	rapid.Check(t, func(rt *rapid.T) {
		name, other := anyName().Draw(rt, "name"), anyName().Draw(rt, "other")
		p, q := "dir/"+name, other
		files := map[string]string{"beside.txt": "beside", p: "1"}
		r := newRig(t, files)
		defer r.h.Close()
		check := func(disk, draft map[string]string) {
			require.Equal(rt, disk, r.disk())
			require.Equal(rt, draft, tree(t, r.draft()))
		}
		with := func(kv ...string) map[string]string {
			m := map[string]string{"beside.txt": "beside"}
			for i := 0; i < len(kv); i += 2 {
				m[kv[i]] = kv[i+1]
			}
			return m
		}
		r.say("u-1", TypeUser)
		snapshot, err := r.wb.CreateCheckpoint(ctx, name)
		require.NoError(rt, err)
		r.put(p, "2")
		check(files, with(p, "2"))
		cs, err := r.wb.Changes(ctx)
		require.NoError(rt, err)
		require.Len(rt, cs, 1)
		require.Equal(rt, Path(p), cs[0].Path)
		r.publish(PublishOptions{Paths: []Path{Path(p)}})
		check(with(p, "2"), with(p, "2"))
		vs, err := r.wb.Versions(ctx, Path(p))
		require.NoError(rt, err)
		require.Len(rt, vs, 2)

		require.NoError(rt, r.draft().Move(ctx, Path(p), Path(q)))
		r.reopen()
		check(with(p, "2"), with(q, "2"))
		require.NoError(rt, r.wb.Discard(ctx, []Path{Path(q)}))
		check(with(p, "2"), with(p, "2"))
		require.NoError(rt, r.draft().Move(ctx, Path(p), Path(q)))
		r.publish(PublishOptions{})
		check(with(q, "2"), with(q, "2"))
		require.NoError(rt, r.draft().Remove(ctx, Path(q)))
		r.publish(PublishOptions{})
		check(with(), with())

		res, err := r.wb.Restore(ctx, snapshot.ID)
		require.NoError(rt, err)
		require.Equal(rt, []Path{Path(p)}, res.Published)
		check(files, files)
		r.put(q, "3")
		_, err = r.wb.UndoTo(ctx, "u-1")
		require.NoError(rt, err)
		check(files, files)
		rs, err := r.wb.RemoveFiles(ctx, []Path{Path(p)})
		require.NoError(rt, err)
		require.Equal(rt, "removed", rs[0].Status)
		host := filepath.Join(t.TempDir(), name)
		require.NoError(rt, os.WriteFile(host, []byte("4"), 0o600))
		rs, err = r.wb.AddFiles(ctx, []string{host})
		require.NoError(rt, err)
		require.Equal(rt, "added", rs[0].Status, rs[0].Reason)
		check(with(name, "4"), with(name, "4"))
		r.verified()
	})
}

// K-09: two names that look the same are two files.
func TestK09Twins(t *testing.T) {
	nfc, nfd := "caf\u00e9.txt", "cafe\u0301.txt"
	r := newRig(t, map[string]string{nfc: "c"})
	if _, err := os.Stat(filepath.Join(r.dir, nfd)); err == nil {
		t.Skip("this file system takes the two spellings for one")
	}
	r.put(nfd, "d")
	r.publish(PublishOptions{})
	require.Equal(t, map[string]string{nfc: "c", nfd: "d"}, r.disk())
	require.NoError(t, r.draft().Remove(ctx, Path(nfc)))
	r.publish(PublishOptions{})
	require.Equal(t, map[string]string{nfd: "d"}, r.disk())
}

// A path of thousands of folders is refused before any of them is looked at.
func TestPathsAreNotEndless(t *testing.T) {
	for _, parse := range []func(string) (Path, error){ParseStrict, ParseClamp} {
		_, err := parse(strings.Repeat("a/", longestPath/2) + "b")
		require.ErrorContains(t, err, "4096 is the most")
		p, err := parse(strings.Repeat("a/", longestPath/2-1) + "bc")
		require.NoError(t, err)
		require.Len(t, p, longestPath)
	}
}
