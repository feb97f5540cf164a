package tasks

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"

	"atelier/formats/libreoffice"
)

// Office calculates and draws documents with another program than ours.
type Office interface {
	// Convert writes the document in another format into dir.
	Convert(ctx context.Context, path, format, dir string) (string, error)
	// Pages counts the pages of a PDF.
	Pages(ctx context.Context, pdf string) (int, error)
	// PageText is the text of a page of a PDF, from 1, as laid out; of all pages
	// with 0.
	PageText(ctx context.Context, pdf string, page int) (string, error)
}

// LibreOffice is LibreOffice with poppler's tools for PDF; nil when one of them
// is not installed.
func LibreOffice() Office {
	for _, name := range []string{"pdftotext", "pdfinfo"} {
		if _, err := exec.LookPath(name); err != nil {
			return nil
		}
	}
	if !libreoffice.Installed() {
		return nil
	}
	return installed{}
}

type installed struct{}

func (installed) Convert(ctx context.Context, path, format, dir string) (string, error) {
	return libreoffice.Convert(ctx, path, format, dir)
}

var pages = regexp.MustCompile(`(?m)^Pages:\s+(\d+)`)

func (installed) Pages(ctx context.Context, pdf string) (int, error) {
	out, err := exec.CommandContext(ctx, "pdfinfo", pdf).CombinedOutput()
	m := pages.FindSubmatch(out)
	if err != nil || m == nil {
		return 0, fmt.Errorf("pdfinfo: %w: %s", err, out)
	}
	return strconv.Atoi(string(m[1]))
}

func (installed) PageText(ctx context.Context, pdf string, page int) (string, error) {
	args := []string{"-layout"}
	if page > 0 {
		args = append(args, "-f", strconv.Itoa(page), "-l", strconv.Itoa(page))
	}
	var errs bytes.Buffer
	cmd := exec.CommandContext(ctx, "pdftotext", append(args, pdf, "-")...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("pdftotext: %w: %s", err, errs.String())
	}
	return string(out), nil
}
