package mcpserver

import (
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"atelier/engine"
	"atelier/workshop/tools/catalogue"
)

// mostValues is what the protocol allows in one completion.
const mostValues = 100

// endings are the files that an argument of a prompt names.
var endings = map[string][]string{
	"contract": {".docx", ".pdf", ".odt", ".txt", ".md"}, "template": {".docx", ".xlsx", ".pptx"},
	"table": {".csv", ".tsv", ".xlsx"}, "workbook": {".xlsx", ".xlsm"}, "workbooks": {".xlsx", ".xlsm", ".csv"}, "path": nil, "checklist": nil,
}

// complete offers values of an argument: paths of files and folders, sheets behind the
// path of a workbook ("data.xlsx!"), and languages.
func (s *Server) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	name, typed := req.Params.Argument.Name, req.Params.Argument.Value
	var values []string
	var err error
	switch ends, isFile := endings[name]; {
	case name == "language":
		values = languagesLike(typed)
	case name == "folder", isFile:
		values, err = s.pathsLike(ctx, req, name == "folder", ends, typed)
	}
	if err != nil {
		return nil, protocolError(err)
	}
	all := len(values)
	values = values[:min(all, mostValues)]
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: append([]string{}, values...), Total: all, HasMore: all > len(values)}}, nil
}

func (s *Server) pathsLike(ctx context.Context, req *mcp.CompleteRequest, folders bool, ends []string, typed string) ([]string, error) {
	id, err := s.workbench(ctx, req, req.Session)
	if err != nil {
		return nil, err
	}
	files, err := s.files(ctx, id)
	if err != nil {
		return nil, err
	}
	if book, sheet, ok := strings.Cut(typed, "!"); ok {
		return s.sheetsLike(ctx, id, book, sheet)
	}
	var first, other []string
	seen := map[string]bool{}
	for _, f := range files {
		p := f.Path
		if folders {
			if p = path.Dir(p); p == "." {
				continue
			}
		}
		fits := ends == nil || slices.Contains(ends, strings.ToLower(path.Ext(p)))
		lower, want := strings.ToLower(p), strings.ToLower(typed)
		switch {
		case seen[p] || !fits:
		case strings.HasPrefix(lower, want):
			first = append(first, p)
		case strings.Contains(lower, want):
			other = append(other, p)
		}
		seen[p] = true
	}
	return append(first, other...), nil
}

// sheetsLike returns the sheets of a workbook, as an address has them.
func (s *Server) sheetsLike(ctx context.Context, id, book, typed string) ([]string, error) {
	args, err := json.Marshal(map[string]string{"path": book})
	if err != nil {
		return nil, err
	}
	r, err := s.opt.Engine.Guest(ctx, engine.GuestCall{Workbench: id, Catalogue: catalogue.Workshop(), Tool: "get_file_info", Args: args, Client: "completion", ID: "completion"})
	if err != nil || !r.Success {
		return nil, err // what is typed names no workbook yet
	}
	var info struct {
		Sheets []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(r.Full), &info); err != nil {
		return nil, nil //nolint:nilerr // a file of another kind has no sheets
	}
	var out []string
	for _, sh := range info.Sheets {
		if strings.HasPrefix(strings.ToLower(sh.Name), strings.ToLower(typed)) {
			out = append(out, book+"!"+sh.Name)
		}
	}
	return out, nil
}

// tags are the languages that are offered; every BCP 47 tag is taken.
var tags = strings.Fields("ar bg bn cs da de de-AT de-CH el en en-GB en-US es es-MX et fa fi fr fr-CA fr-CH he hi hr hu id it ja ko lt lv ms nb nl pl pt pt-BR ro ru sk sl sr sv sw ta th tr uk ur vi zh zh-Hans zh-Hant")

// languagesLike returns languages whose tag, or a word of whose English name, begins with
// what was typed.
func languagesLike(typed string) (out []string) {
	names := display.English.Tags()
	for _, t := range tags {
		words := append(strings.Fields(names.Name(language.MustParse(t))), t)
		if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(strings.ToLower(w), strings.ToLower(typed)) }) {
			out = append(out, t)
		}
	}
	return out
}
