package catalogue

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"atelier/internal/lenient"
	"atelier/workshop"
	"atelier/workshop/linepatch"
	"atelier/workshop/tools"
	"atelier/workshop/tools/docs"
	"atelier/workshop/tools/files"
)

type patchArgs struct {
	BatchLabel *string     `json:"batchLabel,omitempty" jsonschema:"What the batch is about, for people"`
	BatchKey   *string     `json:"batchKey,omitempty" jsonschema:"Your own key of the batch; it is given back"`
	Files      []patchFile `json:"files" jsonschema:"The files to change, each docPath once"`
}

type patchFile struct {
	DocPath  string        `json:"docPath" jsonschema:"The docPath, exactly as it was given to you"`
	SHA256   string        `json:"originalSha256" jsonschema:"SHA-256 of the full file the changes are based on: copied from active_file_sha256 for an active file, else from workspace_read_file"`
	FileKey  *string       `json:"fileKey,omitempty" jsonschema:"Your own key of the file; it is given back"`
	FileName *string       `json:"fileLabel,omitempty" jsonschema:"What happens to the file, for people"`
	Changes  []patchChange `json:"changes" jsonschema:"The changes from top to bottom, without overlap; line numbers are those of the file before any change"`
}

type patchChange struct {
	Operation   string       `json:"operation" jsonschema:"insert, replace or delete"`
	Key         *string      `json:"changeKey,omitempty" jsonschema:"Your own key of the change; it is given back"`
	Description *string      `json:"description,omitempty" jsonschema:"What the change is for"`
	After       *lenient.Int `json:"afterLine,omitempty" jsonschema:"insert: the line to insert behind, 0 for the top"`
	Start       *lenient.Int `json:"startLine,omitempty" jsonschema:"replace, delete: first line, 1-based"`
	End         *lenient.Int `json:"endLine,omitempty" jsonschema:"replace, delete: last line, inclusive"`
	Expected    []string     `json:"expectedOriginalLines,omitempty" jsonschema:"replace, delete: these lines exactly as they are, without line ends"`
	New         []string     `json:"newLines,omitempty" jsonschema:"insert, replace: the new lines, without line ends"`
}

// patchResult is P-09. Members that are null or empty are there all the same.
type patchResult struct {
	Success   bool          `json:"success"`
	Code      *string       `json:"errorCode"`
	Message   *string       `json:"errorMessage"`
	BatchID   *string       `json:"batchId"`
	BatchKey  *string       `json:"batchKey"`
	Label     *string       `json:"batchLabel"`
	SessionID string        `json:"sessionId"`
	Files     []patchedFile `json:"files"`
}

type patchedFile struct {
	ID       string          `json:"filePatchId"`
	FileKey  *string         `json:"fileKey"`
	Label    *string         `json:"fileLabel"`
	DocPath  string          `json:"docPath"`
	SHA256   string          `json:"originalSha256"`
	Applied  bool            `json:"applied"` // false: the client applies it to its active file
	NewSHA   string          `json:"newSha256,omitempty"`
	Changes  []patchedChange `json:"changes"`
	resolved docs.Doc
}

type patchedChange struct {
	ID          string   `json:"changeId"`
	Key         *string  `json:"changeKey"`
	Operation   string   `json:"operation"`
	Description *string  `json:"description"`
	After       *int     `json:"afterLine,omitempty"`
	Start       *int     `json:"startLine,omitempty"`
	End         *int     `json:"endLine,omitempty"`
	Expected    []string `json:"expectedOriginalLines"`
	New         []string `json:"newLines"`
	change      linepatch.Change
}

// The error codes of patches beside those of aptixArgumentCode (P-10).
const (
	patchInvalid  = "VALIDATION_FAILED"
	patchStore    = "STORE_ERROR"
	patchMismatch = "SHA_MISMATCH"
	patchConflict = "LINE_CONFLICT"
	patchNotFound = "NOT_FOUND"
)

// patchCause is the cause of a fault about a patch: its own code, and what the
// result echoes.
type patchCause struct {
	code       string
	key, label *string
	err        error
}

func (c *patchCause) Error() string { return c.code }
func (c *patchCause) Unwrap() error { return c.err }

func aptixPatch(t *tools.Tool) tools.Binding {
	return tools.BindFunc("workspace_write_patch", "Change files by whole lines: insert, replace, delete. Base every line number and expectedOriginalLines on the full file, and copy originalSha256 from the same source: active_file_sha256 for active files, workspace_read_file for all others. Never patch from a search result. All files are changed or none; active files are returned with applied=false for the client to change.", t,
		func(ctx context.Context, env *tools.Env, a patchArgs, call func(files.PatchArgs) ([]workshop.Entry, error)) (any, error) {
			session, _ := env.Session.IDs()
			r := patchResult{Success: true, BatchID: newID(), BatchKey: a.BatchKey, Label: a.BatchLabel, SessionID: session}
			err := func() (err error) {
				if r.Files, err = checkPatch(a); err != nil {
					return err
				}
				return r.apply(ctx, env, call)
			}()
			if err != nil {
				return nil, echoed(err, a)
			}
			r.propose(ctx, env)
			return r, nil
		})
}

func newID() *string {
	id := strings.ReplaceAll(uuid.NewString(), "-", "")
	return &id
}

// checkPatch checks what can be checked without the files (P-01…P-07).
func checkPatch(a patchArgs) ([]patchedFile, error) {
	if len(a.Files) == 0 {
		return nil, patchFault(patchInvalid, "files must have at least one file")
	}
	seen := map[workshop.DocPath]bool{}
	out := make([]patchedFile, len(a.Files))
	for i, f := range a.Files {
		doc, err := docArgument(fmt.Sprintf("files[%d].docPath", i), f.DocPath)
		switch {
		case err != nil:
			return nil, patchFault(patchInvalid, "%s", err.Error())
		case seen[doc]:
			return nil, patchFault(patchInvalid, "'%s' is there twice; put all changes of a file into one entry", f.DocPath)
		case !isSHA256(f.SHA256):
			return nil, patchFault(patchInvalid, "originalSha256 of '%s' must be 64 hexadecimal characters; copy it from workspace_read_file or active_file_sha256", f.DocPath)
		case len(f.Changes) == 0:
			return nil, patchFault(patchInvalid, "'%s' has no changes", f.DocPath)
		}
		seen[doc] = true
		out[i] = patchedFile{ID: *newID(), FileKey: f.FileKey, Label: f.FileName, DocPath: string(doc), SHA256: f.SHA256, resolved: docs.Doc{DocPath: doc}}
		for j, c := range f.Changes {
			pc, err := c.read()
			if err != nil {
				return nil, patchFault(patchInvalid, "'%s' changes[%d]: %s", f.DocPath, j, err)
			}
			out[i].Changes = append(out[i].Changes, pc)
		}
		if err := linepatch.Check(out[i].lines()); err != nil {
			return nil, out[i].fault(files.PatchFault(err, ""))
		}
	}
	return out, nil
}

func isSHA256(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == 64
}

// read turns a change into what is applied and what the result says of it.
func (c patchChange) read() (patchedChange, error) {
	op, ok := linepatch.ParseOp(c.Operation)
	if !ok {
		return patchedChange{}, fmt.Errorf("operation must be insert, replace or delete, not %q", c.Operation)
	}
	p := patchedChange{ID: *newID(), Key: c.Key, Operation: string(op), Description: c.Description, Expected: []string{}, New: []string{}}
	p.change = linepatch.Change{Op: op, New: c.New}
	p.New = append(p.New, c.New...)
	if op == linepatch.Insert {
		if c.After == nil {
			return p, errors.New("insert needs afterLine")
		}
		p.After, p.change.After = c.After.Ptr(), int(*c.After)
		return p, nil
	}
	if c.Start == nil || c.End == nil {
		return p, fmt.Errorf("%s needs startLine and endLine", op)
	}
	p.Start, p.End, p.Expected = c.Start.Ptr(), c.End.Ptr(), append(p.Expected, c.Expected...)
	p.change.Start, p.change.End, p.change.Expected = int(*c.Start), int(*c.End), c.Expected
	return p, nil
}

func (f patchedFile) lines() []linepatch.Change {
	out := make([]linepatch.Change, len(f.Changes))
	for i, c := range f.Changes {
		out[i] = c.change
	}
	return out
}

// apply checks every file against the copy that counts and changes those of the
// workbench, all or none (P-11, C-50).
func (r *patchResult) apply(ctx context.Context, env *tools.Env, call func(files.PatchArgs) ([]workshop.Entry, error)) error {
	var cloud files.PatchArgs
	byPath := map[string]*patchedFile{}
	for i := range r.Files {
		f := &r.Files[i]
		var err error
		if f.resolved, err = docs.Resolve(ctx, env, f.resolved.DocPath); err != nil {
			return f.fault(err)
		}
		sha := strings.ToLower(f.SHA256)
		switch f.resolved.Source {
		case docs.None:
			return patchFault(patchNotFound, "File '%s' is not available in activeFiles or cloud source storage. Nothing was changed.", f.DocPath)
		case docs.Active:
			if sha != f.resolved.File.SHA256() {
				return f.fault(&workshop.Fault{Err: files.WrongBase{}})
			}
			if _, err := linepatch.Apply([]byte(f.resolved.File.Content), f.lines()); err != nil {
				return f.fault(files.PatchFault(err, ""))
			}
		case docs.Cloud:
			byPath[string(f.resolved.Path)] = f
			cloud.Files = append(cloud.Files, files.FilePatch{Path: f.resolved.Path, Base: sha, Changes: f.lines()})
		}
	}
	if len(cloud.Files) == 0 {
		env.ChangedNothing() // the editor is to
		return nil
	}
	entries, err := call(cloud)
	if err != nil {
		for _, p := range workshop.AsFault(err).Paths {
			if f := byPath[p]; f != nil {
				return f.fault(err)
			}
		}
		return err
	}
	for _, e := range entries {
		f := byPath[string(e.Path)]
		f.Applied, f.NewSHA = true, e.Hash
	}
	return nil
}

// propose gives what concerns active files to the editor.
func (r *patchResult) propose(ctx context.Context, env *tools.Env) {
	p := tools.Proposal{BatchID: *r.BatchID, BatchKey: text(r.BatchKey), BatchLabel: text(r.Label)}
	for _, f := range r.Files {
		if f.resolved.Source != docs.Active {
			continue
		}
		pf := tools.ProposedFile{FilePatchID: f.ID, FileKey: text(f.FileKey), FileLabel: text(f.Label), DocPath: f.DocPath,
			DisplayPath: f.resolved.File.DisplayPath, OriginalSHA256: strings.ToLower(f.SHA256)}
		for _, c := range f.Changes {
			pf.Changes = append(pf.Changes, tools.ProposedChange{ChangeID: c.ID, ChangeKey: text(c.Key), Operation: c.Operation, Description: text(c.Description),
				AfterLine: c.After, StartLine: c.Start, EndLine: c.End, ExpectedOriginalLines: c.Expected, NewLines: c.New})
		}
		p.Files = append(p.Files, pf)
	}
	if len(p.Files) > 0 && env.Session != nil && env.Session.Propose != nil && ctx.Err() == nil {
		env.Session.Propose(p)
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// fault words what is wrong with a file by its docPath.
func (f *patchedFile) fault(err error) error {
	var line *linepatch.Error
	var base files.WrongBase
	switch {
	case errors.As(err, &base):
		how := "Call workspace_read_file for the full file and its SHA-256"
		if f.resolved.Source == docs.Active {
			how = "The file is active: work from its active content and call active_file_sha256"
		}
		return patchFault(patchMismatch, "originalSha256 of '%s' is not that of the current file. %s, then build the patch again; search results are no base for a patch. Nothing was changed.", f.DocPath, how)
	case errors.As(err, &line):
		code := patchInvalid
		if line.Conflict {
			code = patchConflict
		}
		return patchFault(code, "'%s' changes[%d]: %s. Nothing was changed.", f.DocPath, line.Index, line.Message)
	}
	wf := workshop.AsFault(err)
	message := wf.Message
	if p := string(f.resolved.Path); p != "" {
		message = strings.ReplaceAll(message, p, f.DocPath) // models see docPaths only (F-03)
	}
	if !strings.Contains(message, f.DocPath) {
		message = fmt.Sprintf("'%s': %s", f.DocPath, message)
	}
	switch wf.Code {
	case workshop.NotFound:
		return patchFault(patchNotFound, "%s", message)
	case workshop.Internal:
		return err
	}
	return patchFault(patchInvalid, "%s", message)
}

func patchFault(code, format string, args ...any) error {
	f := workshop.Faultf(workshop.Invalid, format, args...)
	f.Err = &patchCause{code: code}
	return f
}

// echoed adds to a failure what the result gives back of the request.
func echoed(err error, a patchArgs) error {
	out := *workshop.AsFault(err)
	cause := patchCause{err: out.Err}
	var own *patchCause
	if errors.As(out.Err, &own) {
		cause.code = own.code
	}
	cause.key, cause.label = a.BatchKey, a.BatchLabel
	out.Err = &cause
	return &out
}

// patchFailure returns the result of a patch that was not applied.
func patchFailure(session string, f *workshop.Fault) any {
	r := patchResult{SessionID: session, Files: []patchedFile{}}
	code, message := aptixArgumentCode(f, patchInvalid), f.Message
	var cause *patchCause
	if errors.As(f.Err, &cause) {
		r.BatchKey, r.Label = cause.key, cause.label
		switch {
		case cause.code != "":
			code = cause.code
		case code == "UNEXPECTED_ERROR": // the files could not be read or written
			code = patchStore
		}
	}
	if f.Code == workshop.Internal && code != "CANCELLED" {
		_, message = aptixCode(f)
	}
	r.Code, r.Message = &code, &message
	return r
}
