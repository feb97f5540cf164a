package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"atelier/llm/tokens"
	"atelier/workshop"
)

// StandingShare is how much of the model's window standing context takes at
// most, in percent. A window that is not known counts as assumedWindow.
const StandingShare = 10

const assumedWindow = 128_000 // tokens

// tellStanding reads the standing context and returns the names of the files
// that are not told whole.
func (r *run) tellStanding(ctx context.Context) (cut []string, err error) {
	files, err := r.wb.Standing(ctx)
	if err != nil {
		return nil, readError("the standing context cannot be read", err)
	}
	if r.cfg.Standing != nil {
		files = slices.DeleteFunc(files, func(f workshop.StandingFile) bool {
			return !r.cfg.Standing(workshop.Path(workshop.StandingDir + "/" + f.Name))
		})
	}
	g, err := r.guard(ctx, "")
	if err != nil {
		return nil, readError("what is kept from the model cannot be read", err)
	}
	for i := range files {
		if why := g.Withheld(workshop.Path(workshop.StandingDir+"/"+files[i].Name), false); why != "" {
			files[i].Text, files[i].Refused = "", "the user keeps it from models"
		}
	}
	for _, f := range files {
		r.toldOf = append(r.toldOf, workshop.StandingDir+"/"+f.Name)
	}
	room := cmp.Or(r.cfg.Window, assumedWindow) * StandingShare / 100
	list, cutList, err := r.tellSkills(ctx, g, room/3)
	if err != nil {
		return nil, err
	}
	in := workshop.StandingDir
	if a, ok := r.skills.Agents(); ok {
		in = workshop.AgentsFile
		if len(files) > 0 {
			in += " and " + workshop.StandingDir
		}
		files = append([]workshop.StandingFile{{Name: a.Name, Text: a.Text(), Whole: true}}, files...)
		r.toldOf = append(r.toldOf, a.Path)
	}
	r.told, cut = standing(in, files, room-tokens.Count(list))
	if cutList {
		cut = append(cut, workshop.SkillsDir)
	}
	if r.told != "" && list != "" {
		r.told += "\n\n"
	}
	r.told += list
	return cut, nil
}

// standing returns what people keep for every conversation, as the system message
// has it: each file whole, or, when they do not fit into room tokens together,
// the longest cut to the same length with a word that says so. The names of
// those that are not told whole come second.
func standing(in string, files []workshop.StandingFile, room int) (text string, cut []string) {
	if len(files) == 0 {
		return "", nil
	}
	need := make([]int, len(files))
	for i, f := range files {
		need[i] = tokens.Count(f.Text)
	}
	most := level(need, room)
	var sb strings.Builder
	sb.WriteString("What the people of this folder want you to know in every conversation (they keep it in " + in +
		"). Work by it where the request does not say otherwise.")
	for i, f := range files {
		fmt.Fprintf(&sb, "\n\n## %s\n", showPath(f.Name))
		if f.Refused != "" {
			fmt.Fprintf(&sb, "[not told: %s]", f.Refused)
			cut = append(cut, f.Name)
			continue
		}
		told := f.Text
		if need[i] > most {
			told = tokens.Cut(f.Text, most)
		}
		sb.WriteString(strings.TrimSpace(told))
		if len(told) < len(f.Text) || !f.Whole {
			of := fmt.Sprintf("%d", utf8.RuneCountInString(f.Text))
			if !f.Whole {
				of = "more than " + of
			}
			fmt.Fprintf(&sb, "\n[%s is cut here: %d of %s characters; standing context has %d%% of your window]",
				showPath(f.Name), utf8.RuneCountInString(told), of, StandingShare)
			cut = append(cut, f.Name)
		}
	}
	return sb.String(), cut
}

// level returns the greatest length such that needs, each cut to it, fit into room.
func level(needs []int, room int) int {
	sorted := slices.Sorted(slices.Values(needs))
	for i, n := range sorted {
		if each := room / (len(sorted) - i); n > each {
			return each
		}
		room -= n
	}
	return sorted[len(sorted)-1]
}
