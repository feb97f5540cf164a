package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/internal/buildinfo"
)

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print version, commit and build",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			info := buildinfo.Read()
			info.Protocol = engine.APIVersion
			return printVersion(cmd.OutOrStdout(), info, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func printVersion(out io.Writer, i buildinfo.Info, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(out).Encode(i)
	}
	changed := ""
	if i.Modified {
		changed = ", with changes"
	}
	_, err := fmt.Fprintf(out, "atelier %s (protocol %s)\n  commit   %s%s\n  date     %s\n  go       %s\n  platform %s/%s\n  build    %s\n",
		i.Version, i.Protocol, i.Commit, changed, i.Date, i.Go, i.OS, i.Arch, i.Build)
	return err
}

func newUpdate(s *settings) *cobra.Command {
	var check, asJSON bool
	var from string
	cmd := &cobra.Command{
		Use:   "update [--check]",
		Short: "Say how to update, with --check whether there is a newer release",
		Long: `Says how to update this program. It does not replace itself: what installed it does.

--check asks for the newest release. That is the only time Atelier asks, and the
request has nothing but the version of this program. 'atelier egress --elsewhere' lists
it; with egress local_only, nothing is sent to another machine.

The address that is asked comes from --from, ATELIER_RELEASES or "releases" in
config.json, else from the release. Its answer is a JSON object with "tag_name", and
"html_url" and "published_at" if there are any, like the latest release of GitHub's
and Gitea's APIs.`,
		Example: `  atelier update
  atelier update --check
  atelier update --check --from https://api.example.org/repos/atelier/releases/latest`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if check {
				return checkUpdate(cmd, s, from, asJSON)
			}
			if asJSON || from != "" {
				return usageError{errors.New("--json and --from go with --check")}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "atelier %s. To update:\n%s", engine.Version, howToUpdate())
			return nil
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "ask for the newest release")
	cmd.Flags().StringVar(&from, "from", "", "address that tells the newest release (ATELIER_RELEASES)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "with --check, print one JSON object")
	return cmd
}

// updateAnswer is what update --check --json prints.
type updateAnswer struct {
	Current     string `json:"current"`
	Newest      string `json:"newest"`
	Status      string `json:"status"`                 // "current", "outdated" or "newer": this program, beside the newest release
	PublishedAt string `json:"published_at,omitempty"` // RFC 3339
	URL         string `json:"url,omitempty"`          // the page to get the newest from
}

func checkUpdate(cmd *cobra.Command, s *settings, from string, asJSON bool) error {
	e, err := s.engine()
	if err != nil {
		return err
	}
	defer e.Close()
	address := first(from, s.releases, buildinfo.Releases())
	if address == "" {
		return errors.New("this build does not know where releases are announced; name the address with --from or ATELIER_RELEASES")
	}
	r, err := e.NewestRelease(cmd.Context(), address)
	if err != nil {
		return err
	}
	answer, err := compareRelease(engine.Version, r)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if asJSON {
		return json.NewEncoder(out).Encode(answer)
	}
	switch answer.Status {
	case "current":
		fmt.Fprintf(out, "atelier %s is the newest release.\n", answer.Current)
	case "newer":
		fmt.Fprintf(out, "This is atelier %s; the newest release is %s.\n", answer.Current, answer.Newest)
	default:
		when := ""
		if !r.PublishedAt.IsZero() {
			when = " of " + r.PublishedAt.Format("2 January 2006")
		}
		fmt.Fprintf(out, "This is atelier %s; the newest release is %s%s.\n", answer.Current, answer.Newest, when)
		if answer.URL != "" {
			fmt.Fprintf(out, "Get it from %s or:\n", answer.URL)
		} else {
			fmt.Fprintln(out, "To update:")
		}
		fmt.Fprint(out, howToUpdate())
	}
	return nil
}

func compareRelease(current string, r engine.Release) (updateAnswer, error) {
	a := updateAnswer{Current: current, Newest: r.Version, URL: r.URL}
	if !r.PublishedAt.IsZero() {
		a.PublishedAt = r.PublishedAt.UTC().Format(time.RFC3339)
	}
	have, err := buildinfo.ParseVersion(current)
	if err != nil {
		return a, fmt.Errorf("the version of this build, %q, cannot be compared: %w", current, err)
	}
	newest, err := buildinfo.ParseVersion(r.Version)
	if err != nil {
		return a, err
	}
	a.Status = map[int]string{-1: "outdated", 0: "current", 1: "newer"}[buildinfo.Compare(have, newest)]
	return a, nil
}

// installer is a way to install the program, and how to update it that way.
type installer struct {
	name, update string
	systems      string   // of runtime.GOOS; "" is all
	paths        []string // parts of the path of a program that was installed so
}

var installers = []installer{
	{"npm", "npm install -g atelier@latest", "", []string{"/node_modules/"}},
	{"Homebrew", "brew upgrade atelier", "darwin linux", []string{"/Caskroom/", "/Cellar/", "/homebrew/"}},
	{"Scoop", "scoop update atelier", "windows", []string{"/scoop/"}},
	{"Debian, Ubuntu", "install the newest .deb: sudo apt install ./atelier_VERSION_amd64.deb", "linux", []string{"/usr/bin/"}},
	{"Fedora, openSUSE", "install the newest .rpm: sudo rpm -U atelier-VERSION-1.x86_64.rpm", "linux", []string{"/usr/bin/"}},
	{"Alpine", "install the newest .apk: sudo apk add --allow-untrusted ./atelier_VERSION_x86_64.apk", "linux", []string{"/usr/bin/"}},
	{"install.sh", "run it again", "darwin linux", nil},
	{"install.ps1", "run it again", "windows", nil},
	{"an archive", "unpack the newest one over it", "", nil},
}

// howToUpdate returns a line for each way to update: those that fit the path of the
// program, else all that exist on this system.
func howToUpdate() string {
	exe, err := os.Executable()
	if err == nil {
		exe, err = filepath.EvalSymlinks(exe)
	}
	if err != nil {
		exe = ""
	}
	return updateLines(filepath.ToSlash(exe), runtime.GOOS)
}

func updateLines(exe, system string) string {
	here := slices.DeleteFunc(slices.Clone(installers), func(i installer) bool {
		return i.systems != "" && !slices.Contains(strings.Fields(i.systems), system)
	})
	fitting := slices.DeleteFunc(slices.Clone(here), func(i installer) bool {
		return !slices.ContainsFunc(i.paths, func(p string) bool { return strings.Contains(exe, p) })
	})
	switch {
	case len(fitting) == 0:
		fitting = here
	case !slices.Contains(fitting[0].paths, "/usr/bin/"):
		fitting = fitting[:1] // npm below Homebrew's folder is npm's
	}
	var b strings.Builder
	for _, i := range fitting {
		fmt.Fprintf(&b, "  %-17s %s\n", i.name+":", i.update)
	}
	return b.String()
}
