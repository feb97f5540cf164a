package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/workshop/translate"
)

type translateFlags struct {
	to        []string
	from, out string
	engine    string
	report    string
	jobs      int
	force     bool
}

func newTranslate(s *settings) *cobra.Command {
	var f translateFlags
	cmd := &cobra.Command{
		Use:   "translate PATH… --to LANG --out DIR",
		Short: "Write translated copies of documents and folders",
		Long: `Translates docx, xlsx, pptx, md, txt and csv files (folders with their structure)
into copies below --out that keep formatting, formulas, charts and pictures.
Originals are never touched; a second run does again only what changed or failed.
Without an API key the built-in offline model is used: it marks text instead of
translating it, which shows what a model would be given.`,
		Example: `  atelier translate testdata/documents --to en --out translated
  atelier translate report.docx --from es --to en,de --out translated --model gpt-5`,
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, s, args) },
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.to, "to", nil, "target language or languages, such as en or en,de")
	fl.StringVar(&f.from, "from", "", "language of the originals; left out, the model sees for itself")
	fl.StringVar(&f.out, "out", "", "folder for the translated copies")
	fl.StringVar(&f.engine, "engine", "", "model or pseudo; left out, model when a key is set")
	fl.IntVar(&f.jobs, "jobs", 2, "documents at once")
	fl.StringVar(&f.report, "report", "", "write a report as JSON to this file, - for standard output")
	fl.BoolVar(&f.force, "force", false, "do again what an earlier run finished, and replace what is in the way")
	return cmd
}

func (f *translateFlags) run(cmd *cobra.Command, s *settings, paths []string) error {
	switch {
	case len(f.to) == 0:
		return usageError{errors.New("--to is required: the language to translate into, such as --to en")}
	case f.out == "":
		return usageError{errors.New("--out is required: the folder for the translated copies")}
	case f.engine != "" && f.engine != "model" && f.engine != "pseudo":
		return usageError{fmt.Errorf("unknown engine %q: use model or pseudo", f.engine)}
	}
	e, err := s.engine()
	if err != nil {
		return err
	}
	defer e.Close()
	model := f.model(s)
	client, key, err := e.Client(cmd.Context(), model)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if f.report == "-" {
		out = os.Stderr
	}
	if model == engine.PseudoModel {
		fmt.Fprintln(out, "Engine: the built-in offline model. It marks text instead of translating it; set OPENAI_API_KEY for a real model.")
	}
	bar := newProgress(out)
	rep, err := translate.Run(cmd.Context(), translate.Options{
		From: f.from, To: f.to, Out: f.out, Jobs: f.jobs, Force: f.force,
		Formats: e.Formats(), Client: client, Model: model, APIKey: key, Progress: bar.step,
	}, paths)
	bar.clear()
	if len(rep.Files) > 0 {
		printReport(out, rep)
	}
	if werr := f.writeReport(cmd.OutOrStdout(), rep); err == nil {
		err = werr
	}
	if err == nil && rep.Failed() > 0 {
		return errSilent
	}
	return err
}

// model is the one to use: the engine flag decides, else whether there is a
// key or an endpoint (TR-09).
func (f *translateFlags) model(s *settings) string {
	switch {
	case f.engine == "pseudo", f.engine == "" && s.model == "" && s.apiKey == "" && s.baseURL == "":
		return engine.PseudoModel
	case s.model != "" && !(f.engine == "model" && s.model == engine.PseudoModel):
		return s.model
	}
	return engine.DefaultModel
}

func (f *translateFlags) writeReport(out io.Writer, rep translate.Report) error {
	if f.report == "" {
		return nil
	}
	b, err := json.MarshalIndent(rep, "", "  ")
	if err != nil {
		return err
	}
	b = append(b, '\n')
	if f.report == "-" {
		_, err = out.Write(b)
		return err
	}
	return os.WriteFile(f.report, b, 0o644)
}

func printReport(out io.Writer, rep translate.Report) {
	fmt.Fprintln(out)
	tw := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(tw, "FILE\tLANGUAGE\tSTATUS\tSEGMENTS\tTRANSLATED\tOUTPUT")
	for _, r := range rep.Files {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%d\t%d\t%s\n", r.Input, r.Language, r.Status, r.Segments, r.Translated, r.Output)
	}
	tw.Flush()
	for _, r := range rep.Files {
		if r.Error != "" {
			fmt.Fprintf(out, "%s: %s\n", r.Input, r.Error)
		}
		for i, fl := range r.Flags {
			if i == 10 {
				fmt.Fprintf(out, "%s: %d more to look at (see --report)\n", r.Input, len(r.Flags)-i)
				break
			}
			fmt.Fprintf(out, "%s: %s: %s\n", r.Input, fl.Place, fl.Reason)
		}
	}
}

// progress shows a line that rewrites itself on a terminal, and a line per
// finished file in a pipe (TR-07).
type progress struct {
	out  io.Writer
	live bool
}

func newProgress(out io.Writer) *progress {
	if f, ok := terminal(out); ok {
		return &progress{out: f, live: true} // it writes over its own line
	}
	return &progress{out: out}
}

func (p *progress) step(s translate.Progress) {
	name := safe([]byte(name(filepath.Base(s.Input))))
	switch {
	case s.Status != "":
		p.clear()
		fmt.Fprintf(p.out, "%-8s %s (%d of %d segments)\n", s.Status, name, s.Done, s.Segments)
	case p.live:
		fmt.Fprintf(p.out, "\r\x1b[K%s %s %d/%d", barOf(s.Done, s.Segments), name, s.Done, s.Segments)
	}
}

func barOf(done, all int) string {
	const width = 20
	n := 0
	if all > 0 {
		n = min(width, done*width/all)
	}
	return strings.Repeat("█", n) + strings.Repeat("░", width-n)
}

func (p *progress) clear() {
	if p.live {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
