// The key of this browser's session. It is kept so that no script can read it;
// where a browser cannot do that, only as long as the tab.

const store = "session";

function database() {
  return new Promise((done, fail) => {
    const open = indexedDB.open("atelier", 1);
    open.onupgradeneeded = () => open.result.createObjectStore(store);
    open.onsuccess = () => done(open.result);
    open.onerror = () => fail(open.error);
  });
}

async function transact(mode, act) {
  const db = await database();
  try {
    return await new Promise((done, fail) => {
      const t = db.transaction(store, mode);
      const request = act(t.objectStore(store));
      t.oncomplete = () => done(request.result);
      t.onerror = t.onabort = () => fail(t.error);
    });
  } finally {
    db.close();
  }
}

const bytesOf = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

const importKey = (bytes) => crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);

/** Keeps what /session answered. */
export async function keepSession({ session, key }) {
  if (crypto.subtle) {
    try {
      const made = { session, key: await importKey(bytesOf(key)) };
      await transact("readwrite", (s) => s.put(made, "it"));
      sessionStorage.removeItem(store);
      return made;
    } catch { /* no database, as in some private windows */ }
  }
  sessionStorage.setItem(store, JSON.stringify({ session, key }));
  return loadSession();
}

/** The session that is kept: {session, key} with a CryptoKey, {session, plain} without one, or null. */
export async function loadSession() {
  const text = sessionStorage.getItem(store);
  if (text) {
    const { session, key } = JSON.parse(text);
    return crypto.subtle ? { session, key: await importKey(bytesOf(key)) } : { session, plain: key };
  }
  try {
    return (await transact("readonly", (s) => s.get("it"))) ?? null;
  } catch {
    return null;
  }
}

const base64url = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

export const newNonce = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

/** The proof of one side, as ipc/ui/proof.go makes it. */
export async function prove(key, role, ...nonces) {
  const text = new TextEncoder().encode([role, location.host, ...nonces].join("\n"));
  return base64url(new Uint8Array(await crypto.subtle.sign("HMAC", key, text)));
}
