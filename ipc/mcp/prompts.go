package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// prompt is a task that people repeat. text has {name} where an argument goes.
type prompt struct {
	name, title, description, text string
	args                           []*mcp.PromptArgument
}

var prompts = []prompt{
	{"translate_folder", "Translate this folder", "Translate the documents of a folder, formatting kept.",
		"Translate {folder} to {language} with the tool translate. Wait for its end. Then review the draft: look at a page of each kind of document with render, name texts that no longer fit and what was flagged, and tell me what is in the draft.",
		[]*mcp.PromptArgument{arg("language", "such as en, de-CH or French", true), arg("folder", "default: all documents", false)}},
	{"review_contract", "Review a contract against a checklist", "Go through a contract point by point and note what is missing or unusual, as comments in the draft.",
		"Review the contract {contract}. Checklist: {checklist}. Read the whole contract, also its tables, notes and annexes. For each point say whether it is met, with the clause and its words. Put a comment at each clause that is missing something or is unusual; change no text. End with a table of the points: met, not met, unclear.",
		[]*mcp.PromptArgument{arg("contract", "a docx or pdf file", true), arg("checklist", "a file with the checklist, or the points", false)}},
	{"monthly_report", "Make a monthly report from workbooks", "Make a report from the figures of several workbooks.",
		"Make the report for {month} from the workbooks {workbooks}. Look at the structure of each workbook first. Take figures with table_query or calculate, never by reading and adding yourself. Follow the report of the month before if there is one in the folder. Name the cell that each figure is from, and what does not add up.",
		[]*mcp.PromptArgument{arg("workbooks", "files or a folder", true), arg("month", "such as 2026-05", true)}},
	{"fill_template", "Fill a template from a table", "Fill a docx, xlsx or pptx template with the rows of a table.",
		"Fill the template {template} with the rows of {table}. Look at both first and say which column goes where; ask me where that is not clear. Use fill_template. Then look at one result with render, and tell me about rows with empty values.",
		[]*mcp.PromptArgument{arg("template", "the template", true), arg("table", "a csv or xlsx file", true)}},
	{"clean_workbook", "Clean up a workbook", "Find and correct mistakes of a workbook, without changing its results silently.",
		"Clean up the workbook {workbook}. Run audit on it first. Correct what is certainly wrong: numbers stored as text, stray spaces, broken formulas, inconsistent dates. Leave and name what only I can decide. No figure may change without your telling me the cell, the old and the new value. End with review.",
		[]*mcp.PromptArgument{arg("workbook", "an xlsx file", true)}},
}

func arg(name, description string, required bool) *mcp.PromptArgument {
	return &mcp.PromptArgument{Name: name, Title: titleOf(name), Description: description, Required: required}
}

// maxArgument bounds what an argument of a prompt may be, in bytes.
const maxArgument = 16 << 10

func (s *Server) addPrompts() error {
	if s.opt.ReadOnly {
		return nil
	}
	for _, p := range prompts {
		s.sdk.AddPrompt(&mcp.Prompt{Name: p.name, Title: p.title, Description: p.description, Arguments: p.args}, p.get)
	}
	return nil
}

// get returns the prompt with its arguments.
func (p prompt) get(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	var pairs []string
	for _, a := range p.args {
		v := strings.TrimSpace(req.Params.Arguments[a.Name])
		switch {
		case v == "" && a.Required:
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("the argument %s is missing: %s", a.Name, a.Description)}
		case len(v) > maxArgument:
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("the argument %s is longer than %d bytes", a.Name, maxArgument)}
		case v == "":
			v = map[string]string{"folder": "all documents of the folder", "checklist": "what such a contract has to regulate"}[a.Name]
		}
		pairs = append(pairs, "{"+a.Name+"}", v)
	}
	text := strings.NewReplacer(pairs...).Replace(p.text)
	return &mcp.GetPromptResult{Description: p.description, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
}
