package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"atelier/internal/cluster"
	"atelier/internal/replica/bucket"
	"atelier/internal/replica/stream"
)

func newClusterContents(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "contents",
		Short: "Show and change where a cluster keeps large contents",
		Long: `Shows and changes where the servers of a cluster ('atelier http --cluster') keep large
contents of their workspaces: in JetStream, or in a bucket (--cluster-contents).`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newContentsStatus(s), newContentsMove(s))
	return cmd
}

// contentsStatus is what cluster contents status prints as JSON.
type contentsStatus struct {
	bucket.Chosen
	JetStream int `json:"in_jetstream"` // contents
}

func newContentsStatus(s *settings) *cobra.Command {
	var c clusterFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "Show where large contents are",
		Long:    "Shows where the servers of the cluster put large contents, and how many JetStream has.",
		Example: "  atelier cluster contents status --cluster nats://10.0.0.1:4222",
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			st, err := lookAtContents(cmd.Context(), s, &c)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), st)
			}
			printContents(cmd.OutOrStdout(), st)
			return nil
		},
	}
	c.add(cmd.Flags(), "the cluster")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// lookAtContents makes nothing in the cluster.
func lookAtContents(ctx context.Context, s *settings, c *clusterFlags) (st contentsStatus, err error) {
	if err := s.resolve(); err != nil {
		return st, err
	}
	c.resolve(s)
	cl, err := c.Connect(ctx, "atelier cluster on "+hostName())
	if err != nil {
		return st, err
	}
	defer cl.Close()
	chosen := false
	choice, err := bucket.FindChoice(ctx, cl)
	if err == nil {
		st.Chosen, _, chosen, err = choice.Get(ctx)
	}
	if err != nil && !errors.Is(err, cluster.ErrNotFound) {
		return st, err
	}
	if !chosen {
		st.Store = bucket.JetStream
	}
	logs, err := stream.Find(ctx, cl)
	if errors.Is(err, cluster.ErrNotFound) {
		return st, nil // no server of atelier http has joined this cluster
	}
	if err != nil {
		return st, err
	}
	all, err := logs.AllContents(ctx)
	for _, names := range all {
		st.JetStream += len(names)
	}
	return st, err
}

func printContents(out io.Writer, st contentsStatus) {
	switch {
	case st.Moving:
		fmt.Fprintf(out, "Large contents are being moved from %s to JetStream, which has %d.\n", st.Chosen, st.JetStream)
	case st.Store == bucket.JetStream:
		fmt.Fprintf(out, "Large contents are in JetStream, which has %d.\n", st.JetStream)
	default:
		fmt.Fprintf(out, "Large contents are put into %s. JetStream still has %d from before.\n", st.Chosen, st.JetStream)
	}
}

func newContentsMove(s *settings) *cobra.Command {
	var c clusterFlags
	var where contentsFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "move bucket|jetstream",
		Short: "Move large contents from JetStream to a bucket, or back",
		Long: `Moves the large contents of all workspaces from JetStream to the bucket that
--cluster-contents names, or from that bucket back to JetStream.

Stop all servers first; the command refuses while one works. On the way to the bucket they
can be started again, with --cluster-contents, as soon as the command says so: contents that
are not moved yet are read from JetStream. On the way back they stay stopped until the end. A
command that was stopped is given again, and continues.`,
		Example: `  atelier cluster contents move bucket --cluster nats://10.0.0.1:4222 --cluster-contents s3://documents/atelier --s3-endpoint https://store:9000`,
		Args:    usageArgs(cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs)), ValidArgs: []string{"bucket", "jetstream"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if where.place == "" {
				return usageError{errors.New("--cluster-contents is required: the bucket, such as s3://documents/atelier")}
			}
			m, err := openMove(cmd.Context(), s, &c)
			if err != nil {
				return err
			}
			defer m.cl.Close()
			if m.place, err = where.open(s); err != nil {
				return err
			}
			defer m.place.Close()
			m.say = func(format string, args ...any) { fmt.Fprintf(cmd.ErrOrStderr(), format+"\n", args...) }
			move := m.toBucket
			if args[0] == "jetstream" {
				move = m.toJetStream
			}
			did, err := move(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), did)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "Moved %s, %s.\n", plural(int64(did.Contents), "content"), size(did.Bytes))
			if did.Left > 0 {
				fmt.Fprintf(cmd.OutOrStdout(), "%d are incomplete or damaged, and were left: a server that died while it stored them named none of them, unless a workspace now says that a content is damaged.\n", did.Left)
			}
			return nil
		},
	}
	c.add(cmd.Flags(), "the cluster")
	where.add(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// contentsMove moves contents.
type contentsMove struct {
	cl     *cluster.Cluster
	logs   *stream.Store
	choice *bucket.Choice
	place  *bucket.Place
	is     bucket.Chosen
	number uint64
	chosen bool
	say    func(format string, args ...any)
}

func openMove(ctx context.Context, s *settings, c *clusterFlags) (m *contentsMove, err error) {
	if err := s.resolve(); err != nil {
		return nil, err
	}
	c.resolve(s)
	m = &contentsMove{}
	if m.cl, err = c.Connect(ctx, "atelier cluster on "+hostName()); err != nil {
		return nil, err
	}
	if m.logs, err = stream.Open(ctx, m.cl); err == nil {
		if m.choice, err = bucket.OpenChoice(ctx, m.cl); err == nil {
			m.is, m.number, m.chosen, err = m.choice.Get(ctx)
		}
	}
	if err != nil {
		m.cl.Close()
		return nil, err
	}
	return m, nil
}

// choose changes the choice while no server works, and returns to the one before where one does.
func (m *contentsMove) choose(ctx context.Context, to bucket.Chosen) error {
	if err := m.choice.Set(ctx, to, m.number); err != nil {
		return err
	}
	now, number, _, err := m.choice.Get(ctx)
	if err != nil {
		return err
	}
	before := m.is
	if !m.chosen {
		before = bucket.Chosen{Store: bucket.JetStream}
	}
	if err := noneAtWork(ctx, m.cl); err != nil {
		return errors.Join(err, m.choice.Set(ctx, before, number))
	}
	m.is, m.number, m.chosen = now, number, true
	return nil
}

func (m *contentsMove) progress(what bucket.Moved) {
	m.say("%d contents, %s", what.Contents, size(what.Bytes))
}

func (m *contentsMove) toBucket(ctx context.Context) (bucket.Moved, error) {
	want := m.place.Chosen()
	if m.chosen && m.is.Store != bucket.JetStream && m.is.Store != want.Store {
		return bucket.Moved{}, fmt.Errorf("large contents are in %s: move them to JetStream first, with its --cluster-contents", m.is)
	}
	if err := m.place.Try(ctx); err != nil {
		return bucket.Moved{}, err
	}
	name, err := m.choice.Cluster(ctx)
	if err != nil {
		return bucket.Moved{}, err
	}
	if m.chosen && m.is.Store == want.Store {
		err = m.place.Check(ctx, name)
	} else {
		err = m.place.Mark(ctx, name)
	}
	if err != nil {
		return bucket.Moved{}, err
	}
	if !m.chosen || m.is.Store != want.Store || m.is.Moving {
		if err := m.choose(ctx, want); err != nil {
			return bucket.Moved{}, err
		}
		m.say("Servers may be started with --cluster-contents %s; contents that JetStream has are moved now.", want.Store)
	}
	return bucket.ToBucket(ctx, m.logs, m.place, m.progress)
}

func (m *contentsMove) toJetStream(ctx context.Context) (did bucket.Moved, err error) {
	want := m.place.Chosen()
	if !m.chosen || m.is.Store == bucket.JetStream {
		return did, errors.New("large contents are in JetStream already")
	}
	if m.is.Store != want.Store {
		return did, fmt.Errorf("large contents are in %s, not in %s", m.is, want.Store)
	}
	name, err := m.choice.Cluster(ctx)
	if err == nil {
		err = m.place.Check(ctx, name)
	}
	if err == nil {
		moving := m.is
		moving.Moving = true
		err = m.choose(ctx, moving)
	}
	if err != nil {
		return did, err
	}
	m.say("Servers stay stopped until all contents are moved.")
	if did, err = bucket.ToJetStream(ctx, m.place, m.logs, m.progress); err != nil {
		return did, err
	}
	if err = m.choice.Set(ctx, bucket.Chosen{Store: bucket.JetStream}, m.number); err != nil {
		return did, err
	}
	if did.Left > 0 {
		m.say("Servers may be started without --cluster-contents. The bucket keeps what it has, since not all could be moved.")
		return did, nil
	}
	m.say("Servers may be started without --cluster-contents; the bucket is emptied now.")
	return did, m.place.Clear(ctx)
}
