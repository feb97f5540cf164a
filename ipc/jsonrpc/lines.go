package jsonrpc

import "bufio"

// ReadLine reads a message up to a newline. One over MaxMessage is read to its end
// and discarded: ErrTooLarge.
func ReadLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.ReadSlice('\n')
		if !tooLong {
			if len(line)+len(part) > MaxMessage+1 {
				tooLong, line = true, nil
			} else {
				line = append(line, part...)
			}
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case tooLong && err == nil:
			return nil, ErrTooLarge
		case tooLong:
			return nil, err
		}
		return line, err
	}
}
