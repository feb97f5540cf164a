package local

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// pipePrefix begins the names of pipes. Only names of this machine are opened:
// another one would be sent the user's credentials.
const pipePrefix = `\\.\pipe\atelier-`

// pipeBuffer is how much of each direction the system keeps, in bytes.
const pipeBuffer = 64 << 10

// busyEvery is how often a client asks a pipe whose instances are all in use.
const busyEvery = 20 * time.Millisecond

// ourUser is the SID of this process's user; tests have another.
var ourUser atomic.Pointer[string]

// userSID returns the SID of the user of this process, such as S-1-5-21-….
func userSID() (string, error) {
	if sid := ourUser.Load(); sid != nil {
		return *sid, nil
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return "", err
	}
	return user.User.Sid.String(), nil
}

// Listen makes a named pipe with a random name. It belongs to the user, its access
// list names the user alone, and it takes no connections from other machines. home
// is not used: pipes leave nothing in folders.
func Listen(home string) (*Listener, error) {
	sid, err := userSID()
	if err != nil {
		return nil, err
	}
	sd, err := windows.SecurityDescriptorFromString("O:" + sid + "D:P(A;;GA;;;" + sid + ")")
	if err != nil {
		return nil, err
	}
	random := make([]byte, 12)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	p := &pipe{name: pipePrefix + hex.EncodeToString(random)}
	p.access = windows.SecurityAttributes{SecurityDescriptor: sd}
	p.access.Length = uint32(unsafe.Sizeof(p.access))
	if p.closing, err = windows.CreateEvent(nil, 1, 0, nil); err != nil {
		return nil, err
	}
	if p.next, err = p.instance(windows.FILE_FLAG_FIRST_PIPE_INSTANCE); err != nil {
		windows.CloseHandle(p.closing)
		return nil, err
	}
	return &Listener{p, p.name}, nil
}

// pipe is the acceptor of a named pipe.
type pipe struct {
	name   string
	access windows.SecurityAttributes

	once    sync.Once
	closing windows.Handle // an event: Close was called

	accepting sync.Mutex     // held while a connection is waited for; protects the fields below
	next      windows.Handle // the instance that the next client gets; 0 when there is none
	ended     bool           // closing is closed
}

// instance makes one more instance of the pipe, for one connection.
func (p *pipe) instance(flags uint32) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(p.name)
	if err != nil {
		return 0, err
	}
	h, err := windows.CreateNamedPipe(name, windows.PIPE_ACCESS_DUPLEX|windows.FILE_FLAG_OVERLAPPED|flags,
		windows.PIPE_TYPE_BYTE|windows.PIPE_READMODE_BYTE|windows.PIPE_WAIT|windows.PIPE_REJECT_REMOTE_CLIENTS,
		windows.PIPE_UNLIMITED_INSTANCES, pipeBuffer, pipeBuffer, 0, &p.access)
	if err != nil {
		return 0, fmt.Errorf("the pipe %s cannot be made: %w", p.name, err)
	}
	return h, nil
}

func (p *pipe) accept() (conn, error) {
	p.accepting.Lock()
	defer p.accepting.Unlock()
	for {
		if p.ended {
			return nil, net.ErrClosed
		}
		if p.next == 0 {
			h, err := p.instance(0)
			if err != nil {
				return nil, err
			}
			p.next = h
		}
		err := p.wait(p.next)
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil, err
		case errors.Is(err, windows.ERROR_NO_DATA): // the client is gone again
			windows.CloseHandle(p.next)
			p.next = 0
			continue
		case err != nil:
			windows.CloseHandle(p.next)
			p.next = 0
			return nil, err
		}
		h := p.next
		// The next client finds an instance at once, and the pipe never ends between
		// two. Without one now, the next call makes it or reports why not.
		p.next, _ = p.instance(0)
		return newPipeConn(h, p.name), nil
	}
}

// wait returns when a client has opened an instance, or the pipe is closed.
func (p *pipe) wait(h windows.Handle) error {
	connected, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(connected)
	o := &windows.Overlapped{HEvent: connected}
	switch err := windows.ConnectNamedPipe(h, o); {
	case err == nil, errors.Is(err, windows.ERROR_PIPE_CONNECTED):
		return nil
	case !errors.Is(err, windows.ERROR_IO_PENDING):
		return err
	}
	event, err := windows.WaitForMultipleObjects([]windows.Handle{connected, p.closing}, false, windows.INFINITE)
	if err != nil || event != windows.WAIT_OBJECT_0 {
		_ = windows.CancelIoEx(h, o)
		if err == nil {
			err = net.ErrClosed
		}
	}
	// The system writes to o until the operation has ended.
	var n uint32
	if oerr := windows.GetOverlappedResult(h, o, &n, true); err == nil {
		err = oerr
	}
	return err
}

// Close ends accept and removes the instance that nobody has opened; the pipe is
// gone when its last connection is closed. Later calls do nothing.
func (p *pipe) Close() error {
	p.once.Do(func() {
		_ = windows.SetEvent(p.closing) // a waiting accept gives up the lock
		p.accepting.Lock()
		defer p.accepting.Unlock()
		p.ended = true
		windows.CloseHandle(p.closing)
		if p.next != 0 {
			windows.CloseHandle(p.next)
			p.next = 0
		}
	})
	return nil
}

// pipeConn is one end of a connection over a pipe. The file gives it deadlines,
// because its handle is for overlapped operations.
type pipeConn struct {
	*os.File
	handle windows.Handle
}

func newPipeConn(h windows.Handle, name string) pipeConn {
	return pipeConn{os.NewFile(uintptr(h), name), h}
}

// CloseRead ends reading: a pipe has no end for one direction.
func (c pipeConn) CloseRead() error { return c.SetReadDeadline(time.Unix(1, 0)) }

// Read returns io.EOF when the other end was closed.
func (c pipeConn) Read(p []byte) (int, error) {
	n, err := c.File.Read(p)
	if errors.Is(err, windows.ERROR_PIPE_NOT_CONNECTED) || errors.Is(err, windows.ERROR_BROKEN_PIPE) {
		err = io.EOF
	}
	return n, err
}

// connect opens a pipe of this machine. The other end can ask who this is, and
// cannot act in its name.
func connect(ctx context.Context, address string) (conn, error) {
	random, ours := strings.CutPrefix(address, pipePrefix)
	if _, err := hex.DecodeString(random); !ours || err != nil {
		return nil, fmt.Errorf("%s is not safe: it is not a pipe of Atelier on this machine", quoted(address))
	}
	name, err := windows.UTF16PtrFromString(address)
	if err != nil {
		return nil, err
	}
	for {
		h, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil, windows.OPEN_EXISTING,
			windows.FILE_FLAG_OVERLAPPED|windows.SECURITY_SQOS_PRESENT|windows.SECURITY_IDENTIFICATION, 0)
		if err == nil {
			return newPipeConn(h, address), nil
		}
		if !errors.Is(err, windows.ERROR_PIPE_BUSY) {
			return nil, fmt.Errorf("it does not listen (%w)", err)
		}
		select {
		case <-ctx.Done():
			return nil, errors.New("it does not answer")
		case <-time.After(busyEvery):
		}
	}
}

// samePeer reports that a pipe belongs to another user. Who does not own a pipe
// cannot make instances of it, and its access list admits no other client.
func samePeer(c conn) error {
	sid, err := userSID()
	if err != nil {
		return err
	}
	sd, err := windows.GetSecurityInfo(c.(pipeConn).handle, windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("its owner is not known (%w)", err)
	}
	owner, _, err := sd.Owner()
	if err != nil {
		return fmt.Errorf("its owner is not known (%w)", err)
	}
	if owner.String() != sid {
		return fmt.Errorf("the other end is user %s", owner)
	}
	return nil
}
