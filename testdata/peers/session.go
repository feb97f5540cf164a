package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// session is one process of Atelier that answers JSON-RPC, such as `atelier mcp`.
type session struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
	file   string
	id     int
	// local calls a tool in this process; nil: the other process does.
	local func(name string, args map[string]any) (string, error)
}

// open starts atelier mcp on the folder dir with the data folder home, and initializes it.
func open(atelier, home, dir string) (*session, error) {
	s, err := start(home, nil, atelier, "mcp", "--in", dir, "--home", home, "--tool-timeout", "10m")
	if err != nil {
		return nil, err
	}
	_, err = s.request("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "peers", "version": "1"}})
	if err == nil {
		err = s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	}
	if err != nil {
		s.kill()
		return nil, err
	}
	return s, nil
}

// start starts a process that answers JSON-RPC on standard input and output, with env
// added to the environment. Its usage is written into the folder home.
func start(home string, env []string, argv ...string) (*session, error) {
	s := &session{file: filepath.Join(home, "usage.json")}
	s.cmd = measured(s.file, argv...)
	s.cmd.Env = append(os.Environ(), env...)
	s.cmd.Stderr = &s.stderr
	in, err := s.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.in, s.out = in, bufio.NewReaderSize(out, 1<<16)
	return s, s.cmd.Start()
}

func (s *session) send(m map[string]any) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = s.in.Write(append(b, '\n'))
	return err
}

func (s *session) request(method string, params any) (json.RawMessage, error) {
	s.id++
	if err := s.send(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return nil, fmt.Errorf("atelier ended: %w %s", err, s.stderr.String())
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, err
		}
		if m.Method != "" || string(m.ID) != fmt.Sprint(s.id) {
			continue // a notification
		}
		if m.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, m.Error.Message)
		}
		return m.Result, nil
	}
}

// call calls a tool and returns its text.
func (s *session) call(name string, args map[string]any) (string, error) {
	if s.local != nil {
		return s.local(name, args)
	}
	result, err := s.request("tools/call", map[string]any{"name": name, "arguments": args})
	if err != nil {
		return "", err
	}
	var r struct {
		IsError bool
		Content []struct{ Text string }
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return "", err
	}
	var sb strings.Builder
	for _, c := range r.Content {
		sb.WriteString(c.Text)
	}
	if r.IsError {
		return "", fmt.Errorf("%s: %s", name, clip(sb.String()))
	}
	return sb.String(), nil
}

// close ends the process and returns what it took.
func (s *session) close() (usage, error) {
	s.in.Close()
	if err := s.cmd.Wait(); err != nil {
		return usage{}, fmt.Errorf("atelier: %w %s", err, s.stderr.String())
	}
	return readUsage(s.file)
}

// kill ends the process after an error: without its input it stops.
func (s *session) kill() {
	s.in.Close()
	_, _ = io.Copy(io.Discard, s.out)
	_ = s.cmd.Wait()
}

// build makes the program that is measured.
func build(dir string) (string, error) {
	path := filepath.Join(dir, "atelier")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", path, "atelier/cmd/atelier")
	cmd.Dir = folder()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}

func clip(s string) string {
	if len(s) > 600 {
		return s[:600] + " …"
	}
	return s
}

// copyTree copies the data folder that a round begins with.
func copyTree(to, from string) error { return os.CopyFS(to, os.DirFS(from)) }
