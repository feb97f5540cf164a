package buildinfo

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadOfSources(t *testing.T) {
	info := &debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"},
		{Key: "vcs.time", Value: "2026-11-27T06:00:00Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	info.Main.Version = "v0.9.1-0.20261127060000-0123456789ab+dirty"
	got := read(info)
	require.Equal(t, next+"-dev", got.Version)
	require.Equal(t, "0123456789abcdef0123456789abcdef01234567", got.Commit)
	require.Equal(t, "2026-11-27T06:00:00Z", got.Date)
	require.True(t, got.Modified)
	require.Equal(t, []string{runtime.GOOS, runtime.GOARCH, runtime.Version()}, []string{got.OS, got.Arch, got.Go})

	info.Main.Version = "v1.2.3"
	require.Equal(t, "1.2.3", read(info).Version, "the sources are those of a tag")
	info.Main.Version = "(devel)"
	require.Equal(t, next+"-dev", read(info).Version)
}

func TestReadOfNothing(t *testing.T) {
	got := read(nil)
	require.Equal(t, next+"-dev", got.Version)
	require.Equal(t, Unknown, got.Commit)
	require.Equal(t, Unknown, got.Date)
	require.False(t, got.Modified)
}

func TestReadOfRelease(t *testing.T) {
	version, commit, date = "0.9.0", "abc", "2026-01-02T03:04:05Z"
	defer func() { version, commit, date = "", "", "" }()
	got := read(&debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "other"}, {Key: "vcs.modified", Value: "true"}}})
	require.Equal(t, []string{"0.9.0", "abc", "2026-01-02T03:04:05Z"}, []string{got.Version, got.Commit, got.Date})
	require.False(t, got.Modified, "that is of another commit")
	require.Equal(t, "0.9.0", Version())
}

// The order of semver.org, clause 11, and more.
func TestCompare(t *testing.T) {
	order := []string{"0.9.0-dev", "v0.9.0", "0.9.1", "0.10.0", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "v10.0.0+meta"}
	for i, a := range order {
		for j, b := range order {
			x, err := ParseVersion(a)
			require.NoError(t, err, a)
			y, err := ParseVersion(b)
			require.NoError(t, err, b)
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			require.Equal(t, want, Compare(x, y), "%s, %s", a, b)
		}
	}
}

func TestParseVersionRefuses(t *testing.T) {
	for _, s := range []string{"", "1", "1.2", "1.2.3.4", "01.2.3", "1.2.-3", "1.2.x", "1.2.3-", "1.2.3-a..b", "1.2.3-ü", "+1.2.3", "latest", "99999999999.0.0"} {
		_, err := ParseVersion(s)
		require.Error(t, err, s)
	}
}
