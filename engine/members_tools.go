package engine

import "maps"

// The members of results about tools and their calls.
func init() {
	maps.Copy(resultMembers, map[string]string{
		"tools":                   "the tools, in OpenAI's function format",
		"Tool.type":               "always function",
		"function":                "the function",
		"parameters":              "the JSON Schema of the arguments",
		"FunctionDef.name":        "the name of the tool",
		"FunctionDef.description": "what the tool does, for the model",
		"entries":                 "the calls",
		"ToolLogEntry.id":         "the id of the call, which recall_tool_result takes",
		"ToolLogEntry.result":     "the whole result",
		"args":                    "the arguments as the model wrote them, JSON text",
		"receipt":                 "what the model sees in place of a long result; the result when it is short",
		"ts":                      "when the call ended, RFC 3339",
		"sources":                 "the files whose content the result carries; null when that is not known",
		"changed":                 "the files that the call changed in the draft, the first 100",
		"changed_omitted":         "how many more files the call changed",
		"ChangedFile.change":      "what the call did to the file",
		"ToolComplete.unchanged":  "whether a tool that can change files changed none",
		"ToolExecuting.path":      "the file that the call is about, as the call names it",
		"ToolExecuting.paths":     "all files that the call names, when they are more than one",
		"ToolComplete.path":       "the file that the call is about, as the call names it",
		"ToolComplete.paths":      "all files that the call names, when they are more than one",
	})
}
