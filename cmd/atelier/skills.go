package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/workshop"
	"atelier/workshop/skills"
)

func newSkills(s *settings) *cobra.Command {
	var in string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "skills --in DIR",
		Short: "List skills and AGENTS.md, read them, and approve those of a folder",
		Long: `Skills are instructions that a model reads when it needs them: folders with a
SKILL.md in skills/ of the data folder (yours) and in .atelier/skills of the folder
(the folder's), and those of the program. A folder's AGENTS.md is told to the model
in each run.

Those that come with a folder are used only after you have approved their content. A
run on a terminal asks; other runs leave them out and say so. A changed one has to be
approved again.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withFolder(cmd, s, in, func(e *engine.Engine, wb *workshop.Workbench) error {
				return listSkills(cmd.Context(), e, wb.ID(), cmd.OutOrStdout(), asJSON)
			})
		},
	}
	cmd.PersistentFlags().StringVar(&in, "in", ".", "folder")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(showSkill(s, &in))
	for _, d := range []struct{ decision, short, said string }{
		{"approve", "Let runs use a skill or AGENTS.md of the folder, as it is now", "%s is used from the next run on.\n"},
		{"decline", "Have runs leave out a skill or AGENTS.md of the folder, as it is now", "%s is not used.\n"},
		{"forget", "Forget the decision about a skill or AGENTS.md of the folder", "%s: the next run asks again.\n"},
	} {
		cmd.AddCommand(&cobra.Command{
			Use: d.decision + " NAME --in DIR", Short: d.short, Args: usageArgs(cobra.ExactArgs(1)), ValidArgsFunction: completeSkills(s, &in),
			RunE: func(cmd *cobra.Command, args []string) error {
				return withFolder(cmd, s, in, func(e *engine.Engine, wb *workshop.Workbench) error {
					p := engine.SkillDecisionParams{WorkbenchID: wb.ID(), Name: args[0], Decision: d.decision}
					if d.decision != "forget" {
						now, err := engine.CallAs[engine.SkillResult](cmd.Context(), e, "SkillsGet", engine.SkillParams{WorkbenchID: wb.ID(), Name: args[0], Source: skills.FromFolder})
						if err != nil {
							return err
						}
						p.Hash = now.Skill.Hash
					}
					if _, err := engine.CallAs[engine.SkillResult](cmd.Context(), e, "SkillsDecide", p); err != nil {
						return err
					}
					_, err := fmt.Fprintf(cmd.OutOrStdout(), d.said, name(args[0]))
					return err
				})
			},
		})
	}
	return cmd
}

func showSkill(s *settings, in *string) *cobra.Command {
	return &cobra.Command{
		Use: "show NAME --in DIR", Short: "Print a skill or AGENTS.md, with characters that cannot be seen spelled out",
		Args: usageArgs(cobra.ExactArgs(1)), ValidArgsFunction: completeSkills(s, in),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withFolder(cmd, s, *in, func(e *engine.Engine, wb *workshop.Workbench) error {
				r, err := engine.CallAs[engine.SkillResult](cmd.Context(), e, "SkillsGet", engine.SkillParams{WorkbenchID: wb.ID(), Name: args[0]})
				if err == nil && r.Text == "" {
					err = errors.New(r.Skill.Name + " cannot be used: " + r.Skill.Why)
				}
				if err != nil {
					return err
				}
				_, err = fmt.Fprintln(cmd.OutOrStdout(), r.Text)
				return err
			})
		},
	}
}

// withFolder opens the workbench of a folder, a new one if it has none: skills can be
// approved before the first run.
func withFolder(cmd *cobra.Command, s *settings, in string, f func(*engine.Engine, *workshop.Workbench) error) error {
	e, err := s.engine()
	if err != nil {
		return err
	}
	defer e.Close()
	wb, err := e.OpenFolder(cmd.Context(), in)
	if err != nil {
		return err
	}
	return f(e, wb)
}

func listSkills(ctx context.Context, e *engine.Engine, id string, out io.Writer, asJSON bool) error {
	r, err := engine.CallAs[engine.SkillsResult](ctx, e, "SkillsList", engine.WorkbenchRef{WorkbenchID: id})
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(out, r)
	}
	t := newTable(out, "NAME", "OF", "STATUS", "")
	for _, sk := range r.Skills {
		about := sk.Description
		if sk.Why != "" {
			about = sk.Why
		}
		t.addRow(name(sk.Name), sk.Source, sk.Status, about)
	}
	return t.print()
}

// completeSkills completes the names of skills.
func completeSkills(s *settings, in *string) completer {
	return complete(s, func(ctx context.Context, e *engine.Engine, _ *cobra.Command, args []string, _ string) (out []cobra.Completion) {
		wb, found, err := e.ReadFolder(ctx, *in)
		if err != nil || !found || len(args) > 0 {
			return nil
		}
		r, _ := engine.CallAs[engine.SkillsResult](ctx, e, "SkillsList", engine.WorkbenchRef{WorkbenchID: wb.ID()})
		for _, sk := range r.Skills {
			out = append(out, cobra.CompletionWithDesc(sk.Name, sk.Source+", "+sk.Status))
		}
		return out
	})
}
