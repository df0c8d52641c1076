// The key stands in the fragment, which is never sent; the form sends it, once, and the address forgets it.
const key = location.hash.slice(1);
const form = document.getElementById("login");
if (key && form) {
  history.replaceState(null, "", location.pathname + location.search);
  form.elements.key.value = key;
  form.requestSubmit();
}
