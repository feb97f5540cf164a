package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/workshop"
)

// K-07, A-06: what the system refuses reaches the client with a code of its own.
func TestK07ErrorCodes(t *testing.T) {
	internal := func(cause error) error {
		return fmt.Errorf("somewhere: %w", &workshop.Fault{Code: workshop.Internal, Message: "m", Err: errors.Join(cause, errors.New("errno"))})
	}
	for _, c := range []struct {
		err       error
		code      string
		retryable bool
	}{
		{internal(workshop.ErrDiskFull), CodeDiskFull, false},
		{internal(workshop.ErrNotWritable), CodeFileWriteFailed, false},
		{internal(workshop.ErrBusy), CodeFileWriteFailed, false},
		{internal(workshop.ErrDamaged), CodeKeptDamaged, false},
		{internal(workshop.ErrNotReadable), CodeFileReadFailed, false},
		{&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, CodeDiskFull, true},
		{&fs.PathError{Op: "open", Path: "x", Err: fs.ErrPermission}, CodeFileWriteFailed, false},
		{workshop.Faultf(workshop.NotFound, "file not found: a"), CodeFileReadFailed, false},
		{fmt.Errorf("x: %w", workshop.Unknownf("there is no message m")), CodeNotFound, false},
		{workshop.Faultf(workshop.Conflict, "in use"), CodeValidationFailed, false},
	} {
		info := toErrorInfo(context.Background(), c.err)
		require.Equal(t, c.code, info.ErrorCode, "%v", c.err)
		require.Equal(t, c.retryable, info.Retryable, "%v", c.err)
	}
}

// A workbench that another process has is not a change of published files.
func TestConflictCodes(t *testing.T) {
	changed := workshop.Faultf(workshop.Conflict, "a was changed")
	changed.Paths = []string{"a"}
	var info *ErrorInfo
	require.ErrorAs(t, conflictInfo(changed, "w", "review"), &info)
	require.Equal(t, CodeConflictPublished, info.ErrorCode)
	inUse := workshop.Faultf(workshop.Conflict, "in use by process 1")
	inUse.Err = workshop.ErrInUse
	require.Equal(t, error(inUse), conflictInfo(inUse, "w", "review"))
}

// what is not a file and is not there is NOT_FOUND; a missing file is
// FILE_READ_FAILED.
func TestA06NotFound(t *testing.T) {
	e, err := New(Options{Home: t.TempDir(), Model: PseudoModel})
	require.NoError(t, err)
	defer e.Close()
	wb, err := e.OpenFolder(context.Background(), t.TempDir())
	require.NoError(t, err)
	for call, want := range map[[2]string]string{
		{"WorkbenchOpen", `{"workbench_id":"00000000-0000-7000-8000-000000000000"}`}:                         CodeNotFound,
		{"WorkshopUndoToMessage", `{"workbench_id":"ID","message_id":"m"}`}:                                  CodeNotFound,
		{"CheckpointGet", `{"workbench_id":"ID","checkpoint_id":"c"}`}:                                       CodeNotFound,
		{"ToolsList", `{"catalogue":"c"}`}:                                                                   CodeNotFound,
		{"WorkshopAnswerQuestion", `{"workbench_id":"ID","question_id":"q","answers":{}}`}:                   CodeNotFound,
		{"TranslateStatus", `{"workbench_id":"ID","job_id":"j"}`}:                                            CodeNotFound,
		{"WorkbenchFileVersions", `{"workbench_id":"ID","path":"none.md"}`}:                                  CodeFileReadFailed,
		{"ReviewGetPreview", `{"workbench_id":"ID","path":"none.md"}`}:                                       CodeFileReadFailed,
		{"ToolCall", `{"workbench_id":"ID","tool":"nope","args":{}}`}:                                        "result " + CodeNotFound,
		{"ToolCall", `{"workbench_id":"ID","catalogue":"buildscale","tool":"read","args":{"path":"/none"}}`}: "result " + CodeFileReadFailed,
	} {
		result, err := e.Call(context.Background(), call[0], []byte(strings.ReplaceAll(call[1], "ID", wb.ID())))
		if r, ok := result.(ToolCallResult); ok {
			require.NotNil(t, r.Error, "%v", call)
			require.Equal(t, want, "result "+r.Error.ErrorCode, "%v", call)
			continue
		}
		var info *ErrorInfo
		require.ErrorAs(t, err, &info, "%v", call)
		require.Equal(t, want, info.ErrorCode, "%v: %s", call, info.Detail)
	}
}
