// Ids for what this browser keeps. Not crypto.randomUUID: browsers have it over HTTPS and on the server's own machine only.

/** 32 hexadecimal digits that nothing else has. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
