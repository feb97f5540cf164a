package catalogue

import (
	"context"
	"errors"
	"strings"

	"atelier/internal/lenient"
	"atelier/workshop"
	"atelier/workshop/tools"
	"atelier/workshop/tools/docs"
	"atelier/workshop/tools/files"
)

type createArgs struct {
	Path      string       `json:"path" jsonschema:"Where the file goes, such as src/new.md; folders are made as needed"`
	Content   string       `json:"content" jsonschema:"The whole content"`
	Overwrite lenient.Bool `json:"overwrite,omitempty" jsonschema:"Replace a file that is there"`
	Literal   lenient.Bool `json:"literal,omitempty" jsonschema:"Write lines too that look like notes of Atelier's own"`
}

// createResult is P-13; docPath is how the other tools name the file.
type createResult struct {
	Success     bool    `json:"success"`
	Message     string  `json:"message"`
	Path        string  `json:"path"`
	DocPath     string  `json:"docPath,omitempty"`
	Size        int     `json:"sizeBytes"`
	Hash        *string `json:"hash"`
	Created     bool    `json:"created"`
	Overwritten bool    `json:"overwritten"`
	Code        *string `json:"errorCode"`
}

// createCause is the cause of a fault about a file that could not be created.
type createCause struct{ path, code string }

func (c *createCause) Error() string { return c.code }

func aptixCreate(t *tools.Tool) tools.Binding {
	return tools.BindFunc("workspace_create_file", "Create a text file in the workspace. An existing file is replaced only with overwrite=true; to change one, use workspace_write_patch.", t,
		func(ctx context.Context, env *tools.Env, a createArgs, call func(files.WriteArgs) (workshop.Entry, error)) (any, error) {
			r, err := create(ctx, env, a, call)
			if err != nil {
				return nil, createFault(a.Path, err)
			}
			return r, nil
		})
}

func create(ctx context.Context, env *tools.Env, a createArgs, call func(files.WriteArgs) (workshop.Entry, error)) (any, error) {
	name, err := inRepository(ctx, env, a.Path)
	if err != nil {
		return nil, err
	}
	p, err := workshop.ParseStrict(name)
	if err != nil || p == "" {
		return nil, &workshop.Fault{Code: workshop.Invalid, Message: "path must be a relative path of a file, such as src/new.md", Err: &createCause{code: "InvalidPath"}}
	}
	if len(a.Content) > files.MaxText {
		return nil, workshop.Faultf(workshop.Invalid, "content has %d bytes; the most is %d", len(a.Content), files.MaxText)
	}
	var doc workshop.DocPath
	if env.Session != nil && env.Session.Docs != nil {
		if doc, err = env.Session.Docs.DocOf(ctx, env.View, p); err != nil {
			return nil, err
		}
		if _, active := env.Session.ActiveFile(doc); active { // C-50
			return nil, &workshop.Fault{Code: workshop.Conflict, Message: "'" + string(doc) + "' is active in this session; use workspace_write_patch, which the client applies", Err: &createCause{code: "FileExists"}}
		}
	}
	_, serr := env.View.Stat(ctx, p)
	e, err := call(files.WriteArgs{Path: p, Content: a.Content, CreateOnly: !bool(a.Overwrite), AnyName: true, Literal: bool(a.Literal)})
	if err != nil {
		return nil, err
	}
	there := serr == nil
	r := createResult{Success: true, Message: "Created " + a.Path, Path: a.Path, DocPath: string(doc), Size: len(a.Content), Hash: &e.Hash, Created: !there, Overwritten: there}
	if there {
		r.Message = "Replaced " + a.Path
	}
	return r, nil
}

// inRepository takes the repository's name off a path that begins with it, as
// default docPaths do, unless there is a folder of that name. The argument is a
// path here, no docPath.
func inRepository(ctx context.Context, env *tools.Env, path string) (string, error) {
	if env.Session == nil || env.Session.Docs == nil {
		return path, nil
	}
	prefix, err := env.Session.Docs.DocOf(ctx, env.View, "")
	if err != nil {
		return path, err
	}
	first, rest, ok := strings.Cut(path, "/")
	if !ok || strings.ToLower(first)+"/" != string(prefix) {
		return path, nil
	}
	if _, err := env.View.Stat(ctx, workshop.Path(first)); !workshop.IsFault(err, workshop.NotFound) {
		return path, nil
	}
	return rest, nil
}

// createFault finds the code of a failure (P-13).
func createFault(path string, err error) error {
	out := *workshop.AsFault(err)
	cause := &createCause{path: path, code: "WriteFailed"}
	var own *createCause
	refusal, refused := files.RefusalOf(&out)
	switch {
	case errors.As(out.Err, &own):
		cause.code = own.code
	case refused && refusal.Why == files.Exists:
		cause.code = "FileExists"
		out.Message = "'" + path + "' exists already; pass overwrite=true to replace it, or change it with workspace_write_patch"
	case refused && refusal.Why == files.NotText, refused && refusal.Why == files.IsFolder:
		cause.code = "InvalidPath"
	case strings.Contains(out.Message, "cannot hold files"):
		cause.code = "DirectoryCreateFailed"
	case out.Code == workshop.Invalid && (strings.Contains(out.Message, " bytes; the most") || strings.Contains(out.Message, "limit")):
		cause.code = "TooLarge"
	case out.Code == workshop.Sandbox:
		cause.code = "InvalidPath"
	}
	out.Err = cause
	return &out
}

func createFailure(f *workshop.Fault) any {
	code, path, message := "UnhandledException", "", f.Message
	var cause *createCause
	switch {
	case errors.As(f.Err, &cause):
		code, path = cause.code, cause.path
	case tools.MissingArgument(f), tools.Malformed(f):
		code = "InvalidPath"
	}
	if f.Code == workshop.Internal {
		_, message = aptixCode(f)
	}
	return createResult{Message: message, Path: path, Code: &code}
}

type codeHashArgs struct {
	Content *string `json:"content" jsonschema:"The source text"`
	DocPath *string `json:"docPath,omitempty" jsonschema:"The docPath it belongs to; it is given back"`
	Label   *string `json:"label,omitempty" jsonschema:"Your own word for it; it is given back"`
}

// codeHashResult is P-14.
type codeHashResult struct {
	Success bool    `json:"success"`
	Hash    *string `json:"hash"`
	Length  int     `json:"contentLength"` // bytes of the content as it was given
	DocPath *string `json:"docPath"`
	Label   *string `json:"label"`
	Code    *string `json:"errorCode"`
	Message *string `json:"errorMessage"`
}

func aptixCodeHash(t *tools.Tool) tools.Binding {
	return tools.BindFunc("code_hash_normalized", "Give a SHA-256 of source text that does not depend on its kind of line ends: CRLF and CR become LF, lines are cut at 500 characters, every line ends with LF.", t,
		func(_ context.Context, _ *tools.Env, a codeHashArgs, call func(docs.CodeHashArgs) (docs.Hashed, error)) (any, error) {
			h, err := call(docs.CodeHashArgs{Content: *a.Content})
			if err != nil {
				return nil, err
			}
			r := codeHashResult{Success: true, Hash: &h.SHA256, Length: len(*a.Content), Label: a.Label}
			if a.DocPath != nil {
				doc, err := docArgument("docPath", *a.DocPath)
				if err != nil {
					return nil, err
				}
				folded := string(doc)
				r.DocPath = &folded
			}
			return r, nil
		})
}

func codeHashFailure(f *workshop.Fault) any {
	code, message := aptixArgumentCode(f, "UNEXPECTED_ERROR"), f.Message
	if tools.MissingArgument(f) && f.Field == "content" {
		code = "MISSING_CONTENT"
	}
	if f.Code == workshop.Internal {
		_, message = aptixCode(f)
	}
	return codeHashResult{Code: &code, Message: &message}
}
