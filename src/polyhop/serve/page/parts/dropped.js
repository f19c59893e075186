// Files that were chosen or dropped, folders among them, with the names that they are to have.

const PER_REQUEST = 100; // files
const BYTES = 48e6; // a request; one larger file goes alone

/** Everything that a drop holds, as `{file, name}`; folders are read to their ends. */
export async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean); // before any waiting
  if (!entries.length) return chosen(transfer.files);
  return (await Promise.all(entries.map((entry) => within(entry)))).flat();
}

/** Files of an input element. */
export const chosen = (files) =>
  [...files].map((file) => ({ file, name: file.webkitRelativePath || file.name })).filter(({ name }) => !hidden(name));

async function within(entry, above = "") {
  const name = above + entry.name;
  if (hidden(name)) return [];
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ file, name }];
  }
  const reader = entry.createReader();
  const inside = [];
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject)); // at most 100 at a time
    if (!some.length) break;
    inside.push(...some);
  }
  return (await Promise.all(inside.map((each) => within(each, `${name}/`)))).flat();
}

const hidden = (name) => name.split("/").some((part) => part.startsWith("."));

/** The files in portions that one request can carry. */
export function portions(files) {
  const parts = [];
  let bytes = Infinity;
  for (const each of files) {
    if (bytes + each.file.size > BYTES || parts.at(-1).length >= PER_REQUEST) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1).push(each);
    bytes += each.file.size;
  }
  return parts;
}
