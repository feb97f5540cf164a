//go:build unix

package httpapi

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"

	"atelier/engine"
	"atelier/workshop"
)

// A full disk is told to the caller, wherever it was met.
func TestDiskFullIsTold(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "/data/x", Err: syscall.ENOSPC}
	for _, err := range []error{
		full,
		fmt.Errorf("what changed cannot be replicated: %w", full),
		workshop.StorageFault(full),
		&engine.ErrorInfo{ErrorCode: engine.CodeDiskFull, Detail: "write /data/x"},
	} {
		p := toProblem(err)
		assert.Equal(t, 503, p.status)
		assert.Contains(t, p.Message, "The disk of the server is full")
		assert.NotContains(t, p.Message, "/data")
	}
	assert.Equal(t, 500, toProblem(errors.New("x")).status)
	assert.Equal(t, 500, toProblem(&fs.PathError{Op: "write", Path: "/data/x", Err: syscall.EIO}).status)
}
