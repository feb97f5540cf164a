package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"atelier/llm/tokens"
	"atelier/workshop"
	"atelier/workshop/secrets"
	"atelier/workshop/skills"
	"atelier/workshop/tools"
)

// The questions about instructions of a folder.
const (
	instructionName   = "instructions_" // and a number
	InstructionYes    = "yes"
	instructionSchema = `{"type":"string","enum":["yes","no"]}`
	eventInstructions = "instructions"
	// shownOfInstructions is how many characters of each file a question shows.
	shownOfInstructions = 3000
)

var instructionButtons = []tools.Button{
	{Label: "Use it", Value: json.RawMessage(`"yes"`)},
	{Label: "Do not use it", Value: json.RawMessage(`"no"`), Variant: "danger"},
}

// IsInstructionQuestion reports whether an answer is to a question of whether
// instructions of the folder are used.
func IsInstructionQuestion(name string) bool { return strings.HasPrefix(name, instructionName) }

// readInstructions reads skills and AGENTS.md, once in a run: what the user approves
// is what is used.
func (r *run) readInstructions(ctx context.Context, g *secrets.Guard) error {
	if r.skills != nil {
		return nil
	}
	keep := func(p workshop.Path) string {
		switch {
		case g.Withheld(p, false) != "":
			return "the user keeps it from models"
		case p != workshop.AgentsFile && r.cfg.Standing != nil && !r.cfg.Standing(p):
			return "it came after the run began"
		}
		return ""
	}
	list, err := skills.Load(ctx, skills.Source{Workbench: r.wb, Published: r.published(), Own: r.cfg.OwnSkills, Keep: keep})
	if err != nil {
		return readError("skills and AGENTS.md cannot be read", err)
	}
	r.skills = list
	return nil
}

// askInstructions asks the user once about instructions that came with the folder and
// that nobody has decided about, and tells which are not used.
func (r *run) askInstructions(ctx context.Context) error {
	g, err := r.guard(ctx, "")
	if err != nil {
		return readError("what is kept from the model cannot be read", err)
	}
	if err := r.readInstructions(ctx, g); err != nil {
		return err
	}
	if list := r.skills.Undecided(); len(list) > 0 && r.cfg.Questions != nil {
		if err := r.decideInstructions(ctx, list); err != nil && !errors.Is(err, tools.ErrNobody) {
			return err
		}
	}
	var unused []UnusedInstruction
	for _, it := range r.skills.Unused() {
		unused = append(unused, UnusedInstruction{it.Name, it.Source, it.Status, it.Unused()})
	}
	if len(unused) > 0 {
		r.emit(EventNotInstructed, InstructionsUnused{r.wb.ID(), unused})
	}
	return nil
}

func (r *run) decideInstructions(ctx context.Context, list skills.List) error {
	a := tools.Asking{ID: r.wb.Conversation().NewMessageID("")}
	for i, it := range list {
		a.Questions = append(a.Questions, tools.Question{Name: fmt.Sprint(instructionName, i+1), Question: instructionText(it),
			Schema: json.RawMessage(instructionSchema), Buttons: instructionButtons})
	}
	answers, err := asker{r}.Ask(ctx, a)
	if err != nil {
		return err
	}
	var decisions []skills.Decision
	var meta []map[string]any
	for i, it := range list {
		var said string
		if err := json.Unmarshal(answers[a.Questions[i].Name], &said); err != nil {
			return err
		}
		d := it.Decision(said == InstructionYes, r.cfg.Now().UTC())
		decisions = append(decisions, d)
		meta = append(meta, map[string]any{"path": d.Path, "hash": d.Hash, "approved": d.Approved})
	}
	if err := skills.Decide(ctx, r.wb, decisions...); err != nil {
		return stored(err)
	}
	for _, d := range decisions {
		r.skills.Approve(d.Path, d.Approved)
	}
	return r.append(workshop.Record{Type: workshop.TypeSystem, MessageID: r.wb.Conversation().NewMessageID("s-"), EventKind: eventInstructions,
		CreatedAt: r.cfg.Now().UTC(), Metadata: map[string]any{"question_id": a.ID, "decisions": meta}})
}

// instructionText shows a person what they decide about.
func instructionText(it skills.Item) string {
	what := "This folder comes with instructions for models, " + it.Path
	if it.IsSkill() {
		what = fmt.Sprintf("This folder comes with a skill for models, %s (%s)", it.Name, it.Path)
	}
	if it.Status == skills.Changed {
		what += ", which changed since you decided about it"
	}
	return fmt.Sprintf("%s. Use it? Your answer counts for this content: a changed one is asked about again.\n\n%s", what, it.Shown(shownOfInstructions))
}

// tellSkills returns the list of skills besides those of the program, within room
// tokens; cut says that some are left out of it.
func (r *run) tellSkills(ctx context.Context, g *secrets.Guard, room int) (list string, cut bool, err error) {
	if err := r.readInstructions(ctx, g); err != nil {
		return "", false, err
	}
	use := r.skills.Skills(true)
	if len(use) == 0 {
		return "", false, nil
	}
	lines := make([]string, len(use))
	for _, described := range []bool{true, false} {
		for i, it := range use {
			lines[i] = "- " + it.Name
			if described && it.Description != "" {
				lines[i] += ": " + it.Description
			}
		}
		if list = skillList(lines); tokens.Count(list) <= room {
			break
		}
	}
	for n := len(lines); n > 0 && tokens.Count(list) > room; n-- {
		cut = true
		list = skillList(append(append([]string{}, lines[:n-1]...), fmt.Sprintf("- and %d more, which read_skill names when it knows no skill of a name", len(lines)-n+1)))
	}
	for _, it := range use {
		if it.Path != "" {
			r.toldOf = append(r.toldOf, it.Path)
		}
	}
	return list, cut, nil
}

func skillList(lines []string) string {
	return "Skills that the user gives you besides those of read_skill's description; read one with read_skill before work that it is for:\n" + strings.Join(lines, "\n")
}
