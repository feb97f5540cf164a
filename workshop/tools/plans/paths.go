package plans

import (
	"strings"

	"atelier/workshop"
	"atelier/workshop/tools/files"
)

// place puts a plan's path below /plans/ and gives it its extension (B17-03).
func place(p workshop.Path) workshop.Path {
	if !strings.HasPrefix(string(p), string(files.PlanDir)+"/") {
		p = files.PlanDir + "/" + p
	}
	if !strings.HasSuffix(string(p), files.PlanExt) {
		p += files.PlanExt
	}
	return p
}

// nameOf returns a plan's name: its path below /plans/ without the extension.
func nameOf(p workshop.Path) string {
	return strings.TrimSuffix(strings.TrimPrefix(string(p), string(files.PlanDir)+"/"), files.PlanExt)
}

// checkExtension refuses what is not named like a plan.
func checkExtension(p workshop.Path) error {
	if strings.HasSuffix(string(p), files.PlanExt) {
		return nil
	}
	return workshop.Faultf(workshop.Invalid, "File is not a plan file, its name must end with .plan: /%s", p).OnField("path")
}
