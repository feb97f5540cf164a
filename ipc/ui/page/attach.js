// Files from the person's machine: chosen, dropped or pasted, sent in parts, and
// given with a message or added to the folder.

import { h, put, button, keyed, say } from "./dom.js";
import { count, size } from "./text.js";

const MOST = 20, BYTES = 100 << 20, PART = 4 << 20; // files of a message, bytes of a file, bytes of a part
const LIMITS = `At most ${MOST} files of ${size(BYTES)} each. They go into the draft.`;
const REASONS = { duplicate: "a file of that name is there already", size_limit: "it is too large for this folder" };

function base64(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}

/** Sends a file in parts. Its progress is 0 to 1. */
async function upload(work, file, progress) {
  let { upload_id, received } = await work.call("UploadBegin", { name: file.name, size: file.size });
  while (received < file.size) {
    let bytes;
    try {
      bytes = new Uint8Array(await file.slice(received, received + PART).arrayBuffer());
    } catch {
      throw new Error(`${file.name} cannot be read any more. Remove it, and choose it again.`);
    }
    ({ received } = await work.call("UploadAppend", { upload_id, offset: received, bytes_base64: base64(bytes) }));
    progress(received / file.size);
  }
  return upload_id;
}

/** The files that go with the next message. */
export function attaching(store, work, ui) {
  let items = [], next = 0; // {key, file, url, id, instance, done}
  const list = h("ul", { class: "chips", "aria-label": "Files for the message" });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const instead = button("Add to the folder instead", () => toFolder(), { class: "quiet" });
  const tray = h("div", { class: "tray", hidden: true }, list, h("div", { class: "trayacts" }, h("span", { class: "sub" }, "They go into the draft with the message."), instead));
  const picker = h("input", { type: "file", multiple: true, hidden: true, tabindex: "-1", "aria-hidden": "true", on: { change: () => { add([...picker.files ?? []]); picker.value = ""; } } });
  const choose = button("Attach", () => picker.click(), { class: "attach", title: LIMITS });

  function tell(text) {
    problem.hidden = !text;
    problem.textContent = text;
  }

  function add(files) {
    const refused = [];
    for (const file of files) {
      if (file.size > BYTES) refused.push(`${file.name} has ${size(file.size)}; the limit is ${size(BYTES)}.`);
      else if (items.length >= MOST) refused.push(`${file.name} is not added: a message can have ${MOST} files.`);
      else items.push({ key: ++next, file, url: /^image\/(png|jpeg|gif|webp|bmp)$/.test(file.type) ? URL.createObjectURL(file) : "", id: "", instance: "", done: 0 });
    }
    tell(refused.slice(0, 3).join(" ") + (refused.length > 3 ? ` ${count(refused.length - 3, "more file")} not added.` : ""));
    draw();
    if (items.length) say(`${count(items.length, "file")} attached.`);
  }

  function remove(item) {
    if (item.url) URL.revokeObjectURL(item.url);
    if (item.id) work.call("UploadDiscard", { upload_id: item.id }).catch(() => {});
    items = items.filter((i) => i !== item);
    draw();
  }

  function clear() {
    for (const i of items) if (i.url) URL.revokeObjectURL(i.url);
    items = [];
    tell("");
    draw();
  }

  function draw() {
    tray.hidden = !items.length;
    keyed(list, items, (i) => i.key, chip, (node, i) => node.update(i));
  }

  function chip(item) {
    const state = h("span", { class: "sub" });
    const node = h("li", null, item.url ? h("img", { src: item.url, alt: "Picture", on: { error: (ev) => ev.target.remove() } }) : null, h("bdi", null, item.file.name), state,
      button("×", () => { remove(item); choose.focus(); }, { class: "quiet", "aria-label": `Remove ${item.file.name}` }));
    node.update = (i) => { state.textContent = i.done > 0 && i.done < 1 ? `${Math.round(i.done * 100)} %` : size(i.file.size); };
    node.update(item);
    return node;
  }

  /** Sends what was not sent to this process yet, and returns the ids. */
  async function ids() {
    for (const i of items) {
      if (i.id && i.instance === store.state.instance) continue;
      i.instance = store.state.instance;
      i.id = "";
      try {
        i.id = await upload(work, i.file, (done) => { i.done = done; draw(); });
      } finally {
        i.done = 0;
        draw();
      }
    }
    return items.map((i) => i.id);
  }

  /** Calls use with the ids of the uploads; once more if some were forgotten meanwhile. */
  async function withUploads(use) {
    try {
      return await use(await ids());
    } catch (e) {
      if (e.errorCode !== "NOT_FOUND" || !/upload/.test(e.message)) throw e;
      for (const i of items) i.id = "";
      return use(await ids());
    }
  }

  async function toFolder() {
    instead.disabled = true;
    tell("");
    try {
      const { add_results } = await withUploads((uploads) => work.call("WorkbenchFilesAdd", { uploads }));
      const left = [], sent = items;
      for (const [n, r] of add_results.entries()) if (r.status !== "added") left.push([sent[n], r]);
      const gone = sent.filter((i) => !left.some(([l]) => l === i));
      for (const i of gone) i.id = "";
      gone.forEach(remove);
      tell(left.map(([i, r]) => `${i.file.name} is not added: ${REASONS[r.reason] ?? r.reason}.`).join(" "));
      if (gone.length) ui.toast(`${count(gone.length, "file")} added to the folder.`);
    } catch (e) {
      tell([e.message, e.hint].filter(Boolean).join(". "));
    }
    instead.disabled = false;
  }

  dropping(add, tell);
  return {
    tray, problem, choose: [picker, choose],
    /** Takes the files of a paste; says whether there were any. */
    paste(ev) {
      const files = [...(ev.clipboardData?.files ?? [])];
      if (!files.length || ev.clipboardData.types.includes("text/plain")) return; // copied cells come with a picture of them
      ev.preventDefault();
      add(files);
    },
    get some() { return items.length > 0; },
    /** Gives the uploads to use; they are gone when that has worked. */
    async give(use) {
      const done = await withUploads((list) => use(list.map((upload_id) => ({ upload_id }))));
      if (done) clear();
      return done;
    },
    tell, clear,
  };
}

/** Takes files that are dropped anywhere on the page. */
function dropping(add, tell) {
  const veil = h("div", { class: "drop", hidden: true, "aria-hidden": "true" }, "Drop the files here to attach them");
  let depth = 0;
  const withFiles = (f) => (ev) => {
    if (!ev.dataTransfer?.types.includes("Files") || document.querySelector("dialog[open]")) return;
    ev.preventDefault(); // else the browser leaves the page for the file
    f(ev);
  };
  const on = { dragenter: () => { depth++; veil.hidden = false; }, dragover: (ev) => { ev.dataTransfer.dropEffect = "copy"; }, dragleave: () => { veil.hidden = --depth <= 0; },
    drop: (ev) => {
      depth = 0;
      veil.hidden = true;
      const folders = [...ev.dataTransfer.items].filter((i) => i.webkitGetAsEntry?.()?.isDirectory).map((i) => i.getAsFile()?.name);
      add([...ev.dataTransfer.files].filter((f) => !folders.includes(f.name)));
      if (folders.length) tell(`Folders cannot be attached (${folders.join(", ")}). Choose the files in them.`);
    } };
  for (const [name, f] of Object.entries(on)) window.addEventListener(name, withFiles(f));
  document.body.append(veil);
}

/** The files that came with a message, pictures as pictures. */
export function attachedList(list, work) {
  return h("ul", { class: "attached", "aria-label": "Attached files", hidden: !list?.length }, (list ?? []).map((a) => {
    const node = h("li", null, h("bdi", null, a.name ?? a.path ?? String(a)), a.size ? ` ${size(a.size)}` : "", a.not_readable ? h("span", { class: "warn-text" }, ` ⚠ ${a.not_readable}`) : null);
    if (a.mime_type?.startsWith("image/")) work.call("ReviewGetPreview", { path: a.path, scale: 0.5 }).then((r) => {
      const url = URL.createObjectURL(new Blob([Uint8Array.from(atob(r.bytes_base64), (c) => c.charCodeAt(0))], { type: "image/png" }));
      node.prepend(h("img", { src: url, alt: `Picture ${a.name}`, on: { load: () => URL.revokeObjectURL(url) } }));
    }, () => {}); // it was taken back, or cannot be drawn
    return node;
  }));
}
