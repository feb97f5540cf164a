package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"atelier/internal/campaign"

	"github.com/stretchr/testify/require"
)

const testKey = "sk-test-very-secret-0123456789"

func TestKeyFileKeepsKeysEncrypted(t *testing.T) { // L-11
	t.Setenv(EnvPassphrase, "")
	dir := t.TempDir()
	k := newKeyFile(dir)
	key, err := k.Get("openai")
	require.NoError(t, err)
	require.Empty(t, key)
	require.NoError(t, k.Delete("openai"))
	require.NoFileExists(t, filepath.Join(dir, keyFileName), "asking leaves nothing behind")
	require.NoError(t, k.Set("openai", testKey))
	require.NoError(t, k.Set("local", "other"))

	again := newKeyFile(dir) // another process
	key, err = again.Get("openai")
	require.NoError(t, err)
	require.Equal(t, testKey, key)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		require.NotContains(t, string(b), testKey, e.Name())
		if st, err := e.Info(); runtime.GOOS != "windows" && e.Name() != keyLockName {
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), st.Mode().Perm(), e.Name())
		}
	}
	require.NoError(t, again.Delete("openai"))
	key, err = k.Get("openai")
	require.NoError(t, err)
	require.Empty(t, key, "the first process sees it")
	key, err = k.Get("local")
	require.NoError(t, err)
	require.Equal(t, "other", key)
}

func TestKeyFileWithAPassphrase(t *testing.T) {
	if campaign.Race {
		t.Skip("deriving keys takes two minutes with the race detector")
	}
	campaign.Slow(t)
	dir := t.TempDir()
	t.Setenv(EnvPassphrase, "correct horse")
	require.NoError(t, newKeyFile(dir).Set("openai", testKey))
	require.NoFileExists(t, filepath.Join(dir, identityFileName))
	key, err := newKeyFile(dir).Get("openai")
	require.NoError(t, err)
	require.Equal(t, testKey, key)
	for _, wrong := range []string{"", "battery staple"} {
		t.Setenv(EnvPassphrase, wrong)
		k := newKeyFile(dir)
		_, err := k.Get("openai")
		var info *ErrorInfo
		require.ErrorAs(t, err, &info)
		require.Contains(t, info.Hint, EnvPassphrase)
		require.ErrorAs(t, k.Set("openai", "new"), &info, "keys that cannot be read are not overwritten")
	}
}

func TestDamagedKeyFile(t *testing.T) {
	t.Setenv(EnvPassphrase, "")
	dir := t.TempDir()
	require.NoError(t, newKeyFile(dir).Set("openai", testKey))
	path := filepath.Join(dir, keyFileName)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, damaged := range [][]byte{nil, b[:len(b)/2], b[:len(b)-1], []byte("{}")} {
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		k := newKeyFile(dir)
		_, err := k.Get("openai")
		var info *ErrorInfo
		require.ErrorAs(t, err, &info)
		require.NotContains(t, info.Error()+info.Hint, testKey)
		require.Error(t, k.Set("openai", "new"))
	}
}

// The peer lost a key in 19 of 20 such rounds.
func TestKeysSetAtOnceAreAllKept(t *testing.T) {
	t.Setenv(EnvPassphrase, "")
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			k := newKeyFile(dir) // each has its own lock, as another process has
			for j := range 3 {
				if err := k.Set(fmt.Sprintf("p%d-%d", i, j), testKey); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	k := newKeyFile(dir)
	for i := range 20 {
		for j := range 3 {
			key, err := k.Get(fmt.Sprintf("p%d-%d", i, j))
			require.NoError(t, err)
			require.Equal(t, testKey, key)
		}
	}
}

// A keychain is the person's; a data folder can have its keys apart from it.
func TestKeychainIsLeftAlone(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/1/bus")
	t.Setenv(EnvKeychain, "")
	require.True(t, keychainThere())
	t.Setenv(EnvKeychain, "off")
	require.False(t, keychainThere())
}
