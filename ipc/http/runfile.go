package httpapi

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"atelier/engine"
	"atelier/internal/busyfile"
	"atelier/workshop/tools/attachments"
)

// runFile has a run and its events in the state folder of its workspace, so that they are
// in the cluster's log before they are told, and another server can tell them again and
// continue the run. A nil runFile keeps nothing. Its methods are called with eventLog.mu held.
//
// The first line is the run, then each line is an event; the last is the time of the end.
type runFile struct {
	path  string
	first []byte
	f     keptFile // nil after the end
	size  int64
	log   *slog.Logger
}

// runFileMost is the size at which the events that are no longer told are removed.
const runFileMost = 3 * eventLogMax

// keptRun is the first line.
type keptRun struct {
	RunID       string                   `json:"run_id"`
	MessageID   string                   `json:"message_id"`
	Model       string                   `json:"model,omitempty"`
	Catalogue   string                   `json:"catalogue,omitempty"`
	Workflow    string                   `json:"workflow,omitempty"`
	Budget      *engine.Budget           `json:"budget,omitempty"`
	Started     time.Time                `json:"started"`
	UserID      string                   `json:"user_id,omitempty"`
	Attachments []attachments.Attachment `json:"attachments,omitempty"`
	Trace       string                   `json:"trace,omitempty"` // traceparent
	Waits       bool                     `json:"waits,omitempty"` // for its turn, when it was accepted
}

// keptLine is another line.
type keptLine struct {
	ID    int64           `json:"id,omitempty"`
	Type  string          `json:"type,omitempty"`
	Data  json.RawMessage `json:"data,omitempty"`
	Ended *time.Time      `json:"ended,omitempty"`
}

func makeRunFile(dir string, k keptRun, log *slog.Logger) (*runFile, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	k2 := &runFile{path: filepath.Join(dir, k.RunID+".jsonl"), first: append(marshal(k), '\n'), log: log}
	f, err := os.OpenFile(k2.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	k2.f = f
	if err := k2.write(k2.first); err != nil { // without it no server could continue the run
		return nil, errors.Join(err, f.Close(), os.Remove(k2.path))
	}
	return k2, nil
}

// keptFile is the file of a run.
type keptFile interface {
	io.WriteCloser
	Truncate(size int64) error
}

// write appends a line. One that cannot be written is told by this server and not by another.
func (k *runFile) write(b []byte) error {
	n, err := k.f.Write(b)
	if err == nil {
		k.size += int64(n)
		return nil
	}
	if n > 0 { // a part of a line would be read together with the next one
		err = errors.Join(err, k.f.Truncate(k.size))
	}
	k.log.Error("an event of a run cannot be kept; another server could not tell it again", "run", filepath.Base(k.path), "err", err)
	return err
}

func (k *runFile) add(e event) {
	if k != nil && k.f != nil {
		_ = k.write(append(marshal(keptLine{ID: e.ID, Type: e.Type, Data: e.Data}), '\n')) // write has logged it
	}
}

// shorten writes the file again with the events that are left, when it has become long.
func (k *runFile) shorten(left []event) {
	if k == nil || k.f == nil || k.size < runFileMost {
		return
	}
	b := bytes.Clone(k.first)
	for _, e := range left {
		b = append(append(b, marshal(keptLine{ID: e.ID, Type: e.Type, Data: e.Data})...), '\n')
	}
	fresh := k.path + ".new"
	err := os.WriteFile(fresh, b, 0o600)
	if err == nil {
		k.f.Close()
		err = busyfile.Rename(fresh, k.path)
		k.f = nil
		if f, oerr := os.OpenFile(k.path, os.O_WRONLY|os.O_APPEND, 0o600); oerr == nil {
			k.f = f
		} else {
			err = errors.Join(err, oerr)
		}
		k.size = int64(len(b))
	}
	if err != nil {
		k.log.Error("the events of a run cannot be shortened", "run", filepath.Base(k.path), "err", err)
	}
}

func (k *runFile) end() {
	if k != nil && k.f != nil {
		now := time.Now().UTC()
		_ = k.write(append(marshal(keptLine{Ended: &now}), '\n')) // write has logged it
		k.close()
	}
}

func (k *runFile) close() {
	if k != nil && k.f != nil {
		k.f.Close()
		k.f = nil
	}
}

// remove removes the file of a run that has ended.
func (k *runFile) remove() {
	if k != nil {
		_ = os.Remove(k.path) // it is removed with the next run otherwise
	}
}

// readRunFile reads a file back, and opens it for more events if the run has not ended.
func readRunFile(path string, log *slog.Logger) (k keptRun, l *eventLog, ended time.Time, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return k, nil, ended, err
	}
	file := &runFile{path: path, f: f, log: log}
	defer func() {
		if err != nil || !ended.IsZero() {
			file.close()
		}
	}()
	l = newEventLog()
	l.begun = true
	r := bufio.NewReader(f)
	for n := 0; ; n++ {
		line, err := r.ReadBytes('\n')
		if err == io.EOF { // a line without an end was not told
			break
		}
		if err != nil {
			return k, nil, ended, err
		}
		file.size += int64(len(line))
		if n == 0 {
			file.first = line
			if err := json.Unmarshal(line, &k); err != nil || k.RunID == "" {
				return k, nil, ended, fmt.Errorf("the first line does not name a run: %w", err)
			}
			continue
		}
		var e keptLine
		if err := json.Unmarshal(line, &e); err != nil {
			return k, nil, ended, fmt.Errorf("line %d: %w", n+1, err)
		}
		if e.Ended != nil {
			ended = *e.Ended
			continue
		}
		if e.ID != l.last+1 { // what is before is told as missed, with what could not be kept
			l.events, l.bytes = nil, 0
		}
		l.last = e.ID - 1
		l.append(e.Type, e.Data)
	}
	if file.first == nil {
		return k, nil, ended, errors.New("the file is empty")
	}
	if err := f.Truncate(file.size); err != nil {
		return k, nil, ended, err
	}
	l.kept, l.closed = file, !ended.IsZero()
	return k, l, ended, nil
}
