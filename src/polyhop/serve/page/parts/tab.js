// What a tab keeps until it is closed; where a browser forbids that, until the page is loaded anew.

function inMemory(kept = new Map()) {
  return {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, value) => kept.set(name, value),
    removeItem: (name) => kept.delete(name),
  };
}

function allowed() {
  try {
    return sessionStorage;
  } catch {
    return inMemory(); // the user lets no site store anything
  }
}

export const tab = allowed();
