// Command peers does what Atelier does beside what people would use instead, and says
// how many times the processor time and the memory of Atelier the other program takes.
//
//	testdata/peers/install.sh                  # installs the other programs
//	go run ./testdata/peers                    # both tables
//	go run ./testdata/peers -only csv -v       # works whose name contains csv
//
// It makes its documents from a seed, needs 1 GB in the temporary folder, and deletes
// them. Processor time is that of the whole process in user and system mode, from start to
// end, so that other work on the machine changes it little. See docs/decisions/0118.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	if len(os.Args) > 3 && os.Args[1] == measureArg {
		os.Exit(measure(os.Args[2:]))
	}
	rounds := flag.Int("rounds", 3, "of each work, in turn; the median counts")
	only := flag.String("only", "", "only works whose name or group contains this")
	table := flag.String("table", "both", "ratios, growth or both")
	figures := flag.Bool("figures", false, "also print seconds and megabytes of both sides")
	verbose := flag.Bool("v", false, "print each round")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	tmp, err := os.MkdirTemp("", "peers-")
	if err == nil {
		ended := context.AfterFunc(ctx, func() { os.RemoveAll(tmp); os.Exit(1) })
		err = printTables(tmp, *rounds, *only, *table, *figures, *verbose)
		ended()
		os.RemoveAll(tmp)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// printTables prints the tables; a work that fails is a row that says so, and an error at the end.
func printTables(tmp string, rounds int, only, table string, figures, verbose bool) error {
	log := func(format string, args ...any) {
		if verbose {
			fmt.Fprintf(os.Stderr, format, args...)
		}
	}
	r, err := newRunner(tmp, rounds, log)
	if err != nil {
		return err
	}
	failed := 0
	chosen := choose(works(), only)
	if table != "growth" {
		failed += r.ratios(chosen, figures)
		if err := r.start(); err != nil {
			return err
		}
	}
	if table != "ratios" {
		failed += r.growths(chosen)
	}
	if failed > 0 {
		return fmt.Errorf("%d works failed", failed)
	}
	return nil
}

// choose returns the works whose name contains only; "…" stands for the beginning of the
// name before it.
func choose(list []work, only string) (chosen []work) {
	group := ""
	for _, w := range list {
		group = groupOf(w, group)
		w.group = group
		if strings.Contains(group+w.name, only) {
			chosen = append(chosen, w)
		}
	}
	return chosen
}
