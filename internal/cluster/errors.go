package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The kinds of failure; use errors.Is.
var (
	ErrUnreachable = errors.New("the cluster cannot be reached")                // try again later
	ErrRefused     = errors.New("the cluster refused the credentials")          // or an operation that they do not allow
	ErrNoJetStream = errors.New("the cluster has no JetStream")                 // or not for this account
	ErrTooOld      = errors.New("the server is too old")                        // see oldest
	ErrNotFound    = errors.New("the cluster does not have it")                 // a key, content, bucket or stream
	ErrHeld        = errors.New("another process holds the lease")              // see HeldError
	ErrLost        = errors.New("the lease is lost")                            // it expired, or another process has it
	ErrConflict    = errors.New("it was changed meanwhile")                     // a compare-and-set failed
	ErrMismatch    = errors.New("it exists in the cluster with other settings") // a bucket or stream
)

// classified brings an error of NATS under one of the kinds. What names the operation
// for people. nil stays nil; a context's own end stays what it is.
func classified(what string, err error) error {
	if err == nil {
		return nil
	}
	kind := kindOf(err)
	if kind == nil || errors.Is(err, kind) {
		return fmt.Errorf("%s: %w", what, err)
	}
	return fmt.Errorf("%s: %w: %w", what, kind, err)
}

func kindOf(err error) error {
	var api *jetstream.APIError
	var dial *net.OpError
	switch {
	case errors.Is(err, context.Canceled):
		return nil
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return ErrNoJetStream
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked), errors.Is(err, nats.ErrPermissionViolation):
		return ErrRefused
	case errors.Is(err, jetstream.ErrKeyNotFound), errors.Is(err, jetstream.ErrKeyDeleted), errors.Is(err, jetstream.ErrBucketNotFound),
		errors.Is(err, jetstream.ErrObjectNotFound), errors.Is(err, jetstream.ErrStreamNotFound), errors.Is(err, jetstream.ErrConsumerNotFound):
		return ErrNotFound
	case IsConflict(err):
		return ErrConflict
	case errors.Is(err, nats.ErrTimeout), errors.Is(err, nats.ErrNoServers), errors.Is(err, nats.ErrNoResponders), errors.Is(err, nats.ErrConnectionClosed),
		errors.Is(err, nats.ErrDisconnected), errors.Is(err, nats.ErrReconnectBufExceeded), errors.Is(err, jetstream.ErrNoStreamResponse),
		errors.Is(err, jetstream.ErrAsyncPublishTimeout), errors.Is(err, jetstream.ErrTooManyStalledMsgs),
		errors.Is(err, context.DeadlineExceeded), errors.As(err, &dial):
		return ErrUnreachable
	case errors.As(err, &api) && api.Code >= 500:
		return ErrUnreachable // no leader, no quorum, or no room for now
	}
	return nil
}

// Patiently calls do again while the cluster cannot be reached, for most at most, such as
// while its servers choose a leader.
func Patiently(ctx context.Context, most time.Duration, do func() error) error {
	for end := time.Now().Add(most); ; {
		err := do()
		if err == nil || ctx.Err() != nil || !errors.Is(err, ErrUnreachable) || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// IsConflict reports whether a compare-and-set failed because the key or subject has
// another last sequence than expected.
func IsConflict(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, ErrConflict) || errors.Is(err, jetstream.ErrKeyExists) ||
		errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// HeldError says who holds a lease; it is an ErrHeld.
type HeldError struct {
	Key    string
	Holder Holder
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("%s holds the lease of %s", e.Holder.Owner, e.Key)
}

// Is makes it an ErrHeld.
func (e *HeldError) Is(target error) bool { return target == ErrHeld }
