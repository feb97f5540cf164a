package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"atelier/formats"
	"atelier/internal/quote"
	"atelier/workshop"
)

// examined is the output of `doctor --in --json`.
type examined struct {
	WorkbenchID string    `json:"workbench_id"`
	Folder      string    `json:"folder"`
	Contents    int       `json:"contents"`
	Bytes       int64     `json:"bytes"`
	Records     int       `json:"records"`
	Damaged     bool      `json:"damaged"`
	Findings    []finding `json:"findings"`
	Repair      *repaired `json:"repair,omitempty"`
}

type finding struct {
	Kind     string          `json:"kind"`
	Message  string          `json:"message"`
	Paths    []workshop.Path `json:"paths,omitempty"`
	Hash     string          `json:"hash,omitempty"`
	Line     int             `json:"line,omitempty"`
	Mendable bool            `json:"mendable"`
	Known    bool            `json:"known_lost,omitempty"`
}

type repaired struct {
	Mended []string `json:"mended"`
	Lost   []string `json:"lost"`
	Aside  string   `json:"aside,omitempty"`
}

// doctorFolder checks the stored state of a folder and repairs it on request.
func doctorFolder(ctx context.Context, s *settings, out io.Writer, in string, repair, asJSON bool) error {
	e, err := s.engine()
	if err != nil {
		return err
	}
	defer e.Close()
	i, found, err := e.Home().FindFolder(ctx, in)
	if err == nil && !found {
		err = noWorkbench(in)
	}
	if err != nil {
		return err
	}
	var did *repaired
	if repair {
		r, err := e.Repair(ctx, i.ID)
		if err != nil {
			return err
		}
		did = &repaired{append([]string{}, r.Mended...), append([]string{}, r.Lost...), r.Aside}
	}
	x, err := e.Home().Examine(ctx, i.ID)
	if err != nil {
		return err
	}
	if asJSON {
		err = printExamined(out, x, did)
	} else {
		sayRepaired(out, did)
		sayExamined(out, x, quote.Argument(in))
	}
	if err == nil && x.Damaged() {
		err = errSilent
	}
	return err
}

func printExamined(out io.Writer, x workshop.Examination, did *repaired) error {
	r := examined{WorkbenchID: x.ID, Folder: x.Root, Contents: x.Contents, Bytes: x.Bytes, Records: x.Records, Damaged: x.Damaged(), Findings: []finding{}, Repair: did}
	for _, f := range x.Findings {
		r.Findings = append(r.Findings, finding{f.Kind, f.Message, f.Paths, f.Hash, f.Line, f.Mendable, f.Known})
	}
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

func sayRepaired(out io.Writer, did *repaired) {
	switch {
	case did == nil:
		return
	case len(did.Mended) == 0 && len(did.Lost) == 0:
		fmt.Fprintln(out, "There was nothing to repair.")
	}
	for _, m := range did.Mended {
		fmt.Fprintln(out, "mended", m)
	}
	for _, l := range did.Lost {
		fmt.Fprintln(out, "LOST  ", l)
	}
	if did.Aside != "" {
		fmt.Fprintf(out, "What was damaged is kept in %s.\n", did.Aside)
	}
}

func sayExamined(out io.Writer, x workshop.Examination, in string) {
	mendable := false
	for _, f := range x.Findings {
		mark := "DAMAGED"
		if f.Known {
			mark = "lost"
		} else {
			mendable = mendable || f.Mendable
		}
		fmt.Fprintf(out, "%-7s %-12s %s\n", mark, f.Kind, f.Message)
	}
	fmt.Fprintf(out, "Checked %s (%s), the database, and %s of the conversation", formats.Count(x.Contents, "kept content", "kept contents"), size(x.Bytes), formats.Count(x.Records, "record", "records"))
	if !x.Damaged() {
		fmt.Fprintln(out, ": all is whole.")
		return
	}
	fmt.Fprintln(out, ".")
	if mendable {
		fmt.Fprintf(out, "To mend what can be mended, with nothing deleted: atelier doctor --repair --in %s\n", in)
	} else {
		fmt.Fprintf(out, "None of it can be mended; to put it aside: atelier doctor --repair --in %s\n", in)
	}
}
