package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/internal/quote"
	"atelier/workshop"
	"atelier/workshop/review"
)

// logFlags are the flags of log.
type logFlags struct {
	in, with, out string
	json, all     bool
}

func newLog(s *settings) *cobra.Command {
	var f logFlags
	cmd := &cobra.Command{
		Use:   "log FILE [VERSION] --in DIR",
		Short: "List the versions of a file, compare one, or write it to a file",
		Long: `Lists the contents a file has or had, the newest first: what was published, the
steps of drafts, and what is on disk. With VERSION (its id or its content's hash,
the beginning of either is enough) it shows the differences between that version and
the current file, or --with VERSION; with --out it writes the content of
VERSION to a file. 'atelier restore' brings one back.`,
		Args:              usageArgs(cobra.RangeArgs(1, 2)),
		ValidArgsFunction: completeVersions(s, &f.in),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && (f.with != "" || f.out != "" || f.all) {
				return usageError{errors.New("--with, --out and --all want a VERSION: " + cmd.UseLine())}
			}
			if f.out != "" && (f.with != "" || f.json || f.all) {
				return usageError{errors.New("--out writes a version to a file; give it without --with, --json and --all")}
			}
			e, wb, err := readFolderOf(cmd, s, &f.in, args[:1])
			if err != nil {
				return err
			}
			defer e.Close()
			file, err := draftPath(cmd.Context(), wb, args[0])
			if err != nil {
				return err
			}
			switch {
			case len(args) == 1:
				return listVersions(cmd.Context(), e, wb, cmd.OutOrStdout(), file, f.json)
			case f.out != "":
				return writeVersion(cmd.Context(), wb, file, args[1], f.out)
			}
			return compareVersions(cmd.Context(), e, wb, cmd.OutOrStdout(), file, args[1], f)
		},
	}
	cmd.Flags().StringVar(&f.with, "with", "", "version to compare with; default the current file")
	cmd.Flags().StringVar(&f.out, "out", "", "write the content of VERSION to this file")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&f.all, "all", false, "show all differences")
	return inFolder(cmd, &f.in)
}

func listVersions(ctx context.Context, e *engine.Engine, wb *workshop.Workbench, out io.Writer, file string, asJSON bool) error {
	var all []engine.FileVersion
	for before := ""; ; {
		r, err := engine.CallAs[engine.FileVersionsResult](ctx, e, "WorkbenchFileVersions", engine.FileVersionsParams{WorkbenchID: wb.ID(), Path: file, Limit: 1000, Before: before})
		if err != nil {
			return err
		}
		all = append(all, r.Versions...)
		if before = r.Before; before == "" {
			break
		}
	}
	if asJSON {
		return printJSON(out, engine.FileVersionsResult{Versions: all, Total: len(all)})
	}
	t := newTable(out, "VERSION", "TIME", "BY", "CONTENT", "SIZE", "")
	for _, v := range all {
		hash := "removed"
		if v.Hash != "" {
			hash = v.Hash[:12]
		}
		id := v.VersionID
		if id == v.Hash {
			id = v.Hash[:12]
		}
		t.addRow(id, localTime(v.CreatedAt), v.Author, hash, size(v.Size), versionNote(v, file))
	}
	return t.print()
}

// versionNote describes the state of a version.
func versionNote(v engine.FileVersion, file string) string {
	note := "checkpoint " + v.CheckpointID
	switch {
	case v.InDraft:
		note = "in a draft"
	case v.CheckpointID == "":
		note = "on disk, not made by a publish"
	}
	if v.Current {
		note = "now; " + note
	}
	if v.Path != file {
		note += "; was " + name(v.Path)
	}
	return note
}

func writeVersion(ctx context.Context, wb *workshop.Workbench, file, version, to string) error {
	p, err := workshop.ParseStrict(file)
	if err != nil {
		return err
	}
	_, src, err := wb.OpenFileVersion(ctx, workshop.FileRef{Path: p}, version)
	if err != nil {
		return err
	}
	defer src.Close()
	return writeOut(to, forAll, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(src, 0, src.Size()))
		return err
	})
}

func compareVersions(ctx context.Context, e *engine.Engine, wb *workshop.Workbench, out io.Writer, file, version string, f logFlags) error {
	p := engine.CompareFileVersionsParams{FileVersionParams: engine.FileVersionParams{WorkbenchID: wb.ID(), Path: file, VersionID: version}, With: f.with}
	if f.all {
		p.MaxItems = math.MaxInt32
	}
	var last review.VersionDiff
	for first := true; first || p.Start != ""; first = false {
		d, err := engine.CallAs[review.VersionDiff](ctx, e, "WorkbenchCompareFileVersions", p)
		if err != nil {
			return err
		}
		if f.json {
			return printJSON(out, d)
		}
		switch {
		case d.Same:
			fmt.Fprintln(out, "They are the same.")
		case d.Content != nil:
			printContent(out, *d.Content, colors(out), f.all)
		default:
			printHead(out, *d.Text, colors(out), nil)
			printDiff(out, *d.Text, colors(out))
		}
		p.Start = ""
		if d.Text != nil && f.all {
			p.Start = d.Text.Next
		}
		last = d
	}
	_, err := fmt.Fprintf(out, "\nfrom version %s\nto version   %s\n", last.From, last.To)
	return err
}

func newRestore(s *settings) *cobra.Command {
	var in string
	return inFolder(&cobra.Command{
		Use:   "restore FILE VERSION --in DIR",
		Short: "Restore a version of a file in the draft; other files do not change",
		Long: `Puts a version of a file into the draft. The version is named by its id or its
content's hash, or the beginning of either; 'atelier log FILE' lists them. The
published file does not change until you publish. 'atelier undo' undoes the restore.`,
		Args:              usageArgs(cobra.ExactArgs(2)),
		ValidArgsFunction: completeVersions(s, &in),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, wb, err := openFolderOf(cmd, s, &in, args[:1])
			if err != nil {
				return err
			}
			defer e.Close()
			file, err := draftPath(cmd.Context(), wb, args[0])
			if err != nil {
				return err
			}
			r, err := engine.CallAs[engine.RestoreFileVersionResult](cmd.Context(), e, "WorkbenchRestoreFileVersion",
				engine.FileVersionParams{WorkbenchID: wb.ID(), Path: file, VersionID: args[1]})
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if r.Unchanged {
				fmt.Fprintf(out, "%s holds that content already; nothing was done.\n", name(r.Path))
				return nil
			}
			fmt.Fprintf(out, "restored %s: the draft has version %s of it now.\n", name(r.Path), r.Restored)
			fmt.Fprintf(out, "Look at it:   atelier review --in %s\nTake it back: atelier undo --in %s\n", quote.Argument(in), quote.Argument(in))
			return nil
		},
	}, &in)
}
