package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/ipc/ui"
	pages "atelier/workshop/web"
)

type uiFlags struct {
	addr   string
	noOpen bool
	drain  time.Duration
}

func newUI(s *settings) *cobra.Command {
	var f uiFlags
	cmd := &cobra.Command{
		Use:   "ui [DIR]",
		Short: "Open a page on which you watch a model work, review the draft and publish it",
		Long: `Serves a page to your browser: choose a model, type a task, watch the model work on
DIR, answer its questions, look at each change, publish or discard. Without DIR the
page offers the folders that you worked on. docs/ui.md describes it.

Only this machine can connect, unless --addr says otherwise. The address that is
printed lets one browser in, once; that browser is remembered, also after a restart.

SIGTERM and SIGINT end it: calls and runs in progress have --drain to end; then they
are canceled, and their changes are kept. A second signal cancels them at once.`,
		Example: "  atelier ui ./contracts",
		Args:    usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := ""
			if len(args) > 0 {
				dir = args[0]
			}
			return f.serve(cmd, s, dir)
		},
	}
	cmd.Flags().StringVar(&f.addr, "addr", "", "address to listen on (default: this machine only, at the port of the last time)")
	cmd.Flags().BoolVar(&f.noOpen, "no-open", false, "only print the address, open no browser")
	cmd.Flags().DurationVar(&f.drain, "drain", 30*time.Second, "time for calls and runs in progress when a signal ends the program")
	return cmd
}

func (f *uiFlags) serve(cmd *cobra.Command, s *settings, dir string) error {
	if f.drain < 0 {
		return usageError{errors.New("--drain cannot be below 0")}
	}
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	var commands commandServer
	e, err := s.engine(commands.listen, prepareWhenIdle, func(o *engine.Options) { o.Fetch = pages.NewHTTP(fetchOptions) }) // after consent
	if err != nil {
		return err
	}
	defer e.Close()
	log, err := s.logger()
	if err != nil {
		return err
	}
	opt, name, err := uiFolder(ctx, e, dir)
	if err != nil {
		return err
	}
	// The first signal, which ends the context, lets calls and runs end; the
	// second ends draining.
	hurry, second := make(chan struct{}), make(chan os.Signal, 1)
	defer context.AfterFunc(ctx, func() {
		signal.Notify(second, os.Interrupt, syscall.SIGTERM)
		<-second
		close(hurry)
	})()
	opt.Log, opt.Drain, opt.Hurry = log, f.drain, hurry
	defer commands.serve(ctx, e, f.drain, hurry)()
	home := filepath.Join(s.home, "ui")
	id, err := ui.OpenIdentity(home, name)
	if err != nil {
		return err
	}
	defer id.Close()
	l, err := ui.Listen(id, f.addr)
	if err != nil {
		return fmt.Errorf("cannot listen: %w; choose another address with --addr", err)
	}
	defer l.Close()
	srv, err := ui.New(e, id, l, opt)
	if err != nil {
		return err
	}
	if l.Moved() {
		fmt.Fprintln(cmd.ErrOrStderr(), "atelier: another program has the port of this page, so it has a new address and knows no browser yet")
	}
	if !l.Local() {
		log.Warn("other machines can reach this address, and the connection is not encrypted")
	}
	fmt.Fprintf(out, "Open %s\nIf your browser does not find that: %s\nEither lets one browser in, once. Ctrl-C ends.\n", srv.Address(), srv.PlainAddress())
	if !f.noOpen && l.Local() {
		defer openPage(home, srv, cmd.ErrOrStderr(), log)()
	}
	return srv.Serve(ctx)
}

// uiFolder opens the folder that the page shows. name is that of the page's
// identity: each folder has one.
func uiFolder(ctx context.Context, e *engine.Engine, dir string) (opt ui.Options, name string, err error) {
	if dir == "" {
		return opt, "start", nil
	}
	wb, err := e.OpenFolder(ctx, dir)
	if err != nil {
		return opt, "", err
	}
	h := sha256.Sum256([]byte(wb.Root()))
	return ui.Options{Folder: wb.Root(), WorkbenchID: wb.ID()}, hex.EncodeToString(h[:8]), nil
}

// openPage opens the page in a browser. The token goes to it in a file that only
// the owner can read, because every user can see the arguments of a process.
func openPage(home string, srv *ui.Server, stderr io.Writer, log *slog.Logger) (stop func()) {
	command := browserCommand()
	if command == nil {
		return func() {}
	}
	file, err := os.CreateTemp(home, "open-*.html") // mode 0600
	if err != nil {
		log.Warn("the browser could not be opened", "err", err)
		return func() {}
	}
	remove := func() { os.Remove(file.Name()) }
	_, err = io.WriteString(file, forwarding(srv.Address(), srv.PlainAddress()))
	if err = errors.Join(err, file.Close()); err != nil {
		log.Warn("the browser could not be opened", "err", err)
		return remove
	}
	run := exec.Command(command[0], append(command[1:], file.Name())...)
	if err := run.Start(); err != nil {
		fmt.Fprintln(stderr, "atelier: no browser could be opened:", err)
		return remove
	}
	go run.Wait() // so that it does not stay as a zombie; its failure is of no use to anybody
	go func() {
		<-srv.Used()
		remove()
	}()
	return remove
}

// browserCommand returns the command that opens a file in the browser, nil for none.
func browserCommand() []string {
	switch runtime.GOOS {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return nil
	}
	if _, err := exec.LookPath("xdg-open"); err != nil {
		return nil
	}
	return []string{"xdg-open"}
}

// forwarding is a file that leads a browser to the page: by its name, or where
// the browser does not find that, by its address.
func forwarding(named, plain string) string {
	js := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	origin, _, _ := strings.Cut(named, "#")
	return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Atelier</title>
<script>fetch(` + js(origin+"alive") + `,{mode:"no-cors",credentials:"omit"}).then(()=>location.replace(` + js(named) + `),()=>location.replace(` + js(plain) + `))</script>
<p>Opening Atelier … <a href="` + named + `">Open it here</a> if nothing happens.</p>`
}
