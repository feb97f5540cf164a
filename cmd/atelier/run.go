package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/internal/quote"
	"atelier/workshop/review"
)

type runFlags struct {
	in, record, catalogue    string
	publish, json, web, plan bool
	workflow                 string
	resume                   bool
	attach, allowTools       []string
	budget                   budgetFlags
	consentLater             bool // the question should include the files of the message
}

func newRun(s *settings) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run {TEXT | - | --resume} --in DIR",
		Short: "Have the model do a task on the documents of a folder",
		Long: `Sends TEXT (with -, the text on standard input) to the model with tools to read
and edit the files of DIR. All changes are made in a draft; DIR itself does not
change until 'atelier publish' (or --publish). A later run on the same folder continues
the conversation and the draft.

On a terminal, the model may ask you questions, and it gets the lines you type while
it works; otherwise it is told that it cannot ask. Ctrl-C stops the run; its changes
are kept, and --resume continues it.`,
		Example: `  atelier run "Translate the Sales sheet to English" --in ./folder
  atelier run "List the documents" --in ./folder --model pseudo
  atelier run "Does the offer answer the brief?" --in ./folder --attach ~/Downloads/brief.docx
  atelier run "Harmonise the contracts" --in ./folder --workflow rpi
  atelier run - --in ./folder < task.txt`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, s, args) },
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&f.publish, "publish", false, "publish the draft if the run succeeds")
	cmd.Flags().BoolVar(&f.json, "json", false, "print events and errors as JSON, one a line; the last line is the result")
	cmd.Flags().BoolVar(&f.resume, "resume", false, "continue the last message, whose run was interrupted")
	cmd.Flags().StringArrayVar(&f.attach, "attach", nil, "send this file with the message: it is added to the draft as files/NAME (repeatable)")
	cmd.Flags().StringVar(&f.record, "record", "", "write the conversation with its files to this file, for 'atelier replay'")
	return cmd
}

func (f *runFlags) run(cmd *cobra.Command, s *settings, args []string) error {
	var o runOutcome
	err := f.work(cmd, s, args, &o)
	if f.json {
		err = errors.Join(err, o.write(cmd.OutOrStdout(), err, cmd.Context().Err() != nil))
	}
	return err
}

func (f *runFlags) work(cmd *cobra.Command, s *settings, args []string, o *runOutcome) (err error) {
	ctx := cmd.Context()
	if err := f.checkTask(args); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	if err := readTask(cmd, args); err != nil {
		return err
	}
	attached, err := toAttach(f.attach)
	if err != nil {
		return err
	}
	if f.record != "" {
		if err := writable(f.record); err != nil {
			return usageError{fmt.Errorf("--record: %w", err)}
		}
	}
	rec := recordTo(f.record)
	rec.told = func(path string, differs []string) {
		if len(differs) > 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "atelier: the recording %s is not as the run was: %s\n", path, differs[0])
		}
	}
	f.consentLater = len(attached) > 0
	x, err := f.open(cmd, s, ctx, rec)
	if x != nil {
		defer x.close()
		o.WorkbenchID = x.wb.ID()
	}
	if err != nil {
		return err
	}
	defer x.e.Subscribe(o.notify)()
	msg, err := f.task(ctx, x.e, x.wb.ID(), args, attached)
	if err != nil {
		return err
	}
	if f.consentLater {
		if err := x.consentTo(ctx, msg); err != nil {
			return err
		}
	}
	if x.there {
		tty, _ := cmd.InOrStdin().(*os.File)
		x.ask.typing = newTerminalReader(x.ask.in, tty, x.ask.steer(ctx, x.wb.ID()))
	}
	ran, err := x.run(ctx, msg)
	o.ran(ran, err)
	unfinished := err != nil
	err = errors.Join(err, rec.failed())
	if unfinished && !f.json {
		fmt.Fprintf(x.out, "\nGo on with it: atelier run --resume --in %s\n", quote.Argument(f.in))
	}
	err = errors.Join(err, f.finish(ctx, x.e, x.out, err == nil, o))
	if !f.json {
		x.took.print(x.out)
	}
	return err
}

// finish shows the changes and what to do next, or publishes.
func (f *runFlags) finish(ctx context.Context, e *engine.Engine, out io.Writer, ok bool, o *runOutcome) error {
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx) // interrupted: the draft is still reported
	}
	id := o.WorkbenchID
	set, err := engine.CallAs[engine.ChangeSetResult](ctx, e, "ReviewGetChangeSet", engine.WorkbenchRef{WorkbenchID: id})
	if err != nil {
		return err
	}
	o.Changed, o.HasDraft = set.Changes, len(set.Changes) > 0
	if len(set.Changes) == 0 {
		if !f.json {
			fmt.Fprintln(out, "\nNothing was changed.")
		}
		return nil
	}
	if !f.json {
		fmt.Fprintf(out, "\nThe draft changes %s:\n", files(len(set.Changes)))
		printChanges(out, set.Changes)
	}
	if f.publish && ok {
		r, err := engine.CallAs[engine.DraftPublishResult](ctx, e, "DraftPublish", engine.DraftPublishParams{WorkbenchID: id})
		if err != nil {
			return err
		}
		o.Published, o.HasDraft = r.CheckpointID, false
		if !f.json {
			fmt.Fprintf(out, "Published %s. What was replaced is kept in checkpoint %s.\n", files(len(r.Published)), r.CheckpointID)
		}
		return nil
	}
	if !f.json {
		dir := quote.Argument(f.in)
		fmt.Fprintf(out, "\nLook at it:   atelier review --in %s\nKeep it:      atelier publish --in %s\nDrop it:      atelier discard --in %s\n", dir, dir, dir)
	}
	return nil
}

func printChanges(out io.Writer, changes []review.Change) {
	width := 0
	for _, c := range changes {
		width = max(width, utf8.RuneCountInString(name(c.Path))) // as fmt pads
	}
	for _, c := range changes {
		fmt.Fprintf(out, "  %-8s  %-*s  %s\n", c.ChangeType, width, name(c.Path), c.Summary)
	}
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}
