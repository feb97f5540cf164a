package engine

import (
	"context"

	"atelier/engine/egress"
	"atelier/llm"
)

// filesClient returns the model client for work with files of the host that belong to no
// workbench, and the key to use with it. Where consent is missing the error is
// EGRESS_CONSENT_REQUIRED or EGRESS_BLOCKED_BY_POLICY, and the client, which is
// there then too, refuses every request.
func (e *Engine) filesClient(ctx context.Context, model string, files []string) (llm.Client, string, error) {
	c, err := e.filesConsent(ctx, model, files)
	if err != nil {
		return nil, "", err
	}
	client, key, err := e.client(ctx, model)
	if err != nil || c.party.Provider == ProviderPseudo {
		return client, key, err
	}
	if !c.given() {
		err = c.refusal()
	} else {
		err = e.logAllowed(c)
	}
	return e.announce(client, c, egress.KindTranslate), key, err
}

// grantFiles lets files of the host go to a model, for good or as long as the
// engine lives.
func (e *Engine) grantFiles(ctx context.Context, model string, files []string, persist bool) error {
	c, err := e.filesConsent(ctx, model, files)
	switch {
	case err != nil || c.local:
		return err
	case c.mode == EgressLocalOnly:
		return c.refusal()
	}
	if err := e.grant(ctx, c, c.scope.Files, persist); err != nil {
		return err
	}
	return e.logConsent(egress.KindGranted, c)
}

func (e *Engine) filesConsent(ctx context.Context, model string, files []string) (*consent, error) {
	return e.consentFor(ctx, "", model, func() (egress.Scope, error) { return egress.NewScope(files), nil })
}
