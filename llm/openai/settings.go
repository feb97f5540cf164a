package openai

import (
	"slices"

	"atelier/llm/models"
)

// Settings returns what is known of model, with what the options say.
func (c *base) Settings(model string) models.Settings {
	s := c.SettingsIn(c.table, model)
	if c.opt.ParallelToolCalls != nil {
		s.Parallel = c.opt.ParallelToolCalls
	}
	if s.InText == nil || c.opt.TextToolCalls {
		s.InText = &c.opt.TextToolCalls
	}
	if _, refused := c.refused.Load(model + "\x00" + models.RepairNoImages); refused {
		s.Images = new(bool)
	} else if takes, told := c.sees.Load(model); told && s.Images == nil {
		sees := takes.(bool)
		s.Images = &sees
	}
	return s
}

// SettingsIn returns what t says of model at this endpoint.
func (c *base) SettingsIn(t models.Table, model string) models.Settings {
	return t.Lookup(model, c.at.name)
}

// Refused lists the optional parameters the endpoint did not take for model so
// far, and the repairs its requests needed or its server asks for.
func (c *base) Refused(model string) []string {
	var list []string
	add := func(name string) {
		_, ok := c.refused.Load(model + "\x00" + name)
		if none, _ := c.toolless.Load(model); none == true && name == models.RepairTextTools {
			ok = true
		}
		if ok && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	for _, name := range c.api.known {
		add(name)
	}
	return list
}

// Host returns the endpoint's host, without port.
func (c *base) Host() string { return c.at.name }
