package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/workshop/agent/spend"
)

// listedModels is the output of 'atelier models --json'.
type listedModels struct {
	DefaultModelID string `json:"default_model_id"`
	engine.ModelsResult
}

func newModels(s *settings) *cobra.Command {
	var asJSON, setUp bool
	cmd := &cobra.Command{
		Use:   "models [PROVIDER]",
		Short: "List the models that can be used, by provider, with their windows",
		Long: `Asks the endpoints that have a key or an address which models they offer, and lists
them with the window and the longest answer in tokens and the price of a million tokens
in and out, if they are known; * marks the default without --model. The list is that of
the endpoints: other names that an endpoint knows work too. --set-up asks no endpoint
and lists the models in the settings.

Exits 1 if a provider could not be asked; the others are still listed.
'atelier doctor --model M' tests what a model supports.`,
		Args:              usageArgs(cobra.MaximumNArgs(1)),
		ValidArgsFunction: completeProviders(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := s.engine()
			if err != nil {
				return err
			}
			defer e.Close()
			ctx := cmd.Context()
			method, params := "ModelsList", any(engine.ModelsListParams{ProviderID: strings.Join(args, "")})
			if setUp {
				if len(args) > 0 {
					return usageError{fmt.Errorf("--set-up lists the models of all providers; leave %s out", args[0])}
				}
				method, params = "ModelsListSupported", engine.Empty{}
			}
			var r listedModels
			if r.ModelsResult, err = engine.CallAs[engine.ModelsResult](ctx, e, method, params); err != nil {
				return err
			}
			preset, err := engine.CallAs[engine.ModelRef](ctx, e, "UserGetDefaultModel", engine.Empty{})
			if err != nil {
				return err
			}
			r.DefaultModelID = preset.ModelID
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), r)
			} else {
				err = printModels(cmd.OutOrStdout(), r)
			}
			if err == nil && len(r.Failed) > 0 {
				return modelsFailed(cmd.ErrOrStderr(), r.Failed)
			}
			return err
		},
	}
	jsonFlag(cmd, &asJSON)
	cmd.Flags().BoolVar(&setUp, "set-up", false, "list the models in the settings, and ask no endpoint")
	return cmd
}

func modelsFailed(out io.Writer, failed []engine.ProviderFailure) error {
	for _, f := range failed {
		fmt.Fprintf(out, "atelier: the models of %s cannot be listed: %s\n", f.ProviderID, explain(f.Error))
	}
	return errSilent
}

func printModels(out io.Writer, r listedModels) error {
	t := newTable(out, "", "MODEL", "PROVIDER", "WINDOW", "LONGEST ANSWER", "PRICE")
	for _, m := range r.Models {
		mark := ""
		if m.ModelID == r.DefaultModelID {
			mark = "*"
		}
		t.addRow(mark, name(m.ModelID), name(m.ProviderID), tokens(m.ContextTokens), tokens(m.MaxOutputTokens), priceWords(m))
	}
	return t.print()
}

// tokens formats a number of tokens, - if unknown.
func tokens(n int) string {
	if n == 0 {
		return "-"
	}
	return spend.FormatCount(int64(n))
}

func priceWords(m engine.ModelInfo) string {
	if m.Price == nil || m.Price.Input == nil || m.Price.Output == nil {
		return "-"
	}
	return strings.TrimSpace(fmt.Sprintf("%s / %s %s", spend.FormatMoney(*m.Price.Input), spend.FormatMoney(*m.Price.Output), name(m.Price.Currency)))
}
