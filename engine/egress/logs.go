package egress

import (
	"errors"
	"sync"
)

// Logs are the open logs of an engine. It is safe for concurrent use.
type Logs struct {
	dir func(workbench string) string // where a log lies

	mu   sync.Mutex // protects open
	open map[string]*Log
}

// NewLogs makes the logs that lie in dir(workbench), "" being the data folder's.
func NewLogs(dir func(workbench string) string) *Logs {
	return &Logs{dir: dir, open: map[string]*Log{}}
}

// Get opens the log of a workbench, or returns the open one.
func (l *Logs) Get(workbench string) (*Log, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if log := l.open[workbench]; log != nil {
		return log, nil
	}
	log, err := Open(l.dir(workbench), workbench)
	if err == nil {
		l.open[workbench] = log
	}
	return log, err
}

// Read calls f with the log of a workbench, nil when it has none, without
// making one.
func (l *Logs) Read(workbench string, f func(*Log) error) error {
	l.mu.Lock()
	log := l.open[workbench]
	l.mu.Unlock()
	if log != nil {
		return f(log)
	}
	log, err := Read(l.dir(workbench), workbench)
	if err != nil || log == nil {
		return errors.Join(err, f(log))
	}
	return errors.Join(f(log), log.Close())
}

// Close closes the log of a workbench, if it is open.
func (l *Logs) Close(workbench string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	log := l.open[workbench]
	if log == nil {
		return nil
	}
	delete(l.open, workbench)
	return log.Close()
}

// CloseAll closes every open log.
func (l *Logs) CloseAll() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	for _, log := range l.open {
		errs = append(errs, log.Close())
	}
	l.open = map[string]*Log{}
	return errors.Join(errs...)
}
