package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"

	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/tools/servertools"
)

// serverLine is one line of the section of servers: what the tools are from there on,
// how a server is asked about, or the answer to a call.
type serverLine struct {
	Tools    []servertools.Tool    `json:"tools,omitempty"`
	Problems []servertools.Problem `json:"problems,omitempty"`
	// Has says that the line is about tools, also where there are none.
	Has bool `json:"has,omitempty"`

	Server  string `json:"server,omitempty"`
	About   string `json:"about,omitempty"`   // agent.Servers.Describe
	Ask     bool   `json:"ask,omitempty"`     // the person is asked about it
	Lasting bool   `json:"lasting,omitempty"` // a consent can persist

	Call   string              `json:"call,omitempty"` // name of the tool
	Args   json.RawMessage     `json:"args,omitempty"`
	Answer *servertools.Result `json:"answer,omitempty"`
	Hangs  bool                `json:"hangs,omitempty"` // there was no answer before the call was given up

	// Code, Error and Hint are those of the fault of a call, or of Server.
	Code  string `json:"code,omitempty"`
	Error string `json:"error,omitempty"`
	Hint  string `json:"hint,omitempty"`
}

func (l *serverLine) fail(err error) {
	f := workshop.AsFault(err)
	l.Code, l.Error, l.Hint = string(f.Code), f.Message, f.Hint
}

func (l serverLine) err() error {
	if l.Error == "" {
		return nil
	}
	return &workshop.Fault{Code: workshop.FaultCode(l.Code), Message: l.Error, Hint: l.Hint}
}

// playedServers answer from a recording.
type playedServers struct {
	lines []serverLine

	mu      sync.Mutex // protects the fields below
	used    []bool
	calls   int
	granted map[string]bool
}

func newPlayedServers(lines []serverLine) *playedServers {
	return &playedServers{lines: lines, used: make([]bool, len(lines)), granted: map[string]bool{}}
}

// Tools implements agent.Servers: the tools of the last line before the next call.
func (s *playedServers) Tools(ctx context.Context) (list []servertools.Tool, problems []servertools.Problem, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := 0
	for _, l := range s.lines {
		switch {
		case l.Call != "":
			before++
		case (l.Has || l.Tools != nil || l.Problems != nil) && before <= s.calls:
			list, problems = l.Tools, l.Problems
		}
	}
	return slices.Clone(list), slices.Clone(problems), ctx.Err()
}

func (s *playedServers) about(server string) (serverLine, bool) {
	i := slices.IndexFunc(s.lines, func(l serverLine) bool { return l.Server == server })
	if i < 0 {
		return serverLine{}, false
	}
	return s.lines[i], true
}

// Describe implements agent.Servers.
func (s *playedServers) Describe(server string) string {
	l, _ := s.about(server)
	return first(l.About, "a recorded program")
}

// Missing implements agent.Servers.
func (s *playedServers) Missing(_ context.Context, server string) (bool, error) {
	l, _ := s.about(server)
	s.mu.Lock()
	defer s.mu.Unlock()
	return l.Ask && !s.granted[server], l.err()
}

// Grant implements agent.Servers.
func (s *playedServers) Grant(_ context.Context, server string, _ []string, persist bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.granted[server] = s.granted[server] || persist
	return nil
}

// Lasting implements agent.Servers.
func (s *playedServers) Lasting() bool {
	return slices.ContainsFunc(s.lines, func(l serverLine) bool { return l.Lasting })
}

// Call implements agent.Servers: the first answer to the same call that was not given.
func (s *playedServers) Call(ctx context.Context, t servertools.Tool, args json.RawMessage, _ []string) (servertools.Result, error) {
	s.mu.Lock()
	i := slices.IndexFunc(s.lines, func(l serverLine) bool { return l.Call == t.Name && sameJSON(l.Args, args) })
	for i >= 0 && s.used[i] {
		next := slices.IndexFunc(s.lines[i+1:], func(l serverLine) bool { return l.Call == t.Name && sameJSON(l.Args, args) })
		if next < 0 {
			i = -1
			break
		}
		i += 1 + next
	}
	s.calls++
	if i < 0 {
		s.mu.Unlock()
		return servertools.Result{}, workshop.Unknownf("the recording has no answer to this call of %s", t.Name)
	}
	s.used[i] = true
	l := s.lines[i]
	s.mu.Unlock()
	switch {
	case l.Hangs:
		<-ctx.Done()
		return servertools.Result{}, ctx.Err()
	case l.Answer != nil:
		return *l.Answer, nil
	}
	return servertools.Result{}, l.err()
}

// sameJSON compares values without regard to blanks and the order of members.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return bytes.Equal(a, b)
	}
	m, err := json.Marshal(x)
	n, err2 := json.Marshal(y)
	return err == nil && err2 == nil && bytes.Equal(m, n)
}

// recordedServers keeps what servers say to a run.
type recordedServers struct {
	agent.Servers

	mu    sync.Mutex // protects lines
	lines []serverLine
}

// Tools implements agent.Servers.
func (s *recordedServers) Tools(ctx context.Context) ([]servertools.Tool, []servertools.Problem, error) {
	list, problems, err := s.Servers.Tools(ctx)
	if err != nil {
		return list, problems, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var last serverLine
	for _, l := range s.lines {
		if l.Has {
			last = l
		}
	}
	now := serverLine{Has: true, Tools: list, Problems: problems}
	if was, err := json.Marshal(last); err == nil {
		if is, err := json.Marshal(now); err == nil && !bytes.Equal(was, is) {
			s.lines = append(s.lines, now)
		}
	}
	return list, problems, nil
}

// Missing implements agent.Servers.
func (s *recordedServers) Missing(ctx context.Context, server string) (bool, error) {
	ask, err := s.Servers.Missing(ctx, server)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.ContainsFunc(s.lines, func(l serverLine) bool { return l.Server == server }) {
		l := serverLine{Server: server, About: s.Servers.Describe(server), Ask: ask, Lasting: s.Servers.Lasting()}
		if err != nil {
			l.fail(err)
		}
		s.lines = append(s.lines, l)
	}
	return ask, err
}

// Call implements agent.Servers.
func (s *recordedServers) Call(ctx context.Context, t servertools.Tool, args json.RawMessage, files []string) (servertools.Result, error) {
	res, err := s.Servers.Call(ctx, t, args, files)
	l := serverLine{Call: t.Name, Args: args}
	switch {
	case err == nil:
		l.Answer = &res
	case ctx.Err() != nil:
		l.Hangs = true
	default:
		l.fail(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, l)
	return res, err
}

// written returns the lines of the section; "" without servers.
func (s *recordedServers) written() (string, error) {
	if s == nil {
		return "", nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return lines(s.lines, encode)
}
