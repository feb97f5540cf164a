package endpoint

import (
	"slices"

	"atelier/llm/models"
)

// Settings returns what is known of model, with what the options say.
func (c *Base) Settings(model string) models.Settings {
	s := c.SettingsIn(c.table, model)
	if c.Options.ParallelToolCalls != nil {
		s.Parallel = c.Options.ParallelToolCalls
	}
	if s.InText == nil || c.Options.TextToolCalls {
		s.InText = &c.Options.TextToolCalls
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
func (c *Base) SettingsIn(t models.Table, model string) models.Settings {
	return t.Lookup(model, c.At.Name)
}

// Refused lists the optional parameters the endpoint did not take for model so
// far, and the repairs its requests needed or its server asks for.
func (c *Base) Refused(model string) []string {
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
	for _, name := range c.api.Known {
		add(name)
	}
	return list
}

// Host returns the endpoint's host, without port.
func (c *Base) Host() string { return c.At.Name }

// Made returns the changes that requests for model begin with.
func (c *Base) Made(model string, set models.Settings) map[string]bool {
	made := map[string]bool{}
	for _, name := range c.Refused(model) {
		made[name] = true
	}
	for _, name := range set.Repairs.List() {
		made[name] = true
	}
	if !set.TakesImages() {
		made[models.RepairNoImages] = true
	}
	return made
}
