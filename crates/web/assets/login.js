// The key stands in the fragment, which is never sent; the form sends it, once, and the address forgets it.
function enter() {
  const key = location.hash.slice(1);
  const form = document.getElementById("login");
  if (!key || !form) return;
  history.replaceState(null, "", location.pathname + location.search);
  form.elements.key.value = key;
  form.requestSubmit();
}
// A link that is opened where this page stands already only changes the fragment.
addEventListener("hashchange", enter);
enter();
