package catalogue

import (
	"context"
	"errors"
	"log/slog"

	"atelier/formats"
	"atelier/internal/lenient"
	"atelier/internal/textclip"
	"atelier/workshop"
	"atelier/workshop/retrieval"
	"atelier/workshop/tools"
	"atelier/workshop/tools/docs"
	"atelier/workshop/tools/files"
)

// newAptix returns the catalogue of TUL-001 and AGN-007: files by docPath, failures
// as data. Every tool is fully executed on the server (T-20), but for patches
// of active files, which the client applies.
func newAptix(reg *tools.Registry) (*tools.Catalogue, error) {
	b := &binder{reg: reg}
	b.bind("read", aptixRead)
	b.bind("hash", aptixHash)
	b.bind("patch", aptixPatch)
	b.bind("write", aptixCreate)
	b.bind("hash_code", aptixCodeHash)
	b.bind("rag_search_docs", aptixRag(retrieval.Docs, "the documents"))
	b.bind("rag_search_code", aptixRag(retrieval.Code, "the source code"))
	b.direct("recall_tool_result")
	return tools.NewCatalogue(tools.Style{Name: "aptix", Failure: aptixFailure,
		Aliases: map[string]string{"workspace.read_file": "workspace_read_file"}}, b.list...)
}

// aptixFailed is the payload of a failed read or hash (T-10…T-16).
type aptixFailed struct {
	Success      bool     `json:"success"`
	ErrorCode    string   `json:"errorCode"`
	Errors       []string `json:"errors"`
	SessionID    string   `json:"sessionId"`
	Conversation string   `json:"conversationId"`
}

// The error codes of reads (T-14).
const (
	aptixInContext = "ALREADY_IN_CONTEXT"
	aptixNotFound  = "NOT_FOUND"
	aptixInvalid   = "INVALID_ARGUMENT"
	aptixInternal  = "INTERNAL_ERROR"
)

// aptixFailure returns a failure as its tool gives it.
func aptixFailure(env *tools.Env, tool string, f *workshop.Fault) any {
	session, conversation := env.Session.IDs()
	if f.Code == workshop.Internal { // what it was stands in the log only (T-13)
		slog.Error("a tool failed", "tool", tool, "session", session, "conversation", conversation, "err", f)
	}
	switch tool {
	case "workspace_write_patch":
		return patchFailure(session, f)
	case "workspace_create_file":
		return createFailure(f)
	case "code_hash_normalized":
		return codeHashFailure(f)
	}
	code, message := aptixCode(f)
	return aptixFailed{ErrorCode: code, Errors: []string{message}, SessionID: session, Conversation: conversation}
}

// aptixCode returns the aptix column of A-06.
func aptixCode(f *workshop.Fault) (code, message string) {
	message = f.Message
	switch f.Code {
	case workshop.InContext:
		return aptixInContext, message
	case workshop.NotFound:
		return aptixNotFound, message
	case workshop.Invalid, workshop.Sandbox, workshop.Conflict, workshop.Forbidden:
		if f.Hint != "" {
			message += " (" + f.Hint + ")"
		}
		return aptixInvalid, message
	}
	return aptixInternal, "The tool failed unexpectedly. Nothing was changed; try again, and tell the user if it fails again."
}

// docArgument reads an argument that is a docPath (C-05).
func docArgument(field, s string) (workshop.DocPath, error) {
	d, err := workshop.ParseDocPath(s)
	if err != nil {
		return "", workshop.Faultf(workshop.Invalid, "%s must be a docPath: a string that is not blank", field).OnField(field)
	}
	return d, nil
}

type aptixReadArgs struct {
	Path     string       `json:"path" jsonschema:"The docPath of the file, exactly as the active files, a search result or the user gave it"`
	MaxBytes *lenient.Int `json:"maxBytes,omitempty" jsonschema:"The most bytes of content to return; without it, the whole file"`
}

type aptixFile struct {
	Path      string `json:"path"` // as it was passed
	Size      int64  `json:"sizeBytes"`
	Content   string `json:"content"`
	Truncated bool   `json:"isTruncated"`
	SHA256    string `json:"sha256"`              // of all the stored bytes (T-07)
	Extracted bool   `json:"extracted,omitempty"` // content is the text of a document, not its bytes
}

type aptixReadResult struct {
	Success      bool      `json:"success"`
	File         aptixFile `json:"file"`
	SessionID    string    `json:"sessionId"`
	Conversation string    `json:"conversationId"`
}

func aptixRead(t *tools.Tool) tools.Binding {
	b := tools.BindFunc("workspace_read_file", "Read a file of the workspace by its docPath, with the SHA-256 that workspace_write_patch needs. Files that are active in this session are refused: use their active content. Call it to get the full file before you edit what a search only showed in part.", t,
		func(ctx context.Context, env *tools.Env, a aptixReadArgs, call func(files.ReadArgs) (files.Content, error)) (any, error) {
			doc, err := docArgument("path", a.Path)
			if err != nil {
				return nil, err
			}
			limit := 0
			if a.MaxBytes != nil {
				if limit = int(*a.MaxBytes); limit < 1 {
					return nil, workshop.Faultf(workshop.Invalid, "maxBytes must be 1 or more").OnField("maxBytes")
				}
			}
			d, err := docs.Resolve(ctx, env, doc)
			switch {
			case err != nil:
				return nil, err
			case d.Source == docs.Active:
				return nil, workshop.Faultf(workshop.InContext, "File '%s' is already present in activeFiles for this session; reuse that content.", a.Path)
			case d.Source == docs.None:
				return nil, aptixMissing(a.Path)
			}
			c, err := aptixContent(d.Path, limit, call)
			if workshop.IsFault(err, workshop.NotFound) {
				return nil, aptixMissing(a.Path)
			}
			if err != nil {
				return nil, err
			}
			session, conversation := env.Session.IDs()
			return aptixReadResult{true, aptixFile{a.Path, c.Entry.Size, c.Text, c.Truncated, c.Entry.Hash, c.Extracted}, session, conversation}, nil
		})
	minimum(b.Schema, "maxBytes", 1)
	return b
}

// aptixContent reads a file: its bytes as text, or the text of a document.
func aptixContent(p workshop.Path, limit int, call func(files.ReadArgs) (files.Content, error)) (files.Content, error) {
	switch formats.KindOfName(string(p)) {
	case formats.KindText, formats.KindBinary, formats.KindImage:
		return call(files.ReadArgs{Path: p, Raw: &files.Raw{MaxBytes: limit}})
	}
	c, err := call(files.ReadArgs{Path: p})
	if err == nil && limit > 0 && len(c.Text) > limit {
		c.Text, c.Truncated = textclip.Bytes(c.Text, limit), true
	}
	return c, err
}

func aptixMissing(path string) error {
	return workshop.Faultf(workshop.NotFound, "File '%s' is not available in activeFiles or cloud source storage. Ask the user to upload it if needed.", path)
}

type aptixHashArgs struct {
	DocPath string `json:"docPath" jsonschema:"The docPath of an active file"`
}

type aptixHashResult struct {
	Success bool   `json:"success"`
	DocPath string `json:"docPath"`
	SHA256  string `json:"sha256"`
	Size    int64  `json:"sizeBytes"`
}

func aptixHash(t *tools.Tool) tools.Binding {
	return tools.BindFunc("active_file_sha256", "Give the SHA-256 of the active content of a file: the originalSha256 for patches of active files.", t,
		func(_ context.Context, _ *tools.Env, a aptixHashArgs, call func(docs.HashArgs) (docs.Hashed, error)) (any, error) {
			doc, err := docArgument("docPath", a.DocPath)
			if err != nil {
				return nil, err
			}
			h, err := call(docs.HashArgs{DocPath: doc})
			if workshop.IsFault(err, workshop.NotFound) {
				err = workshop.Faultf(workshop.NotFound, "File '%s' is not active in this session; its SHA-256 comes with workspace_read_file.", a.DocPath)
			}
			if err != nil {
				return nil, err
			}
			return aptixHashResult{true, string(doc), h.SHA256, h.Size}, nil
		})
}

// aptixArgumentCode returns the error code of tools that have one of their own for
// each way a call can go wrong before or beside its purpose (P-10, P-14); other
// is the code of everything else.
func aptixArgumentCode(f *workshop.Fault, other string) string {
	switch {
	case errors.Is(f, context.Canceled), errors.Is(f, context.DeadlineExceeded):
		return "CANCELLED"
	case tools.MissingArgument(f):
		return "MISSING_ARGUMENTS"
	case tools.Malformed(f):
		return "DESERIALIZATION_ERROR"
	case f.Code == workshop.Internal:
		return "UNEXPECTED_ERROR"
	}
	return other
}
