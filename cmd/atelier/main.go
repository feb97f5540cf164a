// Command atelier lets a language model work on a person's documents safely:
// every change is made in a draft that the person reviews, then publishes or
// discards.
//
//	atelier run "Translate the Sales sheet to English" --in ./folder
//	atelier translate ./folder --to en --out ./english
//	atelier serve
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// usageError is a mistake in the command line.
type usageError struct{ error }

// errSilent ends the program with exitFailed and no further message, because
// the problem was already reported.
var errSilent = errors.New("failed")

func main() {
	if code, is := asInit(); is {
		os.Exit(code)
	}
	// Standard output is reserved for the command's result, with `serve` for
	// the protocol. All other output of this process goes to stderr.
	out := os.Stdout
	os.Stdout = os.Stderr
	os.Exit(Main(os.Args[1:], out))
}

// Main runs the command line and returns the exit code.
func Main(args []string, out *os.File) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	keepRunning()
	s := &settings{}
	root := newRoot(s)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		addCompletions(s, root)
	}
	root.SetArgs(args)
	root.SetOut(safeTo(out))
	root.SetErr(safeTo(os.Stderr))
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = refuseUnknownHelp(cmd)
	}
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage):
		fmt.Fprintf(root.ErrOrStderr(), "atelier: %v\nSee '%s --help'.\n", err, cmd.CommandPath())
		return exitUsage
	case errors.Is(err, errSilent):
		return exitFailed
	}
	code := exitFailed
	var person personError
	if errors.As(err, &person) {
		err, code = person.error, exitPerson
	}
	said := explain(err)
	if ctx.Err() != nil && err.Error() == context.Canceled.Error() {
		said = "stopped" // what was at work had nothing to add
	}
	fmt.Fprintf(root.ErrOrStderr(), "atelier: %s\n", said)
	return code
}

func newRoot(s *settings) *cobra.Command {
	root := &cobra.Command{
		Use:   "atelier",
		Short: "Let a language model work on your documents, in a draft you review",
		Long: `Atelier lets any language model work on real documents (xlsx, docx, pptx, text)
safely: every change is made in a draft; you review it, then publish or discard it.

Settings come from flags, then the environment, then config.json in the data
folder: ATELIER_HOME, OPENAI_API_KEY, OPENAI_BASE_URL, ATELIER_API (chat,
anthropic, responses), ANTHROPIC_API_KEY (for Anthropic's own endpoint),
ATELIER_MODEL ("pseudo" is the built-in offline model), ATELIER_EGRESS (ask, allow_all, local_only),
ATELIER_LOG (debug, info, warn, error).

Documents are sent to a model on another machine only if you allow it: on a
terminal you are asked, elsewhere add --allow-egress. 'atelier egress' shows what
was sent.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          usageArgs(cobra.NoArgs),
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetHelpCommand(newHelp())
	root.SetHelpFunc(helpOfKnown(root.HelpFunc()))
	root.SetFlagErrorFunc(wrongFlag)
	s.addFlags(root.PersistentFlags())
	root.AddCommand(
		newUI(s), newServe(s), newMCP(s), newACP(s), newRun(s), newChat(s), newKey(s), newModels(s), newStatus(s), newShow(s), newList(s), newTranslate(s), newWorker(s), newCluster(s), newWatch(s), newMemory(), newReview(s), newPublish(s), newDiscard(s),
		newAttach(s), newUndo(s), newCompact(s), newCheckpoints(s), newLog(s), newRestore(s), newUsage(s), newEgress(s), newGC(s),
		newReplay(s), newTools(s), newSkills(s), newDoctor(s), newHTTP(s), newVersion(), newUpdate(s), newDocs(), newExitCodes(),
	)
	return root
}
