package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	sdk "github.com/coder/acp-go-sdk"

	"atelier/engine"
	"atelier/formats"
	"atelier/internal/textclip"
	"atelier/internal/textsafe"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/tools"
)

// Bounds of what is sent of a call, in bytes or characters.
const (
	maxRaw   = 64 << 10 // of arguments, and of a result
	maxShown = 4 << 10  // of a result that is shown
	maxDiff  = 1 << 20  // of each side of a diff
)

// callNames keeps the ids of tool calls apart: models may use an id again.
type callNames struct {
	mu    sync.Mutex // protects times
	times map[string]int
}

func newCallNames() *callNames { return &callNames{times: map[string]int{}} }

// begin returns the id of a call that begins.
func (c *callNames) begin(id string) sdk.ToolCallId {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.times[id]++
	return c.named(id)
}

// of returns the id of a call that began before.
func (c *callNames) of(id string) sdk.ToolCallId {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.named(id)
}

func (c *callNames) named(id string) sdk.ToolCallId {
	if n := c.times[id]; n > 1 {
		return sdk.ToolCallId(fmt.Sprintf("%s#%d", id, n))
	}
	return sdk.ToolCallId(id)
}

// kindOf returns what a tool does, in the words of the protocol.
func (s *session) kindOf(tool string) sdk.ToolKind {
	switch {
	case strings.Contains(tool, "search") || tool == "grep" || tool == "glob":
		return sdk.ToolKindSearch
	case strings.Contains(tool, "fetch"):
		return sdk.ToolKindFetch
	case strings.HasPrefix(tool, "delete") || tool == "rm":
		return sdk.ToolKindDelete
	case strings.HasPrefix(tool, "move") || tool == "mv":
		return sdk.ToolKindMove
	case tool == "exit_plan_mode":
		return sdk.ToolKindSwitchMode
	case tool == "ask_user":
		return sdk.ToolKindOther
	}
	switch effect := s.a.effect(tool); effect {
	case tools.Read:
		return sdk.ToolKindRead
	case tools.Write:
		return sdk.ToolKindEdit
	}
	return sdk.ToolKindOther
}

// title is a call in a line.
func title(tool, path string, paths []string) string {
	switch {
	case len(paths) > 1:
		return fmt.Sprintf("%s %s and %d more", tool, textsafe.Text(paths[0]), len(paths)-1)
	case path != "":
		return tool + " " + textsafe.Text(path)
	}
	return tool
}

// locations are the files of a call, for editors that follow along.
func (s *session) locations(path string, paths []string) []sdk.ToolCallLocation {
	if len(paths) == 0 && path != "" {
		paths = []string{path}
	}
	var out []sdk.ToolCallLocation
	for _, p := range paths {
		if abs := s.abs(p); abs != "" {
			out = append(out, sdk.ToolCallLocation{Path: abs})
		}
	}
	return out
}

// abs returns the absolute path of a file of the folder, "" for a name that is none.
func (s *session) abs(p string) string {
	p = strings.TrimPrefix(p, "/")
	if p == "" || !filepath.IsLocal(filepath.FromSlash(p)) || strings.Contains(p, "://") {
		return ""
	}
	return filepath.Join(s.root, filepath.FromSlash(p))
}

// rawInput is the arguments of a call as the client gets them.
func rawInput(args string) any {
	if len(args) > maxRaw {
		return map[string]any{"omitted_bytes": len(args), "begin": textclip.Head(args, maxShown)}
	}
	if json.Valid([]byte(args)) {
		return json.RawMessage(args)
	}
	return args
}

func (s *session) toolBegins(p agent.ToolExecuting) sdk.SessionUpdate {
	return sdk.StartToolCall(s.calls.begin(p.ToolCallID), title(p.ToolName, p.Path, p.Paths),
		sdk.WithStartKind(s.kindOf(p.ToolName)), sdk.WithStartStatus(sdk.ToolCallStatusInProgress),
		sdk.WithStartLocations(s.locations(p.Path, p.Paths)), sdk.WithStartRawInput(rawInput(p.Args)))
}

func (s *session) toolEnds(p agent.ToolComplete) {
	status := sdk.ToolCallStatusCompleted
	if !p.Success {
		status = sdk.ToolCallStatusFailed
	}
	var content []sdk.ToolCallContent
	for _, c := range p.Changed {
		content = append(content, s.changed(s.a.work, c)...)
	}
	if p.ChangedOmitted > 0 {
		content = append(content, textContent(fmt.Sprintf("and %d more files", p.ChangedOmitted)))
	}
	if len(content) == 0 {
		content = shownResult(p.Result)
	}
	opts := []sdk.ToolCallUpdateOpt{sdk.WithUpdateStatus(status), sdk.WithUpdateContent(content)}
	if p.Result != "" {
		opts = append(opts, sdk.WithUpdateRawOutput(map[string]any{"text": textclip.Head(p.Result, maxRaw)}))
	}
	s.send(sdk.UpdateToolCall(s.calls.of(p.ToolCallID), opts...))
	s.planFile(p)
}

func textContent(text string) sdk.ToolCallContent { return sdk.ToolContent(sdk.TextBlock(text)) }

func shownResult(text string) []sdk.ToolCallContent {
	if text == "" {
		return nil
	}
	shown := textclip.Head(text, maxShown)
	if shown != text {
		shown += fmt.Sprintf(" (%d bytes in all)", len(text))
	}
	return []sdk.ToolCallContent{textContent(shown)}
}

// changed shows what a call changed: of a text file its lines, of other files what
// the draft changes, in the words of the review.
func (s *session) changed(ctx context.Context, c agent.ChangedFile) []sdk.ToolCallContent {
	if formats.KindOfName(c.Path) == formats.KindText {
		if d, ok := s.shown.diff(ctx, s, c.Path); ok {
			return []sdk.ToolCallContent{d}
		}
	}
	text, err := s.review(ctx, []string{c.Path}, fewItems)
	switch {
	case err != nil:
		text = "The change cannot be shown: " + explain(err)
	case text == "":
		text = textsafe.Text(c.Path) + " is " + c.Change + "; the draft does not change it compared with the folder"
	}
	return []sdk.ToolCallContent{textContent(text)}
}

// shownTexts are the texts that the client has seen of changed files, so that each
// diff begins where the one before ended.
type shownTexts struct {
	mu    sync.Mutex // protects the fields below
	texts map[string]string
	bytes int
}

// maxKept is how many bytes of texts are kept; then diffs begin from what is
// published again.
const maxKept = 16 << 20

func newShownTexts() *shownTexts { return &shownTexts{texts: map[string]string{}} }

// diff shows the change of a text file since it was shown last, false where it has no
// text that can be shown.
func (t *shownTexts) diff(ctx context.Context, s *session, path string) (sdk.ToolCallContent, bool) {
	wb, err := s.workbench(ctx)
	if err != nil {
		return sdk.ToolCallContent{}, false
	}
	p := workshop.Path(strings.TrimPrefix(path, "/"))
	t.mu.Lock()
	defer t.mu.Unlock()
	now, exists, ok := textOf(ctx, wb.DraftView(workshop.Cause{}), p)
	old, seen := t.texts[path]
	if !seen && ok {
		old, seen, ok = textOf(ctx, wb.PublishedView(), p)
	}
	if !ok {
		delete(t.texts, path)
		return sdk.ToolCallContent{}, false
	}
	if t.bytes += len(now); t.bytes > maxKept {
		t.texts, t.bytes = map[string]string{}, len(now)
	}
	if exists {
		t.texts[path] = now
	} else {
		delete(t.texts, path)
	}
	if !seen {
		return sdk.ToolDiffContent(s.abs(path), now), true
	}
	return sdk.ToolDiffContent(s.abs(path), now, old), true
}

// textOf returns the text of a file; ok is false where it is none that can be shown.
func textOf(ctx context.Context, v workshop.View, p workshop.Path) (text string, exists, ok bool) {
	src, err := v.Open(ctx, p)
	if err != nil {
		return "", false, workshop.IsFault(err, workshop.NotFound)
	}
	defer src.Close()
	if src.Size() > maxDiff {
		return "", true, false
	}
	b, err := io.ReadAll(io.NewSectionReader(src, 0, src.Size()))
	return string(b), true, err == nil && utf8.Valid(b)
}

// workbench returns the open workbench of a session.
func (s *session) workbench(ctx context.Context) (*workshop.Workbench, error) {
	wb, err := s.a.eng.OpenFolder(ctx, s.root)
	if err == nil && wb.ID() != s.id {
		err = &engine.ErrorInfo{ErrorCode: engine.CodeNotFound, Detail: "the folder of this session is another one now"}
	}
	return wb, err
}
