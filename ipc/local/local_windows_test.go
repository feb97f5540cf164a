package local

import (
	"bufio"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

// A pipe belongs to the user, and its access list names the user alone.
func TestPipeIsTheUsersAlone(t *testing.T) {
	l, err := Listen("")
	require.NoError(t, err)
	defer l.Close()
	sd, err := windows.GetSecurityInfo(l.acceptor.(*pipe).next, windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	require.NoError(t, err)
	sid, err := userSID()
	require.NoError(t, err)
	owner, _, err := sd.Owner()
	require.NoError(t, err)
	require.Equal(t, sid, owner.String())
	dacl, _, err := sd.DACL()
	require.NoError(t, err)
	require.EqualValues(t, 1, dacl.AceCount)
	var ace *windows.ACCESS_ALLOWED_ACE
	require.NoError(t, windows.GetAce(dacl, 0, &ace))
	require.EqualValues(t, windows.ACCESS_ALLOWED_ACE_TYPE, ace.Header.AceType)
	require.Equal(t, sid, (*windows.SID)(unsafe.Pointer(&ace.SidStart)).String())
}

// A client tells nothing to a pipe of another user, and the server nothing to its
// client.
func TestAnotherUser(t *testing.T) {
	r := newRig(t)
	other := "S-1-5-18"
	ourUser.Store(&other)
	t.Cleanup(func() { ourUser.Store(nil) })
	_, err := Dial(t.Context(), r.address, Hello{Version: "1"}, nil)
	require.ErrorContains(t, err, "the other end is user S-1-5-21-")
	c, err := connect(t.Context(), r.address)
	require.NoError(t, err)
	defer c.Close()
	_, err = bufio.NewReader(c).ReadString('\n')
	require.Error(t, err, "it is told nothing")
}

// Only pipes of this machine that Atelier names are opened: another machine would be
// sent the user's credentials.
func TestAddressesElsewhere(t *testing.T) {
	for _, address := range []string{`\\server\pipe\atelier-00`, `\\.\pipe\other`, `\\.\pipe\atelier-..\x`, `C:\file`, ""} {
		_, err := Dial(t.Context(), address, Hello{Version: "1"}, nil)
		require.ErrorContains(t, err, "is not safe", address)
	}
	_, err := Dial(t.Context(), pipePrefix+"0123456789ab", Hello{Version: "1"}, nil)
	require.ErrorContains(t, err, "it does not listen")
}

// Clients that come at once all get an instance.
func TestManyClients(t *testing.T) {
	r := newRig(t)
	var all sync.WaitGroup
	errs := make(chan error, 20)
	for i := range 20 {
		all.Go(func() {
			c, err := Dial(t.Context(), r.address, Hello{Version: "1", Workbench: "w"}, func(string, json.RawMessage) {})
			if err != nil {
				errs <- err
				return
			}
			defer c.Close()
			got, err := c.Call(t.Context(), "echo", json.RawMessage(fmt.Sprintf("[%d]", i)))
			if err == nil && string(got) != fmt.Sprintf("[%d]", i) {
				err = fmt.Errorf("%d: %s", i, got)
			}
			if err != nil {
				errs <- err
			}
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
}

// Many clients that connect and go away at once leave the pipe usable.
func TestClientsThatGoAway(t *testing.T) {
	r := newRig(t)
	for range 50 {
		c, err := connect(t.Context(), r.address)
		require.NoError(t, err)
		c.Close()
	}
	c := r.dial(t, nil)
	_, err := c.Call(t.Context(), "echo", json.RawMessage("[]"))
	require.NoError(t, err)
}
