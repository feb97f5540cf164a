package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
)

func newTools(s *settings) *cobra.Command {
	var schema, asJSON bool
	var name string
	cmd := &cobra.Command{
		Use:   "tools [NAME]",
		Short: "List the tools a model gets, print their schemas, or call one",
		Long: `Lists the tools with a description; NAME prints one tool's JSON Schema. --schema
prints everything: the JSON-RPC methods as OpenRPC, and the tools in OpenAI's
function format under x-tools; with --catalogue, the tools of that catalogue
alone. 'atelier tools call' runs one.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := usageArgs(cobra.MaximumNArgs(1))(cmd, args); err != nil || len(args) == 0 {
				return err
			}
			c, err := catalogue.Named(name)
			if err != nil {
				return usageError{err}
			}
			if _, ok := c.Effect(args[0]); !ok {
				return unknownTool(c, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := catalogue.Named(name)
			if err != nil {
				return usageError{err}
			}
			out := cmd.OutOrStdout()
			switch {
			case len(args) > 0:
				return printTool(out, c, args[0])
			case schema && name == "":
				doc, err := engine.OpenRPC()
				if err != nil {
					return err
				}
				return printJSON(out, doc)
			case schema:
				return printJSON(out, c.Tools())
			}
			if asJSON {
				return printJSON(out, listedTools(c))
			}
			for _, t := range c.Tools() {
				effect, _ := c.Effect(t.Function.Name)
				fmt.Fprintf(out, "%-22s %-8s %s\n", t.Function.Name, effect, firstSentence(t.Function.Description))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&schema, "schema", false, "print OpenRPC and tool schemas as JSON")
	jsonFlag(cmd, &asJSON)
	cmd.PersistentFlags().StringVar(&name, "catalogue", "", "catalogue of tools: "+strings.Join(catalogue.Names(), ", ")+" (default "+catalogue.Names()[0]+")")
	cmd.AddCommand(newToolsCall(s, &name), newToolsLog(s))
	return cmd
}

// listedTool is one line of 'atelier tools'.
type listedTool struct {
	Name        string       `json:"name"`
	Effect      tools.Effect `json:"effect"`
	Description string       `json:"description"`
}

func listedTools(c *tools.Catalogue) map[string][]listedTool {
	list := []listedTool{}
	for _, t := range c.Tools() {
		effect, _ := c.Effect(t.Function.Name)
		list = append(list, listedTool{t.Function.Name, effect, t.Function.Description})
	}
	return map[string][]listedTool{"tools": list}
}

// printTool prints one tool's schema.
func printTool(out io.Writer, c *tools.Catalogue, name string) error {
	for _, t := range c.Tools() {
		if t.Function.Name == name {
			return printJSON(out, t)
		}
	}
	return unknownTool(c, name)
}

func unknownTool(c *tools.Catalogue, name string) error {
	return usageError{fmt.Errorf("unknown tool: %s; 'atelier tools --catalogue %s' lists them", name, c.Name())}
}

func printJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// firstSentence returns the text up to the first full stop that ends a
// sentence.
func firstSentence(s string) string {
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '\n' || s[i] == '.' && (s[i+1] == ' ' || s[i+1] == '\n') {
			return s[:i+1]
		}
	}
	return s
}
