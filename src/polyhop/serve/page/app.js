// The frame: which view is shown, the workspace, the source panel, and what is announced.

import { Api, ServerError, UNREACHABLE } from "./parts/api.js";
import { button, fill, h, icon, refocused, said } from "./parts/dom.js";
import { Source } from "./parts/source.js";

const VIEWS = [
  { name: "ask", title: "Ask" },
  { name: "documents", title: "Documents" },
  { name: "graph", title: "Graph" },
  { name: "measure", title: "Measure" },
  { name: "settings", title: "Settings" },
];

const HEARD = 5; // announcements that are kept: a screen reader may still be reading the one before

const api = new Api();
api.reached = () => leaveBehind(({ lost }) => lost !== undefined);
const main = document.getElementById("main");
const mounted = new Map(); // name -> {root, view}: a view is loaded once, and stays as it was left
let front = null; // the one that is shown
let again = ""; // behind the names of views once one did not come: a browser asks for no address a second time

/** What views may use of the page around them. */
const page = { api, source: new Source(document.getElementById("source"), api), answers: new Map(), announce, complain, go, reload };

/** Say something to whoever listens to the page. */
function announce(words) {
  const place = document.getElementById("announcements");
  place.append(said("p", words));
  while (place.children.length > HEARD) place.firstChild.remove();
}

/** Show an error with its remedy. */
function complain(error) {
  if (error.name === "AbortError") return;
  if (error.status === 401) go("settings");
  notify(error instanceof ServerError ? error.message : `Something on this page went wrong: ${error.message}`, error.remedy, error.status === UNREACHABLE);
}

/**
 * Show words until they are put away, by their button or Escape, or left behind with the view that they were said in:
 * how long reading takes is the reader's. `lost`: they say that the server cannot be reached, and go when it can.
 */
function notify(message, remedy, lost = false) {
  const held = document.activeElement;
  const away = () => refocused(() => box.remove(), () => (held?.isConnected && held !== document.body ? held : null));
  const box = h(
    "div",
    { class: "alert", "data-at": location.hash, "data-lost": lost },
    h("div", {}, said("div", message), remedy && said("div", remedy, { class: "remedy" })),
    button("", away, { icon: "close", name: "Put away", class: "quiet" }),
  );
  document.getElementById("alerts").replaceChildren(box);
}

function putAway(event) {
  const shown = document.querySelector(".alert button");
  if (event.key !== "Escape" || !shown || document.querySelector("dialog[open]")) return;
  event.stopPropagation(); // what lies below takes the next one
  shown.click();
}

function leaveBehind(settled) {
  const shown = document.querySelector(".alert");
  if (shown && settled(shown.dataset)) shown.querySelector("button").click();
}

/** Go to a view; `details` stand in the address, so that Back works. */
function go(view, details = {}) {
  const query = new URLSearchParams(details).toString();
  location.hash = `#/${view}${query ? `?${query}` : ""}`;
}

async function show() {
  const asked = location.hash;
  const [, name = "ask", query = ""] = /^#\/(\w+)(?:\?(.*))?$/.exec(location.hash) ?? [];
  const known = VIEWS.find((view) => view.name === name) ?? VIEWS[0];
  document.title = `${known.title} · Polyhop`;
  for (const link of document.querySelectorAll(".views a")) {
    if (link.dataset.view === known.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (!mounted.has(known.name)) {
    const root = h("section", { class: "view", "aria-label": known.title });
    const view = import(`./views/${known.name}.js${again}`).then(({ mount }) => mount(root, page));
    view.catch(() => (mounted.delete(known.name), root.remove(), (again = `?${Date.now()}`)));
    mounted.set(known.name, { root, view });
    main.append(root);
  }
  bringForward(mounted.get(known.name));
  const view = await mounted.get(known.name).view.catch(complain);
  if (view && location.hash === asked) view.show(Object.fromEntries(new URLSearchParams(query)));
}

/** Each view is scrolled as it was left; where the window is narrow, all of the page scrolls. */
function bringForward(view) {
  if (view === front) return;
  if (front) front.left = [main.scrollTop, scrollY];
  for (const each of mounted.values()) each.root.hidden = each !== view;
  const [inMain, inPage] = view.left ?? [0, 0];
  main.scrollTop = inMain;
  scrollTo(0, inPage);
  front = view;
}

function drawViews() {
  const link = ({ name, title }) =>
    h("li", {}, h("a", { href: `#/${name}`, "data-view": name }, icon(name), h("span", {}, title)));
  fill(document.querySelector(".views"), h("ul", {}, VIEWS.map(link)));
}

/** Begin anew, as after another workspace or key was chosen. */
function reload() {
  mounted.clear();
  page.answers.clear();
  page.source.close();
  refocused(() => main.replaceChildren());
  begin();
}

/** What a view shows is of a workspace, so that this is settled before. */
function begin() {
  takeWorkspace();
  drawWorkspace().then(show);
}

/** A link may say of which workspace it is: that is shown from then on. Returns whether it is another one. */
function takeWorkspace() {
  const [view, query] = location.hash.split("?");
  const details = new URLSearchParams(query);
  const name = details.get("workspace");
  if (!name) return false;
  details.delete("workspace");
  history.replaceState(null, "", `${view}?${details}`);
  if (name === api.workspace) return false;
  api.workspace = name;
  return true;
}

/** Where no workspace of several is chosen, or one that is not there, the first is; a lost one is named. */
function settleWorkspace(names) {
  const lost = api.workspace;
  if (!names.length || names.includes(lost) || (!lost && names.length === 1)) return;
  [api.workspace] = names;
  if (lost) notify(`The workspace “${lost}” is not there any more${api.key ? ", or not for this key" : ""}.`, `“${names[0]}” is shown instead.`);
}

async function drawWorkspace() {
  const place = document.getElementById("workspace");
  const { workspaces: names = [] } = await api.get("workspaces").catch(() => ({}));
  settleWorkspace(names);
  if (names.length < 2) {
    const name = names[0] ?? "";
    fill(place, name && h("span", { class: "label" }, "Workspace"), name && said("span", name));
    return;
  }
  const choice = h(
    "select",
    { id: "workspace-choice", on: { change: () => ((api.workspace = choice.value), reload()) } },
    names.map((name) => h("option", { value: name, selected: name === api.workspace }, name)),
  );
  refocused(() => fill(place, h("label", { for: "workspace-choice" }, "Workspace"), choice), () => choice);
}

drawViews();
begin();
window.addEventListener("hashchange", () => {
  leaveBehind(({ at }) => at !== location.hash);
  if (takeWorkspace()) return reload();
  show().then(() => {
    const held = document.activeElement; // where a view has put it
    if (!main.contains(held) || !held.checkVisibility()) main.focus({ preventScroll: true });
  });
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address says which view is shown
  main.focus();
});
document.addEventListener("keydown", putAway, { capture: true });
window.addEventListener("unhandledrejection", (event) => complain(event.reason));
