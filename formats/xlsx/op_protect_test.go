package xlsx

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"atelier/formats"
	"atelier/formats/formatstest"
	"atelier/formats/password"
)

// applyGiven applies operations while the person gave passwords.
func applyGiven(t testing.TB, in []byte, js string, pws ...string) ([]byte, formats.Report, error) {
	t.Helper()
	k := password.NewKeeper()
	require.NoError(t, k.Add(pws...))
	var out bytes.Buffer
	rep, err := Format().Editor.Apply(password.With(t.Context(), k), src(in), &out, ops(t, js), formats.ApplyOptions{})
	return out.Bytes(), rep, err
}

func TestProtectSheet(t *testing.T) {
	note := "cells with locked: false (set_style) can still be changed; protection keeps people from changing cells, it does not encrypt them"
	runOps(t, []opTest{
		{
			name: "protect_sheet", ops: `{"op":"protect_sheet","sheet":"S1"}`, rep: formats.OpReport{Hits: 1, Notes: []string{note}},
			swap: map[string][]string{sheet1: {`</sheetData>`, `</sheetData><sheetProtection sheet="1" objects="1" scenarios="1"/>`}},
		},
		{
			name: "protect_sheet allows", ops: `{"op":"protect_sheet","sheet":"S1","allow":["sort","autofilter","edit_objects","insert_rows"],"select":"unlocked","password":false}`, rep: formats.OpReport{Hits: 1, Notes: []string{note}},
			swap: map[string][]string{sheet1: {`</sheetData>`, `</sheetData><sheetProtection sheet="1" insertRows="0" sort="0" autoFilter="0" scenarios="1" selectLockedCells="1"/>`}},
		},
		{
			name: "protect_sheet changes what is allowed", in: raw(t, nil, `<sheetData/><sheetProtection sheet="1" sort="0" objects="1" scenarios="1"/><protectedRanges><protectedRange name="in" sqref="A1"/></protectedRanges>`),
			ops: `{"op":"protect_sheet","sheet":"S1","allow":["format_cells"]}`, rep: formats.OpReport{Hits: 1, Notes: []string{note, "1 range of the sheet may be changed all the same (protectedRanges)"}},
			swap: map[string][]string{sheet1: {`<sheetProtection sheet="1" sort="0" objects="1" scenarios="1"/>`, `<sheetProtection sheet="1" formatCells="0" objects="1" scenarios="1"/>`}},
		},
		{
			name: "protect_sheet takes it away", in: raw(t, nil, `<sheetData/><sheetProtection sheet="1"/>`),
			ops: `{"op":"protect_sheet","sheet":"S1","remove":true}`, rep: formats.OpReport{Hits: 1},
			swap: map[string][]string{sheet1: {`<sheetProtection sheet="1"/>`, ``}},
		},
		{
			name: "protect_sheet that is protected so", in: raw(t, nil, `<sheetData/><sheetProtection sheet="1" objects="1" scenarios="1"/>`),
			ops: `{"op":"protect_sheet","sheet":"S1"}`, rep: formats.OpReport{Unchanged: true, Warnings: []string{`the sheet "S1" is protected so already; nothing was changed`}},
		},
		{
			name: "protect_workbook", ops: `{"op":"protect_workbook"}`, rep: formats.OpReport{Hits: 1},
			swap: map[string][]string{bookPart: {`<bookViews>`, `<workbookProtection lockStructure="1"/><bookViews>`}},
		},
		{
			name: "protect_workbook takes none away", ops: `{"op":"protect_workbook","remove":true}`,
			rep: formats.OpReport{Unchanged: true, Warnings: []string{"the workbook is not protected; nothing was changed"}},
		},
	})
	runRefusals(t, nil, []refusal{
		{`{"op":"protect_sheet","sheet":"S1","allow":["everything"]}`, formats.CodeInvalid, "unknown word everything in allow; use format_cells,"},
		{`{"op":"protect_sheet","sheet":"S1","select":"some"}`, formats.CodeInvalid, "unknown select"},
		{`{"op":"protect_sheet","sheet":"S1","remove":true,"select":"all"}`, formats.CodeInvalid, "remove takes the protection away"},
		{`{"op":"protect_sheet","sheet":"S1","password":true}`, formats.CodeEncrypted, "was not given; the person can give it"},
		{`{"op":"protect_workbook","password":true}`, formats.CodeEncrypted, "a password for the workbook"},
	})
	_, _, err := tryApply(t, smallBook(t), `[{"op":"protect_sheet","sheet":"S1","password":"hunter2"}]`)
	require.ErrorContains(t, err, "a password is never written here")
	require.NotContains(t, err.Error(), "hunter2")
}

// A password is that of the person; an independent program accepts it and no
// other, and neither answers nor reviews have it.
func TestProtectionWithAPassword(t *testing.T) {
	const pw = "pâsswörd 1"
	in := smallBook(t)
	out, rep, err := applyGiven(t, in, `[{"op":"protect_sheet","sheet":"S1","password":true},{"op":"protect_workbook","password":true}]`, pw)
	require.NoError(t, err)
	valid(t, out, in)
	f := excel(t, out)
	require.Error(t, f.UnprotectSheet("S1", "other"))
	require.NoError(t, f.UnprotectSheet("S1", pw))
	require.Error(t, f.UnprotectWorkbook("other"))
	require.NoError(t, f.UnprotectWorkbook(pw))
	all := fmt.Sprint(rep) + strings.Join(told(diffOf(t, in, out)), "\n")
	for name, b := range formatstest.Parts(t, out) {
		all += name + string(b)
	}
	require.NotContains(t, all, pw)
	require.Contains(t, all, "the sheet is protected with a password")
	require.Contains(t, all, "protected with a password: structure")

	const away = `[{"op":"protect_sheet","sheet":"S1","remove":true},{"op":"protect_workbook","remove":true}]`
	_, _, err = applyGiven(t, out, away)
	require.Equal(t, formats.CodeEncrypted, formats.CodeOf(err))
	require.ErrorContains(t, err, `the sheet "S1" of book.xlsx is protected with a password, which was not given`)
	_, _, err = applyGiven(t, out, away, "wrong", "wrong 2")
	require.Equal(t, formats.CodeWrongPassword, formats.CodeOf(err))
	require.NotContains(t, err.Error(), "wrong 2")
	_, _, err = applyGiven(t, out, `[{"op":"protect_sheet","sheet":"S1","allow":["sort"]}]`, "wrong")
	require.Equal(t, formats.CodeWrongPassword, formats.CodeOf(err), "nor may what is allowed change")
	back, _, err := applyGiven(t, out, away, "wrong", pw)
	require.NoError(t, err)
	require.Equal(t, formatstest.Parts(t, in), formatstest.Parts(t, back))

	more, _, err := applyGiven(t, out, `[{"op":"protect_sheet","sheet":"S1","allow":["sort"]}]`, pw)
	require.NoError(t, err)
	require.NoError(t, excel(t, more).UnprotectSheet("S1", pw), "the password stays")
	_, _, err = applyGiven(t, in, `[{"op":"protect_sheet","sheet":"S1","password":true}]`, pw, "another")
	require.ErrorContains(t, err, "2 passwords were given, and nothing says which one")

	// Edits of a protected sheet are made and told; other operations keep the password.
	edited, rep, err := applyGiven(t, out, `[{"op":"set_cells","sheet":"S1","cells":[{"cell":"A9","value":1}]},{"op":"insert_rows","sheet":"S1","row":1},{"op":"rename_sheet","sheet":"S2","new_name":"Z"}]`)
	require.NoError(t, err)
	require.Contains(t, fmt.Sprint(rep), `the sheet "S1" is protected; it was edited all the same`)
	require.Contains(t, fmt.Sprint(rep), `the structure of the workbook is protected; it was changed all the same`)
	require.NoError(t, excel(t, edited).UnprotectSheet("S1", pw))
}

// Protections of other programs, with each hash, open with their password only.
func TestProtectionsOfOtherPrograms(t *testing.T) {
	for _, algorithm := range []string{"", "XOR", "SHA-1", "SHA-256", "SHA-384", "SHA-512"} {
		in := fixture(t, func(f *excelize.File) {
			require.NoError(t, f.ProtectSheet("Sheet1", &excelize.SheetProtectionOptions{AlgorithmName: strings.TrimPrefix(algorithm, "XOR"), Password: "secret"}))
			require.NoError(t, f.ProtectWorkbook(&excelize.WorkbookProtectionOptions{AlgorithmName: strings.TrimPrefix(algorithm, "XOR"), Password: "secret", LockStructure: true}))
		})
		const away = `[{"op":"protect_sheet","sheet":"Sheet1","remove":true},{"op":"protect_workbook","remove":true}]`
		_, _, err := applyGiven(t, in, away, "Secret")
		require.Equal(t, formats.CodeWrongPassword, formats.CodeOf(err), algorithm)
		out, _, err := applyGiven(t, in, away, "secret")
		require.NoError(t, err, algorithm)
		require.NotContains(t, part(t, out, sheet1), "sheetProtection")
		require.NotContains(t, part(t, out, bookPart), "workbookProtection")
	}
	for attrs, want := range map[string]string{
		`algorithmName="MD2" hashValue="AA==" saltValue="AA==" spinCount="9"`:              "uses the hash",
		`algorithmName="SHA-512" hashValue="AA==" saltValue="AA==" spinCount="4294967295"`: "the limit is 10000000",
		`algorithmName="SHA-512" hashValue="?" saltValue="AA==" spinCount="1"`:             "is damaged",
	} {
		in := raw(t, nil, `<sheetData/><sheetProtection sheet="1" `+attrs+`/>`)
		_, _, err := applyGiven(t, in, `[{"op":"protect_sheet","sheet":"S1","remove":true}]`, "x")
		require.Equal(t, formats.CodeUnsupported, formats.CodeOf(err))
		require.ErrorContains(t, err, want)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	k := password.NewKeeper()
	require.NoError(t, k.Add("x"))
	in := raw(t, nil, `<sheetData/><sheetProtection sheet="1" algorithmName="SHA-512" hashValue="AA==" saltValue="AA==" spinCount="9000000"/>`)
	_, err := Format().Editor.Apply(password.With(ctx, k), src(in), &bytes.Buffer{}, ops(t, `[{"op":"protect_sheet","sheet":"S1","remove":true}]`), formats.ApplyOptions{})
	require.ErrorIs(t, err, context.Canceled)
}
