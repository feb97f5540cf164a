package tools

import (
	"context"
	"strings"

	"atelier/workshop/skills"
)

type readSkillArgs struct {
	Name string `json:"name"`
}

// ReadSkill returns the tool that reads a skill.
func ReadSkill() *Tool {
	return New("read_skill", "Steps for: "+strings.Join(skills.Names(), ", "), Read,
		func(_ context.Context, _ *Env, a readSkillArgs) (any, error) { return skills.Read(a.Name) })
}
