// Requests, seen whole: actions as what they are, in the order a machine reads them, and text of which
// nothing is left out. Each is looked at in every look; the pictures lie beside the results.
import type { Locator, Page } from "@playwright/test";

import { expect, expectLegible, live, looks, row, test, type Server } from "./handraise.ts";

const lines = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n + 1)).join("\n");

const sql = [
  "-- 0042: the legacy tables go",
  "BEGIN;",
  "",
  ...Array.from({ length: 34 }, (_, n) => `UPDATE "orders" SET region = 'eu-${n}' WHERE id % 34 = ${n};`),
  "",
  'DROP TABLE "legacy_orders" CASCADE;',
  "",
  "COMMIT;",
].join("\n");

const source = (limit: string) =>
  lines(60, (n) =>
    n === 37 ? `    if attempts > ${limit} { return Err(Refused::TooMany); }` : `    let step_${n} = read(${n})?; // "${n}"`,
  );

const script = [
  "#!/usr/bin/env bash",
  "set -euo pipefail",
  ...Array.from({ length: 26 }, (_, n) => `curl -fsS "https://mirror.example/part-${n}" > "/tmp/part-${n}" # ${n}`),
  "\trm -rf /srv/build  ",
  'echo "done: $(date)"',
].join("\n");

const hebrew = "מחק את";

const actions = {
  sql: { tool: "postgres", arguments: { sql, database: "production" } },
  edit: {
    tool: "Edit",
    arguments: {
      file_path: "/srv/app/src/limits.rs",
      new_string: source("50"),
      old_string: source("5"),
      replace_all: false,
    },
  },
  bash: { tool: "Bash", arguments: { command: script, timeout: 120_000 } },
  http: {
    tool: "http_request",
    arguments: {
      method: "POST",
      url: "https://ana@api.example:8443/v1/users?dry_run=0&notify=all&return=https%3A%2F%2Fevil.example#top",
      headers: { Authorization: "Bearer {{token}}", "Content-Type": "application/json" },
      body: '{"name": "Ana", "roles": ["admin", "billing"], "limits": {"requests": 10000, "until": null}}',
    },
  },
  nested: {
    tool: "deploy",
    arguments: {
      service: "billing",
      strategy: { kind: "canary", steps: [5, 25, 100], abort: { errors: 0.01, latency: "200 ms" } },
      hooks: [
        { run: "migrate", args: ["--all"], env: { RUST_LOG: "info" } },
        { run: "notify", message: 'It is "live".\nTell the others.', args: [] },
      ],
      force: false,
      owner: null,
    },
  },
  rtl: { tool: "shell", arguments: { command: `rm -rf /srv/${hebrew}/5/../7\n# ${hebrew} = 1 + 2`, note: `${hebrew} 5 > 3` } },
  plan: {
    tool: "terraform_apply",
    arguments: {
      plan: [
        "Terraform will perform the following actions:",
        "",
        "  # aws_db_instance.main will be destroyed",
        '  - resource "aws_db_instance" "main" {',
        '      - engine = "postgres" -> null',
        "    }",
        "",
        "  # aws_s3_bucket.logs will be created",
        '  + resource "aws_s3_bucket" "logs" {',
        '      + bucket = "logs"',
        "    }",
        "",
        "Plan: 1 to add, 0 to change, 1 to destroy.",
      ].join("\n"),
    },
  },
};

async function open(ana: Page, server: Server, body: object): Promise<Locator> {
  const { id } = await server.ask({ prompt: "May I?", ...body });
  await ana.goto(`${server.url}/blockers/${id}`);
  await live(ana);
  return ana.locator("dialog.dialog");
}

/** In every look: nothing is cut off at the side, axe finds nothing, and there is a picture. */
async function look(ana: Page, name: string, also: (wide: boolean) => Promise<void> = async () => {}): Promise<void> {
  for (const [colorScheme, width] of looks) {
    await ana.setViewportSize({ width, height: width > 1000 ? 900 : 844 });
    await ana.emulateMedia({ colorScheme });
    await expectLegible(ana);
    const cut = await ana.evaluate(() => {
      const inside = "dialog.dialog, .dialog-main, .action-block, .action-code, .line, .line > span, .argument-head";
      return [...document.querySelectorAll(inside)]
        .filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline")
        .map((element) => element.className);
    });
    expect(cut).toEqual([]);
    await also(width > 1000);
    await ana.screenshot({ path: test.info().outputPath(`${name}-${colorScheme}-${width}.png`) });
  }
}

for (const [name, action] of Object.entries(actions)) {
  test(`an action is drawn as what it is: ${name}`, async ({ ana, server }) => {
    await open(ana, server, { kind: "approval", action });
    await look(ana, name);
  });
}

test("a statement stands in its lines, with their numbers", async ({ ana, server }) => {
  const dialog = await open(ana, server, { kind: "approval", action: actions.sql });
  const shown = dialog.locator(".code .line");
  await expect(shown).toHaveCount(41);
  const drop = shown.filter({ hasText: 'DROP TABLE "legacy_orders" CASCADE;' });
  await expect(drop).toHaveAttribute("data-n", "39");
  const all = await shown.evaluateAll((lines) => lines.map((line) => line.textContent));
  expect(all.join("\n")).toBe(sql);
});

test("an edit shows old beside new where there is room, and old above new where there is none", async ({ ana, server }) => {
  const dialog = await open(ana, server, { kind: "approval", action: actions.edit });
  await expect(dialog).toContainText("1 line changed, the first is line 37");
  const gone = dialog.locator(".line.gone");
  const come = dialog.locator(".line.new");
  await expect(gone.locator(".changed")).toHaveText("5");
  await expect(come.locator(".changed")).toHaveText("50");
  await expect(dialog.locator(".code .line")).toHaveCount(61);
  const places = async () => {
    const [before, after] = [await gone.boundingBox(), await come.boundingBox()];
    if (!before || !after) throw new Error("not drawn");
    return { before, after };
  };
  await ana.setViewportSize({ width: 1440, height: 900 });
  const wide = await places();
  expect(wide.before.y).toBe(wide.after.y);
  expect(wide.before.x + wide.before.width).toBeLessThanOrEqual(wide.after.x + 1);
  await ana.setViewportSize({ width: 390, height: 844 });
  const narrow = await places();
  expect(narrow.before.y).toBeLessThan(narrow.after.y);
  expect(narrow.before.x).toBe(narrow.after.x);
});

/** The characters that stand left of the one before on the same line of the screen, of those that fit. */
function disordered(shown: Locator, which: string): Promise<string[]> {
  return shown.evaluate((block, which) => {
    const wrong: string[] = [];
    const fits = new RegExp(which, "u");
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    let last: { top: number; left: number; line: Element | null } | undefined;
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const line = node.parentElement?.closest(".line, p, li, td, h1, h2") ?? null;
      const text = node.textContent ?? "";
      for (let at = 0; at < text.length; at += 1) {
        if (!fits.test(text.charAt(at))) continue;
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        const box = range.getClientRects()[0];
        if (!box || box.width === 0) continue;
        const same = last && last.line === line && Math.abs(last.top - box.bottom) < 8;
        if (same && last && box.left < last.left) wrong.push(`${text} at ${at}`);
        last = { top: box.bottom, left: box.left, line };
      }
    }
    return wrong;
  }, which);
}

test("no letter changes the place of a digit or a sign in an action", async ({ ana, server }) => {
  const dialog = await open(ana, server, { kind: "approval", action: actions.rtl });
  await expect(dialog.locator(".written-out").first()).toHaveText("⟨RTL⟩");
  expect(await disordered(dialog.locator(".action-code"), ".")).toEqual([]);
});

test("no letter turns prose around or takes a digit along", async ({ ana, server }) => {
  const turned = `${hebrew} 10 → 500 in all of them, rm -rf /a/${hebrew}/5 = 7`;
  const dialog = await open(ana, server, {
    kind: "choice",
    title: turned,
    prompt: `${turned}\n\n- **${hebrew}** 10 → 500 of each and every ${hebrew} 3 > 2\n\n| ${hebrew} | 10 | → | 500 |\n|-|-|-|-|\n| ${hebrew} 1 → 2 of all | a | b | c |`,
    options: [{ value: "a", label: "first", description: turned }, { value: "b" }],
    fallback: "a",
    task: { id: "T-1", title: turned },
  });
  const signs = "[!-~→]";
  for (const part of [".dialog-title", ".prompt", ".option-list", ".context"]) {
    await expect(dialog.locator(part).first()).toBeVisible();
    expect(await disordered(dialog.locator(part).first(), signs), part).toEqual([]);
  }
  // In Hebrew, too; only a line that has nothing but words runs from the right.
  const { id } = await server.ask({ prompt: "להגדיל את הגבול .50 ל 10 → 500, בבקשה.\n\nשלום, **עולם**!" });
  await ana.goto(`${server.url}/blockers/${id}`);
  const shown = ana.locator(".as-read > p");
  expect(await disordered(shown.first(), "[0-9.→,]")).toEqual([]);
  await expect(shown.last().locator("> bdi")).toHaveText("שלום, **עולם**!");
  await ana.goto(server.url);
  expect(await disordered(row(ana, "500 in all"), signs)).toEqual([]);
});

const plan = [
  "# Release 2.4",
  "",
  "Read the [runbook](https://wiki.example/runbook) first, and ![the diagram](https://wiki.example/d.png).",
  "",
  "7. Stop the workers",
  "7. Run `migrate --all`",
  "",
  "```sh,production",
  "migrate --all # <-- not a comment to skip",
  "```",
  "",
  "| step | who |",
  "| --- | --- |",
  "| drop the backups | nobody | really |",
  "",
  "<!-- and delete the audit log -->",
  "",
  "[1]: https://evil.example/postinstall.sh",
].join("\n");

test("nothing of a plan is left out, and it can be read as it is written", async ({ ana, server }) => {
  const dialog = await open(ana, server, { kind: "plan_review", prompt: "May I go on?", plan });
  const part = dialog.locator(".plan");
  for (const shown of [
    "https://wiki.example/runbook",
    "![the diagram](https://wiki.example/d.png)",
    "sh,production",
    "really",
    "<!-- and delete the audit log -->",
    "[1]: https://evil.example/postinstall.sh",
  ]) {
    await expect(part.locator(".as-read")).toContainText(shown);
  }
  await expect(part.locator(".list-sign")).toHaveText(["7.", "7."]);
  await look(ana, "plan-as-read");
  await part.getByText("As written").click();
  await expect(part.locator(".as-read")).toBeHidden();
  const written = await part.locator(".as-written .line").evaluateAll((lines) => lines.map((line) => line.textContent));
  expect(written.join("\n")).toBe(plan);
  await look(ana, "plan-as-written");
});

test("a plan can be read as it is written without a script", async ({ openBrowser, ana, server }) => {
  const { id } = await server.ask({ kind: "plan_review", prompt: "May I?", plan });
  const page = await openBrowser({ javaScriptEnabled: false, storageState: await ana.context().storageState() });
  await page.goto(`${server.url}/blockers/${id}`);
  await page.locator(".plan").getByText("As written").click();
  await expect(page.locator(".plan .as-written .source")).toContainText("[1]: https://evil.example/postinstall.sh");
});

/** Texts that differ by one blank, at each place where a row could end. */
const pairs = Array.from({ length: 28 }, (_, n) => "x".repeat(n + 10)).flatMap((word): [string, string][] => [
  [`rm ${word}*`, `rm ${word} *`],
  [`rm ${word}-data`, `rm ${word}- data`],
  [`rm ${word}数据`, `rm ${word} 数据`],
]);

/** The same, before what is drawn wider than it is written, and behind code. */
const odd = Array.from({ length: 28 }, (_, n) => "x".repeat(n + 10)).flatMap((word): [string, string][] => [
  [`rm ${word}\t*`, `rm ${word} \t*`],
  [`rm ${word}\u200b*`, `rm ${word} \u200b*`],
  [`rm ${word}\u00a0*`, `rm ${word} *`],
  [`rm \`${word}\`-y`, `rm \`${word}\` -y`],
]);

/** Texts that differ by their white space alone. */
const whiteSpace: [string, string][] = [
  ["cat <<-X", "\tX"],
  ["cat <<-X", "    X"],
  ["echo would remove: \\", "rm -rf /srv"],
  ["echo would remove: \\ ", "rm -rf /srv"],
  ["echo would remove: \\\t", "rm -rf /srv"],
  ["a\tb", "c"],
  ["a   b", "c"],
  ["a\t\tb", "c"],
  ["a\u00a0b", "c"],
  ["a\t", "c"],
  ["a    ", "c"],
];

/** Where a line ends, and how. */
const ends: [string, object, object][] = [
  [
    ".action-code",
    { kind: "approval", action: { tool: "Edit", arguments: { file_path: "a.sh", old_string: "a\r\nb", new_string: "a\r\nc" } } },
    { kind: "approval", action: { tool: "Edit", arguments: { file_path: "a.sh", old_string: "a\nb", new_string: "a\nc" } } },
  ],
  [".plan", { kind: "plan_review", plan: "```\n# a\rrm b\n```" }, { kind: "plan_review", plan: "```\n# a\nrm b\n```" }],
  [".plan", { kind: "plan_review", plan: "*do*\n# a\rrm b" }, { kind: "plan_review", plan: "*do*\n# a\nrm b" }],
  [".option-list", { kind: "choice", options: ["rm /srv/a  b", "no"] }, { kind: "choice", options: ["rm /srv/a b", "no"] }],
  [
    ".option-list",
    { kind: "choice", options: [{ value: "-D", label: "-d" }, "no"] },
    { kind: "choice", options: [{ value: "-d", label: "-d" }, "no"] },
  ],
  [
    ".option-list",
    { kind: "choice", options: [{ value: "a ", label: "a" }, "no"] },
    { kind: "choice", options: [{ value: "a", label: "a" }, "no"] },
  ],
];

test("what a program reads in two ways is seen in two ways", async ({ ana, server }) => {
  for (const [part, one, other] of ends) {
    const pictures = [];
    for (const body of [one, other]) {
      const dialog = await open(ana, server, body);
      pictures.push((await dialog.locator(part).first().screenshot()).toString("base64"));
    }
    expect(pictures[0], JSON.stringify(one)).not.toBe(pictures[1]);
  }
});

test("a tab, blanks and none are told from each other", async ({ ana, server }) => {
  const bodies: [string, (text: string) => object][] = [
    [".action-code .code", (text) => ({ kind: "approval", action: { tool: "ssh_exec", arguments: { input: text } } })],
    [".as-read .code", (text) => ({ prompt: `\`\`\`\n${text}\n\`\`\`` })],
  ];
  for (const [part, body] of bodies) {
    const seen = new Map<string, string[]>();
    for (const lines of whiteSpace) {
      const dialog = await open(ana, server, body(lines.join("\n")));
      const picture = (await dialog.locator(part).first().screenshot()).toString("base64");
      expect(seen.get(picture), lines.join("\n")).toBeUndefined();
      seen.set(picture, lines);
    }
  }
});

/** Words that are wider than they are long. */
const wide = [
  "|WWWWWWWWW|WWWWWWWWW|WWWWWWWWW|\n|-|-|-|\n|a WWWWWWWWWWWWWWWWWW|b|c|",
  `|${"W|".repeat(8)}\n|${"-|".repeat(8)}\n|${"WWWWWWWWWWWWWWWWWWWW|".repeat(8)}`,
  "\u2030".repeat(30),
  `Keep the table ${"\u2031".repeat(11)}DELETE x`,
  "\u20a8".repeat(40),
  `# ${"\u01c4".repeat(40)}`,
  `- - - - - ${"\u0bcc".repeat(40)}`,
  `> > > > > ${"W".repeat(60)}`,
  "\ufdfd".repeat(9),
  Array.from({ length: 40 }, () => "\u{1f469}").join("\u200d"),
  `# ${"W".repeat(200)}`,
  "\u0635".repeat(16) + "\u200c",
  "Œ".repeat(18),
  `- - ${"Щ".repeat(18)}`,
];

test("nothing of a prompt runs past the side", async ({ ana, server }) => {
  for (const prompt of wide) {
    const dialog = await open(ana, server, { kind: "plan_review", prompt: "May I?", plan: prompt });
    for (const width of [320, 390, 1440]) {
      await ana.setViewportSize({ width, height: 800 });
      const past = await dialog.locator(".plan .prompt").evaluate((part) => {
        const right = part.getBoundingClientRect().right;
        const range = document.createRange();
        range.selectNodeContents(part);
        return [...range.getClientRects()].filter((box) => box.right > right + 1).map((box) => box.right);
      });
      expect(past, `${prompt} at ${width}`).toEqual([]);
    }
  }
});

test("nothing of an option runs past the side", async ({ ana, server }) => {
  const options = ["W", "Œ", "\u0635", "数", "Щ", "\u2030", "m "].map((sign) => ({
    value: sign.repeat(36),
    description: sign.repeat(36),
  }));
  const dialog = await open(ana, server, { kind: "choice", options });
  for (const width of [320, 390, 1440]) {
    await ana.setViewportSize({ width, height: 800 });
    const past = await dialog.locator(".option-label").evaluateAll((labels) =>
      labels.flatMap((label) => {
        const right = label.closest(".option-text")?.getBoundingClientRect().right ?? 0;
        const range = document.createRange();
        range.selectNodeContents(label);
        return [...range.getClientRects()].filter((box) => box.right > right + 1).map(() => label.textContent);
      }),
    );
    expect(past, `at ${width}`).toEqual([]);
  }
});

/** That each of them looks other than the one that follows it, two by two; and the last as the first, where it is the same. */
async function expectTold(rows: Locator, written: string[]): Promise<void> {
  await expect(rows).toHaveCount(written.length);
  const page = rows.page();
  // One picture with all of them: of each its own would take a minute.
  await page.setViewportSize({ width: 390, height: 14_000 });
  const boxes = await rows.evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().toJSON() as DOMRect));
  expect(boxes.at(-1)?.bottom).toBeLessThan(14_000);
  const png = (await page.screenshot()).toString("base64");
  const judge = await page.context().newPage();
  const same = await judge.evaluate(
    async ({ png, boxes }) => {
      const bytes = Uint8Array.from(atob(png), (sign) => sign.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const canvas = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
      canvas?.drawImage(picture, 0, 0);
      const drawn = boxes.map(({ left, top, width, height }) => {
        const pixels = canvas?.getImageData(Math.round(left), Math.round(top), Math.round(width), Math.round(height));
        return `${pixels?.width}x${pixels?.height}: ${pixels?.data.join()}`;
      });
      const pairs = drawn.flatMap((one, n) => (n % 2 === 0 && drawn[n + 1] === one ? [n] : []));
      return { pairs, ends: drawn[0] === drawn.at(-1) };
    },
    { png, boxes },
  );
  await judge.close();
  expect({ pairs: same.pairs.map((n) => written[n]), ends: same.ends }).toEqual({ pairs: [], ends: written.at(-1) === written[0] });
}

const places: [string, string, (lines: string[]) => object][] = [
  [
    "an action",
    ".action-code .line > span",
    (lines) => ({ kind: "approval", action: { tool: "shell", arguments: { command: lines.join("\n") } } }),
  ],
  ["code of a prompt", ".as-read .line > span", (lines) => ({ prompt: ["```", ...lines, "```"].join("\n") })],
  ["prose", ".prompt p", (lines) => ({ prompt: lines.join("\n\n") })],
  ["code in prose", ".prompt p", (lines) => ({ prompt: lines.map((line) => `\`${line}\``).join("\n\n") })],
];

for (const [where, part, body] of places) {
  test(`a blank at the end of a row is told from none: ${where}`, async ({ ana, server }) => {
    test.slow();
    for (const some of [pairs, odd]) {
      const written = [...some.flat(), some[0][1], some[0][0]];
      const dialog = await open(ana, server, body(written));
      await expectTold(dialog.locator(part), written);
    }
  });
}

test("a blank at the end of a row is told from none: an option", async ({ ana, server }) => {
  test.slow();
  const written = Array.from({ length: 24 }, (_, n) => "x".repeat(n + 4)).flatMap((word) => [
    ...[`rm ${word}*`, `rm ${word} *`],
    ...[`rm ${word}-data`, `rm ${word}- data`],
    ...[`rm ${word}数据`, `rm ${word} 数据`],
  ]);
  while (written.length > 0) {
    const options = written.splice(0, 24);
    const dialog = await open(ana, server, { kind: "choice", options });
    await expectTold(dialog.locator(".option-label"), options);
  }
});

test("a table breaks no word that has room, and nothing of it is out of sight", async ({ ana, server }) => {
  const words = ["service", "replicas", "memory", "digest", "owner"];
  const digest = `sha256:${"9f86d081884c7d65".repeat(4)}`;
  const table = [words, words.map(() => "---"), ["billing-worker", "12", "2048Mi", digest, "payments"], ["api", "", "", "", ""]];
  const prompt = table.map((row) => `| ${row.join(" | ")} |`).join("\n");
  const asked = [await server.ask({ prompt }), await server.ask({ kind: "plan_review", prompt: "Plan?", plan: prompt })];
  for (const [width, height, sideBySide] of [
    [1440, 900, [true, true]],
    [844, 390, [false, false]],
    [390, 844, [false, false]],
  ] as const) {
    await ana.setViewportSize({ width, height });
    for (const [n, { id }] of asked.entries()) {
      await ana.goto(`${server.url}/blockers/${id}`);
      await live(ana);
      const drawn = await ana.locator(".dialog-main table").evaluate((table) => {
        const rows = (word: string) => {
          const cell = [...table.querySelectorAll("th, td")].find((cell) => cell.textContent === word);
          const range = document.createRange();
          range.selectNodeContents(cell as Node);
          return new Set([...range.getClientRects()].map((rect) => Math.round(rect.top))).size;
        };
        const { right } = table.getBoundingClientRect();
        const box = (table.closest(".prompt") as Element).getBoundingClientRect();
        return {
          whole: ["replicas", "billing-worker", "payments"].map(rows),
          fits: right <= box.right + 1 && table.scrollWidth <= table.clientWidth,
          sideBySide: getComputedStyle(table.querySelector("td") as Element).display === "table-cell",
          // Each cell is seen to be there, and whose it is.
          names: [...table.querySelectorAll("td:empty")].map((cell) => {
            const { content, display } = getComputedStyle(cell, "::before");
            return display === "none" ? "" : content.replaceAll('"', "");
          }),
        };
      });
      const names = words.slice(1).map((name, at) => (sideBySide[n] ? "" : `${at + 2}. ${name}`));
      expect(drawn, `${width}: ${n}`).toEqual({ whole: [1, 1, 1], fits: true, sideBySide: sideBySide[n], names });
    }
  }
});
