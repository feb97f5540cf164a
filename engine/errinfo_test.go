package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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
