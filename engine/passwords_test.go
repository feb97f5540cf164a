package engine_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
)

func TestGivePassword(t *testing.T) {
	f := excelize.NewFile()
	require.NoError(t, f.SetCellValue("Sheet1", "A1", "xyzzyplugh"))
	var book bytes.Buffer
	require.NoError(t, f.Write(&book, excelize.Options{Password: "swordfish-2027"}))
	e := newEngine(t)
	id, _ := folder(t, e, map[string]string{"pay.xlsx": book.String(), "a.txt": "plain"})
	read := func() map[string]any {
		return must(t, e, "ToolCall", obj{"workbench_id": id, "tool": "read_file", "args": obj{"path": "pay.xlsx"}})
	}
	require.Equal(t, false, read()["success"])

	fails := func(params obj, want string) {
		t.Helper()
		_, err := call(t, e, "WorkbenchGivePassword", params)
		require.NotNil(t, err)
		require.Contains(t, err.Detail, want)
		require.Equal(t, want == "no password that was given opens it", err.ErrorCode == "WRONG_PASSWORD", err.ErrorCode)
		require.NotContains(t, err.Error(), "swordfish")
	}
	fails(obj{"workbench_id": id, "password": "wrong", "path": "pay.xlsx"}, "no password that was given opens it")
	fails(obj{"workbench_id": id, "password": "wrong", "path": "a.txt"}, "not encrypted")
	fails(obj{"workbench_id": id, "password": ""}, "empty")
	require.Equal(t, false, read()["success"], "a wrong one is not kept")

	r := must(t, e, "WorkbenchGivePassword", obj{"workbench_id": id, "password": "swordfish-2027", "path": "pay.xlsx"})
	require.Equal(t, true, r["opened"])
	require.Contains(t, read()["result"].(map[string]any)["text"], "xyzzyplugh")

	// Another workbench does not have it.
	other, _ := folder(t, e, map[string]string{"pay.xlsx": book.String()})
	require.Equal(t, false, must(t, e, "ToolCall", obj{"workbench_id": other, "tool": "read_file", "args": obj{"path": "pay.xlsx"}})["success"])

	must(t, e, "WorkbenchForgetPasswords", obj{"workbench_id": id})
	require.Equal(t, false, read()["success"])
}
