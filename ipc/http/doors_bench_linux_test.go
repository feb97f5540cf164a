package httpapi

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"atelier/engine"
	"atelier/ipc/stdio"
)

// BenchmarkDoors makes the same calls over standard input and output and over HTTP, in
// turn, and reports the processor time of each with the ratio of both. The clients only
// write prepared requests and look for the end of the answer.
func BenchmarkDoors(b *testing.B) {
	r := newRig(b, func(o *Options) { o.Tools = o.Engine.(*engine.Engine).Live() })
	for i := range 100 {
		r.tool(fmt.Sprintf(`{"tool":"write","args":{"path":"/d%d/f%d.txt","content":"some text\nand more of it\n"}}`, i%10, i))
	}
	lines, web := newLineDoor(b, r.engine, r.ws), newWebDoor(b, r)
	for _, call := range []struct{ name, tool, args string }{
		{"read", "read", `{"path":"/d0/f0.txt"}`},
		{"ls", "ls", `{"recursive":true,"limit":0}`},
		{"grep", "grep", `{"pattern":"more"}`},
	} {
		b.Run(call.name, func(b *testing.B) {
			one, other := lines.call(call.tool, call.args), web.call(call.tool, call.args)
			var cpu [2]float64
			for b.Loop() {
				for i, f := range []func() []byte{one, other} {
					began := processor(b)
					for range 50 {
						f()
					}
					cpu[i] += processor(b) - began
				}
			}
			n := float64(b.N) * 50
			b.ReportMetric(cpu[0]/n*1e6, "µs-CPU/stdio")
			b.ReportMetric(cpu[1]/n*1e6, "µs-CPU/http")
			b.ReportMetric(cpu[1]/cpu[0], "ratio")
		})
	}
}

// processor returns the seconds of processor time that this process has used.
func processor(b testing.TB) float64 {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

// lineDoor is an app at the other end of standard input and output.
type lineDoor struct {
	b    testing.TB
	in   io.Writer
	out  *bufio.Reader
	work string
}

func newLineDoor(b testing.TB, e *engine.Engine, workbench string) *lineDoor {
	inRead, inWrite, err := os.Pipe()
	require.NoError(b, err)
	outRead, outWrite, err := os.Pipe()
	require.NoError(b, err)
	ended := make(chan error, 1)
	go func() { ended <- stdio.Serve(context.Background(), e, inRead, outWrite, stdio.Options{}) }()
	b.Cleanup(func() {
		inWrite.Close()
		require.NoError(b, <-ended)
	})
	return &lineDoor{b, inWrite, bufio.NewReaderSize(outRead, 1<<20), workbench}
}

func (d *lineDoor) call(tool, args string) func() []byte {
	request := []byte(`{"jsonrpc":"2.0","id":1,"method":"ToolCall","params":{"workbench_id":"` + d.work + `","catalogue":"buildscale","tool":"` + tool + `","args":` + args + "}}\n")
	return func() []byte {
		if _, err := d.in.Write(request); err != nil {
			d.b.Fatal(err)
		}
		for {
			line, err := d.out.ReadSlice('\n')
			if err != nil {
				d.b.Fatal(err)
			}
			if bytes.Contains(line, []byte(`"id":1`)) {
				return line
			}
		}
	}
}

// webDoor is a client with one connection.
type webDoor struct {
	r  *rig
	c  net.Conn
	in *bufio.Reader
}

func newWebDoor(b testing.TB, r *rig) *webDoor {
	c, err := net.Dial("tcp", r.http.Listener.Addr().String())
	require.NoError(b, err)
	b.Cleanup(func() { c.Close() })
	return &webDoor{r, c, bufio.NewReaderSize(c, 1<<20)}
}

func (d *webDoor) call(tool, args string) func() []byte {
	body := `{"tool":"` + tool + `","args":` + args + `}`
	request := []byte("POST " + d.r.toolsPath() + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + d.r.annToken +
		"\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
	return func() []byte {
		if _, err := d.c.Write(request); err != nil {
			d.r.t.Fatal(err)
		}
		resp, err := http.ReadResponse(d.in, nil)
		if err != nil {
			d.r.t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			d.r.t.Fatal(resp.Status, err, string(b))
		}
		return b
	}
}
