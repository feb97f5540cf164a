package engine

import (
	"context"
	"path/filepath"

	"atelier/workshop"
	"atelier/workshop/skills"
)

// Skill is a skill or the AGENTS.md of a folder.
type Skill struct {
	Name        string `json:"name"`           // of the skill, or AGENTS.md
	Source      string `json:"source"`         // folder, user or program
	Path        string `json:"path,omitempty"` // in the folder
	Description string `json:"description,omitempty"`
	Status      string `json:"status"`         // used, new, changed, declined, hidden or refused
	Why         string `json:"why,omitempty"`  // it is not used
	Hash        string `json:"hash,omitempty"` // of its content
	SizeBytes   int    `json:"size_bytes"`
}

// SkillsResult is the result of SkillsList.
type SkillsResult struct {
	Skills []Skill `json:"skills"`
}

// SkillParams name a skill or AGENTS.md.
type SkillParams struct {
	WorkbenchID string `json:"workbench_id"`
	Name        string `json:"name"`
	Source      string `json:"source,omitempty"` // default: the first of folder, user and program that has one
}

// SkillResult is the result of SkillsGet and SkillsDecide.
type SkillResult struct {
	Skill Skill  `json:"skill"`
	Text  string `json:"text,omitempty"` // all its files for a person, with characters that cannot be seen spelled out
}

// SkillDecisionParams are the params of SkillsDecide.
type SkillDecisionParams struct {
	WorkbenchID string `json:"workbench_id"`
	Name        string `json:"name"`
	Decision    string `json:"decision"`       // approve, decline or forget
	Hash        string `json:"hash,omitempty"` // as SkillsGet gave it, of what the user was shown; not for forget
}

func skillMethods() []*Method {
	return []*Method{
		method("SkillsList", "The skills of a workbench and its AGENTS.md, with whether runs use them.", (*Engine).skillsList),
		method("SkillsGet", "The content of a skill or of AGENTS.md, for a person who decides about it.", (*Engine).skillsGet),
		method("SkillsDecide", "Approves or declines the content of a skill or AGENTS.md that came with the folder, or forgets what was decided; counts from the next run on.", (*Engine).skillsDecide),
	}
}

// ownSkills returns the folder of the user's skills.
func (e *Engine) ownSkills() string { return filepath.Join(e.home.Dir(), "skills") }

// skillsOf returns the skills of a workbench as a run would find them.
func (e *Engine) skillsOf(ctx context.Context, wb *openWorkbench) (skills.List, error) {
	g, err := e.documents(wb).Guard(ctx)
	if err != nil {
		return nil, err
	}
	keep := func(p workshop.Path) string {
		if g.Withheld(p, false) != "" {
			return "the user keeps it from models"
		}
		return ""
	}
	return skills.Load(ctx, skills.Source{Workbench: wb.Workbench, Published: wb.PublishedView(), Own: e.ownSkills(), Keep: keep})
}

func skillOf(it skills.Item) Skill {
	return Skill{it.Name, it.Source, it.Path, it.Description, it.Status, it.Unused(), it.Hash, it.Size}
}

func (e *Engine) skillsList(ctx context.Context, p WorkbenchRef) (SkillsResult, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return SkillsResult{}, err
	}
	defer done()
	list, err := e.skillsOf(ctx, wb)
	r := SkillsResult{Skills: []Skill{}}
	for _, it := range list {
		r.Skills = append(r.Skills, skillOf(it))
	}
	return r, err
}

// skillNamed finds an item; that of the folder comes first.
func skillNamed(list skills.List, name, source string) (skills.Item, error) {
	for _, from := range []string{skills.FromFolder, skills.FromUser, skills.FromProgram} {
		for _, it := range list {
			if it.Name == name && it.Source == from && (source == "" || source == from) {
				return it, nil
			}
		}
	}
	return skills.Item{}, workshop.Unknownf("there is no skill %q; SkillsList names those there are", name).OnField("name")
}

func (e *Engine) skillsGet(ctx context.Context, p SkillParams) (SkillResult, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return SkillResult{}, err
	}
	defer done()
	list, err := e.skillsOf(ctx, wb)
	if err != nil {
		return SkillResult{}, err
	}
	it, err := skillNamed(list, p.Name, p.Source)
	return SkillResult{skillOf(it), it.Shown(0)}, err
}

func (e *Engine) skillsDecide(ctx context.Context, p SkillDecisionParams) (SkillResult, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return SkillResult{}, err
	}
	list, err := e.skillsOf(ctx, wb)
	if err != nil {
		return SkillResult{}, err
	}
	it, err := skillNamed(list, p.Name, skills.FromFolder)
	switch {
	case err != nil:
		return SkillResult{}, err
	case it.Status == skills.Refused:
		return SkillResult{}, validation(p.Name + " cannot be used: " + it.Why)
	case p.Decision == "forget":
		err = skills.Forget(ctx, wb.Workbench, it.Path)
	case p.Decision != "approve" && p.Decision != "decline":
		return SkillResult{}, validation("decision must be approve, decline or forget")
	case p.Hash != it.Hash:
		return SkillResult{}, validation("hash is not that of " + p.Name + " as it is now: a decision is about what the user was shown; call SkillsGet")
	default:
		err = skills.Decide(ctx, wb.Workbench, it.Decision(p.Decision == "approve", e.opt.Now().UTC()))
	}
	if err != nil {
		return SkillResult{}, err
	}
	if list, err = e.skillsOf(ctx, wb); err != nil {
		return SkillResult{}, err
	}
	it, err = skillNamed(list, p.Name, skills.FromFolder)
	return SkillResult{Skill: skillOf(it)}, err
}
