package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/attachments"
)

func newShow(s *settings) *cobra.Command {
	var in string
	var asJSON bool
	var last int
	cmd := &cobra.Command{
		Use:   "show --in DIR",
		Short: "Show the conversation about a folder",
		Long: `Prints what you and the model wrote, with a line for each tool call; with --last N only
your last N messages and the answers. --json prints the stored records, including tool
results ('atelier tools log' has long results in full).
'atelier undo --list' lists the messages with their ids.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if last < 0 {
				return usageError{errors.New("--last wants a whole number above 0")}
			}
			e, wb, err := readFolder(cmd.Context(), s, in)
			if err != nil {
				return err
			}
			defer e.Close()
			conv, err := engine.CallAs[engine.Conversation](cmd.Context(), e, "WorkshopGetConversation", engine.WorkbenchRef{WorkbenchID: wb.ID()})
			if err != nil {
				return err
			}
			if last > 0 {
				conv.Messages = lastMessages(conv.Messages, last)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), conv)
			}
			printConversation(cmd.OutOrStdout(), conv.Messages)
			return nil
		},
	}
	jsonFlag(cmd, &asJSON)
	cmd.Flags().IntVar(&last, "last", 0, "only your last N messages and the answers")
	return inFolder(cmd, &in)
}

// lastMessages returns the records from the nth last message of the user on.
func lastMessages(records []workshop.Record, n int) []workshop.Record {
	for i := len(records) - 1; i >= 0; i-- {
		if records[i].Type != workshop.TypeUser {
			continue
		}
		if n--; n == 0 {
			return records[i:]
		}
	}
	return records
}

func printConversation(out io.Writer, records []workshop.Record) {
	if len(records) == 0 {
		fmt.Fprintln(out, "The conversation is empty.")
		return
	}
	ended := map[string]workshop.Record{} // results by call
	for _, r := range records {
		if r.Type == workshop.TypeToolResult {
			ended[r.ToolCallID] = r
		}
	}
	c := colors(out)
	speaker := ""
	for _, r := range records {
		who := map[string]string{workshop.TypeUser: "you", workshop.TypeAssistant: "model"}[r.Type]
		switch r.Type {
		case workshop.TypeSystem:
			fmt.Fprintf(out, "\n(%s%s)\n", strings.ReplaceAll(r.EventKind, "_", " "), eventText(r.Text))
			speaker = ""
			continue
		case workshop.TypeToolResult:
			continue
		}
		if who != speaker || r.Type == workshop.TypeUser {
			fmt.Fprintf(out, "\n%s%s%s, %s\n", c.head, who, c.off, localTime(r.CreatedAt.UTC().Format(timeFormat)))
			speaker = who
		}
		if r.Type == workshop.TypeAssistant {
			printMarkdown(out, r.Text)
		} else if r.Text != "" {
			fmt.Fprintln(out, strings.TrimRight(r.Text, "\n"))
		}
		for _, a := range attachments.Of(r) {
			fmt.Fprintln(out, attachedLine(a))
		}
		for _, call := range r.ToolCalls {
			fmt.Fprintln(out, callLine(call, ended))
		}
	}
}

// callLine describes a tool call and its result.
func callLine(call workshop.RecordCall, ended map[string]workshop.Record) string {
	line := callName(call.Function.Name, tools.PathOf(json.RawMessage(call.Function.Arguments)))
	switch r, ok := ended[call.ID]; {
	case !ok:
		line += ": not ended"
	case r.Success != nil && !*r.Success:
		line += ": failed"
	}
	return line
}

// eventText returns the beginning of the text of an event.
func eventText(text string) string {
	if text = beginning(text, 200); text == "" {
		return ""
	}
	return ": " + text
}
