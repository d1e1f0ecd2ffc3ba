/* SPDX-License-Identifier: Apache-2.0 */
/* Searches `names`, which names.js brings: name, place and kind of everything that has one. Every word has to be in the name. */
(function () {
  "use strict";
  var form = document.querySelector(".search"), field = form.querySelector("input"), list = form.querySelector("ul");
  var root = form.dataset.root || "";

  function rank(name, query) {
    var at = name.indexOf(query);
    return (name === query ? 0 : at === 0 ? 1 : at > 0 ? 2 : 3) * 1000 + name.length;
  }

  function search() {
    var query = field.value.trim().toLowerCase(), words = query.split(/\s+/), found;
    list.textContent = "";
    if (query.length < 2)
      return;
    found = names.filter(function (one) {
      return words.every(function (word) { return one[0].toLowerCase().indexOf(word) >= 0; });
    });
    found.sort(function (a, b) { return rank(a[0].toLowerCase(), query) - rank(b[0].toLowerCase(), query); });
    found.slice(0, 30).forEach(function (one) {
      var item = list.appendChild(document.createElement("li")).appendChild(document.createElement("a"));
      item.href = root + one[1];
      item.appendChild(document.createTextNode(one[0] + " "));
      item.appendChild(document.createElement("small")).textContent = one[2];
    });
    if (!found.length)
      list.appendChild(document.createElement("li")).textContent = "Nothing has this name.";
  }

  function move(event) {
    var links = Array.prototype.slice.call(list.querySelectorAll("a")), at = links.indexOf(document.activeElement);
    if (event.key === "ArrowDown" && links.length)
      links[(at + 1) % links.length].focus();
    else if (event.key === "ArrowUp" && at >= 0)
      (at ? links[at - 1] : field).focus();
    else if (event.key === "Escape")
      field.value = list.textContent = "";
    else
      return;
    event.preventDefault();
  }

  field.addEventListener("input", search);
  form.addEventListener("keydown", move);
  form.addEventListener("submit", function (event) {
    event.preventDefault();
    if (list.querySelector("a"))
      location.href = list.querySelector("a").href;
  });
  document.addEventListener("click", function (event) {
    if (!form.contains(event.target))
      list.textContent = "";
  });
  /* Topics are in sight only where there is room; the page's own is marked. */
  document.querySelectorAll(".side details").forEach(function (one) { one.open = innerWidth >= 900; });
  document.querySelectorAll(".bar nav a, .side a").forEach(function (link) {
    if (link.href.split("#")[0] === location.href.split("#")[0] && link.href.indexOf("#") < 0)
      link.setAttribute("aria-current", "page");
  });
}());
