package review

import (
	"context"
	"errors"
	"fmt"
	"time"

	"atelier/formats"
	"atelier/workshop"
)

// fileTime limits the comparison of one file, so that a file made to exhaust
// programs holds up neither a review nor the other files in it.
var fileTime = 2 * time.Minute

// limited calls compare with a context that ends after fileTime. If that ends
// it, and ctx goes on, the error is a *formats.Error that says so.
func limited(ctx context.Context, path workshop.Path, compare func(context.Context) error) error {
	limit, cancel := context.WithTimeout(ctx, fileTime)
	defer cancel()
	err := compare(limit)
	if err != nil && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return formats.Errorf(formats.CodeTooLarge, "%s was not compared: that takes longer than %s; open both versions in their own program", path, fileTime)
	}
	return err
}

// notCompared returns the message of the error of limited, "" for other errors.
func notCompared(err error) string {
	var fe *formats.Error
	if errors.As(err, &fe) && fe.Code == formats.CodeTooLarge {
		return fmt.Sprint(fe)
	}
	return ""
}
