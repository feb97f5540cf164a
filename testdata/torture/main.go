// Command torture kills processes that work on a workbench, thousands of times,
// and checks that nothing was lost (K-01). See docs/durability.md.
//
//	go run ./testdata/torture -kills 5000 -seed 1
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"atelier/workshop/torture"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "-child" {
		exit(torture.Child(os.Args[2:], os.Stdin, os.Stdout))
	}
	kills := flag.Int("kills", 1000, "how many")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "of the random sequence")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	self, err := os.Executable()
	exitOn(err)
	dir, err := os.MkdirTemp("", "torture")
	exitOn(err)
	report, err := torture.Run(ctx, torture.Options{
		Kills: *kills, Seed: *seed, Child: []string{self, "-child"}, Dir: dir,
		Progress: func(r torture.Report) { fmt.Fprintf(os.Stderr, "%d kills, %s\n", r.Kills, r.Time.Round(time.Second)) },
	})
	os.RemoveAll(dir)
	fmt.Print(report)
	exit(err)
}

func exitOn(err error) {
	if err != nil {
		exit(err)
	}
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
	os.Exit(0)
}
