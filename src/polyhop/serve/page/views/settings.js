// What is configured, and what this browser keeps.

import { isEmpty } from "../parts/api.js";
import { withCode } from "../parts/code_spans.js";
import { button, fill, h, said, scrolling } from "../parts/dom.js";
import { counted, duration, size, spent } from "../parts/text.js";
import { forgetAll, threads } from "../parts/threads.js";
import { facts } from "../parts/trace.js";

const THEMES = { "": "As the system", light: "Light", dark: "Dark" };

export function mount(root, page) {
  return new SettingsView(root, page);
}

class SettingsView {
  constructor(root, page) {
    this.page = page;
    this.status = h("div", { class: "stack" });
    this.kept = h("div");
    fill(
      root,
      h("div", { class: "page-head" }, h("h1", { tabindex: "-1" }, "Settings"), h("p", {}, "How the server is set up is decided where it runs. What is chosen here stays in this browser.")),
      h("section", {}, h("h2", {}, "This browser"), h("div", { class: "stack" }, this.#theme(), this.#key(), this.kept)),
      h("section", { class: "section" }, h("h2", {}, "This index"), this.status),
    );
  }

  async show() {
    this.#drawThreads();
    try {
      this.#drawStatus(...(await Promise.all([this.page.api.get("status"), this.page.api.get("strategies")])));
    } catch (error) {
      fill(this.status, h("p", { class: "muted" }, untold(error)));
      if (!isEmpty(error)) this.page.complain(error);
    }
  }

  #drawStatus(status, strategies) {
    const { layers = [], models = {}, workspace, version, documents, passages, entities, bytes } = status;
    const [many, parts, names] = [documents, passages, entities].map((count) => count?.toLocaleString("en"));
    const amounts = { workspace, version, documents: many, passages: parts, entities: names, "on disk": bytes && size(bytes) };
    const layer = (one) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, one.name),
        h("td", {}, one.has_gaps ? "with gaps" : one.whole ? "up to date" : `grown on demand, ${one.done.toLocaleString("en")} of ${counted(passages, "passage")} so far`),
        h("td", {}, one.contents ? `${one.contents.count.toLocaleString("en")} ${one.contents.things}` : ""),
        h("td", { class: "muted" }, spent(one.cost)),
      );
    const strategy = (one) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, one.name),
        h("td", {}, said("span", withCode(one.description))),
        h("td", { class: "muted ready" }, one.ready === false ? `needs ${(one.missing ?? []).join(", ")}` : "ready"),
      );
    const more = h("div", { class: "stack" });
    fill(
      this.status,
      facts(amounts),
      h("h3", {}, "Layers"),
      scrolling("Layers", h("table", {}, h("tbody", {}, layers.map(layer)))),
      more,
      h("div", { class: "row" }, button("What would the others cost?", () => this.#forecast(more, layers))),
      h("h3", {}, "Models"),
      facts(models),
      h("h3", {}, "Strategies"),
      scrolling("Strategies", h("table", {}, h("tbody", {}, strategies.map(strategy)))),
    );
  }

  /** What layers would take that are not there, or not whole. */
  async #forecast(place, layers) {
    const reply = await this.page.api.get("forecast").catch(this.page.complain);
    if (!reply) return;
    const whole = new Set(layers.filter((one) => !one.missing && !one.has_gaps).map((one) => one.name));
    const lacking = reply.layers.filter((one) => !whole.has(one.name));
    const row = ({ name, passages, seconds, cost }) =>
      h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, counted(passages, "passage")), h("td", {}, `about ${duration(seconds)}`), h("td", { class: "muted" }, spent(cost) ? `at most ${spent(cost)}` : "no language model"));
    const words = lacking.length ? "Make them where the server runs, with: polyhop index PATH... --layers NAME,..." : "All layers are there.";
    fill(place, lacking.length > 0 && scrolling("Layers that could be made", h("table", {}, h("tbody", {}, lacking.map(row)))), h("p", { class: "small muted" }, words));
    this.page.announce(`${counted(lacking.length, "layer")} could be made.`);
  }

  #theme() {
    const now = document.documentElement.dataset.theme ?? "";
    const choose = (name) => () => {
      if (name) document.documentElement.dataset.theme = name;
      else delete document.documentElement.dataset.theme;
      try {
        if (name) localStorage.setItem("polyhop.theme", name);
        else localStorage.removeItem("polyhop.theme");
      } catch {
        // chosen for this page only
      }
    };
    const option = ([name, words]) =>
      h("label", { class: "row" }, h("input", { type: "radio", name: "theme", value: name, checked: name === now, on: { change: choose(name) } }), words);
    return h("fieldset", {}, h("legend", {}, "Colours"), h("div", { class: "row" }, Object.entries(THEMES).map(option)));
  }

  #key() {
    const plain = { pattern: "\\s*[\\x21-\\x7e]*\\s*", title: "A key has letters from a to z, digits and signs alone: copy it anew." }; // a header has no others
    const input = h("input", { type: "password", id: "key", autocomplete: "off", spellcheck: "false", value: this.page.api.key, ...plain });
    const save = (event) => {
      event.preventDefault();
      this.page.api.key = input.value.trim();
      this.page.reload();
      this.page.announce("The key is used from now on.");
    };
    return h(
      "form",
      { class: "key", on: { submit: save } },
      h("label", { for: "key" }, "Key"),
      h("div", { class: "row" }, input, h("button", { type: "submit" }, "Use this key")),
      h("p", { class: "small muted" }, "Only for servers that ask for one. It is kept until this tab is closed."),
    );
  }

  /** How many threads there are now: some may have come since the view was shown. */
  #drawThreads() {
    const { workspace } = this.page.api;
    const kept = threads(workspace).length;
    const whose = workspace && ` of the workspace “${workspace}”`;
    const words = said("p", `${counted(kept, "thread")}${whose} with answers and their quotations kept in this browser.`, { class: "small muted" });
    const act = () => {
      forgetAll(workspace);
      this.page.reload();
      this.page.announce(`All threads${whose} are forgotten.`);
    };
    fill(this.kept, h("p", {}, "Threads"), words, button("Forget all threads", act, { icon: "trash", disabled: !kept }));
  }
}

/** What is said where the server tells nothing of the index. */
function untold(error) {
  if (isEmpty(error)) return "There is no index yet: add documents first.";
  if (error.status === 401) return "What it holds is told to those with a key. Enter yours above.";
  return "The server did not tell what it holds.";
}
