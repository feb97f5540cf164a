package childgroup

import (
	"os"
	"strconv"
)

// expendable has the system end process pid before others when it has no memory left
// (proc_pid_oom_score_adj(5)). The programs that it starts later inherit that.
func expendable(pid int) {
	// Raising needs no right. An error means that the process has ended, or that there is
	// no /proc: then the system chooses.
	_ = os.WriteFile("/proc/"+strconv.Itoa(pid)+"/oom_score_adj", []byte("1000"), 0)
}
