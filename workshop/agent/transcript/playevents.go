package transcript

import "atelier/workshop/agent"

// Emit implements agent.Sink.
func (p *player) Emit(e agent.Event) {
	if e.Method != agent.EventUsage || p.script.config.Usage {
		p.note(e)
	}
	if p.on != nil {
		p.on(e)
	}
}

func (p *player) note(v any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d, ok := v.(agent.Event); ok && len(p.events) > 0 {
		if prev, ok := p.events[len(p.events)-1].(agent.Event); ok {
			if joined, ok := join(prev, d); ok {
				p.events[len(p.events)-1] = joined
				return
			}
		}
	}
	p.events = append(p.events, v)
}

// join makes one delta of two of the same message.
func join(a, b agent.Event) (agent.Event, bool) {
	first, ok := a.Params.(agent.StreamDelta)
	next, ok2 := b.Params.(agent.StreamDelta)
	if !ok || !ok2 || first.MessageID != next.MessageID {
		return a, false
	}
	first.TokenDelta += next.TokenDelta
	return agent.Event{Method: a.Method, Params: first}, true
}
