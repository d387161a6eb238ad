// Until the page's program runs, and where it never does though scripts are on, nothing is sent that accepts: only the
// program knows whether all that is asked has been on the screen. What declines, and what is said later, is sent by the
// browser itself. Without scripts these lines do not run, and reading all of it is up to the person.
document.addEventListener(
  "submit",
  (event) => {
    const form = event.target;
    if (!form.matches(".answer-form") || form.closest(".follow-up-form")) return;
    const declines = event.submitter?.value === "false" || form.querySelector("[name=decision][value=adjust]:checked");
    const runs = document.documentElement.hasAttribute("data-runs");
    if (declines && !runs) return;
    // The program sends it in its own way.
    event.preventDefault();
    if (!runs) form.setAttribute("data-waits", "");
  },
  true,
);
