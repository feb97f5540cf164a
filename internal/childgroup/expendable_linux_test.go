package childgroup

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// What a child starts is ended before this program, too, when memory runs out.
func TestChildrenAreEndedFirst(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "read go; cat /proc/self/oom_score_adj")
	Own(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd.Stdout = &out
	if err := Start(cmd); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write([]byte("go\n")); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || out.String() != "1000\n" {
		t.Errorf("the score of what it starts is %q, want 1000: %v", out.String(), err)
	}
	own, err := os.ReadFile("/proc/self/oom_score_adj")
	if err != nil || string(own) == "1000\n" {
		t.Errorf("this program's score is %q: %v", own, err)
	}
}
