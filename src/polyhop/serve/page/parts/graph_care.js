// What was merged and why, keeping names apart, the graph's health, and the graph as a file.

import { button, fill, h, refocused, said, scrolling } from "./dom.js";
import { counted } from "./text.js";

const FORMATS = { graphml: "GraphML", jsonl: "JSON Lines", html: "Page" };
const AT_ONCE = 30; // merged names shown at first

export class GraphCare {
  constructor(page) {
    this.page = page;
    this.merged = h("div", { class: "stack" });
    this.health = h("div", { class: "stack" });
    const folded = (title, body, open) => h("details", { on: { toggle: (event) => event.target.open && open?.() } }, h("summary", {}, title), body);
    this.element = h(
      "section",
      { class: "section graph-care" },
      h("h2", {}, "The whole graph"),
      folded("Merged names", this.merged, () => this.#showMerged(AT_ONCE)),
      folded("Health", this.health, () => this.#showHealth()),
      h(
        "div",
        { class: "row" },
        h("span", {}, "Download"),
        Object.entries(FORMATS).map(([format, name]) => button(name, () => this.#download(format))),
      ),
    );
  }

  async #showMerged(limit) {
    try {
      const { merges, count } = await this.page.api.get("graph/merges", { limit });
      const about = count ? `${counted(count, "entity has", "entities have")} several spellings, the least certain first.` : "No entity has several spellings.";
      const before = this.merged.querySelectorAll(".merge").length;
      const list = h("ul", { class: "merges" }, merges.map((merge) => this.#merge(merge)));
      const more = merges.length < count && button("Show more", () => this.#showMerged(Math.min(1000, limit * 4)), { class: "quiet" });
      refocused(() => fill(this.merged, h("p", { class: "muted small" }, about), list, more), () => list.children[before]?.querySelector("button"));
    } catch (error) {
      this.#failed(this.merged, error);
    }
  }

  #merge({ name, spellings }) {
    const rows = spellings.slice(1).map((spelling) => {
      const row = h("li", { class: "row" });
      this.#drawSpelling(row, spelling, false);
      return row;
    });
    return h("li", { class: "merge" }, said("strong", name), h("ul", {}, rows));
  }

  #drawSpelling(row, spelling, apart) {
    const where = spelling.titles.length ? `in ${spelling.titles.slice(0, 3).join(", ")}` : "";
    const act = apart ? "redo" : "undo";
    const change = async () => {
      row.setAttribute("aria-busy", "true");
      try {
        await this.page.api.post(`graph/merges/${act}`, { names: [spelling.name] });
        this.page.announce(apart ? `${spelling.name} is joined again.` : `${spelling.name} is kept apart.`);
        this.#drawSpelling(row, spelling, !apart);
        row.querySelector("button").focus();
      } catch (error) {
        this.page.complain(error);
      }
      row.removeAttribute("aria-busy");
    };
    fill(
      row,
      h("span", { class: "grow" }, said("span", spelling.name), " ", said("span", [spelling.reason, where].filter(Boolean).join(", "), { class: "muted small" })),
      apart && h("span", { class: "state" }, "Kept apart"),
      button(apart ? "Join again" : "Keep apart", change, { class: "quiet", "aria-label": `${apart ? "Join again" : "Keep apart"}: ${spelling.name}` }),
    );
  }

  async #showHealth() {
    if (this.told) return;
    fill(this.health, h("p", { class: "waiting" }, "Looking at the graph, and asking for some of its own chains…"), h("span", { class: "bar unknown" }, h("span")));
    try {
      const { index, symptoms, behaviour } = await this.page.api.get("graph/health");
      this.told = true;
      fill(this.health, h("p", { class: "muted small" }, sizes(index)), signs(symptoms), behaviour.length > 0 && chains(behaviour));
    } catch (error) {
      this.#failed(this.health, error);
    }
  }

  async #download(format) {
    await this.page.api.save("graph/export", { format }, `graph.${format}`).catch(this.page.complain);
  }

  #failed(place, error) {
    fill(place, said("p", error.message, { class: "notice" }), error.remedy && said("p", error.remedy, { class: "muted small" }));
  }
}

const sizes = (index) => ["passages", "facts", "entities", "relations"].map((name) => `${(index[name] ?? 0).toLocaleString("en")} ${name}`).join(", ");
const share = (value) => (typeof value === "number" ? `${Math.round(value * 100)}%` : "–");

/** What looks wrong, how often, and what is meant by it. */
function signs(symptoms) {
  const row = ({ name, issue, meaning, count, of, unit }) =>
    h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, issue), h("td", {}, meaning), h("td", { class: "number" }, `${count.toLocaleString("en")} of ${of.toLocaleString("en")} ${unit}`));
  return table("What looks wrong", ["Sign", "Of", "What it means", "How often"], symptoms.map(row));
}

/** How chains of its own facts were found again, hop by hop. */
function chains(behaviour) {
  const rows = behaviour.flatMap(({ setting, hops }) =>
    hops.map((hop) => h("tr", {}, h("th", { scope: "row" }, setting), h("td", { class: "number" }, String(hop.hop)), h("td", { class: "number" }, String(hop.chains)), h("td", { class: "number" }, share(hop.resolved)), h("td", { class: "number" }, share(hop.right)))),
  );
  return table("Chains of its own facts, asked for again", ["Setting", "Hop", "Chains", "Settled", "Right"], rows);
}

function table(title, heads, rows) {
  const head = heads.map((words) => h("th", { scope: "col" }, words));
  return scrolling(title, h("table", {}, h("caption", {}, title), h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)));
}
