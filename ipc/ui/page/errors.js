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
