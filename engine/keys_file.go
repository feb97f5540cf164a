package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"filippo.io/age"
	"github.com/gofrs/flock"

	"atelier/workshop"
)

// EnvPassphrase is the environment variable that holds the passphrase of the
// key file.
const EnvPassphrase = "ATELIER_KEY_PASSPHRASE"

// The files of the key file, in the data folder.
const (
	keyFileName      = "keys.age"      // a JSON object of keys by provider, encrypted (age-encryption.org/v1)
	identityFileName = "keys.identity" // what opens it when there is no passphrase; 0600
	keyLockName      = "keys.lock"
)

// maxKeyFile bounds what is read of the key file.
const maxKeyFile = 1 << 20

// keyFile keeps keys in an encrypted file where the system has no keychain.
// Processes that share the data folder may use it at once.
type keyFile struct {
	dir        string
	passphrase string

	mu   sync.Mutex
	keys map[string]string // as the file had them when it looked like seen
	seen look
}

// look tells whether the file was changed without opening it: with a passphrase
// that takes about a second.
type look struct {
	size  int64
	mtime time.Time
}

func newKeyFile(dir string) *keyFile {
	return &keyFile{dir: dir, passphrase: os.Getenv(EnvPassphrase)}
}

func (k *keyFile) path(name string) string { return filepath.Join(k.dir, name) }

// Get implements KeyStore.
func (k *keyFile) Get(provider string) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	keys, err := k.load()
	return keys[provider], err
}

// Set implements KeyStore.
func (k *keyFile) Set(provider, key string) error {
	return k.change(func(keys map[string]string) { keys[provider] = key })
}

// Delete implements KeyStore.
func (k *keyFile) Delete(provider string) error {
	k.mu.Lock()
	keys, err := k.load()
	k.mu.Unlock()
	if _, there := keys[provider]; err != nil || !there {
		return err
	}
	return k.change(func(keys map[string]string) { delete(keys, provider) })
}

// change reads, changes and writes the keys under a lock between processes, so
// that of two changes at once none is lost.
func (k *keyFile) change(f func(map[string]string)) (err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return err
	}
	lock := flock.New(k.path(keyLockName))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("the key file cannot be locked: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	k.keys = nil // what the file looks like is not proof enough to write over it
	keys, err := k.load()
	if err != nil {
		return err
	}
	next := map[string]string{}
	for p, v := range keys {
		next[p] = v
	}
	f(next)
	return k.save(next)
}

// load gives the keys of the file, none when there is no file.
func (k *keyFile) load() (map[string]string, error) {
	st, err := os.Stat(k.path(keyFileName))
	if errors.Is(err, fs.ErrNotExist) {
		k.keys = nil
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	now := look{st.Size(), st.ModTime()}
	if k.keys != nil && now == k.seen {
		return k.keys, nil
	}
	f, err := os.Open(k.path(keyFileName))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	id, err := k.identity(false)
	if err != nil {
		return nil, err
	}
	plain, err := age.Decrypt(io.LimitReader(f, maxKeyFile), id)
	if err != nil {
		return nil, k.locked(err)
	}
	b, err := io.ReadAll(io.LimitReader(plain, maxKeyFile))
	if err != nil {
		return nil, k.locked(err)
	}
	keys := map[string]string{}
	if err := json.Unmarshal(b, &keys); err != nil {
		return nil, k.locked(err)
	}
	k.keys, k.seen = keys, now
	return keys, nil
}

// locked returns the failure to open the file, with what can be done.
func (k *keyFile) locked(err error) error {
	hint := "set " + EnvPassphrase + " if it was written with a passphrase; else delete it and set the keys again"
	if k.passphrase != "" {
		hint = "check " + EnvPassphrase + " (a file written without a passphrase opens without one); else delete it and set the keys again"
	}
	return &ErrorInfo{ErrorCode: CodeFileReadFailed, Phase: "settings", Detail: "the key file " + k.path(keyFileName) + " cannot be opened", Hint: hint, cause: err}
}

// identity opens the file: the passphrase, else the identity kept beside it,
// which is made when make is true.
func (k *keyFile) identity(make bool) (age.Identity, error) {
	if k.passphrase != "" {
		return age.NewScryptIdentity(k.passphrase)
	}
	b, err := os.ReadFile(k.path(identityFileName))
	if err == nil {
		id, perr := age.ParseX25519Identity(strings.TrimSpace(string(b)))
		if perr != nil {
			return nil, k.locked(perr)
		}
		return id, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if !make {
		return nil, k.locked(err)
	}
	id, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, err
	}
	return id, k.write(identityFileName, []byte(id.String()+"\n"))
}

// recipient returns who the file is encrypted for.
func (k *keyFile) recipient() (age.Recipient, error) {
	if k.passphrase != "" {
		return age.NewScryptRecipient(k.passphrase)
	}
	id, err := k.identity(true)
	if err != nil {
		return nil, err
	}
	return id.(*age.X25519Identity).Recipient(), nil
}

func (k *keyFile) save(keys map[string]string) error {
	to, err := k.recipient()
	if err != nil {
		return err
	}
	b, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	w, err := age.Encrypt(&out, to)
	if err == nil {
		_, err = w.Write(b)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return err
	}
	k.keys = nil
	return k.write(keyFileName, out.Bytes())
}

// write replaces a file whole, for its owner's eyes only.
func (k *keyFile) write(name string, b []byte) error {
	return workshop.ReplaceFile(k.path(name), b)
}
