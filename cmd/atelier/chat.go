package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"atelier/engine"
)

func newChat(s *settings) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "chat --in DIR",
		Short: "Chat with the model about the documents of a folder, turn after turn",
		Long: `Sends each line you type to the model, as 'atelier run' does with its TEXT, and waits
for the next one; a line that ends with \ continues on the next. The conversation and the
draft are those of the folder, so run and chat continue each other. The model also gets
what you type while it works.

Ctrl-C stops the model and keeps what was done; a second one ends the chat, as do
/quit and the end of input (Ctrl-D). /help lists the other commands, such as /review,
/publish and /undo. Without a terminal, each line is a turn, no questions are asked, and a
turn that fails ends the chat with exit code 1.`,
		Example: `  atelier chat --in ./folder
  atelier chat --in ./folder --model pseudo < questions.txt`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return f.chat(cmd, s)
		},
	}
	f.add(cmd)
	return cmd
}

// chat is a session of several turns.
type chat struct {
	*session
	stop     context.CancelFunc        // ends the chat
	attached []engine.AttachmentParams // for the next message
	lines    chan string               // typed while no turn runs; closed at the end of input
	mu       sync.Mutex                // protects the fields below
	running  bool
	stopping bool // Ctrl-C was typed, and nothing since
}

// errQuit ends a chat at the person's request.
var errQuit = errors.New("quit")

func (f *runFlags) chat(cmd *cobra.Command, s *settings) error {
	// The first Ctrl-C stops the turn: it must not end the command's context.
	ctx, stop := context.WithCancel(context.WithoutCancel(cmd.Context()))
	defer stop()
	opened := context.AfterFunc(cmd.Context(), stop)
	x, err := f.open(cmd, s, ctx, recordTo(""))
	if x != nil {
		defer x.close()
	}
	if err != nil {
		return err
	}
	opened() // from now on Ctrl-C stops the turn
	c := &chat{session: x, stop: stop, lines: make(chan string, maxAhead)}
	defer c.signals()()
	if x.there {
		fmt.Fprintf(x.out, "This is a chat about %s. /help lists commands, Ctrl-D ends it.\n", name(x.wb.Root()))
		tty, _ := cmd.InOrStdin().(*os.File)
		x.ask.typing = newTerminalReader(x.ask.in, tty, c.typed(ctx))
		go func() { <-x.ask.typing.done; close(c.lines) }()
	} else {
		go c.readLines(ctx)
	}
	err = c.turns(ctx)
	switch {
	case errors.Is(err, errQuit):
		return nil
	case ctx.Err() != nil:
		return errors.Join(err, errSilent) // a second Ctrl-C, or SIGTERM
	}
	return err
}

// turns runs turns until there are no more lines.
func (c *chat) turns(ctx context.Context) error {
	for {
		text, err := c.next(ctx)
		if err != nil {
			return err
		}
		if text == "" {
			continue
		}
		err = c.take(ctx, text)
		if err == nil {
			continue
		}
		if errors.Is(err, errQuit) || ctx.Err() != nil || !c.there {
			return err
		}
		fmt.Fprintf(c.out, "! %s\n", explain(err))
	}
}

// next returns the next line of the person.
func (c *chat) next(ctx context.Context) (string, error) {
	var text strings.Builder
	for {
		if c.there {
			fmt.Fprint(c.out, map[bool]string{true: "\nyou> ", false: "...> "}[text.Len() == 0])
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case line, ok := <-c.lines:
			if !ok && text.Len() == 0 {
				if c.there {
					fmt.Fprintln(c.out)
				}
				return "", errQuit
			}
			c.heard()
			line = strings.TrimRight(line, "\r\n")
			if more, goesOn := strings.CutSuffix(line, `\`); goesOn && ok {
				text.WriteString(more + "\n")
				continue
			}
			return strings.TrimSpace(text.String() + line), nil
		}
	}
}

// take executes a line: a command, or a turn of the model.
func (c *chat) take(ctx context.Context, text string) error {
	if command, ok := strings.CutPrefix(text, "/"); ok && !strings.HasPrefix(command, "/") {
		return c.command(ctx, command)
	}
	msg, err := c.send(ctx, strings.TrimPrefix(text, "/"))
	if err != nil {
		return err
	}
	c.at(true)
	c.took.reset()
	_, err = c.run(ctx, msg)
	stopped := c.at(false)
	if c.ask.typing != nil {
		c.ask.typing.drop() // a question of a turn that was stopped
	}
	if stopped && err != nil && ctx.Err() == nil {
		fmt.Fprintln(c.out, "Stopped; what was done is kept.")
		err = nil
	}
	if err != nil {
		return err
	}
	c.took.print(c.out)
	return c.changed(ctx)
}

// send stores a message after consent for the documents, which may include
// new ones and attachments of the message.
func (c *chat) send(ctx context.Context, text string) (messageID string, err error) {
	if len(c.attached) == 0 {
		if err := c.consent(ctx); err != nil {
			return "", err
		}
	}
	msg, err := engine.CallAs[engine.MessageRef](ctx, c.e, "WorkshopSendUserMessage", engine.SendUserMessageParams{WorkbenchID: c.wb.ID(), Text: text, Attachments: c.attached})
	if err != nil || len(c.attached) == 0 {
		return msg.MessageID, err
	}
	if err := c.consentTo(ctx, msg.MessageID); err != nil {
		return "", err
	}
	c.attached = nil
	return msg.MessageID, nil
}

// changed prints the changes of the draft in one line.
func (c *chat) changed(ctx context.Context) error {
	wb, done, err := c.e.Current(ctx, c.wb)
	if err != nil {
		return err
	}
	defer done()
	changes, err := wb.Changes(ctx)
	if err == nil && len(changes) > 0 {
		fmt.Fprintf(c.out, "(The draft changes %s: /review shows it, /publish keeps it, /undo takes this turn back.)\n", files(len(changes)))
	}
	return err
}

// at sets whether a turn is running, and reports whether the last one was
// stopped.
func (c *chat) at(work bool) (stopped bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	stopped = c.stopping
	c.running, c.stopping = work, false
	return stopped
}

func (c *chat) heard() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopping = false
}

// typed passes on typed lines: to the current run, else to the next turn.
func (c *chat) typed(ctx context.Context) func(string) {
	steer := c.ask.steer(ctx, c.wb.ID())
	return func(line string) {
		c.mu.Lock()
		running := c.running
		c.mu.Unlock()
		switch {
		case running && strings.HasPrefix(line, "/"):
			fmt.Fprint(c.out, "\n(commands wait until the model is done; Ctrl-C stops it)\n")
		case running:
			steer(line)
		default:
			select {
			case c.lines <- line:
			default:
				fmt.Fprint(c.out, "\n(not taken: too many lines were typed ahead)\n")
			}
		}
	}
}

// maxAhead is how many lines can be typed ahead.
const maxAhead = 1000

// readLines reads the lines of a pipe or a file, each only when it is needed.
func (c *chat) readLines(ctx context.Context) {
	defer close(c.lines)
	for {
		line, err := c.ask.in.ReadString('\n')
		if line != "" {
			select {
			case c.lines <- line:
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				fmt.Fprintf(safeTo(os.Stderr), "atelier: input ended: %v\n", err)
			}
			return
		}
	}
}

// signals makes the first Ctrl-C stop the turn, and the next one, or SIGTERM,
// end the chat.
func (c *chat) signals() (stop func()) {
	got, ended := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(got, os.Interrupt, syscall.SIGTERM)
	go func() {
		for {
			select {
			case s := <-got:
				c.interrupt(s)
			case <-ended:
				return
			}
		}
	}()
	return func() { signal.Stop(got); close(ended) }
}

func (c *chat) interrupt(s os.Signal) {
	c.mu.Lock()
	again, running := c.stopping, c.running
	c.stopping = true
	c.mu.Unlock()
	switch {
	case s != os.Interrupt || again || !c.there:
		c.stop()
	case running:
		_, _ = engine.CallAs[engine.CancelRunResult](context.Background(), c.e, "WorkshopCancelRun", engine.WorkbenchRef{WorkbenchID: c.wb.ID()})
	default:
		fmt.Fprint(c.out, "\n(Ctrl-C again ends the chat, as /quit does)\nyou> ")
	}
}
