/* SPDX-License-Identifier: Apache-2.0 */
/* Loads every page of `pages` in a frame of 390 and of 1,400 pixels and writes what is wrong into the document, and at last "done". */
(function () {
  "use strict";
  var widths = [390, 1400], jobs = [], frame = document.createElement("iframe");

  function say(text) {
    document.body.appendChild(document.createElement("p")).textContent = text;
  }

  /* The smallest text that shows, and where it is. */
  function smallest(view, tree) {
    var walker = tree.createTreeWalker(tree.body, 4), least = [1000, ""], node, box, size;
    while ((node = walker.nextNode())) {
      if (!node.data.trim() || /^(SCRIPT|STYLE|TITLE)$/i.test(node.parentNode.nodeName))
        continue;
      box = node.parentNode.getBoundingClientRect();
      size = parseFloat(view.getComputedStyle(node.parentNode).fontSize);
      if (box.width && box.height && size < least[0])
        least = [size, node.data.trim().slice(0, 30)];
    }
    return least;
  }

  function inspect(page, width) {
    var view = frame.contentWindow, tree = frame.contentDocument, where = page + " at " + width + ": ", least;
    if (tree.documentElement.scrollWidth > width)
      say(where + "it is " + tree.documentElement.scrollWidth + " pixels wide");
    Array.prototype.forEach.call(tree.images, function (one) {
      if (!one.complete || !one.naturalWidth)
        say(where + "no picture " + one.getAttribute("src"));
    });
    if (!tree.styleSheets.length)
      say(where + "no style");
    if (!tree.querySelector("h1, .title"))
      say(where + "no title");
    least = smallest(view, tree);
    if (width === 390 && least[0] < 14)
      say(where + "'" + least[1] + "' has " + least[0] + " pixels");
  }

  function search(page) {
    var tree = frame.contentDocument, field = tree.querySelector(".search input"), found;
    field.value = "yoke_launch";
    field.dispatchEvent(new frame.contentWindow.Event("input"));
    found = tree.querySelector(".search li a");
    if (!found || found.firstChild.data.trim() !== "yoke_launch" || !/group__launches\.html#/.test(found.href))
      say(page + ": a search for yoke_launch does not find it");
  }

  function next() {
    var job = jobs.shift();
    if (!job) {
      say("done: " + pages.length + " pages");
      return;
    }
    frame.style.width = job[1] + "px";
    frame.onload = function () {
      inspect(job[0], job[1]);
      search(job[0]);
      next();
    };
    frame.src = base + job[0];
  }

  pages.forEach(function (page) { widths.forEach(function (width) { jobs.push([page, width]); }); });
  frame.style.height = "900px";
  frame.style.border = "0";
  document.body.appendChild(frame);
  next();
}());
