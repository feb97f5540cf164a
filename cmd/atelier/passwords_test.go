package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/xuri/excelize/v2"
)

// lockWorkbook is the script command `lockxlsx FILE PASSWORD A1`: it makes an
// encrypted workbook.
func lockWorkbook(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: lockxlsx file password a1")
	}
	f := excelize.NewFile()
	ts.Check(f.SetCellValue("Sheet1", "A1", args[2]))
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o755))
	ts.Check(f.SaveAs(ts.MkAbs(args[0]), excelize.Options{Password: args[1]}))
}

// nowhere is the script command `nowhere TEXT DIR`: no file below the folder has
// the text.
func nowhere(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: nowhere text dir")
	}
	n := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[1]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if n++; bytes.Contains(b, []byte(args[0])) {
			ts.Fatalf("%s has %s", path, args[0])
		}
		return err
	}))
	if n == 0 {
		ts.Fatalf("%s has no files", args[1])
	}
}
