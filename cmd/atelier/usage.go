package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"atelier/engine"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/agent/spend"
)

// budgetFlags limit the usage of a run or a translation.
type budgetFlags struct {
	tokens int64
	cost   float64
	time   time.Duration
}

func (b *budgetFlags) add(f *pflag.FlagSet) {
	b.addTo(f, "tokens the run may use; then it asks you, or ends if it cannot ask",
		"money the run may use, as --max-tokens; the model's price must be in config.json",
		"time of work the run may use, such as 10m, as --max-tokens; waiting for you does not count")
}

func (b *budgetFlags) addTo(f *pflag.FlagSet, tokens, cost, time string) {
	f.Int64Var(&b.tokens, "max-tokens", 0, tokens)
	f.Float64Var(&b.cost, "max-cost", 0, cost)
	f.DurationVar(&b.time, "max-time", 0, time)
}

func (b *budgetFlags) check() error {
	if b.tokens < 0 || b.cost < 0 || b.time < 0 {
		return usageError{errors.New("--max-tokens, --max-cost and --max-time cannot be negative")}
	}
	if err := (spend.Budget{Cost: b.cost}).Check(); err != nil {
		return usageError{fmt.Errorf("--max-cost: %w", err)}
	}
	return nil
}

// budget returns the budget set by the flags, or nil.
func (b *budgetFlags) budget() *engine.Budget {
	if *b == (budgetFlags{}) {
		return nil
	}
	return &engine.Budget{Tokens: b.tokens, Cost: b.cost, Seconds: b.time.Seconds()}
}

// used records the usage of a run from its notifications.
type used struct {
	mu  sync.Mutex
	run spend.Totals
}

func (u *used) notify(n engine.Notification) {
	if e, ok := n.Params.(agent.RequestUsage); ok {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.run = e.Run
	}
}

// reset forgets the previous run.
func (u *used) reset() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.run = spend.Totals{}
}

// print prints the usage of the run in one line.
func (u *used) print(out io.Writer) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.run.Requests > 0 {
		fmt.Fprintf(out, "\nUsed %s.\n", usageWords(u.run))
	}
}

// usageWords formats the usage of requests: "1,200 tokens in (1,000 cached),
// 70 out in 3 requests, 0.0036 EUR".
func usageWords(t spend.Totals) string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "%s tokens in", spend.FormatCount(t.InputTokens))
	var cache []string
	if t.CachedTokens > 0 {
		cache = append(cache, spend.FormatCount(t.CachedTokens)+" cached")
	}
	if t.WrittenTokens > 0 {
		cache = append(cache, spend.FormatCount(t.WrittenTokens)+" written to the cache")
	}
	if cache != nil {
		sb.WriteString(" (" + strings.Join(cache, ", ") + ")")
	}
	fmt.Fprintf(&sb, ", %s out in %s", spend.FormatCount(t.OutputTokens), plural(t.Requests, "request"))
	if t.Failed > 0 {
		fmt.Fprintf(&sb, " (%d failed)", t.Failed)
	}
	if t.Open > 0 {
		fmt.Fprintf(&sb, " (%d without an answer)", t.Open)
	}
	if cost := costWords(t); cost != "" {
		sb.WriteString(", " + cost)
		if t.Unpriced > 0 {
			fmt.Fprintf(&sb, " and %s without a known price", plural(t.Unpriced, "request"))
		}
	}
	if t.Estimated > 0 {
		fmt.Fprintf(&sb, "; %s estimated", plural(t.Estimated, "request"))
	}
	return sb.String()
}

// costWords returns the costs, or "" if none is known.
func costWords(t spend.Totals) string {
	var list []string
	for _, c := range t.Costs {
		if c.Amount > 0 || c.Currency != "" { // the built-in model costs nothing and has no currency
			list = append(list, strings.TrimSpace(spend.FormatMoney(c.Amount)+" "+c.Currency))
		}
	}
	return strings.Join(list, " + ")
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return spend.FormatCount(n) + " " + what + "s"
}

func newUsage(s *settings) *cobra.Command {
	var in string
	var asJSON bool
	var runs int
	cmd := &cobra.Command{
		Use:   "usage --in DIR",
		Short: "Show the usage of models for a folder: tokens and money",
		Long: `Shows the tokens and the money that requests to models used for the folder: in total,
by model, and for the last runs and translations, runs in phases by phase. Every request
counts, including failed ones, those for summaries, and those of runs that were undone
with 'atelier undo'. Money is counted if config.json has the price of the model.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if runs < 1 || runs > 100 {
				return usageError{errors.New("--runs is from 1 to 100")}
			}
			e, wb, err := readFolder(cmd.Context(), s, in)
			if err != nil {
				return err
			}
			defer e.Close()
			r, err := engine.CallAs[engine.UsageResult](cmd.Context(), e, "WorkbenchGetUsage", engine.UsageParams{WorkbenchID: wb.ID(), Limit: runs})
			if err != nil {
				return err
			}
			if asJSON {
				enc := json.NewEncoder(cmd.OutOrStdout())
				enc.SetIndent("", "  ")
				return enc.Encode(r)
			}
			return printUsage(cmd.OutOrStdout(), r)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().IntVar(&runs, "runs", 10, "how many of the last runs to show, 1 to 100")
	return inFolder(cmd, &in)
}

func printUsage(out io.Writer, r engine.UsageResult) error {
	if r.Totals.Requests == 0 {
		fmt.Fprintln(out, "No model was asked for anything here.")
		return nil
	}
	fmt.Fprintf(out, "In all %s.\n\n", usageWords(r.Totals))
	addRow := func(t *table, name string, sums spend.Totals) {
		t.addRow(name, spend.FormatCount(sums.Requests), spend.FormatCount(sums.InputTokens), spend.FormatCount(sums.CachedTokens), spend.FormatCount(sums.OutputTokens), costWords(sums))
	}
	models := newTable(out, "MODEL", "REQUESTS", "IN", "CACHED", "OUT", "COST")
	for _, m := range r.Models {
		addRow(models, m.ModelID, m.Totals)
	}
	if err := models.print(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	runs := newTable(out, "BEGUN", "REQUESTS", "IN", "CACHED", "OUT", "COST")
	for _, run := range r.Runs {
		name := localTime(run.BegunAt)
		if run.Kind != "run" {
			name += " (" + run.Kind + ")"
		}
		addRow(runs, name, run.Totals)
		for _, p := range run.Parts {
			name := "  " + p.Phase
			if p.Purpose == workshop.UsageSummary {
				name += " (conversation summed up)"
			}
			addRow(runs, name, p.Totals)
		}
	}
	return runs.print()
}
