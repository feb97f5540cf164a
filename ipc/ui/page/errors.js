// The errors of calls.

/** An error that the program answered. */
export class CallError extends Error {
  constructor({ code, message, data }) {
    super(data?.detail || message);
    this.code = code;
    this.data = data ?? {};
    this.hint = data?.hint ?? "";
    this.errorCode = data?.error_code ?? "";
  }
}

/** The connection was lost before the answer came. The work may continue. */
export class LostError extends Error {
  constructor() { super("The connection was lost."); }
}

/** What a person asked for and may not have been done: the answer was lost. It is told when the page is connected again. */
export class UnknownError extends Error {
  errorCode = "";
  data = {};
  /** @param {string} [hint] what to do */
  constructor(hint) {
    super("The connection was lost before the answer came.");
    this.hint = hint ?? "What you see now is the state. If it was not done, do it again.";
  }
}
