package engine

import (
	"context"
	"encoding/json"
	"slices"

	"atelier/formats"
	"atelier/formats/password"
	"atelier/workshop"
)

// GivePasswordParams are the params of WorkbenchGivePassword.
type GivePasswordParams struct {
	WorkbenchID string `json:"workbench_id"`
	Password    string `json:"password"`
	Path        string `json:"path,omitempty"` // try it on this file first
}

// GivePasswordResult is the result of WorkbenchGivePassword.
type GivePasswordResult struct {
	// Opened: the password opens the file at path. Without a path it was not tried.
	Opened bool `json:"opened"`
}

func passwordMethods() []*Method {
	return []*Method{
		method("WorkbenchGivePassword", "Gives a password that opens encrypted files of a workbench (xlsx, docx, pptx, pdf). It is kept in memory until the engine ends, and no model sees it. With path it is tried on that file, and only kept if it opens it: else the error is WRONG_PASSWORD.", (*Engine).givePassword),
		method("WorkbenchForgetPasswords", "Forgets the passwords that were given for a workbench.", (*Engine).forgetPasswords),
	}
}

// keeper returns the passwords of a workbench.
func (e *Engine) keeper(id string) *password.Keeper {
	e.mu.Lock()
	defer e.mu.Unlock()
	k := e.passwords[id]
	if k == nil {
		k = password.NewKeeper()
		_ = k.Add(e.opt.Passwords...) // New has checked them
		if e.base != nil && e.base.passwords[id] != nil {
			_ = k.Add(e.base.passwords[id].All()...)
		}
		e.passwords[id] = k
	}
	return k
}

// withPasswords lets what is done under ctx open encrypted files of a workbench.
func (e *Engine) withPasswords(ctx context.Context, id string) context.Context {
	if id == "" {
		return ctx
	}
	e.mu.Lock()
	given := e.passwords[id] != nil || len(e.opt.Passwords) > 0 || e.base != nil && e.base.passwords[id] != nil
	e.mu.Unlock()
	if !given {
		return ctx // ids that nobody has do not make keepers
	}
	return password.With(ctx, e.keeper(id))
}

// withPasswordsOf is withPasswords for the workbench that params of a method name.
func (e *Engine) withPasswordsOf(ctx context.Context, params json.RawMessage) context.Context {
	var p WorkbenchRef
	if json.Unmarshal(params, &p) != nil {
		return ctx
	}
	return e.withPasswords(ctx, p.WorkbenchID)
}

// allPasswords lists every password, for what takes them out of recordings.
func (e *Engine) allPasswords() []string {
	list := slices.Clone(e.opt.Passwords)
	e.mu.Lock()
	keepers := e.passwords
	for _, k := range keepers {
		list = append(list, k.All()...)
	}
	e.mu.Unlock()
	slices.Sort(list)
	return slices.Compact(list)
}

func (e *Engine) givePassword(ctx context.Context, p GivePasswordParams) (GivePasswordResult, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return GivePasswordResult{}, err
	}
	defer done()
	if p.Path == "" {
		return GivePasswordResult{}, e.keeper(p.WorkbenchID).Add(p.Password)
	}
	paths, err := parsePaths([]string{p.Path})
	if err != nil {
		return GivePasswordResult{}, err
	}
	one := password.NewKeeper()
	if err := one.Add(p.Password); err != nil {
		return GivePasswordResult{}, err
	}
	src, err := wb.DraftView(workshop.Cause{}).Open(ctx, paths[0])
	if err != nil {
		return GivePasswordResult{}, err
	}
	defer src.Close()
	f, err := e.formats.Detect(ctx, src)
	if err != nil {
		return GivePasswordResult{}, err
	}
	ctx, opened := password.Watch(password.With(ctx, one))
	if f.Mapper != nil {
		if _, err := f.Mapper.Map(ctx, src, formats.MapOptions{}); err != nil {
			return GivePasswordResult{}, err
		}
	}
	if !opened.Any() {
		return GivePasswordResult{}, validation(p.Path + " is not encrypted with a password; nothing was kept")
	}
	return GivePasswordResult{Opened: true}, e.keeper(p.WorkbenchID).Add(p.Password)
}

func (e *Engine) forgetPasswords(ctx context.Context, p WorkbenchRef) (Empty, error) {
	_, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return Empty{}, err
	}
	defer done()
	e.mu.Lock()
	k := e.passwords[p.WorkbenchID]
	e.mu.Unlock()
	if k != nil {
		k.Forget()
	}
	return Empty{}, nil
}
