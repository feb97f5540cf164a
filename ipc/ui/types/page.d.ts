// Types of the page's modules that more than one of them names. tsc reads them;
// browsers do not: docs/decisions/0106-types-of-the-page.md.

import type { Methods, Notifications } from "./protocol.js";
import type { makeTalk } from "../page/talk.js";
import type { makeWork } from "../page/work.js";

declare global {
  type MethodName = keyof Methods;
  type Params<M extends MethodName> = Methods[M]["params"];
  type Result<M extends MethodName> = Methods[M]["result"];

  /** The arguments after the name of a method: params, which may be left out where none is required. */
  type CallArgs<P> = {} extends P ? [params?: P] : [params: P];

  interface Wire {
    call<M extends MethodName>(method: M, ...args: CallArgs<Params<M>>): Promise<Result<M>>;
    start(): Promise<void>;
    move(): boolean;
  }

  /** What the workbench of the page is added to. */
  type WorkCall = <M extends MethodName>(method: M, ...args: CallArgs<Omit<Params<M>, "workbench_id">>) => Promise<Result<M>>;

  type Talk = ReturnType<typeof makeTalk>;
  type Work = ReturnType<typeof makeWork> & { busy?: () => boolean };

  /** For each notification that is used, what is done with its params. */
  type NoteHandlers = { [N in keyof Notifications]?: (params: Notifications[N]) => void };

  type NoteOf<N extends keyof Notifications> = Notifications[N];
  type Records = NonNullable<Result<"WorkshopGetConversation">["messages"]>;

  type Question = Notifications["WorkshopQuestionPending"];

  /** An error that is shown above the message. */
  interface Trouble { error: any; what: string; messageID?: string }

  /** The members of the state that a new page gives no type, since they begin empty. */
  interface LaterState {
    questions: Question[];
    trouble: Trouble | null;
    unfinished: Result<"WorkshopGetState">["unfinished"] | null;
    abandoned: Result<"WorkshopGetState">["abandoned"] | null;
    changes: NonNullable<Result<"ReviewGetChangeSet">["changes"]>;
    files: NonNullable<Result<"WorkbenchFilesList">["files"]>;
    history: { entries: Result<"HistoryList">["entries"]; has_more: boolean };
    fill: Result<"WorkbenchGetClutter"> | null;
    usage: Result<"WorkbenchGetUsage">["totals"] | null;
    runUsage: Notifications["WorkshopUsage"]["run"] | null;
    changesError?: string;
  }

  /** The state that begins as T. Members that begin as null or [] and are not in LaterState may become anything. */
  type StateOf<T> = LaterState & { [K in Exclude<keyof T, keyof LaterState>]: T[K] extends null ? any : T[K] extends never[] ? any[] : T[K] };

  interface StoreOf<S> {
    state: S;
    set(change: Partial<S>): void;
    touch(...names: (keyof S)[]): void;
    watch(names: (keyof S)[], view: (state: S) => void): () => void;
  }
  type Store = StoreOf<import("../page/app.js").State>;

  /** What views ask of the page as a whole; views add to it. */
  interface UI {
    models(): void;
    tab(name: string): void;
    toast(text: string): void;
    confirm(title: string, text: string, yes: string, list?: HTMLElement[]): Promise<boolean>;
    [more: string]: any;
  }

  /** What views keep with their elements. */
  interface HTMLElement {
    update?: (now: any) => void;
    refresh?: () => void;
    keyedNodes?: Map<any, HTMLElement>;
  }
}
