package transcript

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/txtar"

	"atelier/internal/textclip"
	"atelier/llm/models"
	"atelier/llm/replay"
	"atelier/workshop/agent"
	"atelier/workshop/agent/spend"
	"atelier/workshop/approvals"
	"atelier/workshop/skills"
	"atelier/workshop/tools/catalogue"
)

// script is a parsed transcript.
type script struct {
	archive *txtar.Archive
	config  config
	files   map[string][]byte // the user's folder at the beginning
	client  []action
	want    map[string]string // by section name
	seed    seed
	servers []serverLine
}

// config is the config section.
type config struct {
	Model string `json:"model,omitempty"`
	// API is the form of the model sections, one of llm/api; "" is chat completions,
	// in which every script can be written.
	API  string `json:"api,omitempty"`
	Wait bool   `json:"wait,omitempty"`
	// Window is the model's, in tokens; 0: not known.
	Window int `json:"window,omitempty"`
	// CompactAt is the percentage of Window at which it is compacted.
	CompactAt int `json:"compact_at,omitempty"`
	// Price is the model's, Budget what a run may use of tokens and money, and
	// Ceiling what nobody who is asked can raise.
	Price   *models.Price `json:"price,omitempty"`
	Budget  budget        `json:"budget,omitzero"`
	Ceiling budget        `json:"ceiling,omitzero"`
	// Usage keeps the events that say what each request took, which is no
	// matter of other transcripts.
	Usage bool `json:"usage,omitempty"`
	// Tools is how they are described, see agent.Config.
	Tools string `json:"tools,omitempty"`
	// Approvals and Granted are what is asked about, and what is allowed for
	// good at the beginning.
	Approvals approvals.Policy  `json:"approvals,omitempty"`
	Granted   []approvals.Grant `json:"granted,omitempty"`
	// AllowTools are patterns of tools of other programs that need no answer.
	AllowTools []string `json:"allow_tools,omitempty"`
	// Instructions are what was decided about skills and AGENTS.md before.
	Instructions []skills.Decision `json:"instructions,omitempty"`
	// Catalogue is whose tools the model gets; "" is the workshop's.
	Catalogue string `json:"catalogue,omitempty"`
	// Folder is the name of the user's folder, which some catalogues show.
	Folder string `json:"folder,omitempty"`
	// Types are the types of files that are no documents, such as plan, by name.
	Types map[string]string `json:"types,omitempty"`
	// Settings are what is known of the model.
	Settings models.Settings `json:"settings,omitzero"`
	Limits   struct {
		CallsPerTurn  int `json:"calls_per_turn,omitempty"`
		Turns         int `json:"turns,omitempty"`
		Parallel      int `json:"parallel,omitempty"`
		Retries       int `json:"retries,omitempty"`
		ResultMax     int `json:"result_max,omitempty"`
		ToolTimeoutMS int `json:"tool_timeout_ms,omitempty"`
	} `json:"limits,omitzero"`
}

func (c config) limits() agent.Limits {
	l := c.Limits
	return agent.Limits{CallsPerTurn: l.CallsPerTurn, Turns: l.Turns, Parallel: l.Parallel, Retries: l.Retries,
		ResultMax: l.ResultMax, ToolTimeout: time.Duration(l.ToolTimeoutMS) * time.Millisecond}
}

// budget is an spend.Budget without time, which stands still in a transcript.
type budget struct {
	Tokens          int64   `json:"tokens,omitempty"`
	Cost            float64 `json:"cost,omitempty"`
	WorkbenchTokens int64   `json:"workbench_tokens,omitempty"`
	WorkbenchCost   float64 `json:"workbench_cost,omitempty"`
}

func (b budget) agent() spend.Budget {
	return spend.Budget{Tokens: b.Tokens, Cost: b.Cost, WorkbenchTokens: b.WorkbenchTokens, WorkbenchCost: b.WorkbenchCost}
}

func (c config) window() int {
	if c.Window > 0 {
		return c.Window
	}
	return c.Settings.Window
}

// The prefixes and names of sections.
const (
	sectionFiles     = "files/"
	sectionBase64    = "base64/"
	sectionLines     = "lines/"
	sectionCopy      = "copy"
	sectionConfig    = "config"
	sectionClient    = "client"
	sectionModel     = "model"
	sectionBefore    = "conversation"
	sectionToolLog   = "tool-log"
	sectionRPI       = "rpi/"
	sectionServers   = "tool-servers"
	wantPrefix       = "want-"
	wantEvents       = "want-events"
	wantConversation = "want-conversation"
	wantRequests     = "want-requests"
	wantPlan         = "want-plan"
	wantFiles        = "want-files/"
)

// parse reads a transcript; documents is where its copy section finds files.
func parse(file []byte, documents string) (*script, error) {
	s := &script{archive: txtar.Parse(file), files: map[string][]byte{}, want: map[string]string{}}
	if len(s.archive.Files) == 0 {
		return nil, fmt.Errorf("this is no transcript: it has no sections such as \"-- model --\"")
	}
	seen := map[string]bool{}
	for _, f := range s.archive.Files {
		err := s.section(f, documents)
		if seen[f.Name] {
			err = errors.New("the section stands twice")
		}
		if err != nil {
			return nil, inFile(file, f.Name, err)
		}
		seen[f.Name] = true
	}
	if _, err := catalogue.Named(s.config.Catalogue); err != nil {
		return nil, inFile(file, sectionConfig, err)
	}
	if _, err := replay.Parse(file); err != nil {
		return nil, fixtureError(file, err)
	}
	if !fs.ValidPath(first(s.config.Folder, "x")) || strings.Contains(s.config.Folder, "/") {
		return nil, inFile(file, sectionConfig, fmt.Errorf("folder %q is no name of a folder", s.config.Folder))
	}
	if s.client == nil {
		s.client = []action{{Send: "Go on."}, {Run: true}}
	}
	return s, nil
}

func (s *script) section(f txtar.File, documents string) (err error) {
	switch {
	case strings.HasPrefix(f.Name, sectionFiles):
		return s.put(f.Name[len(sectionFiles):], f.Data)
	case strings.HasPrefix(f.Name, sectionBase64):
		data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(string(f.Data)), ""))
		if err != nil {
			return err
		}
		return s.put(f.Name[len(sectionBase64):], data)
	case strings.HasPrefix(f.Name, sectionLines):
		data, err := manyLines(string(f.Data))
		if err != nil {
			return err
		}
		return s.put(f.Name[len(sectionLines):], data)
	case f.Name == sectionCopy:
		return s.copies(string(f.Data), documents)
	case f.Name == sectionBefore || f.Name == sectionToolLog || strings.HasPrefix(f.Name, sectionRPI):
		return s.seed.section(f)
	case f.Name == sectionConfig:
		return strict(f.Data, &s.config)
	case f.Name == sectionServers:
		return eachLine(f.Data, func(line []byte) error {
			var l serverLine
			err := strict(line, &l)
			s.servers = append(s.servers, l)
			return err
		})
	case f.Name == sectionClient:
		s.client, err = actions(f.Data)
		return err
	case f.Name == sectionModel || strings.HasPrefix(f.Name, sectionModel+"-"):
		return nil // package replay reads these
	case strings.HasPrefix(f.Name, wantPrefix):
		s.want[f.Name] = string(f.Data)
		return nil
	}
	return fmt.Errorf("unknown section")
}

// manyLines returns a large file: a number and a line that is repeated as often,
// with ${n} in it for the number of the line.
func manyLines(text string) ([]byte, error) {
	count, line, _ := strings.Cut(text, "\n")
	n, err := strconv.Atoi(strings.TrimSpace(count))
	if err != nil || n < 1 || n > 1_000_000 {
		return nil, fmt.Errorf("%q is no number of lines from 1 to 1000000", count)
	}
	var buf bytes.Buffer
	for i := range n {
		buf.WriteString(strings.ReplaceAll(line, "${n}", strconv.Itoa(i+1)))
	}
	return buf.Bytes(), nil
}

func (s *script) put(name string, data []byte) error {
	if name == "" || !fs.ValidPath(name) || name == "." {
		return fmt.Errorf("%q is no path inside the folder", name)
	}
	s.files[name] = data
	return nil
}

func (s *script) copies(lines, documents string) error {
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		names := strings.Fields(line)
		if len(names) != 2 {
			return fmt.Errorf("%q is not \"NAME SOURCE\"", line)
		}
		data, err := os.ReadFile(filepath.Join(documents, filepath.FromSlash(path.Clean("/"+names[1]))))
		if err != nil {
			return err
		}
		if err := s.put(names[0], data); err != nil {
			return err
		}
	}
	return nil
}

func actions(data []byte) ([]action, error) {
	var out []action
	err := eachLine(data, func(line []byte) error {
		var a action
		if err := strict(line, &a); err != nil {
			return err
		}
		out = append(out, a)
		return a.check()
	})
	return out, err
}

// eachLine calls f for each line that is not blank; an error names the line.
func eachLine(data []byte, f func([]byte) error) error {
	no := 0
	for line := range bytes.Lines(data) {
		no++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := f(line); err != nil {
			return &lineError{no, fmt.Errorf("%s: %w", shown(line), err)}
		}
	}
	return nil
}

// shown returns a line short enough for a message.
func shown(line []byte) string {
	return textclip.HeadBytes(string(line), 120)
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// strict decodes JSON and refuses members it does not know: a misspelt one
// would make a transcript prove nothing.
func strict(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
