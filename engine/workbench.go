package engine

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"atelier/formats"
	"atelier/workshop"
	"atelier/workshop/search"
)

// WorkbenchRef are the params of methods on one workbench.
type WorkbenchRef struct {
	WorkbenchID string `json:"workbench_id"`
}

// WorkbenchCreateParams are the params of WorkbenchCreate.
type WorkbenchCreateParams struct {
	Name string `json:"name"`
	Root string `json:"root,omitempty"` // work on that folder instead of a managed one
	// Another says that root is another folder than the one that stood at its
	// path, or had its inode, before: that one's workbench keeps what it has.
	Another bool `json:"another,omitempty"`
}

// WorkbenchAttachParams are the params of WorkbenchAttach.
type WorkbenchAttachParams struct {
	WorkbenchID string `json:"workbench_id"`
	Root        string `json:"root"` // the folder that it works on from now on
}

// WorkbenchCreated is the result of WorkbenchCreate.
type WorkbenchCreated struct {
	WorkbenchID string `json:"workbench_id"`
	Root        string `json:"root"`
}

// WorkbenchInfo describes a workbench.
type WorkbenchInfo struct {
	WorkbenchID string   `json:"workbench_id"`
	Name        string   `json:"name"`
	Root        string   `json:"root"`
	Managed     bool     `json:"managed"`
	CreatedAt   string   `json:"created_at"`
	UpdatedAt   string   `json:"updated_at"`
	Recovered   []string `json:"recovered,omitempty"` // what opening it repaired, in words
}

// WorkbenchListResult is the result of WorkbenchList.
type WorkbenchListResult struct {
	Workbenches []WorkbenchInfo `json:"workbenches"`
}

// WorkbenchOpened is the result of WorkbenchOpen.
type WorkbenchOpened struct {
	Workbench WorkbenchInfo `json:"workbench"`
	// InUse is the other process that has the workbench open for writing; the
	// caller can then only read it (K-08).
	InUse *workshop.Holder `json:"in_use,omitempty"`
}

// WorkbenchScope is the result of WorkbenchGetScope.
type WorkbenchScope struct {
	Limits struct {
		MaxFiles     int   `json:"max_files"`
		MaxFileBytes int64 `json:"max_file_bytes"`
	} `json:"limits"`
	SupportedTypes []string `json:"supported_types"`
	SandboxRoot    string   `json:"sandbox_root"`
}

// FileInfo is one file of a workbench as a user's file list shows it.
type FileInfo struct {
	Path       string `json:"path"`
	Size       int64  `json:"size"`
	ModifiedAt string `json:"modified_at"`
	FileKind   string `json:"file_kind"`
	MIMEType   string `json:"mime_type"`
	IsOpaque   bool   `json:"is_opaque"`
	InDraft    bool   `json:"in_draft,omitempty"`
	// ChangedOutside: the published file was changed, removed or added since the
	// draft was based on it; publishing this one is a conflict.
	ChangedOutside bool   `json:"changed_outside,omitempty"`
	Refused        string `json:"refused,omitempty"` // why it cannot be opened
}

// FilesListParams are the params of WorkbenchFilesList.
type FilesListParams struct {
	WorkbenchID string `json:"workbench_id"`
	Limit       int    `json:"limit,omitempty"` // the most files; 0 is all
	After       string `json:"after,omitempty"` // only files whose paths come behind this one
}

// FilesListResult is the result of WorkbenchFilesList, in the byte order of the paths.
type FilesListResult struct {
	Files []FileInfo `json:"files"`
	More  bool       `json:"more,omitempty"` // there are more than Limit: ask again with after, the last path
}

// FilesAddParams are the params of WorkbenchFilesAdd.
type FilesAddParams struct {
	WorkbenchID string   `json:"workbench_id"`
	SourcePaths []string `json:"source_paths,omitempty"` // of the host
	Uploads     []string `json:"uploads,omitempty"`      // ids of complete uploads; those that are added are dropped
}

// FileStatus says what became of one file of a call.
type FileStatus struct {
	SourcePath string `json:"source_path"`
	FileName   string `json:"file_name"`
	Status     string `json:"status"`
	Reason     string `json:"reason,omitempty"`
}

// FilesAddResult is the result of WorkbenchFilesAdd.
type FilesAddResult struct {
	AddResults []FileStatus `json:"add_results"`
}

// FilesRemoveParams are the params of WorkbenchFilesRemove.
type FilesRemoveParams struct {
	WorkbenchID    string   `json:"workbench_id"`
	WorkbenchPaths []string `json:"workbench_paths"`
}

// FilesRemoveResult is the result of WorkbenchFilesRemove.
type FilesRemoveResult struct {
	RemoveResults []FileStatus `json:"remove_results"`
}

// FilesExtractParams are the params of WorkbenchFilesExtract.
type FilesExtractParams struct {
	WorkbenchID    string   `json:"workbench_id"`
	DestinationDir string   `json:"destination_dir"` // of the host; must exist
	WorkbenchPaths []string `json:"workbench_paths"` // empty: all
}

// FilesExtractResult is the result of WorkbenchFilesExtract.
type FilesExtractResult struct {
	ExtractResults []FileStatus `json:"extract_results"`
}

func workbenchMethods() []*Method {
	return []*Method{
		method("FoldersList", "Lists the folders in a folder of this machine, for choosing the root of a workbench.", (*Engine).foldersList),
		method("WorkbenchCreate", "Makes a workbench: on a folder of the user's when root is given, else a managed one.", (*Engine).workbenchCreate),
		method("WorkbenchList", "Lists the workbenches.", (*Engine).workbenchList),
		method("WorkbenchOpen", "Opens a workbench for writing and says what a crash left to repair. If another process has it open, in_use names that process: methods that read work, those that write fail until it ends.", (*Engine).workbenchOpen),
		method("WorkbenchAttach", "Gives a workbench another folder, such as its own that was moved or restored; drafts, checkpoints and conversation stay. It must not be open.", (*Engine).workbenchAttach),
		method("WorkbenchDelete", "Deletes a workbench's state; a managed one's files too, a user's own folder never.", (*Engine).workbenchDelete),
		method("WorkbenchGetScope", "Limits, supported extensions and root folder.", (*Engine).workbenchScope),
		method("WorkbenchFilesList", "Lists the files, those of the draft included.", (*Engine).filesList),
		method("WorkbenchFilesAdd", "Copies files of the host into the workbench; each has its own status.", (*Engine).filesAdd),
		method("WorkbenchFilesRemove", "Removes published files; their content stays in a checkpoint.", (*Engine).filesRemove),
		method("WorkbenchFilesExtract", "Copies published files to a folder of the host, renaming on collision.", (*Engine).filesExtract),
	}
}

func (e *Engine) workbenchCreate(ctx context.Context, p WorkbenchCreateParams) (WorkbenchCreated, error) {
	if strings.TrimSpace(p.Name) == "" {
		return WorkbenchCreated{}, validation("name is required")
	}
	create := e.home.Create
	if p.Another {
		create = e.home.CreateForAnother
	}
	w, err := create(ctx, p.Name, p.Root)
	if err != nil {
		return WorkbenchCreated{}, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.adopt(w)
	return WorkbenchCreated{WorkbenchID: w.ID(), Root: w.Root()}, nil
}

func (e *Engine) workbenchList(ctx context.Context, _ Empty) (WorkbenchListResult, error) {
	infos, err := e.home.List(ctx)
	if err != nil {
		return WorkbenchListResult{}, err
	}
	r := WorkbenchListResult{Workbenches: []WorkbenchInfo{}}
	for _, i := range infos {
		r.Workbenches = append(r.Workbenches, workbenchInfo(i))
	}
	return r, nil
}

func workbenchInfo(i workshop.Info) WorkbenchInfo {
	return WorkbenchInfo{WorkbenchID: i.ID, Name: i.Name, Root: i.Root, Managed: i.Managed, CreatedAt: rfc3339(i.CreatedAt), UpdatedAt: rfc3339(i.UpdatedAt)}
}

func (e *Engine) workbenchOpen(ctx context.Context, p WorkbenchRef) (WorkbenchOpened, error) {
	var opened WorkbenchOpened
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if errors.Is(err, workshop.ErrInUse) {
		var done func()
		if wb, done, err = e.reader(ctx, p.WorkbenchID); err == nil {
			defer done()
			who, _, herr := e.home.Holder(p.WorkbenchID)
			opened.InUse, err = &who, herr // of a process that has just ended, what it left
		}
	}
	if err != nil {
		return WorkbenchOpened{}, err
	}
	infos, err := e.home.List(ctx)
	if err != nil {
		return WorkbenchOpened{}, err
	}
	for _, i := range infos {
		if i.ID == wb.ID() {
			opened.Workbench = workbenchInfo(i)
			opened.Workbench.Recovered = wb.Recovered()
			return opened, nil
		}
	}
	return WorkbenchOpened{}, workshop.Unknownf("workbench not found: %s", p.WorkbenchID)
}

func (e *Engine) workbenchAttach(ctx context.Context, p WorkbenchAttachParams) (WorkbenchInfo, error) {
	if p.Root == "" {
		return WorkbenchInfo{}, validation("root is required")
	}
	i, err := e.home.Attach(ctx, p.WorkbenchID, p.Root)
	return workbenchInfo(i), err
}

func (e *Engine) workbenchDelete(ctx context.Context, p WorkbenchRef) (Empty, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	wb := e.open[p.WorkbenchID]
	if wb == nil {
		return Empty{}, e.home.Delete(ctx, p.WorkbenchID)
	}
	end, err := wb.Begin(workshop.ActDelete) // untold: its notifications end with it
	if err != nil {
		if wb.cancelRun() {
			err = validation("a run is in progress; it was asked to stop, delete again when it has ended")
		}
		return Empty{}, err
	}
	wb.stopEvents()
	delete(e.open, p.WorkbenchID)
	if err := e.home.Delete(ctx, p.WorkbenchID); err != nil {
		end() // where it went well nothing begins any more
		return Empty{}, err
	}
	return Empty{}, nil
}

func (e *Engine) workbenchScope(ctx context.Context, p WorkbenchRef) (WorkbenchScope, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return WorkbenchScope{}, err
	}
	defer done()
	var s WorkbenchScope
	s.Limits.MaxFiles, s.Limits.MaxFileBytes = 100_000, 1<<30
	s.SupportedTypes = formats.Extensions()
	s.SandboxRoot = wb.Root()
	return s, nil
}

func (e *Engine) filesList(ctx context.Context, p FilesListParams) (FilesListResult, error) {
	if p.Limit < 0 {
		return FilesListResult{}, validation("limit cannot be negative")
	}
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return FilesListResult{}, err
	}
	defer done()
	r := FilesListResult{Files: []FileInfo{}}
	err = search.Walk(ctx, wb.DraftView(workshop.Cause{}), search.WalkOptions{Recursive: true, After: workshop.Path(p.After)}, func(w search.Walked) (bool, error) {
		if w.IsDir {
			return true, nil
		}
		if r.More = p.Limit > 0 && len(r.Files) == p.Limit; r.More {
			return false, nil
		}
		en, err := w.Entry(ctx)
		if workshop.IsFault(err, workshop.NotFound) {
			return true, nil // gone meanwhile
		}
		r.Files = append(r.Files, FileInfo{Path: string(en.Path), Size: en.Size, ModifiedAt: rfc3339(en.Modified),
			FileKind: string(en.Kind), MIMEType: en.MIME, IsOpaque: en.Kind == formats.KindBinary, InDraft: en.InDraft, ChangedOutside: en.ChangedOutside, Refused: en.Refused})
		return true, err
	})
	return r, err
}

func (e *Engine) filesAdd(ctx context.Context, p FilesAddParams) (FilesAddResult, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return FilesAddResult{}, err
	}
	if len(p.SourcePaths)+len(p.Uploads) == 0 {
		return FilesAddResult{}, validation("source_paths or uploads is required")
	}
	var files []workshop.HostFile
	for _, s := range p.SourcePaths {
		files = append(files, workshop.HostFile{Path: s, Name: filepath.Base(s)})
	}
	for _, id := range p.Uploads {
		up, err := e.uploads.whole(p.WorkbenchID, id)
		if err != nil {
			return FilesAddResult{}, err
		}
		files = append(files, workshop.HostFile{Path: up.path, Name: up.name})
	}
	rs, err := wb.AddHostFiles(ctx, files)
	out := FilesAddResult{AddResults: statuses(rs)}
	for i := len(p.SourcePaths); i < len(rs); i++ {
		out.AddResults[i].SourcePath = rs[i].FileName // the path of an upload is of no use to a client
		if rs[i].Status == "added" {
			e.uploads.discard(p.Uploads[i-len(p.SourcePaths)])
		}
	}
	return out, err
}

func (e *Engine) filesRemove(ctx context.Context, p FilesRemoveParams) (FilesRemoveResult, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return FilesRemoveResult{}, err
	}
	paths, err := parsePaths(p.WorkbenchPaths)
	if err != nil {
		return FilesRemoveResult{}, err
	}
	if len(paths) == 0 {
		return FilesRemoveResult{}, validation("workbench_paths is required")
	}
	rs, err := wb.RemoveFiles(ctx, paths)
	return FilesRemoveResult{RemoveResults: statuses(rs)}, err
}

func statuses(rs []workshop.AddResult) []FileStatus {
	out := []FileStatus{}
	for _, r := range rs {
		out = append(out, FileStatus{SourcePath: r.SourcePath, FileName: r.FileName, Status: r.Status, Reason: r.Reason})
	}
	return out
}

func parsePaths(in []string) ([]workshop.Path, error) {
	var out []workshop.Path
	for _, s := range in {
		p, err := workshop.ParseStrict(s)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

func (e *Engine) filesExtract(ctx context.Context, p FilesExtractParams) (FilesExtractResult, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return FilesExtractResult{}, err
	}
	defer done()
	if st, err := os.Stat(p.DestinationDir); err != nil || !st.IsDir() {
		return FilesExtractResult{}, validation("destination_dir is not a folder: " + p.DestinationDir)
	}
	paths, err := parsePaths(p.WorkbenchPaths)
	if err != nil {
		return FilesExtractResult{}, err
	}
	view := wb.Published()
	if len(paths) == 0 {
		if paths, err = filesOf(ctx, view); err != nil {
			return FilesExtractResult{}, err
		}
	}
	r := FilesExtractResult{ExtractResults: []FileStatus{}}
	for _, path := range paths {
		st := FileStatus{SourcePath: string(path), Status: "extracted"}
		name, err := copyOut(ctx, view, path, p.DestinationDir)
		st.FileName = name
		if err != nil {
			st.Status, st.Reason = "failed", err.Error()
		}
		r.ExtractResults = append(r.ExtractResults, st)
	}
	return r, nil
}

// filesOf returns all files of a view that can be read.
func filesOf(ctx context.Context, view workshop.View) ([]workshop.Path, error) {
	entries, err := view.List(ctx, "", workshop.ListOptions{Recursive: true, NoHash: true})
	if err != nil {
		return nil, err
	}
	var paths []workshop.Path
	for _, en := range entries {
		if !en.IsDir && en.Refused == "" {
			paths = append(paths, en.Path)
		}
	}
	return paths, nil
}

// copyOut copies one file into dir under its own name, or "name (2).ext" when
// that is taken, and returns the name it used.
func copyOut(ctx context.Context, view workshop.View, p workshop.Path, dir string) (string, error) {
	src, err := view.Open(ctx, p)
	if err != nil {
		return "", err
	}
	defer src.Close()
	base := workshop.Entry{Path: p}.Name()
	ext := filepath.Ext(base)
	name := base
	for n := 2; ; n++ {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if os.IsExist(err) && n < 10_000 {
			name = strings.TrimSuffix(base, ext) + " (" + strconv.Itoa(n) + ")" + ext
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = io.Copy(f, io.NewSectionReader(src, 0, src.Size()))
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			os.Remove(f.Name())
		}
		return name, err
	}
}
