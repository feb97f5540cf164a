package stdio

import (
	"bufio"

	"atelier/ipc/jsonrpc"
)

// MaxLine is the maximum length of a line in bytes (I-05).
const MaxLine = jsonrpc.MaxMessage

// readLine reads up to a newline. A line over MaxLine is read to its end and
// discarded: jsonrpc.ErrTooLarge.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if !tooLong {
			if len(line)+len(part) > MaxLine+1 {
				tooLong, line = true, nil
			} else {
				line = append(line, part...)
			}
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case tooLong && err == nil:
			return nil, jsonrpc.ErrTooLarge
		case tooLong:
			return nil, err
		}
		return line, err
	}
}
