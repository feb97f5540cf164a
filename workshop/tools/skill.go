package tools

import (
	"context"
	"strings"

	"atelier/workshop"
	"atelier/workshop/provenance"
	"atelier/workshop/skills"
)

type readSkillArgs struct {
	Name string `json:"name"`
}

// ReadSkill returns the tool that reads a skill.
func ReadSkill() *Tool {
	return New("read_skill", "Steps for: "+strings.Join(skills.Names(), ", "), Read,
		func(ctx context.Context, env *Env, a readSkillArgs) (any, error) {
			text, from, err := env.Skills.Read(a.Name)
			if err != nil || from == "" {
				return text, err
			}
			if g, ok := env.Gate.(interface{ Read(p workshop.Path) error }); ok {
				if err := g.Read(workshop.Path(from)); err != nil {
					return nil, err
				}
			}
			provenance.Add(ctx, from)
			return text, nil
		})
}
