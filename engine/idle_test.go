package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"atelier/workshop"
)

// TestIdleWorkbenchesClose: a workbench that nobody uses is closed, so that
// another program may have it, and the next call opens it again; one in use is
// not.
func TestIdleWorkbenchesClose(t *testing.T) {
	ctx := context.Background()
	home := t.TempDir()
	now := time.Now()
	var mu sync.Mutex
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	e, err := New(Options{Home: home, Now: clock, IdleAfter: time.Hour})
	require.NoError(t, err)
	defer e.Close()
	made, err := e.Call(ctx, "WorkbenchCreate", json.RawMessage(`{"name":"x"}`))
	require.NoError(t, err)
	id := made.(WorkbenchCreated).WorkbenchID
	ref := json.RawMessage(fmt.Sprintf(`{"workbench_id":%q,"tool":"list_files"}`, id))
	get := func() {
		_, err := e.Call(ctx, "ToolCall", ref)
		require.NoError(t, err)
	}
	isOpen := func() bool { e.mu.Lock(); defer e.mu.Unlock(); return e.open[id] != nil }
	get()
	e.closeIdle()
	assert.True(t, isOpen(), "used just now")

	inUse, end := e.begin(ctx)
	_, err = e.workbench(inUse, id)
	require.NoError(t, err)
	mu.Lock()
	now = now.Add(2 * time.Hour)
	mu.Unlock()
	e.closeIdle()
	assert.True(t, isOpen(), "in use")
	end()
	mu.Lock()
	now = now.Add(2 * time.Hour)
	mu.Unlock()
	e.closeIdle()
	assert.False(t, isOpen())

	other, err := workshop.OpenHome(home, workshop.Options{})
	require.NoError(t, err)
	_, err = other.Open(ctx, id)
	require.NoError(t, err, "another program may have it")
	require.NoError(t, other.Close())
	get()
	assert.True(t, isOpen())
}

// TestIdleUnderCalls: closing while calls come never takes a workbench from
// under one.
func TestIdleUnderCalls(t *testing.T) {
	ctx := context.Background()
	e, err := New(Options{Home: t.TempDir(), IdleAfter: time.Nanosecond})
	require.NoError(t, err)
	defer e.Close()
	made, err := e.Call(ctx, "WorkbenchCreate", json.RawMessage(`{"name":"x"}`))
	require.NoError(t, err)
	id := made.(WorkbenchCreated).WorkbenchID
	args := json.RawMessage(fmt.Sprintf(`{"workbench_id":%q,"tool":"list_files","args":{}}`, id))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 25 {
				r, err := e.Call(ctx, "ToolCall", args)
				if assert.NoError(t, err) {
					assert.True(t, r.(ToolCallResult).Success)
				}
			}
		})
	}
	wg.Wait()
}
