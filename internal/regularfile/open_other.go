//go:build !unix

package regularfile

import "os"

const flags = os.O_RDONLY
