package phases

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"atelier/internal/textclip"
	"atelier/workshop"
)

// The phases, in their order.
const (
	Research  = "research"
	Planning  = "plan"
	Implement = "implement"
	Summary   = "summary"
	finished  = "finished"
)

// The files of a state.
const (
	ResearchFile = "research.md"
	PlanFile     = "plan.md"
	runFile      = "run.json"
	sourcesFile  = "sources.json"
)

// State is how far the answer to one message is. It belongs to one run at a
// time.
type State struct {
	dir      string
	at       position
	research string
	plan     Plan
	sources  []string // nil: nobody noted them
}

// position is run.json.
type position struct {
	MessageID string `json:"message_id"`      // the message that is answered
	Phase     string `json:"phase"`           // the first that is not finished
	Begun     int    `json:"begun,omitempty"` // item that was begun last, 1-based
	// Undone says that files were taken back since, so that what the plan has
	// as done may be so no longer.
	Undone bool `json:"undone,omitempty"`
}

// Dir returns where a workbench keeps its state, below the folder of its data.
func Dir(workbench string) string { return filepath.Join(workbench, "rpi") }

// Load reads the state as it is; none gives an empty one. Files that are missing
// or broken put it back to the phase that makes them.
func Load(dir string) (*State, error) {
	s := &State{dir: dir}
	b, err := read(dir, runFile)
	if err != nil || b == "" || json.Unmarshal([]byte(b), &s.at) != nil {
		s.at = position{}
		return s, err
	}
	if s.research, err = read(dir, ResearchFile); err != nil {
		return nil, err
	}
	b, err = read(dir, sourcesFile)
	if err != nil || b != "" && json.Unmarshal([]byte(b), &s.sources) != nil {
		s.sources = nil // broken ones say nothing
	}
	if err != nil {
		return nil, err
	}
	text, err := read(dir, PlanFile)
	if err != nil {
		return nil, err
	}
	ok := false
	s.plan, ok = ParsePlan(text)
	switch s.at.Phase {
	case Research, Planning, finished:
	case Implement:
		if !ok {
			s.at.Phase = Planning
		}
	case Summary: // a question that became no plan has none
	default:
		s.at.Phase = Research
	}
	if s.at.Phase == Planning && s.research == "" {
		s.at.Phase = Research
	}
	return s, nil
}

// Open returns the state of the answer to a message: what an earlier run of the same
// message left unfinished, else a new one; what another message left is cleared.
func Open(dir, messageID string) (*State, error) {
	s, err := Load(dir)
	if err != nil {
		return nil, err
	}
	if id, _ := s.Unfinished(); id == messageID {
		return s, nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	s = &State{dir: dir, at: position{MessageID: messageID, Phase: Research}}
	return s, s.save()
}

// Forget makes the next run of any message begin again, as what a plan says is
// done may be so no longer. A run in progress continues.
func Forget(dir string) error {
	s, err := Load(dir)
	if err != nil || s.at.MessageID == "" || s.at.Phase == finished || s.at.Undone {
		return err
	}
	s.at.Undone = true
	return s.save()
}

// Unfinished names the message whose answer is not finished and can be gone on
// with; ok is false when there is none.
func (s *State) Unfinished() (messageID string, ok bool) {
	if s.at.MessageID == "" || s.at.Phase == finished || s.at.Undone {
		return "", false
	}
	return s.at.MessageID, true
}

// Left names the message whose plan was not carried out to its end, and says
// whether files were taken back since; ok is false when there is none.
func (s *State) Left() (messageID string, undone, ok bool) {
	if s.at.MessageID == "" || s.at.Phase == finished || len(s.plan.Items) == 0 {
		return "", false, false
	}
	return s.at.MessageID, s.at.Undone, true
}

// Phase returns the first phase that is not finished, "" when all are.
func (s *State) Phase() string {
	if s.at.Phase == finished {
		return ""
	}
	return s.at.Phase
}

// Research returns what research found.
func (s *State) Research() string { return s.research }

// Plan returns the plan as it stands.
func (s *State) Plan() Plan { return s.plan }

// Sources returns the files whose content research, plan and notes carry (package
// sources); said is false when nobody noted them.
func (s *State) Sources() (files []string, said bool) {
	return s.sources, s.sources != nil || s.research == "" && len(s.plan.Items) == 0
}

// SetSources keeps the sources of what is set next.
func (s *State) SetSources(files []string) error {
	if slices.Equal(files, s.sources) && s.sources != nil {
		return nil
	}
	b, err := json.Marshal(append([]string{}, files...))
	if err != nil {
		return err
	}
	if err := write(s.dir, sourcesFile, string(b)+"\n"); err != nil {
		return err
	}
	s.sources = append([]string{}, files...)
	return nil
}

// SetResearch ends research with what it found.
func (s *State) SetResearch(text string) error {
	if strings.TrimSpace(text) == "" {
		text = "(nothing was noted)\n"
	}
	if err := write(s.dir, ResearchFile, text); err != nil {
		return err
	}
	s.research = text
	return s.moveTo(Planning)
}

// SetPlan ends planning with the items of the plan.
func (s *State) SetPlan(items []Item) error {
	if err := s.setPlan(Plan{Original: len(items), Items: items}); err != nil {
		return err
	}
	return s.moveTo(Implement)
}

// Next returns the first open item, 0-based, and whether it was begun before and
// broken off; ok is false when none is open.
func (s *State) Next() (i int, again, ok bool) {
	for i, it := range s.plan.Items {
		if it.Mark == Todo {
			return i, s.at.Begun == i+1, true
		}
	}
	return 0, false, false
}

// Begin notes that item i is being worked on.
func (s *State) Begin(i int) error {
	s.at.Begun = i + 1
	return s.save()
}

// EndItem marks item i done with the model's note, or failed when reason is not
// "", and appends further items. Its note says when some found no room.
func (s *State) EndItem(i int, note, reason string, more []Item) error {
	p := Plan{Original: s.plan.Original, Items: append([]Item(nil), s.plan.Items...)}
	it := &p.Items[i]
	it.Mark, it.Note = Done, strings.TrimSpace(note)
	if reason != "" {
		it.Mark, it.Reason = Failed, oneLine(reason)
	}
	if _, refused := p.Add(more); refused > 0 {
		p.Items[i].Note += fmt.Sprintf("\n(%d further items were left out: a plan grows to twice its size at most.)", refused)
	}
	return s.setPlan(p)
}

// EndImplement continues with the summary.
func (s *State) EndImplement() error { return s.moveTo(Summary) }

// Finish ends the state; the files stay for people until the next one begins.
func (s *State) Finish() error { return s.moveTo(finished) }

func (s *State) setPlan(p Plan) error {
	if err := write(s.dir, PlanFile, p.String()); err != nil {
		return err
	}
	s.plan = p
	return nil
}

func (s *State) moveTo(phase string) error {
	s.at.Phase, s.at.Begun = phase, 0
	return s.save()
}

func (s *State) save() error {
	b, err := json.Marshal(s.at)
	if err != nil {
		return err
	}
	return write(s.dir, runFile, string(b)+"\n")
}

// oneLine makes a reason fit a line of the plan and be found there again.
func oneLine(s string) string {
	s = strings.ReplaceAll(strings.Join(strings.Fields(s), " "), strings.TrimSpace(failedAt), "[")
	return textclip.HeadBytes(s, 500)
}

func read(dir, name string) (string, error) {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(b), err
}

// write replaces a file so that a crash leaves the old one or the new one.
func write(dir, name, text string) error {
	if err := workshop.ReplaceFile(filepath.Join(dir, name), []byte(text)); err != nil {
		return fmt.Errorf("%s cannot be written: %w", name, err)
	}
	return nil
}
