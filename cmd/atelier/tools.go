package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/workshop/tools/catalogue"
)

func newTools(*settings) *cobra.Command {
	var schema bool
	cmd := &cobra.Command{
		Use:   "tools [NAME]",
		Short: "List the tools a model gets, or print the protocol's schemas",
		Long: `Lists the tools with what each does; NAME prints one tool's JSON Schema. --schema
prints the whole: the JSON-RPC methods as OpenRPC, and the tools in OpenAI's
function format under x-tools.`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			c := catalogue.Workshop()
			enc := json.NewEncoder(cmd.OutOrStdout())
			enc.SetIndent("", "  ")
			enc.SetEscapeHTML(false)
			if schema {
				doc, err := engine.OpenRPC()
				if err != nil {
					return err
				}
				return enc.Encode(doc)
			}
			for _, t := range c.Tools() {
				if len(args) == 0 {
					effect, _ := c.Effect(t.Function.Name)
					fmt.Fprintf(cmd.OutOrStdout(), "%-22s %-8s %s\n", t.Function.Name, effect, firstSentence(t.Function.Description))
				} else if t.Function.Name == args[0] {
					return enc.Encode(t)
				}
			}
			if len(args) > 0 {
				return usageError{fmt.Errorf("unknown tool: %s; 'atelier tools' lists them", args[0])}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&schema, "schema", false, "print OpenRPC and tool schemas as JSON")
	return cmd
}

// firstSentence is the text up to the first full stop that ends a sentence.
func firstSentence(s string) string {
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '\n' || s[i] == '.' && (s[i+1] == ' ' || s[i+1] == '\n') {
			return s[:i+1]
		}
	}
	return s
}
