// Command crashtest kills processes that work on a workbench, thousands of times,
// and checks that nothing was lost (K-01). See docs/durability.md.
//
//	go run ./testdata/crashtest -kills 5000 -seed 1
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"atelier/internal/crashtest"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "-child" {
		exit(crashtest.Child(os.Args[2:], os.Stdin, os.Stdout))
	}
	kills := flag.Int("kills", 1000, "how many")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "of the random sequence")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	self, err := os.Executable()
	exitOn(err)
	dir, err := os.MkdirTemp("", "crashtest")
	exitOn(err)
	report, err := crashtest.Run(ctx, crashtest.Options{
		Kills: *kills, Seed: *seed, Child: []string{self, "-child"}, Dir: dir,
		Progress: func(r crashtest.Report) { fmt.Fprintf(os.Stderr, "%d kills, %s\n", r.Kills, r.Time.Round(time.Second)) },
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
		fmt.Fprintln(os.Stderr, "crashtest:", err)
		os.Exit(1)
	}
	os.Exit(0)
}
