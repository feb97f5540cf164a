package main

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// withoutJSON has the commands that print no list and no result for programs,
// each with its reason.
var withoutJSON = map[string]string{
	"atelier":                     "prints its help",
	"atelier attach":              "prints one line; list --json has the folders",
	"atelier acp":                 "speaks the Agent Client Protocol",
	"atelier chat":                "is for a person at a terminal; run --json is for programs",
	"atelier checkpoints":         "is checkpoints list",
	"atelier checkpoints create":  "prints one line; checkpoints list --json has the checkpoint",
	"atelier checkpoints restore": "prints one line; review --json and log --json have the files",
	"atelier cluster":             "prints its help",
	"atelier cluster backup":      "prints two lines; the manifest of the copy is JSON",
	"atelier cluster cancel":      "prints one line; cluster status --json has the job",
	"atelier cluster contents":    "prints its help",
	"atelier cluster drain":       "prints one line; cluster status --json has the servers",
	"atelier cluster move":        "prints one line; cluster status --json has the workspaces",
	"atelier cluster restore":     "prints a line; cluster status --json has the rest",
	"atelier compact":             "prints one line; status --json has how full the window is",
	"atelier docs":                "prints its help",
	"atelier docs man":            "writes files",
	"atelier gc":                  "prints one line",
	"atelier http":                "is a server",
	"atelier http health":         "always prints JSON",
	"atelier http member":         "prints its help",
	"atelier http member add":     "always prints JSON",
	"atelier http member list":    "always prints JSON",
	"atelier http member remove":  "always prints JSON",
	"atelier http token":          "always prints JSON",
	"atelier http token revoke":   "always prints JSON",
	"atelier http user":           "prints its help",
	"atelier http user add":       "always prints JSON",
	"atelier http user limit":     "always prints JSON",
	"atelier http user list":      "always prints JSON",
	"atelier http workspace":      "prints its help",
	"atelier http workspace add":  "always prints JSON",
	"atelier http workspace list": "always prints JSON",
	"atelier key":                 "prints its help",
	"atelier key remove":          "prints one line; key list --json has the keys",
	"atelier key set":             "prints one line; key list --json has the keys",
	"atelier mcp":                 "speaks MCP",
	"atelier mcp add":             "prints one line; mcp list --json has the servers",
	"atelier mcp approve":         "prints what it approves; mcp list --json has the states",
	"atelier mcp disable":         "prints one line; mcp list --json has the states",
	"atelier mcp enable":          "prints one line; mcp list --json has the states",
	"atelier mcp login":           "is for a person; mcp list --json has who is signed in",
	"atelier mcp logout":          "prints one line; mcp list --json has who is signed in",
	"atelier mcp remove":          "prints one line; mcp list --json has the servers",
	"atelier memory":              "prints its help",
	"atelier memory export":       "writes TMX",
	"atelier memory import":       "prints one line; memory info --json has the counts",
	"atelier replay":              "prints a line for each file; its exit code says whether all are as recorded",
	"atelier restore":             "prints one line; review --json has the change",
	"atelier serve":               "speaks JSON-RPC",
	"atelier skills approve":      "prints one line; skills --json has the status",
	"atelier skills decline":      "prints one line; skills --json has the status",
	"atelier skills forget":       "prints one line; skills --json has the status",
	"atelier skills show":         "prints a text",
	"atelier tools call":          "prints what the tool gives; other catalogues give JSON",
	"atelier worker":              "is a server; cluster status --json has the workers",
	"atelier tools log":           "always prints JSON Lines",
	"atelier translate":           "writes a report in JSON with --report FILE.json",
	"atelier ui":                  "serves a page",
	"atelier watch":               "prints its help",
}

// Every command that prints a list or a result takes --json, or has a reason.
func TestCommandsTakeJSON(t *testing.T) {
	missing, unused := []string{}, map[string]bool{}
	for path := range withoutJSON {
		unused[path] = true
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		_, excepted := withoutJSON[c.CommandPath()]
		takes := c.Flags().Lookup("json") != nil
		if c.Runnable() && !takes && !excepted {
			missing = append(missing, c.CommandPath())
		}
		if c.Runnable() && !takes {
			delete(unused, c.CommandPath())
		}
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(newRoot(&settings{}))
	require.Empty(t, missing, "add --json, or a reason to withoutJSON")
	require.Empty(t, unused, "these need no exception")
}
