package engine

import "maps"

// The members of results about what the model is given, and what it may do.
func init() {
	maps.Copy(resultMembers, map[string]string{
		// Patches of files that are open in an editor.
		"batchId":                    "the id of the patches of one call",
		"batchKey":                   "the key of the patches of one call",
		"batchLabel":                 "the patches of one call, in words",
		"Proposal.files":             "the files that are open in the editor; the others were changed already",
		"filePatchId":                "the id of the patch of the file",
		"fileKey":                    "the key of the patch of the file",
		"fileLabel":                  "the patch of the file, in words",
		"originalSha256":             "SHA-256 of the content that the editor sent; the patch fits no other",
		"ProposedFile.changes":       "the changes from top to bottom; line numbers are those before any change",
		"changeId":                   "the id of the change",
		"changeKey":                  "the key of the change",
		"ProposedChange.description": "the change, in words",
		"operation":                  "what the change does",
		"afterLine":                  "the line after which lines are inserted; 0 is the top",
		"startLine":                  "the first line that is replaced or deleted, from 1",
		"endLine":                    "the last line that is replaced or deleted",
		"expectedOriginalLines":      "the lines that are replaced or deleted",
		"newLines":                   "the new lines",

		// Rules about calls that need the user's approval.
		"action":       "what happens to the call",
		"Rule.tool":    "a pattern of tool names; default any",
		"Rule.path":    "a pattern such as contracts/**; default any",
		"Rule.effect":  "what the call does to a file; default any",
		"Grant.path":   "a pattern such as contracts/**",
		"Request.tool": "the name of the tool in its catalogue",

		// Standing context, and how full the window is.
		"item":                    "the file of the context",
		"category":                "the category",
		"ContextListResult.items": "the categories",
		"ContextItem.summary":     "the first line with words",
		"ContextItem.status":      "whether there is content that can be read",
		"ContextFile.path":        "the name of the file, such as company.md; \"\" in ContextUpdateDirect is the only one, or a new one",
		"ContextFile.content":     "the content; ContextList leaves it out, and answers have at most 1 MiB of it",
		"ContextChanged.action":   "what happened to it",
		"has_direct_edits":        "whether a person wrote it; always true when there is content",
		"score":                   "how much of the window is used, 0 to 1",
		"level":                   "how full the window is: Light below 0.4, Heavy from 0.7",
		"context_items_weight":    "tokens of standing context",
		"context_share":           "how much of the window the standing context takes, 0 to 1",
		"context_warning":         "whether some context is cut, or takes 0.35 of the window or more",
		"context_cut":             "files of .atelier/context that the model does not get whole",
		"conversation_tokens":     "tokens of the conversation in the next request",
		"window_known":            "whether the window is known; false: it is assumed",
		"compacts_at":             "tokens at which earlier turns are summarised; 0: only when the endpoint refuses a request",
		"WindowFill.tokens":       "tokens of the next request, estimated",
		"ContextCut.tokens":       "tokens of the request, as the endpoint counted them",
		"CompactResult.window":    "the model's window in tokens; 128000 when it is not known",
	})
}
