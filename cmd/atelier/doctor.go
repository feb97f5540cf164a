package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"atelier/engine"
	"atelier/llm/models"
	"atelier/workshop"
)

func newDoctor(s *settings) *cobra.Command {
	var overflow, repair, asJSON bool
	var in string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the set-up, or with --in everything that is stored for a folder",
		Long: `Checks what Atelier needs and names the optional programs it can use. Exits 1 if
something needed is missing. It sends nothing to the model endpoint unless --model
names a model: then a few short requests test what works there, and an entry for
"models" of config.json is proposed if the built-in table lacks it.

With --in DIR it checks the data stored for a folder instead: every stored content,
the state database, all references, every line of the conversation, and that the
folder is still the same. It lists all damage and exits 1. --repair repairs what it
can and says what is lost; damaged data is put aside, never deleted.`,
		Example: `  atelier doctor
  atelier doctor --model gpt-5-mini
  atelier doctor --model local:qwen3:8b --overflow
  atelier doctor --in ./folder
  atelier doctor --repair --in ./folder`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("in") {
				return doctorFolder(cmd.Context(), s, cmd.OutOrStdout(), in, repair, asJSON)
			}
			if repair {
				return usageError{errors.New("--repair goes with --in DIR")}
			}
			if err := s.resolve(); err != nil {
				return err
			}
			d := doctor{out: cmd.OutOrStdout(), json: asJSON}
			d.home(s.home)
			if cmd.Flags().Changed("model") && s.model != engine.PseudoModel {
				if err := d.probe(cmd.Context(), s, overflow); err != nil {
					return err
				}
			} else {
				d.models(cmd.Context(), s)
			}
			d.egress(s.egress)
			d.program("LibreOffice", "page previews and recalculated formulas", "soffice", "libreoffice")
			d.program("Apertium", "offline machine translation", "apertium")
			d.program("Tesseract", "text of images and scans", "tesseract")
			if err := d.print(); err != nil {
				return err
			}
			if d.failed {
				return errSilent
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&overflow, "overflow", false, "with --model: also send a request longer than the model's window, which may cost money")
	cmd.Flags().StringVar(&in, "in", "", "check the data stored for this folder")
	cmd.Flags().BoolVar(&repair, "repair", false, "with --in: repair what can be repaired, and say what is lost")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	return cmd
}

type doctor struct {
	out    io.Writer
	json   bool // print at the end, as JSON
	failed bool

	checks []doctorCheck
	rule   *models.Rule
}

// doctorCheck is one line of `atelier doctor`.
type doctorCheck struct {
	Status string `json:"status"` // ok, note, skip or FAIL
	Name   string `json:"name"`
	Detail string `json:"detail"`
}

func (d *doctor) say(mark, what, detail string) { d.sayAt(12, mark, what, detail) }

// sayAt is say with a width of the column of names.
func (d *doctor) sayAt(width int, mark, what, detail string) {
	d.checks = append(d.checks, doctorCheck{mark, what, detail})
	if !d.json {
		fmt.Fprintf(d.out, "%-5s %-*s %s\n", mark, width, what, detail)
	}
}

// print prints what was found, if it is wanted as JSON.
func (d *doctor) print() error {
	if !d.json {
		return nil
	}
	return printJSON(d.out, struct {
		OK     bool          `json:"ok"`
		Checks []doctorCheck `json:"checks"`
		Rule   *models.Rule  `json:"rule,omitempty"` // for "models" of config.json
	}{!d.failed, d.checks, d.rule})
}

func (d *doctor) home(dir string) {
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		probe := filepath.Join(dir, ".probe")
		if err = os.WriteFile(probe, nil, 0o600); err == nil {
			err = os.Remove(probe)
		}
	}
	if err == nil {
		var h *workshop.Home
		if h, err = workshop.OpenHome(dir, workshop.Options{ReadOnly: true}); err == nil {
			err = h.Close()
		}
	}
	if err != nil {
		d.failed = true
		d.say("FAIL", "data folder", fmt.Sprintf("%s: %v", dir, err))
		return
	}
	d.say("ok", "data folder", dir)
	d.roaming(dir, workshop.RoamingHome)
}

// roaming tells of a data folder that an older version made where Windows may copy it
// between machines.
func (d *doctor) roaming(dir string, find func() (roaming, local string)) {
	switch roaming, local := find(); {
	case roaming == "":
	case roaming == dir && local != "":
		d.say("note", "data folder", "is in the roaming profile, which Windows may copy between machines; to keep it on this one, end Atelier and move "+roaming+" to "+local)
	case local == dir:
		d.say("note", "data folder", roaming+" of an older version is there too; it is not used")
	}
}

func (d *doctor) egress(setting string) {
	says := map[string]string{
		engine.EgressAllowAll:  "documents may go to models on other machines without asking (egress is allow_all)",
		engine.EgressLocalOnly: "nothing leaves this machine (egress is local_only)",
	}
	d.say("ok", "consent", first(says[setting], "documents go to models on other machines after asking"))
}

func (d *doctor) program(name, use string, commands ...string) {
	for _, c := range commands {
		if path, err := exec.LookPath(c); err == nil {
			d.say("ok", name, path+" ("+use+")")
			return
		}
	}
	d.say("note", name, "not found; optional, for "+use)
}
