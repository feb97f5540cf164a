package acp

import (
	"context"
	"slices"

	sdk "github.com/coder/acp-go-sdk"

	"atelier/engine"
	"atelier/workshop/tools"
)

// The modes of a session.
const (
	modeAsk  = "ask"
	modePlan = "plan"
	modeWork = "work"
)

var modes = []sdk.SessionMode{
	{Id: modeAsk, Name: "Ask", Description: sdk.Ptr("Answers from the documents; changes nothing")},
	{Id: modePlan, Name: "Plan", Description: sdk.Ptr("Writes a plan, and asks before it changes anything else")},
	{Id: modeWork, Name: "Work", Description: sdk.Ptr("Changes the draft; nothing in the folder changes until you publish it")},
}

// The configuration options of a session.
const (
	optionMode  = "mode"
	optionModel = "model"
)

// mode returns the mode of a session.
func (s *session) mode(ctx context.Context) (string, error) {
	s.mu.Lock()
	asks := s.asks
	s.mu.Unlock()
	if asks {
		return modeAsk, nil
	}
	st, err := engine.CallAs[engine.WorkshopState](ctx, s.a.eng, "WorkshopGetState", s.ref())
	if err != nil {
		return "", wireError(err)
	}
	if st.Mode == tools.ModePlan {
		return modePlan, nil
	}
	return modeWork, nil
}

// setMode goes to a mode. Ask mode lives as long as the connection.
func (s *session) setMode(ctx context.Context, mode string) error {
	if !slices.ContainsFunc(modes, func(m sdk.SessionMode) bool { return string(m.Id) == mode }) {
		return refused(codeInvalidParams, "the modes are ask, plan and work")
	}
	to := tools.ModeBuild
	if mode == modePlan {
		to = tools.ModePlan
	}
	if mode != modeAsk {
		if _, err := engine.CallAs[engine.ModeResult](ctx, s.a.eng, "WorkshopSetMode", engine.SetModeParams{WorkbenchID: s.id, Mode: to}); err != nil {
			return wireError(err)
		}
	}
	s.mu.Lock()
	s.asks = mode == modeAsk
	s.mu.Unlock()
	return nil
}

// modeChanged tells the client the mode.
func (s *session) modeChanged() {
	mode, err := s.mode(s.a.work)
	if err != nil {
		return
	}
	s.send(sdk.SessionUpdate{CurrentModeUpdate: &sdk.SessionCurrentModeUpdate{CurrentModeId: sdk.SessionModeId(mode)}})
	s.optionsChanged()
}

func (s *session) optionsChanged() {
	if options, err := s.options(s.a.work); err == nil {
		s.send(sdk.SessionUpdate{ConfigOptionUpdate: &sdk.SessionConfigOptionUpdate{ConfigOptions: options}})
	}
}

// SetSessionMode changes the mode of a session.
func (a *server) SetSessionMode(ctx context.Context, p sdk.SetSessionModeRequest) (sdk.SetSessionModeResponse, error) {
	s, err := a.session(p.SessionId)
	if err == nil {
		err = s.setMode(ctx, string(p.ModeId))
	}
	if err == nil {
		s.optionsChanged()
	}
	return sdk.SetSessionModeResponse{}, err
}

// options are the configuration of a session: its mode and its model.
func (s *session) options(ctx context.Context) ([]sdk.SessionConfigOption, error) {
	mode, err := s.mode(ctx)
	if err != nil {
		return nil, err
	}
	st, err := engine.CallAs[engine.WorkshopState](ctx, s.a.eng, "WorkshopGetState", s.ref())
	if err != nil {
		return nil, wireError(err)
	}
	list, err := engine.CallAs[engine.ModelsResult](ctx, s.a.eng, "ModelsListSupported", engine.Empty{})
	if err != nil {
		return nil, wireError(err)
	}
	var modeValues, modelValues sdk.SessionConfigSelectOptionsUngrouped
	for _, m := range modes {
		modeValues = append(modeValues, sdk.SessionConfigSelectOption{Value: sdk.SessionConfigValueId(m.Id), Name: m.Name, Description: m.Description})
	}
	known := false
	for _, m := range list.Models {
		known = known || m.ModelID == st.ActiveModelID
		modelValues = append(modelValues, sdk.SessionConfigSelectOption{Value: sdk.SessionConfigValueId(m.ModelID), Name: m.ModelID})
	}
	if !known {
		modelValues = append(modelValues, sdk.SessionConfigSelectOption{Value: sdk.SessionConfigValueId(st.ActiveModelID), Name: st.ActiveModelID})
	}
	return []sdk.SessionConfigOption{
		selectOption(optionMode, "Mode", sdk.SessionConfigOptionCategoryMode, mode, modeValues),
		selectOption(optionModel, "Model", sdk.SessionConfigOptionCategoryModel, st.ActiveModelID, modelValues),
	}, nil
}

func selectOption(id, name string, category sdk.SessionConfigOptionCategory, current string, values sdk.SessionConfigSelectOptionsUngrouped) sdk.SessionConfigOption {
	return sdk.SessionConfigOption{Select: &sdk.SessionConfigOptionSelect{Id: sdk.SessionConfigId(id), Name: name, Category: &category, Type: "select",
		CurrentValue: sdk.SessionConfigValueId(current), Options: sdk.SessionConfigSelectOptions{Ungrouped: &values}}}
}

// SetSessionConfigOption chooses the mode or the model of a session.
func (a *server) SetSessionConfigOption(ctx context.Context, p sdk.SetSessionConfigOptionRequest) (sdk.SetSessionConfigOptionResponse, error) {
	var out sdk.SetSessionConfigOptionResponse
	if p.ValueId == nil {
		return out, refused(codeInvalidParams, "the options are mode and model; both take one of their values")
	}
	s, err := a.session(p.ValueId.SessionId)
	if err != nil {
		return out, err
	}
	value := string(p.ValueId.Value)
	switch p.ValueId.ConfigId {
	case optionMode:
		if err = s.setMode(ctx, value); err == nil {
			s.send(sdk.SessionUpdate{CurrentModeUpdate: &sdk.SessionCurrentModeUpdate{CurrentModeId: sdk.SessionModeId(value)}})
		}
	case optionModel:
		_, err = engine.CallAs[engine.Empty](ctx, a.eng, "WorkshopSetActiveModel", engine.SetActiveModelParams{WorkbenchID: s.id, ModelID: value})
	default:
		err = refused(codeInvalidParams, "the options are mode and model")
	}
	if err != nil {
		return out, wireError(err)
	}
	out.ConfigOptions, err = s.options(ctx)
	return out, err
}
