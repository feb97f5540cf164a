package engine

import "atelier/engine/toolservers"

// OpenToolServers opens the other servers whose tools models may call, with the settings
// of the engine. The caller closes the result, before the engine.
func (e *Engine) OpenToolServers() *toolservers.Pool {
	return toolservers.New(toolservers.Options{Home: e.home.Dir(), Transport: e.egress.client.Transport, Keys: e.opt.Keys, Version: Version, Log: e.log, Now: e.opt.Now})
}
