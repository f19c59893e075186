// Talks to the server that the page came from, and to no other.

import { h } from "./dom.js";
import { eventsOf } from "./stream.js";
import { tab } from "./tab.js";

const EMPTY = "index_missing";
const BASE = new URL("../../v1/", import.meta.url);

export const UNREACHABLE = 0; // the status of an error that no server has sent

/** What the server said was wrong, with what can be done about it. */
export class ServerError extends Error {
  constructor(status, { type = "error", message = "", remedy = null, request_id: id = null } = {}) {
    const empty = type === EMPTY; // the server's words for it are for whoever writes commands
    super(empty ? "There are no documents yet." : message || `The server answered with status ${status}.`);
    Object.assign(this, { status, type, remedy: empty ? "Add some under Documents." : remedy, id });
  }
}

/** The server's address with the workspace and the key that the user chose; both are kept for this tab alone. */
export class Api {
  constructor() {
    this.reached = () => {}; // told whenever the server answers
  }

  get workspace() {
    return tab.getItem("polyhop.workspace") ?? "";
  }

  set workspace(name) {
    this.#keep("polyhop.workspace", name);
  }

  get key() {
    return tab.getItem("polyhop.key") ?? "";
  }

  set key(value) {
    this.#keep("polyhop.key", value);
  }

  #keep(name, value) {
    if (value) tab.setItem(name, value);
    else tab.removeItem(name);
  }

  /** Forms of other sites cannot send headers of their own: the server takes no writing request without one. */
  headers() {
    const headers = { "Polyhop-Client": "page" };
    if (this.workspace) headers["Polyhop-Workspace"] = encodeURIComponent(this.workspace);
    if (this.key) headers.Authorization = `Bearer ${this.key}`;
    return headers;
  }

  address(path, query = {}) {
    const url = new URL(path, BASE);
    for (const [name, value] of Object.entries(query)) {
      if (value !== null && value !== undefined && value !== "") url.searchParams.set(name, value);
    }
    return url;
  }

  async fetch(path, { method = "GET", query, body, signal } = {}) {
    const headers = this.headers();
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const sent = body === undefined ? undefined : JSON.stringify(body);
    let reply;
    try {
      reply = await fetch(this.address(path, query), { method, headers, body: sent, signal });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new ServerError(UNREACHABLE, { message: "The server cannot be reached.", remedy: "See whether it is still running." });
    }
    this.reached();
    if (!reply.ok) throw await failure(reply);
    return reply;
  }

  get(path, query) {
    return this.fetch(path, { query }).then((reply) => reply.json());
  }

  post(path, body = {}) {
    return this.fetch(path, { method: "POST", body }).then((reply) => reply.json());
  }

  remove(path) {
    return this.fetch(path, { method: "DELETE" }).then((reply) => reply.json());
  }

  /** Events of a streamed reply, as `{name, data}`. */
  async *stream(path, body, signal) {
    const reply = await this.fetch(path, { method: "POST", body, signal });
    try {
      yield* eventsOf(reply.body);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // that is how a browser tells that the connection broke off
      throw new ServerError(UNREACHABLE, { message: "The connection to the server broke off.", remedy: "See whether it is still running, and ask again." });
    }
  }

  /** An image as an address of this page's own: an img element cannot send a key or a workspace. */
  async image(path, query, signal) {
    const reply = await this.fetch(path, { query, signal });
    return URL.createObjectURL(await reply.blob());
  }

  /** Has the browser keep a file of the server, under a name. */
  async save(path, query, name) {
    const reply = await this.fetch(path, { query });
    const address = URL.createObjectURL(await reply.blob());
    const link = h("a", { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  }

  /** Sends files; `progress` hears a share between 0 and 1. */
  upload(files, progress, signal) {
    const form = new FormData();
    for (const { file, name } of files) form.append("files", file, name);
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest(); // fetch tells nothing about how much has been sent
      request.open("POST", this.address("documents"));
      for (const [name, value] of Object.entries(this.headers())) request.setRequestHeader(name, value);
      request.upload.addEventListener("progress", (event) => progress(event.loaded / Math.max(1, event.total)));
      request.addEventListener("load", () => {
        const said = parsed(request.responseText);
        if (request.status < 300) resolve(said);
        else reject(new ServerError(request.status, said?.error));
      });
      request.addEventListener("error", () => reject(new ServerError(UNREACHABLE, { message: "The server cannot be reached.", remedy: "See whether it is still running." })));
      request.addEventListener("abort", () => reject(new DOMException("stopped", "AbortError")));
      signal?.addEventListener("abort", () => request.abort());
      request.send(form);
    });
  }
}

/** Whether nothing has been indexed yet, which is no mistake of anybody. */
export const isEmpty = (error) => error?.type === EMPTY;

/** The parts of an id within a path, quoted. */
export const quoted = (id) => encodeURIComponent(id);

async function failure(reply) {
  return new ServerError(reply.status, parsed(await reply.text().catch(() => ""))?.error);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
