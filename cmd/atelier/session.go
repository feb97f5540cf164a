package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/approvals"
	"atelier/workshop/tools"
	"atelier/workshop/tools/catalogue"
	pages "atelier/workshop/web"
)

// add adds the flags that configure a model's work.
func (f *runFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.in, "in", ".", "folder to work on")
	cmd.Flags().StringVar(&f.catalogue, "catalogue", "", "catalogue of tools for the model: "+strings.Join(catalogue.Names(), ", ")+" (default "+catalogue.Names()[0]+")")
	cmd.Flags().BoolVar(&f.plan, "plan", false, "start in plan mode: only plans are written until you accept one (with --catalogue buildscale)")
	cmd.Flags().BoolVar(&f.web, "web", false, "let tools read public web pages (with --catalogue sila)")
	cmd.Flags().StringVar(&f.workflow, "workflow", "", "agent: work at once (default); rpi: research, plan, implement item by item, summary; auto: the model chooses")
	cmd.Flags().StringArrayVar(&f.allowTools, "allow-tool", nil, "let the model call tools of other programs whose names fit this pattern, such as 'github__get_*', without asking (repeatable)")
	f.budget.add(cmd.Flags())
}

// check checks that the flags are compatible.
func (f *runFlags) check() error {
	if _, err := catalogue.Named(f.catalogue); err != nil {
		return usageError{err}
	}
	if f.plan && f.catalogue != "buildscale" {
		return usageError{errors.New("--plan needs --catalogue buildscale, whose tools can leave plan mode")}
	}
	if f.workflow != "" && !slices.Contains(agent.Workflows(), f.workflow) {
		return usageError{errors.New("--workflow is one of " + strings.Join(agent.Workflows(), ", "))}
	}
	if _, err := approvals.Outsides(f.allowTools); err != nil {
		return usageError{fmt.Errorf("--allow-tool: %w", err)}
	}
	return f.budget.check()
}

// session is a folder on which a model works, for run and chat.
type session struct {
	flags *runFlags
	model string // "" is the folder's
	e     *engine.Engine
	wb    *workshop.Workbench
	out   io.Writer
	ask   *prompter
	there bool // a person can be asked
	show  *printer
	took  *used
	doing *runProgress
	stops []func()
}

// open opens the folder and ensures consent to send its documents to the
// model. It returns the session once the folder is open, even with an error.
func (f *runFlags) open(cmd *cobra.Command, s *settings, ctx context.Context, rec *recorder) (*session, error) {
	e, err := s.engine(prepareWhenIdle, func(o *engine.Options) {
		if f.web {
			o.Fetch, o.FetchFreely = pages.NewHTTP(fetchOptions), true
		}
		if f.record != "" {
			rec.home, o.Record = o.Home, rec.begin
			s.recording = rec
		}
	})
	if err != nil {
		return nil, err
	}
	wb, err := e.OpenFolder(ctx, f.in)
	if err != nil {
		e.Close()
		return nil, err
	}
	out := cmd.OutOrStdout()
	x := &session{flags: f, model: s.model, e: e, wb: wb, out: out, show: newPrinter(out, f.json), took: &used{}, doing: newRunProgress(time.Now)}
	x.ask = &prompter{e: e, in: bufio.NewReader(cmd.InOrStdin()), out: out}
	x.there = !f.json && somebodyThere(cmd.InOrStdin(), out)
	if !f.consentLater {
		if err := x.consent(ctx); err != nil {
			return x, err
		}
	}
	for _, line := range wb.Recovered() {
		fmt.Fprintln(cmd.ErrOrStderr(), "atelier: repaired after a crash:", line)
	}
	for _, notify := range []func(engine.Notification){x.show.notify, x.took.notify, x.doing.notify} {
		x.stops = append(x.stops, e.Subscribe(notify))
	}
	if x.there {
		x.stops = append(x.stops, e.Subscribe(x.ask.notify(ctx)))
	}
	if f.plan {
		_, err = engine.CallAs[engine.ModeResult](ctx, e, "WorkshopSetMode", engine.SetModeParams{WorkbenchID: wb.ID(), Mode: tools.ModePlan})
	}
	return x, err
}

// close releases the folder.
func (x *session) close() {
	for _, stop := range slices.Backward(x.stops) {
		stop()
	}
	x.e.Close()
}

// consent asks whether the documents may be sent to the model, unless that
// was answered before.
func (x *session) consent(ctx context.Context) error {
	in := x.ask.in
	if x.ask.typing != nil { // only typing may read the terminal
		in = bufio.NewReader(&typedReader{t: x.ask.typing})
	}
	return (consenter{in, x.out, x.there}).run(ctx, x.e, x.wb.ID(), x.model)
}

// run has the model answer a message.
func (x *session) run(ctx context.Context, message string) (engine.RunAgentResult, error) {
	if !x.flags.json {
		x.doing.begin()
		defer progressLine.start(x.out, x.doing.says)()
	}
	defer x.show.end()
	return engine.CallAs[engine.RunAgentResult](ctx, x.e, "WorkshopRunAgent", engine.RunAgentParams{WorkbenchID: x.wb.ID(), MessageID: message, ModelID: x.model,
		Catalogue: x.flags.catalogue, Headless: !x.there, Workflow: x.flags.workflow, Budget: x.flags.budget.budget(), AllowTools: x.flags.allowTools})
}
