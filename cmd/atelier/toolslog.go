package main

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"atelier/engine"
)

// logPage is how many entries are in memory at a time; an entry can have
// megabytes.
const logPage = 10

func newToolsLog(s *settings) *cobra.Command {
	var in string
	var after int64
	cmd := &cobra.Command{
		Use:   "log --in DIR",
		Short: "Print the tool calls of runs with their full results, as JSON Lines",
		Long: `Prints one JSON object a line for each tool call of a model on the folder, the
oldest first: id (the entry_id of recall_tool_result), tool, call_id, args as the
model wrote them, result, receipt (the replacement of a long result), sources (the files
whose content the result has), ts, elapsed_ms, and error when it failed.`,
		Example: `  atelier tools log --in ./folder > tool_log.jsonl
  atelier tools log --in ./folder | jq -c 'select(.error) | [.tool, .error]'`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, wb, err := readFolder(cmd.Context(), s, in)
			if err != nil {
				return err
			}
			defer e.Close()
			enc := json.NewEncoder(cmd.OutOrStdout())
			enc.SetEscapeHTML(false)
			for {
				page, err := engine.CallAs[engine.ToolLogResult](cmd.Context(), e, "WorkshopGetToolLog", engine.ToolLogParams{WorkbenchID: wb.ID(), After: after, Limit: logPage})
				if err != nil {
					return err
				}
				for _, entry := range page.Entries {
					if err := enc.Encode(entry); err != nil {
						return err
					}
					after = entry.ID
				}
				if !page.HasMore {
					return nil
				}
			}
		},
	}
	cmd.Flags().Int64Var(&after, "after", 0, "only entries with a greater id")
	return inFolder(cmd, &in)
}
