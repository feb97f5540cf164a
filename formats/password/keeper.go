package password

import (
	"context"
	"slices"
	"sync"

	"atelier/formats"
)

const (
	// Most is how many passwords a Keeper holds: each is tried, and trying one
	// takes some time on purpose.
	Most = 32
	// MaxLength is how long one may be, in bytes. Office takes 255 characters.
	MaxLength = 1024

	maxRemembered = 64
	maxAsked      = 3 // times for one file
)

// Keeper holds the passwords of a person. It is safe for concurrent use.
type Keeper struct {
	mu    sync.Mutex // guards the fields below
	list  []string   // the one that opened a file last first
	known map[string]any
	order []string // keys of known, the oldest first
	ask   Ask
	asked map[string]bool // by name: the person does not want to give it

	asking sync.Mutex // one question at a time
}

// Ask asks a person for the password of a file; again says that the one before was
// wrong. ok is false if they do not give one.
type Ask func(ctx context.Context, name string, again bool) (pw string, ok bool)

// NewKeeper returns one without passwords.
func NewKeeper() *Keeper { return &Keeper{} }

// Add adds passwords; one that is there already counts once.
func (k *Keeper) Add(pws ...string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range pws {
		switch {
		case p == "":
			return formats.Errorf(formats.CodeInvalid, "a password is empty")
		case len(p) > MaxLength:
			return formats.Errorf(formats.CodeInvalid, "a password has more than %d bytes", MaxLength)
		case slices.Contains(k.list, p):
			continue
		case len(k.list) >= Most:
			return formats.Errorf(formats.CodeTooLarge, "there are more than %d passwords; each would be tried for each file", Most)
		}
		k.list = append(k.list, p)
		k.asked = nil
	}
	return nil
}

// Forget drops all passwords, and what they opened.
func (k *Keeper) Forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list, k.known, k.order, k.asked = nil, nil, nil, nil
}

// All lists the passwords, for code that takes them out of texts.
func (k *Keeper) All() []string {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.list)
}

// Len says how many there are.
func (k *Keeper) Len() int { return len(k.All()) }

// SetAsk lets the Keeper ask a person where no password opens a file.
func (k *Keeper) SetAsk(a Ask) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ask = a
}

// String does not tell the passwords.
func (k *Keeper) String() string { return "passwords" }

// GoString does not tell them either.
func (k *Keeper) GoString() string { return "passwords" }

func (k *Keeper) moveToFront(pw string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := slices.Index(k.list, pw); i > 0 {
		k.list = slices.Insert(slices.Delete(k.list, i, i+1), 0, pw)
	}
}

type (
	keeperKey struct{}
	watchKey  struct{}
)

// With lets readers under ctx try the passwords of k.
func With(ctx context.Context, k *Keeper) context.Context {
	if k == nil {
		return ctx
	}
	return context.WithValue(ctx, keeperKey{}, k)
}

// From returns the Keeper of a context, nil if there is none.
func From(ctx context.Context) *Keeper {
	k, _ := ctx.Value(keeperKey{}).(*Keeper)
	return k
}

// Try calls try with each password until one opens the file of that name, and asks
// the person if none does and they can be asked. The error is CodeEncrypted without
// any password, CodeWrongPassword if none opens the file, or that of try.
func Try(ctx context.Context, name string, try func(pw string) (opens bool, err error)) error {
	k := From(ctx)
	if k == nil {
		return needed(name)
	}
	list := k.All()
	for _, pw := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		opens, err := try(pw)
		if err != nil {
			return err
		}
		if opens {
			k.moveToFront(pw)
			return nil
		}
	}
	asked, err := k.tryAsked(ctx, name, list, try)
	switch {
	case err != nil:
		return err
	case asked == opened:
		return nil
	case asked == wrong || len(list) > 0:
		return wrongPassword(name)
	}
	return needed(name)
}

// What came of asking.
type outcome int

const (
	notAsked outcome = iota
	wrong
	opened
)

func (k *Keeper) tryAsked(ctx context.Context, name string, tried []string, try func(string) (bool, error)) (outcome, error) {
	k.mu.Lock()
	ask, declined := k.ask, k.asked[name]
	k.mu.Unlock()
	if ask == nil || declined {
		return notAsked, nil
	}
	k.asking.Lock()
	defer k.asking.Unlock()
	for _, pw := range k.All() { // what was asked for meanwhile
		if slices.Contains(tried, pw) {
			continue
		}
		if opens, err := try(pw); err != nil || opens {
			return opened, err
		}
	}
	result := notAsked
	for i := range maxAsked {
		pw, ok := ask(ctx, name, i > 0)
		if !ok {
			break
		}
		opens, err := try(pw)
		if err != nil {
			return notAsked, err
		}
		if opens {
			return opened, k.Add(pw)
		}
		result = wrong
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.asked == nil {
		k.asked = map[string]bool{}
	}
	k.asked[name] = true
	return result, nil
}

// howToGive ends the errors about passwords. A model reads them.
const howToGive = "the person can give it with --password-file or in the app; do not ask for it in the conversation, which is stored"

func needed(name string) error {
	return formats.Errorf(formats.CodeEncrypted, "%s is encrypted with a password, which was not given; %s", name, howToGive)
}

func wrongPassword(name string) error {
	return formats.Errorf(formats.CodeWrongPassword, "%s is encrypted, and no password that was given opens it; %s", name, howToGive)
}

// Remember keeps what opened the content of that hash, so that no password must be
// tried for it again.
func Remember(ctx context.Context, hash string, key any) {
	k := From(ctx)
	if k == nil || hash == "" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil {
		k.known = map[string]any{}
	}
	if _, is := k.known[hash]; !is {
		k.order = append(k.order, hash)
	}
	k.known[hash] = key
	if len(k.order) > maxRemembered {
		delete(k.known, k.order[0])
		k.order = k.order[1:]
	}
}

// Recall returns what Remember kept, or nil.
func Recall(ctx context.Context, hash string) any {
	k := From(ctx)
	if k == nil || hash == "" {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.known[hash]
}

// Check is Try for the password that takes a protection away; what says what is
// protected.
func Check(ctx context.Context, what string, try func(pw string) (matches bool, err error)) error {
	err := Try(ctx, what, try)
	switch formats.CodeOf(err) {
	case formats.CodeEncrypted:
		return formats.Errorf(formats.CodeEncrypted, "%s is protected with a password, which was not given; %s", what, howToGive)
	case formats.CodeWrongPassword:
		return formats.Errorf(formats.CodeWrongPassword, "%s is protected with a password, and none that was given is the right one; %s", what, howToGive)
	}
	return err
}

// Only returns the password that the person gave for something new, of which what
// says what it is. It is an error if there is none, or more than one.
func Only(ctx context.Context, what string) (string, error) {
	pw, n := "", From(ctx).Len()
	if n > 1 {
		return "", formats.Errorf(formats.CodeInvalid, "%d passwords were given, and nothing says which one is for %s; the person gives only that one, or %[2]s is protected without a password", n, what)
	}
	err := Try(ctx, what, func(given string) (bool, error) {
		pw = given
		return true, nil
	})
	if formats.CodeOf(err) == formats.CodeEncrypted {
		return "", formats.Errorf(formats.CodeEncrypted, "a password for %s was not given; %s", what, howToGive)
	}
	return pw, err
}
