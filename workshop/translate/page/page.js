
"use strict";
(() => {
  const box = document.getElementById("search");
  const which = document.getElementById("which");
  const found = document.getElementById("found");
  const files = Array.from(document.querySelectorAll("section.file"));
  const rows = Array.from(document.querySelectorAll("tr.seg"));
  document.getElementById("searching").hidden = false;
  // Chips are no part of what people search for.
  const texts = rows.map((r) => Array.from(r.querySelectorAll(".text"), (t) =>
    Array.from(t.childNodes, (n) => n.nodeType === Node.TEXT_NODE ? n.data : "").join("")).join("\n").normalize("NFC").toLocaleLowerCase());
  const count = () => {
    const n = rows.filter((r) => r.getClientRects().length > 0).length;
    found.textContent = n + (n === 1 ? " segment" : " segments");
  };
  const filter = () => {
    const q = box.value.normalize("NFC").toLocaleLowerCase();
    for (const f of files) f.hidden = which.value !== "" && f.id !== which.value;
    rows.forEach((r, i) => { r.hidden = q !== "" && !texts[i].includes(q); });
    count();
  };
  let wait = 0;
  box.addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(filter, 120); });
  which.addEventListener("change", filter);
  for (const r of document.querySelectorAll("input[name=show]")) r.addEventListener("change", count);
  // When the key is up, so that it isn't typed into the box.
  document.addEventListener("keyup", (e) => {
    if (e.ctrlKey || e.altKey || e.metaKey || e.isComposing) return;
    if (e.key === "/" && document.activeElement !== box) box.focus();
    if (e.key === "Escape" && document.activeElement === box) { box.value = ""; filter(); }
  });
  // A link to a document opens it.
  const open = () => {
    const f = location.hash && document.getElementById(location.hash.slice(1));
    const d = f && f.querySelector ? f.querySelector("details") : null;
    if (d) d.open = true;
  };
  addEventListener("hashchange", open);
  filter();
})();
