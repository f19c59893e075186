// Runs before anything is painted, so that a chosen theme does not flash. A classic script: modules wait for the page.
{
  let chosen = null;
  try {
    chosen = localStorage.getItem("polyhop.theme");
  } catch {
    // storage may be forbidden; the system's theme is right then
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
}
