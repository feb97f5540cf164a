package engine

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"atelier/workshop"
	"atelier/workshop/translate"
	"atelier/workshop/translate/memory"
	"atelier/workshop/translate/xliff"
)

// maxExchange bounds the bytes of a file in params and results.
const maxExchange = 32 << 20

// The formats of TranslateExport and TranslateImport.
const (
	formatXLIFF = "xliff"
	formatTMX   = "tmx"
)

// TranslateExportParams are the params of TranslateExport.
type TranslateExportParams struct {
	WorkbenchID string `json:"workbench_id"`
	JobID       string `json:"job_id,omitempty"`  // needed for xliff; of tmx it chooses the languages
	Format      string `json:"format"`            // xliff or tmx
	Path        string `json:"path,omitempty"`    // xliff: only this translation; default all
	Version     string `json:"version,omitempty"` // of XLIFF: 2.1 (the default) or 1.2
	// To is where the draft gets it: for xliff a folder, for tmx a file *.tmx. Without
	// it the result has the content, at most 32 MiB.
	To string `json:"to_path,omitempty"`
}

// TranslateExportResult is the result of TranslateExport.
type TranslateExportResult struct {
	Written []string `json:"written,omitempty"`      // files of the draft
	Name    string   `json:"name,omitempty"`         // of the content; several XLIFF documents come as a zip archive
	Content string   `json:"bytes_base64,omitempty"` // without to_path
	Entries int      `json:"entries"`                // XLIFF documents, or entries of the memory
}

// TranslateImportParams are the params of TranslateImport.
type TranslateImportParams struct {
	WorkbenchID string `json:"workbench_id"`
	JobID       string `json:"job_id,omitempty"` // needed for xliff
	Format      string `json:"format"`           // xliff or tmx
	Path        string `json:"path,omitempty"`   // a file of the workbench; for xliff a folder too
	// Name and Content are the file itself, at most 32 MiB.
	Name    string `json:"name,omitempty"`
	Content string `json:"content,omitempty"` // base64 (RFC 4648, section 4)
}

// TranslateImportResult is the result of TranslateImport.
type TranslateImportResult struct {
	TranslateCorrectResult
	Memory *memory.Counts `json:"tmx,omitempty"` // of an import of TMX
}

func checkExchange(format, job string) error {
	switch {
	case format != formatXLIFF && format != formatTMX:
		return validation("format must be xliff or tmx")
	case format == formatXLIFF && job == "":
		return validation("job_id is required: the job whose translations these are")
	}
	return nil
}

func (e *Engine) translateExport(ctx context.Context, p TranslateExportParams) (r TranslateExportResult, err error) {
	if err := checkExchange(p.Format, p.JobID); err != nil {
		return r, err
	}
	if p.Version != "" && !slices.Contains(xliff.Versions, xliff.Version(p.Version)) {
		return r, validation("version must be 2.1 or 1.2")
	}
	if p.Format == formatTMX && p.To != "" && strings.ToLower(path.Ext(p.To)) != ".tmx" {
		return r, validation("to_path must end in .tmx")
	}
	wb, done, err := e.exporting(ctx, p)
	if err != nil {
		return r, err
	}
	defer done()
	var j *jobAtRest
	if p.JobID != "" {
		if j, err = e.atRest(ctx, wb, p.JobID, true); err != nil {
			return r, err
		}
	} else {
		j = &jobAtRest{}
	}
	if err := j.openMemory(ctx, wb); err != nil {
		return r, err
	}
	defer j.close()
	if p.Format == formatTMX {
		return exportTMX(ctx, wb, j, p)
	}
	return exportXLIFF(ctx, wb, j, p)
}

// exporting opens the workbench, for writing when the draft gets the files.
func (e *Engine) exporting(ctx context.Context, p TranslateExportParams) (*openWorkbench, func(), error) {
	if p.To == "" {
		return e.reader(ctx, p.WorkbenchID)
	}
	return e.beginActivity(ctx, p.WorkbenchID, workshop.ActTranslation)
}

func exportTMX(ctx context.Context, wb *openWorkbench, j *jobAtRest, p TranslateExportParams) (r TranslateExportResult, err error) {
	opt := memory.ExportOptions{Pair: memory.Pair{From: j.params.From}, Machine: true}
	if len(j.params.To) == 1 {
		opt.Pair.To = j.params.To[0]
	}
	write := func(w io.Writer) error {
		r.Entries, err = j.memory.ExportTMX(ctx, w, opt)
		return err
	}
	if p.To != "" {
		r.Written = []string{p.To}
		return r, translate.DraftFiles(wb.Workbench).Write(ctx, p.To, write)
	}
	r.Name = "memory.tmx"
	r.Content, err = contentOf(write)
	return r, err
}

func exportXLIFF(ctx context.Context, wb *openWorkbench, j *jobAtRest, p TranslateExportParams) (r TranslateExportResult, err error) {
	s, documents, err := j.segments(ctx, p.Path)
	if err != nil {
		return r, err
	}
	defer s.Close()
	if len(documents) == 0 {
		return r, workshop.Faultf(workshop.Invalid, "the job has no translation yet: run it, then export")
	}
	version := xliff.Version(p.Version)
	r.Entries = len(documents)
	if p.To != "" {
		files := translate.DraftFiles(wb.Workbench)
		for _, d := range documents {
			name := translate.XLIFFName(j.opt, d)
			if err := files.WriteBelow(ctx, p.To, name, func(w io.Writer) error { return s.WriteXLIFF(ctx, w, d, j.opt, version) }); err != nil {
				return r, err
			}
			r.Written = append(r.Written, path.Join(p.To, name))
		}
		return r, nil
	}
	if len(documents) == 1 {
		r.Name = path.Base(translate.XLIFFName(j.opt, documents[0]))
		r.Content, err = contentOf(func(w io.Writer) error { return s.WriteXLIFF(ctx, w, documents[0], j.opt, version) })
		return r, err
	}
	r.Name = "xliff.zip"
	r.Content, err = contentOf(func(w io.Writer) error {
		z := zip.NewWriter(w)
		for _, d := range documents {
			part, err := z.Create(translate.XLIFFName(j.opt, d))
			if err == nil {
				err = s.WriteXLIFF(ctx, part, d, j.opt, version)
			}
			if err != nil {
				return err
			}
		}
		return z.Close()
	})
	return r, err
}

// bounded is a writer that refuses more than maxExchange bytes.
type bounded struct{ bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxExchange {
		return 0, workshop.Faultf(workshop.Invalid, "the file is larger than %d MiB; name a to_path, and the draft gets it", maxExchange>>20).OnField("to_path")
	}
	return b.Buffer.Write(p)
}

func contentOf(write func(io.Writer) error) (string, error) {
	var b bounded
	if err := write(&b); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// oneFile are the files of an import whose content came with the call.
type oneFile struct {
	translate.Files
	name    string
	content []byte
}

func (f oneFile) Open(context.Context, string) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(f.content)), nil
}

func (f oneFile) XLIFF(context.Context, string) ([]string, error) { return []string{f.name}, nil }

// imported returns the files of an import and the name to open.
func imported(wb *openWorkbench, p TranslateImportParams) (translate.Files, string, error) {
	switch {
	case (p.Path == "") == (p.Content == ""):
		return nil, "", validation("either path or content is required: a file of the workbench, or its bytes in base64")
	case p.Path != "":
		return translate.DraftFiles(wb.Workbench), p.Path, nil
	case base64.StdEncoding.DecodedLen(len(p.Content)) > maxExchange:
		return nil, "", validation(fmt.Sprintf("content has more than %d MiB; add the file to the workbench and name its path", maxExchange>>20))
	}
	b, err := base64.StdEncoding.DecodeString(p.Content)
	if err != nil {
		return nil, "", validation("content is not base64: " + err.Error())
	}
	name := p.Name
	if name == "" {
		name = "the file"
	}
	return oneFile{name: name, content: b}, name, nil
}

func (e *Engine) translateImport(ctx context.Context, p TranslateImportParams) (r TranslateImportResult, err error) {
	r.Segments = []TranslateSegment{}
	if err := checkExchange(p.Format, p.JobID); err != nil {
		return r, err
	}
	if p.Format == formatTMX {
		return r, e.importTMX(ctx, p, &r)
	}
	j, ed, done, err := e.editor(ctx, p.WorkbenchID, p.JobID)
	if err != nil {
		return r, err
	}
	defer done()
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return r, err
	}
	files, name, err := imported(wb, p)
	if err != nil {
		return r, err
	}
	b, err := translate.OpenReturned(ctx, files, name, j.opt)
	if err != nil {
		return r, err
	}
	fixes, refused, err := ed.FromXLIFF(ctx, b)
	if err != nil {
		return r, err
	}
	r.TranslateCorrectResult, err = e.correct(ctx, p.WorkbenchID, j, ed, fixes, false)
	r.Refused = append(refusalsOf(refused), r.Refused...)
	r.Refused = r.Refused[:min(len(r.Refused), translate.MostRows)]
	return r, err
}

func (e *Engine) importTMX(ctx context.Context, p TranslateImportParams, r *TranslateImportResult) error {
	wb, end, err := e.beginActivity(ctx, p.WorkbenchID, workshop.ActTranslation)
	if err != nil {
		return err
	}
	defer end()
	files, name, err := imported(wb, p)
	if err != nil {
		return err
	}
	in, err := files.Open(ctx, name)
	if err != nil {
		return err
	}
	defer in.Close()
	j := &jobAtRest{}
	if err := j.openMemory(ctx, wb); err != nil {
		return err
	}
	defer j.close()
	n, err := j.memory.ImportTMX(ctx, in)
	r.Memory = &n
	return err
}
