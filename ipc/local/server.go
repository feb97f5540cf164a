package local

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"atelier/engine"
	"atelier/ipc/jsonrpc"
)

// Hello is what a command says of itself.
type Hello struct {
	Version   string          `json:"version"`   // of the program, as Options.Version
	Workbench string          `json:"workbench"` // id
	Settings  json.RawMessage `json:"settings"`  // what Options.Admit is to know
}

// greeting is what a server says first.
type greeting struct {
	Version string `json:"version"`
	Process int    `json:"process"`
}

// welcome answers a Hello.
type welcome struct {
	Refused string `json:"refused,omitempty"` // why; "": calls are taken
}

// Session is the work for one command.
type Session struct {
	Methods jsonrpc.Methods
	// Subscribe passes on notifications, of which the command gets those of its
	// workbench.
	Subscribe func(func(engine.Notification)) (stop func())
}

// Options configure a Server. Version and Admit must be set.
type Options struct {
	Log     *slog.Logger
	Version string // of the program; commands of another are refused
	// Admit makes the session of a command. tell sends a notification to it. The
	// error is told to the command.
	Admit func(ctx context.Context, hello Hello, tell func(method string, params any)) (Session, error)
	// Connections at once; more wait. 0 is 32.
	Connections int
	// Waiting is how many bytes may wait for a command that does not read; 0 is
	// 64 MiB.
	Waiting int
	// Drain is how long calls may continue after the context of Serve is done; Hurry,
	// when closed, ends that time early.
	Drain time.Duration
	Hurry <-chan struct{}
}

// How long the parts of a connection take at most, and its first messages.
const (
	helloTime  = 10 * time.Second
	maxHello   = 1 << 20 // bytes
	aliveEvery = 10 * time.Second
	lastWords  = 2 * time.Second
)

// aliveMethod is a notification that says only that the server is there.
const aliveMethod = "command/alive"

// Server serves the commands that connect to its listener.
type Server struct {
	l    *Listener
	opt  Options
	work context.Context // of calls
	stop context.CancelFunc

	mu    sync.Mutex // protects conns and ended
	conns map[conn]bool
	ended bool
}

// New makes a server.
func New(l *Listener, opt Options) *Server {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	opt.Connections = cmp.Or(opt.Connections, 32)
	opt.Waiting = cmp.Or(opt.Waiting, 64<<20)
	s := &Server{l: l, opt: opt, conns: map[conn]bool{}}
	s.work, s.stop = context.WithCancel(context.Background())
	return s
}

// Serve answers commands until ctx is done, and returns when their calls have ended
// or were canceled. It closes the listener.
func (s *Server) Serve(ctx context.Context) {
	defer s.stop()
	defer context.AfterFunc(ctx, func() { s.l.Close() })()
	slots := make(chan struct{}, s.opt.Connections)
	var served sync.WaitGroup
	for ctx.Err() == nil {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			continue
		}
		c, err := s.l.accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				break
			}
			s.opt.Log.Warn("a command could not connect", "err", err)
			time.Sleep(100 * time.Millisecond) // such as too many open files
			<-slots
			continue
		}
		served.Go(func() {
			defer func() { <-slots }()
			defer c.Close()
			s.connection(c)
		})
	}
	s.drain(&served)
}

// drain lets calls in progress end. Connections that have none end at once.
func (s *Server) drain(served *sync.WaitGroup) {
	s.mu.Lock()
	s.ended = true
	for c := range s.conns {
		_ = c.CloseRead() // no more calls
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() { served.Wait(); close(done) }()
	select {
	case <-done:
		return
	case <-time.After(s.opt.Drain):
	case <-s.opt.Hurry:
	}
	s.stop()
	select {
	case <-done:
	case <-time.After(2 * lastWords):
		s.opt.Log.Warn("calls of commands did not end after they were canceled")
	}
}

func (s *Server) add(c conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.conns[c] = true
	}
	return !s.ended
}

func (s *Server) remove(c conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// leaving reports whether the server ends.
func (s *Server) leaving() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// connection serves one command.
func (s *Server) connection(c conn) {
	if err := samePeer(c); err != nil {
		s.opt.Log.Warn("a connection for commands was refused", "err", err)
		return
	}
	box := jsonrpc.NewOutboxOf(func(message []byte) error {
		_, err := c.Write(append(message, '\n'))
		return err
	}, s.opt.Waiting)
	work, cancel := context.WithCancel(s.work)
	defer cancel()
	defer context.AfterFunc(box.Failed(), func() { cancel(); c.Close() })()
	session, in, id, err := s.greet(work, c, box)
	if err != nil {
		s.opt.Log.Info("a command was refused", "err", err)
		box.Close()
		return
	}
	if !s.add(c) {
		return
	}
	defer s.remove(c)
	box.Resume(id, nil)
	stop := session.Subscribe(box.Notify)
	defer stop()
	go beat(work, box)
	ended := func() {
		if !s.leaving() {
			cancel() // nobody waits for what is in progress
		}
	}
	if err := jsonrpc.Start(work, session.Methods, func() ([]byte, error) { return jsonrpc.ReadLine(in) }, box, ended, s.opt.Log)(); err != nil && !errors.Is(err, io.EOF) {
		s.opt.Log.Debug("a command's connection ended", "err", err)
	}
	stop()
	_ = c.SetWriteDeadline(time.Now().Add(lastWords))
	box.Close()
}

// greet makes sure of a command, and admits it.
func (s *Server) greet(ctx context.Context, c conn, box *jsonrpc.Outbox) (session Session, in *bufio.Reader, workbench string, err error) {
	_ = c.SetDeadline(time.Now().Add(helloTime))
	early := teller{box: box}
	defer early.welcomed() // the box writes by itself: the answer has to come first
	in = bufio.NewReaderSize(c, 64<<10)
	if err := sendLine(c, greeting{s.opt.Version, os.Getpid()}); err != nil {
		return session, nil, "", err
	}
	var hello Hello
	if err := readJSON(in, &hello); err != nil {
		return session, nil, "", err
	}
	if hello.Version != s.opt.Version {
		err = fmt.Errorf("it is version %s of the program, this is %s", hello.Version, s.opt.Version)
	} else {
		session, err = s.opt.Admit(ctx, hello, early.tell)
	}
	var answer welcome
	if err != nil {
		answer.Refused = err.Error()
	}
	if serr := sendLine(c, answer); serr != nil || err != nil {
		return session, nil, "", cmp.Or(err, serr)
	}
	return session, in, hello.Workbench, c.SetDeadline(time.Time{})
}

// teller sends notifications to a command once it has its welcome.
type teller struct {
	box *jsonrpc.Outbox

	mu   sync.Mutex
	open bool
	kept []func()
}

func (t *teller) tell(method string, params any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open {
		tell(t.box, method, params)
		return
	}
	t.kept = append(t.kept, func() { tell(t.box, method, params) })
}

func (t *teller) welcomed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open = true
	for _, send := range t.kept {
		send()
	}
	t.kept = nil
}

// tell queues a notification that the protocol does not have.
func tell(box *jsonrpc.Outbox, method string, params any) {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
	if err == nil {
		_ = box.Send(line) // an error means that the command is gone, which its calls notice
	}
}

// beat tells a command that the server is there.
func beat(ctx context.Context, box *jsonrpc.Outbox) {
	t := time.NewTicker(aliveEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			tell(box, aliveMethod, struct{}{})
		}
	}
}

func sendLine(w io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(append(line, '\n'))
	}
	return err
}

// readJSON reads one of the first messages.
func readJSON(in *bufio.Reader, into any) error {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxHello {
			return errors.New("the first message is too long")
		}
		if err == nil {
			return json.Unmarshal(line, into)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
