// The state of the page. Views read it and are called after it changed, once for
// all changes of a moment.

import { soon } from "./dom.js";

/**
 * Makes a store: state is read directly, and changed with set.
 * @template {object} T
 * @param {T} state
 * @returns {StoreOf<T>}
 */
export function makeStore(state) {
  const views = [];
  let changed = new Set();
  const tell = soon(() => {
    const names = changed;
    changed = new Set();
    for (const [wanted, view] of [...views]) if (wanted.some((n) => names.has(n))) view(state);
  });
  return {
    state,
    /** Changes members of the state. */
    set(change) {
      Object.assign(state, change);
      for (const name of Object.keys(change)) changed.add(name);
      tell();
    },
    /** Says that something in a member changed. */
    touch(...names) {
      for (const name of names) changed.add(name);
      tell();
    },
    /** Calls view now, and after each change of one of these members, until what it returns is called. */
    watch(names, view) {
      const it = [names, view];
      views.push(it);
      view(state);
      return () => { views.splice(views.indexOf(it), 1); };
    },
  };
}
