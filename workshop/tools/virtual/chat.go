package virtual

import (
	"context"
	"fmt"
	"strings"
	"time"

	"atelier/workshop"
)

// ChatDir is the folder in which conversations are shown.
const ChatDir = workshop.Path("chats")

// ChatPath returns where a conversation is shown.
func ChatPath(id string) workshop.Path { return ChatDir + "/" + workshop.Path("chat-"+id+".chat") }

// Chat returns a conversation as the file /chats/chat-<id>.chat; ok is false while
// nothing was said.
func Chat(id string, c *workshop.Conversation) (f File, ok bool, err error) {
	created, modified, ok, err := c.Times()
	f = File{Path: ChatPath(id), ID: id, Type: "chat", Created: created, Modified: modified,
		Text: func(context.Context) (string, error) {
			records, err := c.Records()
			return transcript(records), err
		}}
	return f, ok, err
}

// Chats gives the conversations of a workbench as files: the one it has.
func Chats(wb *workshop.Workbench) func() ([]File, error) {
	return func() ([]File, error) {
		f, ok, err := Chat(wb.ID(), wb.Conversation())
		if !ok || err != nil {
			return nil, err
		}
		return []File{f}, nil
	}
}

// transcript returns a conversation for reading and searching: each record under a
// line that says who and when.
func transcript(records []workshop.Record) string {
	var sb strings.Builder
	for _, r := range records {
		if sb.Len() > 0 {
			sb.WriteByte('\n')
		}
		fmt.Fprintf(&sb, "[%s] %s\n", r.CreatedAt.UTC().Format(time.RFC3339), heading(r))
		for _, text := range []string{r.Text, r.Content} {
			if text != "" {
				sb.WriteString(strings.TrimRight(text, "\n") + "\n")
			}
		}
		for _, c := range r.ToolCalls {
			fmt.Fprintf(&sb, "-> %s %s\n", c.Function.Name, c.Function.Arguments)
		}
	}
	return sb.String()
}

func heading(r workshop.Record) string {
	switch r.Type {
	case workshop.TypeUser:
		return "user"
	case workshop.TypeAssistant:
		return "assistant"
	case workshop.TypeToolResult:
		if r.Success != nil && !*r.Success {
			return "result of " + r.ToolName + ", which failed"
		}
		return "result of " + r.ToolName
	}
	return "event " + r.EventKind
}
