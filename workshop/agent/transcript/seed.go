package transcript

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/tools/txtar"

	"atelier/workshop"
	"atelier/workshop/agent/phases"
)

// seed is what a workbench holds before the first action.
type seed struct {
	records []workshop.Record
	log     []logLine
	rpi     map[string][]byte // files of a run in phases, by name
}

// logLine is an entry of the tool log. Those that a conversation does not name
// need no text, only their number.
type logLine struct {
	ID      int64  `json:"id"`
	Tool    string `json:"tool"`
	CallID  string `json:"call_id,omitempty"`
	Args    string `json:"args,omitempty"`
	Result  string `json:"result"`
	Success bool   `json:"success"`
	// Sources are those of workshop.ToolLogEntry; absent: not noted.
	Sources []string `json:"sources,omitzero"`
}

func (s *seed) section(f txtar.File) error {
	switch f.Name {
	case sectionBefore:
		return eachLine(f.Data, func(line []byte) error {
			var r workshop.Record
			if err := json.Unmarshal(line, &r); err != nil {
				return err
			}
			if r.Type == "" || r.MessageID == "" {
				return errors.New("a record needs type and message_id")
			}
			s.records = append(s.records, r)
			return nil
		})
	case sectionToolLog:
		return eachLine(f.Data, func(line []byte) error {
			var l logLine
			if err := strict(line, &l); err != nil {
				return err
			}
			if n := len(s.log); l.ID < 1 || l.ID > 1_000_000 || n > 0 && l.ID <= s.log[n-1].ID {
				return errors.New("ids must rise, from 1 to 1000000")
			}
			s.log = append(s.log, l)
			return nil
		})
	}
	name := f.Name[len(sectionRPI):]
	if name == "" || !fs.ValidPath(name) || filepath.Base(name) != name {
		return fmt.Errorf("%q is no name of a file", name)
	}
	if s.rpi == nil {
		s.rpi = map[string][]byte{}
	}
	s.rpi[name] = f.Data
	return nil
}

// giveTypes makes files plans, canvases and so on.
func (p *player) giveTypes(ctx context.Context) error {
	types := p.script.config.Types
	if len(types) == 0 {
		return nil
	}
	view := p.wb.DraftView(workshop.Cause{})
	for _, name := range sorted(types) {
		data, ok := p.script.files[name]
		if !ok {
			return fmt.Errorf("section config: types names %s, which is no file of the transcript", name)
		}
		_, err := view.Put(ctx, workshop.Path(name), workshop.PutOptions{Type: types[name]}, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
		if err != nil {
			return err
		}
	}
	_, err := p.wb.Publish(ctx, workshop.PublishOptions{})
	return err
}

// plant puts the seed into a new workbench.
func (s *seed) plant(ctx context.Context, wb *workshop.Workbench) error {
	if err := s.plantConversation(wb); err != nil {
		return err
	}
	for _, l := range s.log {
		e := workshop.ToolLogEntry{ID: l.ID, Tool: l.Tool, CallID: l.CallID, Args: l.Args, Result: l.Result, Success: l.Success, At: still, Sources: l.Sources}
		if _, err := wb.LogTool(ctx, e); err != nil {
			return err
		}
	}
	dir := phases.Dir(wb.Dir())
	for name, data := range s.rpi {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// plantConversation writes the records at once: a long conversation appended
// record by record, each of them synced, would take minutes.
func (s *seed) plantConversation(wb *workshop.Workbench) error {
	if len(s.records) == 0 {
		return nil
	}
	text, err := lines(s.records, encode)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(wb.Dir(), "conversation.jsonl"), []byte(text), 0o600)
}
