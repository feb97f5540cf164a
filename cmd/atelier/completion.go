package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/text/language/display"

	"atelier/engine"
	"atelier/workshop"
	"atelier/workshop/agent"
	"atelier/workshop/tools/catalogue"
)

// completer returns the possible completions at a place of the command line.
type completer = func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective)

// Limits for completion, because a person waits after pressing the tab key.
const (
	completionTime = 2 * time.Second
	mostCompleted  = 1000
)

// complete returns a completer for a function that uses an engine, changes
// nothing and prints nothing. Errors give no completions.
func complete(s *settings, list func(ctx context.Context, e *engine.Engine, cmd *cobra.Command, args []string, begun string) []cobra.Completion) completer {
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		ctx, stop := context.WithTimeout(cmd.Context(), completionTime)
		defer stop()
		s.logLevel = "error"
		e, err := s.engine(func(o *engine.Options) { o.Log, o.Told, o.ReadOnly = nil, func(string) {}, true })
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer e.Close()
		cmd.SetContext(ctx)
		out := list(ctx, e, cmd, args, begun)
		return out[:min(len(out), mostCompleted)], cobra.ShellCompDirectiveNoFileComp
	}
}

// completeProviders completes the names of providers that need a key.
func completeProviders(s *settings) completer {
	return complete(s, func(ctx context.Context, e *engine.Engine, _ *cobra.Command, args []string, _ string) (out []cobra.Completion) {
		r, err := engine.CallAs[engine.ProvidersStatus](ctx, e, "ProvidersGetStatus", engine.Empty{})
		for _, p := range r.Providers {
			if err == nil && len(args) == 0 && p.AuthMode != "none" {
				out = append(out, cobra.CompletionWithDesc(p.ProviderID, p.DisplayName))
			}
		}
		return out
	})
}

// completeModels completes the configured models, and those that the
// endpoints list in time.
func completeModels(s *settings) completer {
	return complete(s, func(ctx context.Context, e *engine.Engine, _ *cobra.Command, _ []string, _ string) (out []cobra.Completion) {
		r, err := engine.CallAs[engine.ModelsResult](ctx, e, "ModelsList", engine.ModelsListParams{})
		if err != nil {
			r, _ = engine.CallAs[engine.ModelsResult](context.WithoutCancel(ctx), e, "ModelsListSupported", engine.Empty{})
		}
		for _, m := range r.Models {
			out = append(out, cobra.CompletionWithDesc(m.ModelID, m.ProviderID))
		}
		return out
	})
}

// completeDraft completes the changed paths of the draft.
func completeDraft(s *settings, in *string) completer {
	return complete(s, func(ctx context.Context, e *engine.Engine, cmd *cobra.Command, args []string, begun string) []cobra.Completion {
		wb, found, err := e.ReadFolder(ctx, folderOf(cmd, e, *in, append(slices.Clone(args), begun)))
		if err != nil || !found {
			return nil
		}
		changes, _ := wb.Changes(ctx)
		var out []cobra.Completion
		for _, c := range changes {
			if !slices.Contains(args, string(c.Path)) {
				out = append(out, shellPath(wb.Root(), string(c.Path), begun, c.Type)...)
			}
		}
		return out
	})
}

// completeVersions completes a file of the folder, then its versions.
func completeVersions(s *settings, in *string) completer {
	return complete(s, func(ctx context.Context, e *engine.Engine, cmd *cobra.Command, args []string, begun string) (out []cobra.Completion) {
		wb, found, err := e.ReadFolder(ctx, folderOf(cmd, e, *in, append(slices.Clone(args), begun)))
		if err != nil || !found || len(args) > 1 {
			return nil
		}
		if len(args) == 0 {
			entries, _ := wb.DraftView(workshop.Cause{}).List(ctx, "", workshop.ListOptions{Recursive: true, NoHash: true})
			for _, en := range entries {
				if !en.IsDir {
					out = append(out, shellPath(wb.Root(), string(en.Path), begun, string(en.Kind))...)
				}
			}
			return out
		}
		file, err := draftPath(ctx, wb, args[0])
		if err != nil {
			return nil
		}
		r, _ := engine.CallAs[engine.FileVersionsResult](ctx, e, "WorkbenchFileVersions", engine.FileVersionsParams{WorkbenchID: wb.ID(), Path: file, Limit: 50})
		for _, v := range r.Versions {
			out = append(out, cobra.CompletionWithDesc(v.VersionID, localTime(v.CreatedAt)+" "+v.Author))
		}
		return out
	})
}

// shellPath returns a path of a folder in the form that the person began to
// type, or nothing if the beginning differs.
func shellPath(root, file, begun, says string) []cobra.Completion {
	abs := filepath.Join(root, filepath.FromSlash(file))
	forms := []string{filepath.FromSlash(file), abs}
	if here, err := filepath.Abs("."); err == nil {
		if rel, err := filepath.Rel(realPath(here), abs); err == nil {
			forms = append(forms, rel, "."+string(filepath.Separator)+rel)
		}
	}
	for _, f := range forms {
		if !strings.ContainsRune(begun, filepath.Separator) && strings.Contains(begun, "/") {
			f = filepath.ToSlash(f) // on Windows both are typed
		}
		if strings.HasPrefix(f, begun) {
			return []cobra.Completion{cobra.CompletionWithDesc(f, says)}
		}
	}
	return nil
}

// completeLanguages completes language codes, also after a comma.
func completeLanguages(_ *cobra.Command, _ []string, begun string) (out []cobra.Completion, _ cobra.ShellCompDirective) {
	before := begun[:strings.LastIndexByte(begun, ',')+1]
	for _, tag := range display.Supported.Tags() {
		if code := before + tag.String(); strings.HasPrefix(code, begun) && !tag.IsRoot() {
			out = append(out, cobra.CompletionWithDesc(code, display.English.Tags().Name(tag)))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeWords completes fixed words.
func completeWords(words ...string) completer {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// addCompletions adds completers to the flags of all commands by name,
// because a flag has the same meaning in every command. It takes a tenth of a start, and
// only the shell's questions need it.
func addCompletions(s *settings, cmd *cobra.Command) {
	for flag, f := range map[string]completer{
		"model": completeModels(s), "to": completeLanguages, "from": completeLanguages,
		"catalogue": completeWords(catalogue.Names()...), "workflow": completeWords(agent.Workflows()...),
		"log": completeWords("debug", "info", "warn", "error"), "engine": completeWords("model", "pseudo", "apertium", "none"),
	} {
		if fl := cmd.LocalFlags().Lookup(flag); fl != nil && !(flag == "from" && (cmd.Name() == "attach" || cmd.Name() == "update")) && !(flag == "to" && cmd.Name() == "undo") {
			_ = cmd.RegisterFlagCompletionFunc(flag, f) // the flag exists
		}
	}
	for _, flag := range []string{"in", "home"} {
		if cmd.LocalFlags().Lookup(flag) != nil {
			_ = cmd.MarkFlagDirname(flag)
		}
	}
	for _, sub := range cmd.Commands() {
		addCompletions(s, sub)
	}
}
