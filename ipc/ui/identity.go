package ui

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"atelier/internal/busyfile"
)

const (
	maxSessions = 16                  // of one identity; the least recently used is dropped
	sessionLife = 30 * 24 * time.Hour // since it was last used
	usedEvery   = time.Hour           // how exactly the last use is stored
)

// ErrServed says that another process serves the page.
var ErrServed = errors.New("another process serves this page")

// Identity is what a page keeps across restarts: its host name, its port and
// its sessions. It is a file that only the owner can read.
type Identity struct {
	path string
	lock *flock.Flock
	now  func() time.Time

	mu    sync.Mutex // protects state
	state identityState
}

type identityState struct {
	ID       string    `json:"id"`   // 128 bits, hexadecimal
	Port     int       `json:"port"` // 0 before the first start
	Sessions []session `json:"sessions"`
}

// session is one browser that was let in.
type session struct {
	ID     string    `json:"id"`
	Cookie string    `json:"cookie,omitempty"` // SHA-256 of the cookie, hexadecimal; "" for a session at an IP address
	Key    []byte    `json:"key"`
	Used   time.Time `json:"used"`
}

// OpenIdentity opens the identity that is called name in dir, or makes it. The
// error is ErrServed, with the page's address where it is known, if another
// process has it open.
func OpenIdentity(dir, name string) (*Identity, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	tidy(dir, time.Now())
	i := &Identity{path: filepath.Join(dir, name+".json"), lock: flock.New(filepath.Join(dir, name+".lock")), now: time.Now}
	got, err := i.lock.TryLock()
	if err != nil {
		return nil, err
	}
	b, rerr := os.ReadFile(i.path)
	if rerr == nil {
		rerr = json.Unmarshal(b, &i.state)
	}
	if !got {
		if i.state.Port != 0 {
			return nil, fmt.Errorf("%w, at http://%s", ErrServed, i.host())
		}
		return nil, ErrServed
	}
	if rerr != nil || len(i.state.ID) != 32 { // it is new, or damaged: every browser signs in again
		i.state = identityState{ID: randomHex(16)}
		if !errors.Is(rerr, fs.ErrNotExist) {
			return i, i.save()
		}
	}
	return i, nil
}

// tidy removes identities whose sessions have all ended, and the files of killed
// programs that opened a browser.
func tidy(dir string, now time.Time) {
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			continue
		}
		age, base := now.Sub(info.ModTime()), filepath.Base(name)
		switch {
		case strings.HasPrefix(base, "open-") && age > time.Hour, strings.HasPrefix(base, ".ui-") && age > time.Hour:
			os.Remove(name)
		case strings.HasSuffix(base, ".json") && age > sessionLife+usedEvery:
			lock := flock.New(strings.TrimSuffix(name, ".json") + ".lock")
			if got, err := lock.TryLock(); err == nil && got {
				os.Remove(name)
			}
			lock.Close()
		}
	}
}

// Close lets other processes open the identity.
func (i *Identity) Close() error { return i.lock.Close() }

// host is the host name and port of the page.
func (i *Identity) host() string { return fmt.Sprintf("%s.localhost:%d", i.state.ID, i.state.Port) }

// Host is the host name and port of the page.
func (i *Identity) Host() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.host()
}

// port is the port that the page has, 0 for none yet.
func (i *Identity) port() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.state.Port
}

// move stores a new port. Another program may have got what browsers sent to the
// old one, so the page gets a new name and no session is left.
func (i *Identity) move(port int) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.state.Port == port {
		return nil
	}
	if i.state.Port != 0 {
		i.state = identityState{ID: randomHex(16)}
	}
	i.state.Port = port
	return i.save()
}

// admit makes a session. With cookie it has one.
func (i *Identity) admit(withCookie bool) (s session, cookie string, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	s = session{ID: randomHex(16), Key: randomBytes(32), Used: i.now()}
	if withCookie {
		cookie = randomHex(32)
		s.Cookie = hashOf(cookie)
	}
	i.drop()
	if n := len(i.state.Sessions); n >= maxSessions {
		slices.SortFunc(i.state.Sessions, func(a, b session) int { return a.Used.Compare(b.Used) })
		i.state.Sessions = slices.Delete(i.state.Sessions, 0, n-maxSessions+1)
	}
	i.state.Sessions = append(i.state.Sessions, s)
	return s, cookie, i.save()
}

// session returns the session called id, and notes that it is used.
func (i *Identity) session(id string) (session, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.drop()
	n := slices.IndexFunc(i.state.Sessions, func(s session) bool { return s.ID == id })
	if n < 0 {
		return session{}, false
	}
	s := &i.state.Sessions[n]
	if i.now().Sub(s.Used) > usedEvery {
		s.Used = i.now()
		_ = i.save() // the session then ends earlier after a restart
	}
	return *s, true
}

// hasCookie reports whether a session has that cookie.
func (i *Identity) hasCookie(cookie string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	h := hashOf(cookie)
	return slices.ContainsFunc(i.state.Sessions, func(s session) bool { return s.Cookie == h })
}

// drop forgets sessions that were not used for long. The caller holds i.mu.
func (i *Identity) drop() {
	i.state.Sessions = slices.DeleteFunc(i.state.Sessions, func(s session) bool { return i.now().Sub(s.Used) > sessionLife })
}

// save writes the file. The caller holds i.mu.
func (i *Identity) save() error {
	b, err := json.Marshal(i.state)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(i.path), ".ui-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(b)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return busyfile.Rename(tmp.Name(), i.path)
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return b
}

func randomHex(n int) string { return hex.EncodeToString(randomBytes(n)) }

func hashOf(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}
