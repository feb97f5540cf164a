package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/engine/egress"
)

// egressSetting returns what may leave this machine. local_only is a policy
// that no flag and no variable can override.
func egressSetting(allow bool, env, file string) (string, error) {
	for what, v := range map[string]string{"ATELIER_EGRESS": env, "egress of config.json": file} {
		if v != "" && v != engine.EgressAsk && v != engine.EgressAllowAll && v != engine.EgressLocalOnly {
			return "", fmt.Errorf("%s must be %s, %s or %s, not %q", what, engine.EgressAsk, engine.EgressAllowAll, engine.EgressLocalOnly, v)
		}
	}
	switch {
	case env == engine.EgressLocalOnly || file == engine.EgressLocalOnly:
		return engine.EgressLocalOnly, nil
	case allow:
		return engine.EgressAllowAll, nil
	}
	return first(env, file), nil
}

// consenter asks the person at a terminal whether documents may leave.
type consenter struct {
	in    *bufio.Reader
	out   io.Writer
	there bool // a person can be asked
}

// allow returns err, unless it is a missing consent that the person gives
// now; grant then stores it.
func (c consenter) allow(ctx context.Context, err error, grant func(*engine.ErrorInfo) error) error {
	var info *engine.ErrorInfo
	if !c.there || !errors.As(err, &info) || info.ErrorCode != engine.CodeEgressConsent || info.Egress == nil {
		return err
	}
	is := "is not on this machine"
	if info.Egress.PassedOn {
		is = "is this machine, but passes the model's requests on to the cloud"
	}
	fmt.Fprintf(c.out, "%s at %s (%s) %s. It would be sent the conversation, and what it reads of:\n", info.ModelID, info.Egress.Host, info.ProviderID, is)
	for _, p := range info.Paths {
		gone := ""
		if slices.Contains(info.Egress.EarlierFiles, p) {
			gone = " (gone, but read earlier in this conversation)"
		}
		fmt.Fprintf(c.out, "  %s%s\n", name(p), gone)
	}
	if more := info.Egress.NewFiles - len(info.Paths); more > 0 {
		fmt.Fprintf(c.out, "  and %s more\n", files(more))
	}
	if info.Egress.NewFiles < info.Egress.Files {
		fmt.Fprintf(c.out, "(%s it may be sent already.)\n", files(info.Egress.Files-info.Egress.NewFiles))
	}
	fmt.Fprint(c.out, "Allow that from now on? Another model, and files that come later, are asked about again. [y/N] ")
	line, rerr := readLine(ctx, c.in)
	if rerr != nil {
		return errors.Join(rerr, err)
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return grant(info)
	}
	return err
}

// readLine waits for a line or the end of ctx. The read itself cannot be
// interrupted and continues until the program ends.
func readLine(ctx context.Context, in *bufio.Reader) (string, error) {
	type read struct {
		line string
		err  error
	}
	got := make(chan read, 1)
	go func() {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil // no yes was typed
		}
		got <- read{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-got:
		return r.line, r.err
	}
}

// run ensures the consent for a run to send documents of a workbench to the
// model.
func (c consenter) run(ctx context.Context, e *engine.Engine, workbench, model string) error {
	err := e.RequireConsent(ctx, workbench, model)
	return c.allow(ctx, err, func(i *engine.ErrorInfo) error {
		_, err := engine.CallAs[engine.Empty](ctx, e, "EgressGrantWorkshopConsent", engine.EgressGrantParams{
			WorkbenchID: workbench, ProviderID: i.ProviderID, ModelID: i.ModelID, ScopeHash: i.Egress.ScopeHash, Persist: true})
		return err
	})
}

func newEgress(s *settings) *cobra.Command {
	var in string
	var asJSON, elsewhere, revoke bool
	cmd := &cobra.Command{
		Use:   "egress --in DIR",
		Short: "Show what left this machine: every request with host, size and time",
		Long: `Lists the requests that were made for the folder, the oldest first: when, what for,
which model at which host, bytes of the request and of the answer, how it ended.
Requests to this machine are marked local. --elsewhere lists those that belong to
no folder: translations of files, requests of 'atelier worker', lists of models, tests
of models, looks for a newer release.

--revoke revokes every consent to send the folder's documents.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if elsewhere && (revoke || cmd.Flags().Changed("in")) {
				return usageError{errors.New("--elsewhere goes with neither --in nor --revoke")}
			}
			out := cmd.OutOrStdout()
			if revoke {
				return revokeEgress(cmd.Context(), s, in, out)
			}
			var e *engine.Engine
			var id string
			var err error
			if elsewhere {
				e, err = s.engine()
			} else {
				var wb interface{ ID() string }
				if e, wb, err = readFolder(cmd.Context(), s, in); err == nil {
					id = wb.ID()
				}
			}
			if err != nil {
				return err
			}
			defer e.Close()
			return printEgress(cmd.Context(), e, id, out, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the events as JSON, one a line")
	cmd.Flags().BoolVar(&elsewhere, "elsewhere", false, "list the requests that belong to no folder")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "revoke the consents to send the folder's documents")
	return inFolder(cmd, &in)
}

func revokeEgress(ctx context.Context, s *settings, in string, out io.Writer) error {
	e, wb, err := openFolder(ctx, s, in)
	if err != nil {
		return err
	}
	defer e.Close()
	r, err := engine.CallAs[engine.EgressRevoked](ctx, e, "EgressRevokeWorkshopConsent", engine.EgressRevokeParams{WorkbenchID: wb.ID()})
	if err == nil {
		fmt.Fprintf(out, "Consents taken back: %d.\n", r.Revoked)
	}
	return err
}

func printEgress(ctx context.Context, e *engine.Engine, id string, out io.Writer, asJSON bool) error {
	t := newTable(out)
	enc := json.NewEncoder(out)
	for p := (engine.EgressListParams{WorkbenchID: id, Limit: 1000}); ; {
		r, err := engine.CallAs[engine.EgressEvents](ctx, e, "EgressListEvents", p)
		if err != nil {
			return err
		}
		if p.After == 0 && !asJSON {
			if r.Dropped > 0 {
				fmt.Fprintf(out, "The log no longer has its oldest %d entries.\n", r.Dropped)
			}
			if len(r.Events) == 0 {
				fmt.Fprintln(out, "No request was made.")
				return nil
			}
			t.addRow("TIME", "FOR", "PROVIDER", "HOST", "MODEL", "SENT", "RECEIVED", "ENDED")
		}
		for _, ev := range r.Events {
			p.After = ev.ID
			if asJSON {
				if err := enc.Encode(ev); err != nil {
					return err
				}
				continue
			}
			sent, received := bytesOf(ev)
			t.addRow(localTime(ev.Timestamp), strings.ReplaceAll(ev.Kind, "_", " "), ev.ProviderID, where(ev), ev.ModelID, sent, received, ending(ev))
		}
		if !r.HasMore {
			return t.print()
		}
	}
}

// bytesOf shows what an event sent and received, nothing for one without a
// request.
func bytesOf(ev engine.EgressEvent) (sent, received string) {
	switch {
	case ev.Kind == egress.KindGranted || ev.Kind == egress.KindAllowed || ev.Kind == egress.KindRevoked:
		return "", ""
	case !ev.Ended:
		return "≤ " + size(ev.BytesOut), "?"
	}
	return size(ev.BytesOut), size(ev.BytesIn)
}

func where(ev engine.EgressEvent) string {
	if ev.Local {
		return ev.Host + " (local)"
	}
	return ev.Host
}

// ending describes how a request ended.
func ending(ev engine.EgressEvent) string {
	var parts []string
	switch {
	case ev.Kind == egress.KindGranted, ev.Kind == egress.KindAllowed:
		return files(ev.FileCount)
	case ev.Kind == egress.KindRevoked:
		return ""
	case !ev.Ended:
		return "not known"
	case ev.Status != 0:
		parts = append(parts, fmt.Sprintf("HTTP %d", ev.Status))
	}
	if ev.Error != "" {
		parts = append(parts, ev.Error)
	}
	if ev.Retried {
		parts = append(parts, "sent again")
	}
	return strings.Join(append(parts, fmt.Sprintf("%d ms", ev.ElapsedMS)), ", ")
}
