//go:build unix

package sharedtexts_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"atelier/formats/all"
	"atelier/formats/formatstest"
	"atelier/internal/campaign"
	"atelier/internal/cluster"
	"atelier/internal/cluster/clustertest"
	"atelier/workshop/translate"
	"atelier/workshop/translate/sharedtexts"
	"atelier/workshop/translate/translator"
)

// process is what a child process of a test does: it translates In into Out.
type process struct {
	URLs    []string // of the cluster; empty: alone
	Name    string
	In, Out string
	Asked   string        // a file: one line for each text that is asked for
	Answer  time.Duration // how long an answer takes
	Session time.Duration
}

func TestMain(m *testing.M) {
	if conf := os.Getenv("SHAREDTEXTS_PROCESS"); conf != "" {
		var p process
		err := json.Unmarshal([]byte(conf), &p)
		if err == nil {
			err = p.run()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func (p process) run() error {
	log, err := os.OpenFile(p.Asked, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	opt := translate.Options{To: []string{"de", "fr"}, Out: p.Out, Formats: all.Formats(all.Options{CacheDir: formatstest.Cache}), Engine: shouts{p, log}, Jobs: 3}
	ctx := context.Background()
	if len(p.URLs) > 0 {
		c, err := cluster.Connect(ctx, cluster.Options{URLs: p.URLs, Name: p.Name})
		if err != nil {
			return err
		}
		defer c.Close()
		texts, err := sharedtexts.Join(ctx, c, sharedtexts.Options{Job: "job", Process: p.Name, Session: p.Session})
		if err != nil {
			return err
		}
		defer texts.Close()
		opt.Shared = texts
	}
	rep, err := translate.Run(ctx, opt, []string{p.In})
	for _, f := range rep.Files {
		if f.Error != "" {
			return fmt.Errorf("%s: %s", f.Input, f.Error)
		}
	}
	return err
}

// shouts translates by upper case and says what it is asked for.
type shouts struct {
	process
	log *os.File
}

func (shouts) Name() string          { return "shouts" }
func (shouts) Size() translator.Size { return translator.Size{Segments: 10, Chars: 1 << 20} }

func (e shouts) Translate(_ context.Context, b translator.Batch, accept func(id, target string) error) (u translator.Usage, err error) {
	for _, s := range b.Segments {
		fmt.Fprintf(e.log, "%s\t%s %s\n", e.process.Name, b.To, s.Text) // one write a line: appended whole
	}
	time.Sleep(e.Answer)
	for _, s := range b.Segments {
		_ = accept(s.ID, strings.ToUpper(s.Text)+" ("+b.To+")")
	}
	return translator.Usage{Requests: 1}, nil
}

func start(t testing.TB, p process) *exec.Cmd {
	t.Helper()
	conf, err := json.Marshal(p)
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "SHAREDTEXTS_PROCESS="+string(conf))
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd
}

// asked are the names of the processes that asked for each text, by text.
func asked(t testing.TB, path string) map[string][]string {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	out := map[string][]string{}
	for s := bufio.NewScanner(f); s.Scan(); {
		who, text, _ := strings.Cut(s.Text(), "\t")
		out[text] = append(out[text], who)
	}
	return out
}

// outputs are the translated documents below a folder, by their path.
func outputs(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".atelier" {
				return fs.SkipDir
			}
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		out[rel] = string(b)
		return err
	}))
	return out
}

// documents are documents with texts that repeat within and among them.
func documents(t testing.TB, r *rand.Rand, count, paragraphs int) string {
	t.Helper()
	in := t.TempDir()
	for i := range count {
		var b strings.Builder
		for j := range paragraphs {
			fmt.Fprintf(&b, "Paragraph %d of the document number %d.\n\nThis is in many: %d.\n\n", j, i, r.IntN(3*paragraphs))
		}
		require.NoError(t, os.WriteFile(filepath.Join(in, fmt.Sprintf("f%d.md", i)), []byte(b.String()), 0o600))
	}
	return in
}

// Several processes translate the same documents while processes and servers are killed
// and paused. Each process that ends has the bytes of one that worked alone, and a text
// was asked for twice only if the process that asked before was killed or paused, or was
// there when servers were killed, which may end its session.
func TestProcessesThatDie(t *testing.T) {
	campaign.Slow(t)
	rounds := campaign.Of(1, 40)
	for round := range rounds {
		seed := uint64(campaign.Seed()) + uint64(round)
		t.Run(fmt.Sprint(seed), func(t *testing.T) { processesThatDie(t, rand.New(rand.NewPCG(seed, 22))) })
	}
}

func processesThatDie(t *testing.T, r *rand.Rand) {
	const session = 1500 * time.Millisecond
	in := documents(t, r, 4+r.IntN(4), 30+r.IntN(60))
	dir := t.TempDir()
	alone := process{Name: "alone", In: in, Out: filepath.Join(dir, "alone"), Asked: filepath.Join(dir, "alone.txt")}
	require.NoError(t, start(t, alone).Wait())
	want := outputs(t, alone.Out)
	servers := clustertest.Start(t, 1+2*r.IntN(2))
	n := len(servers.URLs())

	log := filepath.Join(dir, "asked.txt")
	faulty := map[string]bool{} // names of processes that were killed or paused
	var live []*exec.Cmd
	var names []string
	begin := func(i int) {
		name := fmt.Sprintf("p%d", len(names))
		names = append(names, name)
		live[i] = start(t, process{URLs: servers.URLs(), Name: name, In: in, Out: filepath.Join(dir, name), Asked: log, Session: session, Answer: time.Duration(40+r.IntN(80)) * time.Millisecond})
	}
	live = make([]*exec.Cmd, 2+r.IntN(3))
	at := make([]string, len(live))
	for i := range live {
		begin(i)
		at[i] = names[len(names)-1]
	}
	faults := 0
	for range max(3, campaign.Of(3, 6)) {
		time.Sleep(time.Duration(200+r.IntN(500)) * time.Millisecond)
		i := r.IntN(len(live))
		switch k := r.IntN(3); {
		case k == 0:
			_ = live[i].Process.Kill()
			if live[i].Wait() == nil {
				continue // it had ended
			}
			faulty[at[i]] = true
			begin(i)
			at[i] = names[len(names)-1]
		case k == 1:
			faulty[at[i]] = true
			_ = live[i].Process.Signal(syscall.SIGSTOP)
			time.Sleep(session + time.Duration(r.IntN(1000))*time.Millisecond)
			_ = live[i].Process.Signal(syscall.SIGCONT)
		default:
			servers.Kill(r.IntN(n))
			time.Sleep(100 * time.Millisecond)
			for j := range n {
				servers.Kill(j) // one that is dead stays so
				servers.Restart(j)
			}
			servers.Ready()
			for _, name := range at { // the session of each may have ended meanwhile
				faulty[name] = true
			}
		}
		faults++
	}
	for i, cmd := range live {
		if cmd.ProcessState == nil {
			err := cmd.Wait()
			if err != nil && faulty[at[i]] { // the cluster did not answer for too long: the same command again continues
				p := process{URLs: servers.URLs(), Name: at[i] + "'", In: in, Out: filepath.Join(dir, at[i]), Asked: log, Session: session}
				err = start(t, p).Wait()
			}
			require.NoError(t, err)
		}
		require.Equal(t, want, outputs(t, filepath.Join(dir, at[i])))
	}
	twice := 0
	for text, who := range asked(t, log) {
		for _, name := range who[:len(who)-1] {
			twice++
			require.True(t, faulty[name], "%q was asked for by %v, of which %v were killed or paused", text, who, faulty)
		}
	}
	require.Len(t, asked(t, log), len(asked(t, alone.Asked)), "every text was asked for, and no other")
	t.Logf("%d servers, %d processes at once, %d faults, %d of %d texts asked for twice", n, len(live), faults, twice, len(asked(t, log)))
}

// Without faults, each text is asked for once, whatever the number of processes.
func TestProcesses(t *testing.T) {
	r := rand.New(rand.NewPCG(uint64(campaign.Seed()), 1))
	in := documents(t, r, 4, 30)
	servers := clustertest.Start(t, 1)
	dir := t.TempDir()
	log := filepath.Join(dir, "asked.txt")
	var cmds []*exec.Cmd
	for i := range 3 {
		cmds = append(cmds, start(t, process{URLs: servers.URLs(), Name: fmt.Sprint(i), In: in, Out: filepath.Join(dir, fmt.Sprint(i)), Asked: log, Session: 5 * time.Second, Answer: 30 * time.Millisecond}))
	}
	for i, c := range cmds {
		require.NoError(t, c.Wait())
		require.Equal(t, outputs(t, filepath.Join(dir, "0")), outputs(t, filepath.Join(dir, fmt.Sprint(i))))
	}
	by := map[string]int{}
	for text, who := range asked(t, log) {
		require.Len(t, who, 1, text)
		by[who[0]]++
	}
	require.Len(t, by, 3, "all take part")
	t.Log(by)
}

// BenchmarkProcesses translates with an endpoint that takes 200 ms for an answer, alone
// and with four processes; s/job is the time of the whole.
func BenchmarkProcesses(b *testing.B) {
	in := documents(b, rand.New(rand.NewPCG(1, 1)), 16, 120)
	for _, answer := range []time.Duration{200 * time.Millisecond, 0} {
		b.Run(fmt.Sprintf("answer=%s/alone", answer), func(b *testing.B) {
			for range b.N {
				dir := b.TempDir()
				require.NoError(b, start(b, process{In: in, Out: dir, Asked: filepath.Join(dir, "asked.txt"), Answer: answer}).Wait())
			}
		})
		b.Run(fmt.Sprintf("answer=%s/four", answer), func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				servers, dir := clustertest.Start(b, 1), b.TempDir()
				b.StartTimer()
				var cmds []*exec.Cmd
				for i := range 4 {
					cmds = append(cmds, start(b, process{URLs: servers.URLs(), In: in, Out: filepath.Join(dir, fmt.Sprint(i)), Asked: filepath.Join(dir, "asked.txt"), Session: 5 * time.Second, Answer: answer}))
				}
				for _, c := range cmds {
					require.NoError(b, c.Wait())
				}
			}
		})
	}
}
