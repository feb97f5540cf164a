package workshop

import (
	"errors"
	"io/fs"
	"os"
)

// SkillsDir is the folder of a root whose folders with a SKILL.md are skills. Tools
// neither see nor write it.
const SkillsDir = stateDir + "/skills"

// AgentsFile is the file of a root that instructs models, once it is approved.
const AgentsFile = "AGENTS.md"

// OpenSkills opens SkillsDir for reading; it returns nil when there is none. A link
// in its place is a Sandbox fault: it could lead to documents, which a model writes.
func (wb *Workbench) OpenSkills() (*os.Root, error) {
	if err := wb.stateFolders(stateDir, SkillsDir); err != nil {
		return nil, err
	}
	root, err := wb.root.OpenRoot(SkillsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return root, storageFault(err)
}
