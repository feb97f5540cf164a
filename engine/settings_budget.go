package engine

import (
	"context"
	"encoding/json"
	"fmt"

	"atelier/workshop"
)

// settingBudget is the key of a budget that the user has set, for a workbench or,
// beside the mode of consent, for all.
const settingBudget = "budget"

// BudgetSetting is a budget that the user has set, and what counts with it. Members
// that are 0 are those of the next wider one: of the user, then of the program.
type BudgetSetting struct {
	Budget    Budget `json:"budget"`    // what is set here
	Effective Budget `json:"effective"` // what a run that sets no budget has
}

// SetUserBudgetParams are the params of UserSetBudget.
type SetUserBudgetParams struct {
	Budget Budget `json:"budget"`
}

// SetWorkbenchBudgetParams are the params of WorkbenchSetBudget.
type SetWorkbenchBudgetParams struct {
	WorkbenchID string `json:"workbench_id"`
	Budget      Budget `json:"budget"`
}

func budgetMethods() []*Method {
	return []*Method{
		method("UserGetBudget", "What runs of every workbench may take, as the user has set it.", (*Engine).getUserBudget),
		method("UserSetBudget", "Sets it; it counts from the next run on. Bounds that are left out are the program's again.", (*Engine).setUserBudget),
		method("WorkbenchGetBudget", "What runs of a workbench may take, as set for it.", (*Engine).getWorkbenchBudget),
		method("WorkbenchSetBudget", "Sets it; it counts from the next run on. Bounds that are left out are the user's again.", (*Engine).setWorkbenchBudget),
	}
}

func parseBudget(text, whose string) (b Budget, err error) {
	if text == "" {
		return b, nil
	}
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		return b, fmt.Errorf("the budget %s cannot be read: %w", whose, err)
	}
	return b, nil
}

func (e *Engine) userBudget(ctx context.Context) (Budget, error) {
	text, err := e.userSetting(ctx, settingBudget)
	if err != nil {
		return Budget{}, err
	}
	return parseBudget(text, "of the user")
}

// workbenchBudget returns what is set for a workbench; nil is no workbench.
func workbenchBudget(ctx context.Context, wb *workshop.Workbench) (Budget, error) {
	if wb == nil {
		return Budget{}, nil
	}
	text, err := wb.Setting(ctx, settingBudget)
	if err != nil {
		return Budget{}, err
	}
	return parseBudget(text, "of the workbench")
}

// storedBudget returns what the user has set, for the workbench before that for all.
func (e *Engine) storedBudget(ctx context.Context, wb *workshop.Workbench) (Budget, error) {
	all, err := e.userBudget(ctx)
	if err != nil {
		return Budget{}, err
	}
	own, err := workbenchBudget(ctx, wb)
	return all.over(&own), err
}

// text returns a budget as it is stored; "" is none.
func (b Budget) text() (string, error) {
	if b == (Budget{}) {
		return "", nil
	}
	out, err := json.Marshal(b)
	return string(out), err
}

// checkSetting refuses a budget that no run could have.
func (e *Engine) checkSetting(b Budget) error {
	if err := b.agent().Check(); err != nil {
		return err
	}
	if e.opt.Ceiling {
		return b.Within(e.opt.Budget)
	}
	return nil
}

func (e *Engine) getUserBudget(ctx context.Context, _ Empty) (BudgetSetting, error) {
	b, err := e.userBudget(ctx)
	return BudgetSetting{Budget: b, Effective: e.opt.Budget.over(&b)}, err
}

func (e *Engine) setUserBudget(ctx context.Context, p SetUserBudgetParams) (BudgetSetting, error) {
	if err := e.checkSetting(p.Budget); err != nil {
		return BudgetSetting{}, err
	}
	text, err := p.Budget.text()
	if err == nil {
		err = e.setUserSetting(ctx, settingBudget, text)
	}
	if err != nil {
		return BudgetSetting{}, err
	}
	return e.getUserBudget(ctx, Empty{})
}

func (e *Engine) getWorkbenchBudget(ctx context.Context, p WorkbenchRef) (BudgetSetting, error) {
	wb, done, err := e.reader(ctx, p.WorkbenchID)
	if err != nil {
		return BudgetSetting{}, err
	}
	defer done()
	return e.budgetOf(ctx, wb)
}

func (e *Engine) budgetOf(ctx context.Context, wb *openWorkbench) (BudgetSetting, error) {
	own, err := workbenchBudget(ctx, wb.Workbench)
	if err != nil {
		return BudgetSetting{}, err
	}
	stored, err := e.storedBudget(ctx, wb.Workbench)
	return BudgetSetting{Budget: own, Effective: e.opt.Budget.over(&stored)}, err
}

func (e *Engine) setWorkbenchBudget(ctx context.Context, p SetWorkbenchBudgetParams) (BudgetSetting, error) {
	wb, err := e.workbench(ctx, p.WorkbenchID)
	if err != nil {
		return BudgetSetting{}, err
	}
	if err := e.checkSetting(p.Budget); err != nil {
		return BudgetSetting{}, err
	}
	text, err := p.Budget.text()
	if err == nil {
		err = wb.SetSetting(ctx, settingBudget, text)
	}
	if err != nil {
		return BudgetSetting{}, err
	}
	return e.budgetOf(ctx, wb)
}
