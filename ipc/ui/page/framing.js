// Where two pictures of a page differ.

const BLOCK = 8; // pixels of a side of the squares that are compared
const LEAST = 40; // difference of a colour, of 255, that counts: below is noise of the drawing
const REACH = 3; // blocks between two places that are framed together
const MOST = 40; // frames of a page

/**
 * Finds the places in which two pictures of the same size differ.
 * @param {ImageData} a
 * @param {ImageData} b
 * @returns {{x: number, y: number, width: number, height: number}[]} frames in shares of the picture, from 0 to 1
 */
export function differences(a, b) {
  const { width, height } = a;
  const columns = Math.ceil(width / BLOCK), rows = Math.ceil(height / BLOCK);
  const differs = new Uint8Array(columns * rows);
  for (let y = 0, i = 0; y < height; y++) {
    const row = Math.floor(y / BLOCK) * columns;
    for (let x = 0; x < width; x++, i += 4) {
      if (Math.abs(a.data[i] - b.data[i]) > LEAST || Math.abs(a.data[i + 1] - b.data[i + 1]) > LEAST || Math.abs(a.data[i + 2] - b.data[i + 2]) > LEAST) differs[row + Math.floor(x / BLOCK)] = 1;
    }
  }
  const boxes = together(regions(differs, columns, rows));
  const all = boxes.length > MOST ? [boxes.reduce(around)] : boxes;
  return all.map((r) => ({ x: r.left * BLOCK / width, y: r.top * BLOCK / height,
    width: Math.min(1, (r.right + 1) * BLOCK / width) - r.left * BLOCK / width, height: Math.min(1, (r.bottom + 1) * BLOCK / height) - r.top * BLOCK / height }));
}

// regions groups blocks that are near each other.
function regions(differs, columns, rows) {
  const out = [];
  for (let start = 0; start < differs.length; start++) {
    if (differs[start] !== 1) continue;
    const box = { left: columns, top: rows, right: 0, bottom: 0 };
    const open = [start];
    differs[start] = 2;
    while (open.length) {
      const at = open.pop() ?? start, x = at % columns, y = Math.floor(at / columns);
      box.left = Math.min(box.left, x);
      box.right = Math.max(box.right, x);
      box.top = Math.min(box.top, y);
      box.bottom = Math.max(box.bottom, y);
      for (let ny = Math.max(0, y - REACH); ny <= Math.min(rows - 1, y + REACH); ny++) {
        for (let nx = Math.max(0, x - REACH); nx <= Math.min(columns - 1, x + REACH); nx++) {
          if (differs[ny * columns + nx] === 1) {
            differs[ny * columns + nx] = 2;
            open.push(ny * columns + nx);
          }
        }
      }
    }
    out.push(box);
  }
  return out;
}

const around = (a, b) => ({ left: Math.min(a.left, b.left), top: Math.min(a.top, b.top), right: Math.max(a.right, b.right), bottom: Math.max(a.bottom, b.bottom) });

// together makes one frame of those that overlap.
function together(boxes) {
  const left = [...boxes], out = [];
  while (left.length) {
    let box = left.pop();
    for (let i = 0; i < left.length; i++) {
      const o = left[i];
      if (o.left <= box.right + 1 && box.left <= o.right + 1 && o.top <= box.bottom + 1 && box.top <= o.bottom + 1) {
        box = around(box, o);
        left.splice(i, 1);
        i = -1; // the larger one may reach others
      }
    }
    out.push(box);
  }
  return out;
}
