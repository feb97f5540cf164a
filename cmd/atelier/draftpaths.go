package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/workshop"
)

// draftPaths converts arguments of a command line to paths of the draft.
func draftPaths(ctx context.Context, wb *workshop.Workbench, args []string) ([]string, error) {
	out := make([]string, len(args))
	for i, arg := range args {
		p, err := draftPath(ctx, wb, arg)
		if err != nil {
			return nil, err
		}
		out[i] = p
	}
	return out, nil
}

// draftPath converts an argument to a path of the draft: a path of the draft,
// or one as completed by a shell, absolute or from the current folder. If
// both are possible, it is refused.
func draftPath(ctx context.Context, wb *workshop.Workbench, arg string) (string, error) {
	own := path.Clean(filepath.ToSlash(arg))
	host, isIn := below(wb.Root(), arg)
	relative := !filepath.IsAbs(arg) && filepath.IsLocal(filepath.FromSlash(own))
	switch {
	case !isIn && (!relative || !wb.Has(ctx, own) && onHost(arg)):
		return "", usageError{fmt.Errorf("%s is not in the folder %s", arg, wb.Root())}
	case !relative:
		return host, nil
	case !isIn || host == own:
		return own, nil
	}
	switch ownThere, hostThere := wb.Has(ctx, own), wb.Has(ctx, host); {
	case ownThere && hostThere:
		return "", usageError{fmt.Errorf("%s can be %s or %s of the folder %s; name it with its whole path", arg, own, host, wb.Root())}
	case hostThere, !ownThere && strings.HasPrefix(filepath.ToSlash(arg), "./"):
		return host, nil
	}
	return own, nil
}

// below returns the path of a file of the host relative to root, if it is
// inside.
func below(root, file string) (string, bool) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(root, realPath(abs))
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

func onHost(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// realPath resolves links in the existing part of a path.
func realPath(abs string) string {
	rest := ""
	for dir := abs; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		if dir == filepath.Dir(dir) {
			return abs
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// folderOf returns the folder of a command: that of --in or, without it and
// if nothing was run on the current folder, the one that contains the first
// file in args.
func folderOf(cmd *cobra.Command, e *engine.Engine, in string, args []string) string {
	if len(args) == 0 || cmd.Flags().Changed("in") {
		return in
	}
	if _, found, err := e.Home().FindFolder(cmd.Context(), in); found || err != nil {
		return in
	}
	list, err := e.Home().List(cmd.Context())
	if err != nil {
		return in
	}
	list = slices.DeleteFunc(list, func(i workshop.Info) bool {
		_, isIn := below(i.Root, args[0])
		return i.Managed || !isIn
	})
	if len(list) == 0 {
		return in
	}
	return slices.MaxFunc(list, func(a, b workshop.Info) int { return len(a.Root) - len(b.Root) }).Root
}

// openFolderOf and readFolderOf are openFolder and readFolder for a command
// whose arguments are paths; they set in to the folder.
func openFolderOf(cmd *cobra.Command, s *settings, in *string, args []string) (*engine.Engine, *workshop.Workbench, error) {
	return openWorkbench(cmd.Context(), s, false, func(e *engine.Engine) string { *in = folderOf(cmd, e, *in, args); return *in })
}

func readFolderOf(cmd *cobra.Command, s *settings, in *string, args []string) (*engine.Engine, *workshop.Workbench, error) {
	return openWorkbench(cmd.Context(), s, true, func(e *engine.Engine) string { *in = folderOf(cmd, e, *in, args); return *in })
}
