// Sizes, times and counts as people read them.

/** Bytes. */
export const size = (n) => (n < 1024 ? `${n} B` : n < 1 << 20 ? `${(n / 1024).toFixed(1)} KB` : `${(n / (1 << 20)).toFixed(1)} MB`);

/** A moment; today without its day. */
export function when(iso) {
  const t = new Date(iso);
  return t.toDateString() === new Date().toDateString() ? t.toLocaleTimeString(undefined, { timeStyle: "medium" }) : t.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** The day of a moment. */
export const day = (iso) => new Date(iso).toLocaleDateString(undefined, { dateStyle: "full" });

/** A number with the word for it. */
export const count = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
