package toolservers

import (
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

	"github.com/gofrs/flock"

	"atelier/workshop"
)

// ConfigName is the name of the configuration, in the data folder and in .atelier of a
// folder.
const ConfigName = "mcp.json"

const configLock = "mcp.lock"

// configured is one entry as a file has it.
type configured struct {
	name  string
	raw   json.RawMessage
	hash  string
	entry Entry
	notes []string
	err   error // of the entry
}

// file is what a configuration file has.
type file struct {
	entries  []configured
	problems []Problem
}

// reader reads configuration files, again only when they change.
type reader struct {
	mu    sync.Mutex
	files map[string]cachedFile // by path
}

type cachedFile struct {
	size  int64
	mtime time.Time
	file  *file
}

// maxCached bounds how many files a reader remembers.
const maxCached = 256

// read returns what a file has; an empty one where there is no file.
func (r *reader) read(path string) *file {
	st, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &file{}
	}
	if err != nil {
		return unreadable(path, 0, "cannot be read: "+plainPath(err))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.files[path]
	// A file that changed a moment ago can change again within the clock's resolution.
	if ok && c.size == st.Size() && c.mtime.Equal(st.ModTime()) && time.Since(st.ModTime()) > 2*time.Second {
		return c.file
	}
	if r.files == nil || len(r.files) >= maxCached {
		r.files = map[string]cachedFile{}
	}
	f := load(path)
	r.files[path] = cachedFile{st.Size(), st.ModTime(), f}
	return f
}

func load(path string) *file {
	b, err := readBounded(path)
	if err != nil {
		return unreadable(path, 0, err.Error())
	}
	return parse(path, b)
}

func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, errors.New("cannot be read: " + plainPath(err))
	}
	defer f.Close()
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		return nil, errors.New("is not a file")
	}
	b, err := io.ReadAll(io.LimitReader(f, MaxConfig+1))
	switch {
	case err != nil:
		return nil, errors.New("cannot be read: " + plainPath(err))
	case len(b) > MaxConfig:
		return nil, fmt.Errorf("is larger than %d KiB; take out servers", MaxConfig>>10)
	}
	return b, nil
}

// plainPath returns an error of a file without the path, which the caller names.
func plainPath(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

func unreadable(path string, line int, what string) *file {
	return &file{problems: []Problem{{path, line, what}}}
}

// parse reads a configuration: an entry that is wrong leaves the others as they are.
func parse(path string, b []byte) *file {
	if len(strings.TrimSpace(string(b))) == 0 {
		return &file{}
	}
	top, err := parseObject(b)
	if err != nil {
		line := lineOf(b, err)
		what := fmt.Sprintf("is not JSON: %v; correct line %d, or delete the file and add the servers again", err, max(line, 1))
		var no *notObject
		if errors.As(err, &no) {
			what = `must hold an object such as {"mcpServers": {}}`
		}
		return unreadable(path, line, what)
	}
	raw := top.get("mcpServers")
	if raw == nil {
		if top.get("servers") != nil {
			return unreadable(path, 0, `has "servers"; Atelier reads the member "mcpServers": rename it`)
		}
		return &file{}
	}
	servers, err := parseObject(raw)
	if err != nil {
		return unreadable(path, 0, `"mcpServers" must be an object with a member for each server`)
	}
	f := &file{}
	for i, m := range servers {
		if i >= MaxServers {
			f.problems = append(f.problems, Problem{path, 0, fmt.Sprintf("has %d servers; only the first %d count", len(servers), MaxServers)})
			break
		}
		c := configured{name: m.name, raw: m.value, hash: hashOf(m.value)}
		c.entry, c.notes, c.err = parseEntry(m.value)
		if err := checkName(m.name); c.err == nil {
			c.err = err
		}
		f.entries = append(f.entries, c)
	}
	return f
}

// maxName is how many bytes the name of a server may have.
const maxName = 64

// checkName says what is wrong with the name of a server.
func checkName(name string) error {
	switch shown, cut := clean(name); {
	case strings.TrimSpace(name) == "":
		return errors.New("the name of a server cannot be empty")
	case len(name) > maxName:
		return fmt.Errorf("the name of a server has at most %d bytes", maxName)
	case cut, shown != name, strings.ContainsAny(name, "\n\t"):
		return errors.New("the name has characters that cannot be seen")
	}
	return nil
}

// userConfig returns the path of the configuration of the data folder.
func (p *Pool) userConfig() string { return filepath.Join(p.opt.Home, ConfigName) }

// folderConfig returns the path of the configuration of a folder.
func folderConfig(folder string) string { return filepath.Join(folder, ".atelier", ConfigName) }

// change changes the servers of the data folder's file under a lock between processes,
// and keeps what it does not know.
func (p *Pool) change(change func(object) (object, error)) (err error) {
	if err := os.MkdirAll(p.opt.Home, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(p.opt.Home, configLock))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("%s cannot be locked: %w", ConfigName, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	path := p.userConfig()
	top, servers := object{}, object{}
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case len(strings.TrimSpace(string(b))) > 0:
		if top, err = parseObject(b); err == nil && top.get("mcpServers") != nil {
			servers, err = parseObject(top.get("mcpServers"))
		}
		if err != nil {
			return workshop.Faultf(workshop.Invalid, "%s line %d is not JSON: %w; correct it first, so that nothing of it is lost", path, max(lineOf(b, err), 1), err)
		}
	}
	if servers, err = change(servers); err != nil {
		return err
	}
	raw, err := servers.MarshalJSON()
	if err != nil {
		return err
	}
	out, err := top.with("mcpServers", raw).indented()
	if err != nil {
		return err
	}
	if len(out) > MaxConfig {
		return workshop.Faultf(workshop.Invalid, "%s would have more than %d KiB; remove servers", path, MaxConfig>>10)
	}
	return workshop.ReplaceFile(path, out)
}

// merged returns the members of an entry over those of the old one that are not known.
func merged(old json.RawMessage, e Entry) (json.RawMessage, error) {
	b, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	o, err := parseObject(b)
	if err != nil || old == nil {
		return b, err
	}
	before, err := parseObject(old)
	if err != nil { // not an object: it is replaced
		return b, nil
	}
	for _, name := range entryMembers {
		before = before.without(name)
	}
	for _, m := range before {
		o = o.with(m.name, m.value)
	}
	return o.MarshalJSON()
}
