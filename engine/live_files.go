package engine

import (
	"context"
	"io"

	"atelier/workshop"
	"atelier/workshop/tools"
)

// OpenedFile is a file that is being read; Close it.
type OpenedFile struct {
	workshop.Source
	Entry workshop.Entry
	end   func()
}

// Close ends the reading.
func (f *OpenedFile) Close() error {
	defer f.end()
	return f.Source.Close()
}

// Open opens a file of a workspace, its bytes as they are: the published one,
// or what the draft makes of it. The path is one of the HTTP tools (B-01).
func (l *Live) Open(ctx context.Context, workspace, path string, draft bool) (*OpenedFile, error) {
	p, err := workshop.ParseClamp(path)
	if err != nil {
		return nil, onPath(err)
	}
	return l.openIn(ctx, workspace, func(ctx context.Context, wb *openWorkbench) (*OpenedFile, error) {
		return openPath(ctx, wb, p, draft)
	})
}

// openIn opens a file of a workspace with open, and keeps the workbench open
// until the file is closed.
func (l *Live) openIn(ctx context.Context, workspace string, open func(context.Context, *openWorkbench) (*OpenedFile, error)) (*OpenedFile, error) {
	ctx, end := l.e.begin(ctx)
	wb, done, err := l.e.forTool(ctx, workspace, tools.Read)
	if err != nil {
		end()
		return nil, err
	}
	f, err := open(ctx, wb)
	if err != nil {
		done()
		end()
		return nil, err
	}
	f.end = func() { done(); end() }
	return f, nil
}

func openPath(ctx context.Context, wb *openWorkbench, p workshop.Path, draft bool) (*OpenedFile, error) {
	view := wb.LiveView(workshop.Cause{})
	if draft {
		view = wb.DraftView(workshop.Cause{})
	}
	e, err := view.Stat(ctx, p)
	switch {
	case workshop.IsFault(err, workshop.NotFound):
		return nil, workshop.Faultf(workshop.NotFound, "File not found: /%s", p)
	case err != nil:
		return nil, err
	case e.IsDir:
		return nil, workshop.Faultf(workshop.Invalid, "/%s is a folder", p).OnField("path")
	}
	src, err := view.Open(ctx, p)
	if err != nil {
		return nil, err
	}
	return &OpenedFile{Source: src, Entry: e}, nil
}

func onPath(err error) error { return workshop.AsFault(err).OnField("path") }

// PutFile creates or replaces a file with the bytes of r, wholly or not at all,
// as a version of user's. It is refused as opt says.
func (l *Live) PutFile(ctx context.Context, workspace, user, path string, opt workshop.PutOptions, r io.Reader) (workshop.Entry, error) {
	ctx, end := l.e.begin(ctx)
	defer end()
	p, err := workshop.ParseClamp(path)
	if err != nil {
		return workshop.Entry{}, onPath(err)
	}
	wb, err := l.e.workbench(ctx, workspace)
	if err != nil {
		return workshop.Entry{}, err
	}
	return wb.LiveView(workshop.Cause{Tool: "upload", Author: user}).Put(ctx, p, opt, func(w io.Writer) error {
		_, err := io.Copy(w, r)
		return err
	})
}
