package catalogue

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"atelier/internal/lenient"
	"atelier/internal/textclip"
	"atelier/workshop"
	"atelier/workshop/search"
	"atelier/workshop/tools"
	"atelier/workshop/tools/files"
)

type searchFilesArgs struct {
	Query     string       `json:"query" jsonschema:"Text; with regex an RE2 expression, matched inside one cell, paragraph or line"`
	Path      string       `json:"path,omitempty" jsonschema:"Only this folder or file, or files like *.xlsx"`
	Regex     lenient.Bool `json:"regex,omitempty"`
	MatchCase lenient.Bool `json:"match_case,omitempty"`
	WholeWord lenient.Bool `json:"whole_word,omitempty"`
	Ranked    lenient.Bool `json:"ranked,omitempty" jsonschema:"Best passages for a question"`
	Scans     lenient.Bool `json:"scans,omitempty" jsonschema:"Also images and scanned pages, slow"`
	Max       *lenient.Int `json:"max,omitempty" jsonschema:"Default 50, ranked 8"`
	Offset    *lenient.Int `json:"offset,omitempty"`
}

// The bounds of the answer of search_files.
const (
	maxHits      = 50
	mostHits     = 1000
	maxPassages  = 8
	hitBytes     = 240 // of the text of a hit
	passageBytes = 700
	maxNamed     = 20 // matching names, and files with counts
	maxReason    = 5  // files with the same reason
)

func workshopSearchFiles(t *tools.Tool) tools.Binding {
	return tools.BindFunc("search_files", "Find text and names in all files and documents, with the addresses that other tools take: Sheet!B7, p12, t0.r1, shape_id, page, line.", t,
		func(ctx context.Context, env *tools.Env, a searchFilesArgs, call func(files.SearchArgs) (files.Found, error)) (any, error) {
			in := files.SearchArgs{Query: a.Query, Regexp: bool(a.Regex), WholeWord: bool(a.WholeWord), MatchCase: bool(a.MatchCase), Path: a.Path, Ranked: bool(a.Ranked), Scans: bool(a.Scans), Max: maxHits}
			if in.Ranked {
				in.Max = maxPassages
			}
			if a.Max != nil {
				in.Max = int(*a.Max)
			}
			if a.Offset != nil {
				in.Offset = int(*a.Offset)
			}
			if in.Max < 1 || in.Max > mostHits {
				return nil, workshop.Faultf(workshop.Invalid, "invalid max: %d; give 1 to %d", in.Max, mostHits).OnField("max")
			}
			if in.Offset < 0 {
				return nil, workshop.Faultf(workshop.Invalid, "invalid offset: %d", in.Offset).OnField("offset")
			}
			r, err := call(in)
			if err != nil {
				return nil, err
			}
			return foundText(a, r, env.Max()), nil
		})
}

// foundText words the result of a search in at most limit bytes.
func foundText(a searchFilesArgs, r files.Found, limit int) string {
	tail := foundTail(a, r)
	hits, shown := hitLines(r, bool(a.Ranked), limit-len(tail)-200)
	return strings.TrimSuffix(foundHead(bool(a.Ranked), r, shown)+"\n"+hits+tail, "\n")
}

// foundHead says how much was found and which part of it is shown.
func foundHead(ranked bool, r files.Found, shown int) string {
	if r.Total == 0 && ranked {
		return "no passage"
	}
	if r.Total == 0 {
		return "no hits in " + countFiles(r.Files)
	}
	head := countOf(r.Total, "passage")
	if !ranked {
		head = countOf(r.Total, "hit") + fmt.Sprintf(" in %d of %s", len(r.Counts), countFiles(r.Files))
	}
	if r.AtLeast {
		head = "at least " + head
	}
	end := r.Offset + shown
	switch {
	case shown == 0:
		head += fmt.Sprintf(", none from offset %d on", r.Offset)
	case shown < r.Total:
		head += fmt.Sprintf(", here %d-%d", r.Offset+1, end)
	}
	if end < r.Total && shown > 0 {
		head += fmt.Sprintf(", next offset=%d", end)
	}
	return head
}

// hitLines writes hits below their file, as many as fit.
func hitLines(r files.Found, ranked bool, limit int) (text string, shown int) {
	var sb strings.Builder
	last := workshop.Path("")
	for _, h := range r.Hits {
		var line string
		if ranked {
			line = string(h.Path) + " " + hitAt(h) + strings.ReplaceAll(textclip.HeadBytes(strings.TrimSpace(h.Text), passageBytes), "\n", "\n  ") + "\n"
		} else {
			line = "  " + hitAt(h) + clipAround(r.Pattern, h.Text, hitBytes) + "\n"
			if h.Path != last {
				line = string(h.Path) + "\n" + line
			}
		}
		if shown > 0 && sb.Len()+len(line) > limit {
			break
		}
		last = h.Path
		sb.WriteString(line)
		shown++
	}
	return sb.String(), shown
}

func hitAt(h files.Hit) string {
	if h.At == "" {
		return "(the file has changed) "
	}
	return h.At + ": "
}

// clipAround returns about n bytes of a text around its match.
func clipAround(match *regexp.Regexp, text string, n int) string {
	text = strings.TrimSpace(text)
	if len(text) <= n {
		return text
	}
	from := 0
	if loc := match.FindStringIndex(text); loc != nil {
		from = max(0, min(loc[0]-n/4, len(text)-n))
	}
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	cut := textclip.HeadBytes(text[from:], n)
	if from > 0 {
		cut = "…" + cut
	}
	return cut
}

// foundTail words what there is to say beside the hits.
func foundTail(a searchFilesArgs, r files.Found) string {
	var sb strings.Builder
	if len(r.Counts) > 1 && len(r.Hits) < r.Total {
		var counts []string
		for _, c := range r.Counts {
			counts = append(counts, fmt.Sprintf("%s %d", c.Path, c.Hits))
		}
		sb.WriteString("hits by file: " + someOf(counts, maxNamed) + "\n")
	}
	if len(r.Names) > 0 {
		var names []string
		for _, it := range r.Names {
			name := string(it.Path)
			if it.IsDir {
				name += "/"
			}
			names = append(names, name)
		}
		sb.WriteString("matching names: " + someOf(names, maxNamed) + "\n")
	}
	if r.Total == 0 && !bool(a.Ranked) && !bool(a.Regex) && strings.Contains(strings.TrimSpace(a.Query), " ") {
		sb.WriteString("the words were looked for side by side; ranked: true finds passages that have them apart\n")
	}
	if r.Total == 0 && !bool(a.Ranked) && strings.ContainsAny(a.Query, "0123456789") {
		sb.WriteString("cells are matched as they are shown, such as 1,234.50\n")
	}
	switch {
	case r.Late:
		fmt.Fprintf(&sb, "the time limit of a tool call (--tool-timeout) was near: no file behind %s was searched; give a path\n", cmpPath(r.Last))
	case r.Spent:
		fmt.Fprintf(&sb, "one search reads %d GiB of text or %d GiB of documents: no file behind %s was searched; give a path\n", files.SearchBytes>>30, files.SearchBytes/search.DocumentWeight>>30, cmpPath(r.Last))
	}
	if r.Note != "" {
		sb.WriteString(r.Note + "\n")
	}
	sb.WriteString(unsearched(r.Skipped))
	return sb.String()
}

func cmpPath(p workshop.Path) string {
	if p == "" {
		return "the first"
	}
	return string(p)
}

// unsearched says which files were not searched and why, by reason.
func unsearched(list []search.Skipped) string {
	var order []string
	by := map[string][]string{}
	for _, s := range list {
		// Reasons that begin with the name of the file are alike without it.
		reason := strings.TrimPrefix(s.Reason, workshop.Entry{Path: s.Path}.Name()+" ")
		if by[reason] == nil {
			order = append(order, reason)
		}
		by[reason] = append(by[reason], string(s.Path))
	}
	var sb strings.Builder
	for i, reason := range order {
		if i == maxReason {
			fmt.Fprintf(&sb, "and more files for %s\n", countOf(len(order)-i, "other reason"))
			break
		}
		fmt.Fprintf(&sb, "not searched in full: %s: %s\n", someOf(by[reason], maxReason), textclip.HeadBytes(reason, 300))
	}
	return sb.String()
}

// someOf joins the first n of a list and counts the others.
func someOf(list []string, n int) string {
	more := ""
	if len(list) > n {
		more = " and " + strconv.Itoa(len(list)-n) + " more"
		list = list[:n]
	}
	return strings.Join(list, ", ") + more
}

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
