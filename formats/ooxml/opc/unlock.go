package opc

import (
	"context"
	"errors"

	"atelier/formats"
	"atelier/formats/ooxml/offcrypto"
	"atelier/formats/password"
)

// Locked reports whether src is encrypted with a password.
func Locked(src formats.Source) bool {
	f, err := offcrypto.Open(src)
	return f != nil || formats.CodeOf(err) == formats.CodeUnsupported
}

// unlock returns the content of a file that is encrypted with a password, and its
// key; any other file as it is.
func unlock(ctx context.Context, src formats.Source) (formats.Source, *offcrypto.Key, error) {
	f, err := offcrypto.Open(src)
	if err != nil || f == nil {
		return src, nil, err
	}
	key, err := unlockWith(ctx, f, src)
	if err != nil {
		return nil, nil, err
	}
	plain, err := key.Source(ctx)
	if err != nil {
		return nil, nil, err
	}
	password.Opened(ctx, src.Name())
	password.Remember(ctx, src.Hash(), key.For(nil))
	return plain, key, nil
}

func unlockWith(ctx context.Context, f *offcrypto.File, src formats.Source) (key *offcrypto.Key, err error) {
	if known, ok := password.Recall(ctx, src.Hash()).(*offcrypto.Key); ok {
		return known.For(f), nil
	}
	// Programs open workbooks that have this password without asking for it.
	if key, err = f.Unlock(ctx, offcrypto.DefaultPassword); !errors.Is(err, offcrypto.ErrWrongPassword) {
		return key, err
	}
	err = password.Try(ctx, src.Name(), func(pw string) (bool, error) {
		key, err = f.Unlock(ctx, pw)
		if errors.Is(err, offcrypto.ErrWrongPassword) {
			return false, nil
		}
		return err == nil, err
	})
	return key, err
}
