// Any text of agents and people: nothing of it runs, loads or breaks the page, and it can be read.
import type { Locator, Page } from "@playwright/test";

import { corpus, type Hostile } from "./corpus.ts";
import { expect, live, submitByKey, test } from "./handraise.ts";

// Recording thousands of characters at every step takes longer than the steps.
test.use({ trace: "off" });

const oneLine = (text: string) => text.split(/\s+/).join(" ").trim();

/** The bodies that hold the text wherever it fits; every kind in turn, and an approval always. */
function bodies(hostile: Hostile, n: number): object[] {
  const option = { value: hostile.line(75), label: hostile.line(75), description: hostile.line(75) };
  const common = {
    prompt: hostile.text,
    title: n % 2 ? hostile.line(200) : undefined,
    session_id: hostile.line(128),
    task: {
      id: hostile.line(128),
      title: hostile.line(200),
      description: [...hostile.text].slice(0, 4_000).join(""),
      step: hostile.line(300),
    },
  };
  const kinds = [
    { kind: "choice", options: [option, "other"] },
    { kind: "plan_review", plan: hostile.text },
    { kind: "form", questions: [{ id: hostile.line(128), prompt: hostile.text, options: [option, "other"] }] },
    { kind: "notification", level: "warning" },
    { kind: "acknowledgement" },
  ];
  const action = { tool: hostile.line(200), arguments: { [hostile.text]: hostile.text, list: [hostile.text] } };
  return [
    { ...common, ...kinds[n % kinds.length] },
    { ...common, kind: "approval", action },
  ];
}

/** Nothing of the agent's became a part of the page. */
async function harmless(page: Page): Promise<void> {
  const foreign = await page.evaluate(() => {
    const found: string[] = [];
    const kinds = "img, iframe, object, embed, video, audio, base, style, template, [style], [srcdoc], [autofocus]";
    for (const element of document.querySelectorAll(`body :is(${kinds})`)) found.push(element.outerHTML);
    for (const element of document.querySelectorAll("*")) {
      for (const { name } of element.attributes) if (name.startsWith("on")) found.push(element.outerHTML);
    }
    for (const link of document.links) {
      if (!["http:", "https:", "mailto:"].includes(link.protocol)) found.push(link.outerHTML);
    }
    for (const form of document.forms) {
      const ours = form.method === "dialog" || new URL(form.action).host === location.host;
      if (!ours || form.closest(".prompt")) found.push(form.outerHTML);
    }
    return found;
  });
  expect(foreign).toEqual([]);
}

/** The page is as wide as the screen, and what belongs to us is not covered. */
async function unbroken(page: Page): Promise<void> {
  const wrong = await page.evaluate(() => {
    const found: string[] = [];
    // Buttons rest when they come, and nothing hits them then.
    for (const animation of document.getAnimations()) animation.finish();
    const wide = (element: Element | null) => {
      if (element && element.scrollWidth > element.clientWidth) found.push(`${element.className} is too wide`);
    };
    wide(document.documentElement);
    wide(document.querySelector("dialog.dialog"));
    wide(document.querySelector(".dialog-body"));
    wide(document.querySelector(".panel"));
    for (const button of document.querySelectorAll(".dialog-close, .dialog-end .form-end .button")) {
      if (!button.checkVisibility()) continue;
      // On a phone one may have to scroll to it.
      button.scrollIntoView({ block: "nearest" });
      const { left, right, top, bottom } = button.getBoundingClientRect();
      const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      const seen = top >= 0 && bottom <= innerHeight && left >= 0 && right <= innerWidth;
      if (right > left && (!seen || !hit || !button.contains(hit))) found.push(`covered: ${button.outerHTML}`);
    }
    return found;
  });
  expect(wrong).toEqual([]);
}

async function legible(place: Locator, shows: string[]): Promise<void> {
  const text = oneLine(await place.innerText());
  for (const shown of shows) expect(text).toContain(oneLine(shown));
}

const looks = [
  { width: 1440, colorScheme: "light" },
  { width: 390, colorScheme: "dark" },
] as const;

/** Both looks of the page that is open. */
async function intact(page: Page): Promise<void> {
  await harmless(page);
  for (const { width, colorScheme } of looks) {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme });
    await unbroken(page);
  }
}

// A part takes as long as other tests do, so that they share the machine.
const PARTS = 4;

for (let part = 0; part < PARTS; part += 1) {
  test(`hostile text is harmless and legible, part ${part + 1} of ${PARTS}`, async ({ ana, server }) => {
    test.setTimeout(300_000);
    const dialog = ana.locator("dialog.dialog");
    let last = "";
    for (const [n, hostile] of corpus.entries()) {
      if (n % PARTS !== part) continue;
      for (const body of bodies(hostile, Math.floor(n / PARTS) + part)) {
        const { id } = await server.ask(body);
        last = id;
        await test.step(hostile.name, async () => {
          await ana.goto(`${server.url}/blockers/${id}`);
          await live(ana);
          await intact(ana);
          await legible(dialog, hostile.shows);
          if ("action" in body) await legible(dialog.locator(".action-block"), hostile.marks);
        });
      }
    }
    for (const path of ["/", "/history", "/tasks", "/agents", `/interactions/${last}`]) {
      await ana.goto(server.url + path);
      await live(ana);
      await intact(ana);
    }
  });
}

function oneLineEnd(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

test("hostile answers arrive as they were typed, and are shown", async ({ ana, server }) => {
  test.setTimeout(300_000);
  const dialog = ana.locator("dialog.dialog");
  for (const hostile of corpus) {
    const asked = await server.ask({ prompt: "Which port?" });
    await ana.goto(`${server.url}/blockers/${asked.id}`);
    await live(ana);
    const answer = ana.getByLabel("Your answer");
    await answer.fill(hostile.text);
    // Which line ends a text area keeps is the browser's affair, and not that of all versions the same.
    const typed = await answer.inputValue();
    expect(oneLineEnd(typed)).toBe(oneLineEnd(hostile.text));
    await submitByKey(ana);
    await expect(dialog).toContainText("You answered");
    expect((await server.poll(asked.id)).answer?.text).toBe(typed);
    await harmless(ana);
    await unbroken(ana);
    await legible(dialog.locator(".answer-text"), hostile.shows);
  }
});
