package agent

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/formats"
	"atelier/workshop"
)

// shelf is a view that can only be listed.
type shelf struct {
	workshop.View
	entries []workshop.Entry
	err     error
}

func (s shelf) List(_ context.Context, dir workshop.Path, o workshop.ListOptions) ([]workshop.Entry, error) {
	if dir != "" || !o.Recursive || !o.NoHash {
		return nil, fmt.Errorf("the manifest must list everything and read nothing")
	}
	return s.entries, s.err
}

func entry(path string, kind formats.Kind, size int64) workshop.Entry {
	return workshop.Entry{Path: workshop.Path(path), Kind: kind, Size: size, IsDir: kind == ""}
}

func TestManifestNamesFiles(t *testing.T) { // W-02
	m, err := manifest(t.Context(), shelf{entries: []workshop.Entry{
		entry("a.docx", formats.KindDocx, 12), entry("sub", "", 0), entry("sub/b c.xlsx", formats.KindXlsx, 3456),
		entry("bad\nname.txt", formats.KindText, 1), {Path: "pipe", Kind: formats.KindBinary, Refused: "it is a FIFO"},
	}}, Names{})
	require.NoError(t, err)
	require.Equal(t, "Files of the workbench (path, kind, size):\n- a.docx (docx, 12 bytes)\n- sub/b c.xlsx (xlsx, 3456 bytes)\n"+
		"- \"bad\\nname.txt\" (text, 1 bytes)\n- pipe (binary, 0 bytes), cannot be opened: it is a FIFO", m)

	m, err = manifest(t.Context(), shelf{}, Names{})
	require.NoError(t, err)
	require.Contains(t, m, "no files yet")

	_, err = manifest(t.Context(), shelf{err: workshop.Faultf(workshop.Internal, "the folder is gone")}, Names{})
	require.ErrorContains(t, err, "the folder is gone")
}

func TestManifestIsBounded(t *testing.T) {
	var many []workshop.Entry
	for i := range 100_000 {
		many = append(many, entry(fmt.Sprintf("%s%03d/file %d.docx", strings.Repeat("d", 300), i%300, i), formats.KindDocx, 10))
	}
	many = append(many, entry("top.pdf", formats.KindPDF, 7))
	m, err := manifest(t.Context(), shelf{entries: many}, Names{})
	require.NoError(t, err)
	require.Less(t, len(m), 16<<10)
	require.Contains(t, m, "100001 files")
	require.Contains(t, m, "334 files (334 docx), 3340 bytes")
	require.Contains(t, m, "and 261 more folders")
	require.Contains(t, m, "list_files")

	var flat []workshop.Entry
	for i := range manifestFiles + 1 {
		flat = append(flat, entry(fmt.Sprintf("f%d.md", i), formats.KindText, 1))
	}
	m, err = manifest(t.Context(), shelf{entries: flat}, Names{})
	require.NoError(t, err)
	require.Contains(t, m, "(top folder) 101 files (101 text), 101 bytes")
}
