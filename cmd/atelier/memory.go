package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"atelier/workshop"
	"atelier/workshop/translate/memory"
)

func newMemory() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "memory",
		Short: "Import and export translation memories (TMX), and count their entries",
		Long: `A translation memory is a file of texts and their translations, which
'atelier translate --memory FILE' fills from first and adds to. Without --memory a
job has a separate one: the file .atelier/memory.db of its output folder.`,
		Example: `  atelier memory import client.tmx --memory client.db
  atelier translate contracts --to es --out translated --memory client.db
  atelier memory export client.tmx --memory client.db --to es
  atelier memory info --memory client.db`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&path, "memory", "", "file of the memory")
	cmd.AddCommand(newMemoryImport(&path), newMemoryExport(&path), newMemoryInfo(&path))
	return cmd
}

// openMemory opens the memory of --memory; it creates a missing one only if
// make is set.
func openMemory(ctx context.Context, path string, make bool) (*memory.Memory, error) {
	if path == "" {
		return nil, usageError{errors.New("--memory is required: the file of the translation memory")}
	}
	if _, err := os.Stat(path); err != nil && !make {
		return nil, workshop.Faultf(workshop.NotFound, "there is no translation memory: %w", err)
	}
	return memory.Open(ctx, path)
}

func newMemoryImport(path *string) *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE.tmx… --memory FILE",
		Short: "Add the units of TMX files from any tool, of any size",
		Args:  usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := openMemory(cmd.Context(), *path, true)
			if err != nil {
				return err
			}
			defer m.Close()
			for _, file := range args {
				if err := importTMX(cmd.Context(), cmd.OutOrStdout(), m, file); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func importTMX(ctx context.Context, out io.Writer, m *memory.Memory, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := m.ImportTMX(ctx, f)
	if err != nil {
		return fmt.Errorf("%s: %w (%d entries before that were kept)", file, err, n.Entries)
	}
	fmt.Fprintf(out, "%s: %s\n", name(file), n)
	return nil
}

func newMemoryExport(path *string) *cobra.Command {
	var opt memory.ExportOptions
	cmd := &cobra.Command{
		Use:   "export FILE.tmx --memory FILE",
		Short: "Write the memory as TMX 1.4b, - for standard output",
		Long: `Writes the entries that people wrote or confirmed and the imported ones; with
--machine also machine translations.`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := openMemory(cmd.Context(), *path, false)
			if err != nil {
				return err
			}
			defer m.Close()
			if args[0] == "-" {
				_, err := m.ExportTMX(cmd.Context(), cmd.OutOrStdout(), opt)
				return err
			}
			n := 0
			err = writeOut(args[0], forAll, func(w io.Writer) (err error) {
				n, err = m.ExportTMX(cmd.Context(), w, opt)
				return err
			})
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %d entries\n", name(args[0]), n)
			}
			return err
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&opt.Pair.From, "from", "", "source language; left out, any")
	fl.StringVar(&opt.Pair.To, "to", "", "target language; left out, any")
	fl.BoolVar(&opt.Machine, "machine", false, "include machine translations")
	return cmd
}

func newMemoryInfo(path *string) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info --memory FILE",
		Short: "Count the entries of each pair of languages",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := openMemory(cmd.Context(), *path, false)
			if err != nil {
				return err
			}
			defer m.Close()
			counts, err := m.Info(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				enc := json.NewEncoder(cmd.OutOrStdout())
				enc.SetIndent("", "  ")
				return enc.Encode(append([]memory.Count{}, counts...))
			}
			t := newTable(cmd.OutOrStdout(), "LANGUAGES", "PERSON", "IMPORTED", "MACHINE", "ALL")
			for _, c := range counts {
				t.addRow(name(c.Pair.String()), c.Person, c.Imported, c.Machine, c.All())
			}
			return t.print()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}
