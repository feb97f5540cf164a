package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"atelier/workshop/translate/sharedtexts"
)

func newClusterTexts(s *settings) *cobra.Command {
	var c clusterFlags
	var before, older, most string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "texts",
		Short: "Show, bound or forget the translations that a cluster keeps",
		Long: `Shows how many translations by models the cluster keeps, so that no text is paid for
twice. It keeps them for ever, unless --at-most bounds them: then the oldest are discarded
as others come. --forget-before and --forget-older remove old ones now. A text that was
removed is asked for again, and paid for, when a job needs it; what jobs have in their own
records and memories stays.

Languages cannot be told apart: the cluster has texts under hashes.`,
		Example: `  atelier cluster texts --cluster nats://10.0.0.1:4222
  atelier cluster texts --forget-older 365d --cluster nats://10.0.0.1:4222
  atelier cluster texts --at-most 2GB --cluster nats://10.0.0.1:4222`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			until, err := forgetUntil(before, older, time.Now())
			if err != nil {
				return usageError{err}
			}
			bound, err := byteCount(most)
			if err != nil {
				return usageError{err}
			}
			ctx := cmd.Context()
			if err := s.resolve(); err != nil {
				return err
			}
			c.resolve(s)
			cl, err := c.Connect(ctx, "atelier cluster on "+hostName())
			if err != nil {
				return err
			}
			defer cl.Close()
			out := struct {
				Forgotten uint64 `json:"forgotten"`
				sharedtexts.Kept
			}{}
			if !until.IsZero() {
				if out.Forgotten, err = sharedtexts.Forget(ctx, cl, until); err != nil {
					return fmt.Errorf("%w; %d texts were forgotten before", err, out.Forgotten)
				}
			}
			if bound >= 0 {
				if err := sharedtexts.Bound(ctx, cl, bound); err != nil {
					return err
				}
			}
			if out.Kept, err = sharedtexts.Look(ctx, cl); err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), out)
			}
			if !until.IsZero() {
				fmt.Fprintf(cmd.OutOrStdout(), "%d texts from before %s are forgotten.\n", out.Forgotten, until.Local().Format(time.DateTime))
			}
			printTexts(cmd.OutOrStdout(), out.Kept)
			return nil
		},
	}
	fl := cmd.Flags()
	c.add(fl, "the cluster")
	fl.StringVar(&before, "forget-before", "", "remove the texts from before this day, such as 2026-01-31")
	fl.StringVar(&older, "forget-older", "", "remove the texts that are older, such as 365d or 12h")
	fl.StringVar(&most, "at-most", "", "discard the oldest texts above this size on each server, such as 2GB; 0 ends the bound")
	fl.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// forgetUntil is the time before which texts are removed; zero: none are.
func forgetUntil(before, older string, now time.Time) (time.Time, error) {
	switch {
	case before != "" && older != "":
		return time.Time{}, errors.New("give --forget-before or --forget-older, not both")
	case before != "":
		day, err := time.ParseInLocation(time.DateOnly, before, time.Local)
		if err != nil {
			return time.Time{}, fmt.Errorf("--forget-before %q is not a day such as 2026-01-31", before)
		}
		if day.After(now) {
			return time.Time{}, fmt.Errorf("--forget-before %s has not come yet", before)
		}
		return day, nil
	case older != "":
		var age time.Duration
		var err error
		if days, ok := strings.CutSuffix(older, "d"); ok {
			var n int
			n, err = strconv.Atoi(days)
			age = time.Duration(min(n, 100*365)) * 24 * time.Hour
		} else {
			age, err = time.ParseDuration(older)
		}
		if err != nil || age <= 0 {
			return time.Time{}, fmt.Errorf("--forget-older %q is not a time such as 365d or 12h", older)
		}
		return now.Add(-age), nil
	}
	return time.Time{}, nil
}

// leastBound is the smallest bound of texts: with less, a job would discard what it recorded.
const leastBound = 8 << 20

// byteCount reads a size such as 2GB; -1: there is none.
func byteCount(text string) (int64, error) {
	if text == "" {
		return -1, nil
	}
	number, unit := text, int64(1)
	for suffix, n := range map[string]int64{"KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12} {
		if rest, ok := strings.CutSuffix(strings.ToUpper(text), suffix); ok {
			number, unit = rest, n
		}
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(n >= 0 && n*float64(unit) < 1<<60) {
		return 0, fmt.Errorf("--at-most %q is not a size such as 500MB or 2GB", text)
	}
	size := int64(n * float64(unit))
	if size > 0 && size < leastBound {
		return 0, fmt.Errorf("--at-most %s is below the least of 8.4 MB", text)
	}
	return size, nil
}

func printTexts(out io.Writer, k sharedtexts.Kept) {
	line := fmt.Sprintf("Translations that are kept: %d, %.1f MB on each server that keeps them", k.Texts, float64(k.Bytes)/1e6)
	if k.Oldest != nil {
		line += ", the oldest of " + k.Oldest.Local().Format(time.DateOnly)
	}
	if k.Most > 0 {
		line += fmt.Sprintf("; above %.1f MB the oldest are discarded", float64(k.Most)/1e6)
	} else {
		line += "; nothing bounds them"
	}
	fmt.Fprintln(out, line+".")
}
