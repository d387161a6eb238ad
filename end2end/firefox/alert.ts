// The notifications that Firefox itself shows where there is no desktop to show them: windows of its own, which a remote
// control with access to the system may look at and press.
import { writeFile } from "node:fs/promises";

import type { Browser } from "puppeteer-core";

type Run = (expression: string) => Promise<unknown>;
type Send = (method: string, more: object) => Promise<{ result: { contexts: Context[]; result: { value: unknown } } }>;
type Context = { context: string; url: string };

const title = `document.querySelector("#alertTitleLabel")?.value`;
const snapshot = `(async () => {
  const area = new DOMRect(0, 0, innerWidth, innerHeight);
  const image = await window.browsingContext.currentWindowGlobal.drawSnapshot(area, 2, "white");
  const canvas = document.createElementNS("http://www.w3.org/1999/xhtml", "canvas");
  Object.assign(canvas, { width: image.width, height: image.height });
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL();
})()`;

/** All of them, each as what runs a script there. Puppeteer has no name for windows that are no page; WebDriver BiDi has. */
async function windows(browser: Browser): Promise<Run[]> {
  const { connection } = browser as unknown as { connection: { send: Send } };
  const { result } = await connection.send("browsingContext.getTree", { "moz:scope": "chrome" });
  const alerts = result.contexts.filter(({ url }) => url.endsWith("/alerts/alert.xhtml"));
  return alerts.map(({ context }) => async (expression) => {
    const ran = await connection.send("script.evaluate", { expression, target: { context }, awaitPromise: true });
    return ran.result.result?.value;
  });
}

/** One that stands on the screen. */
export class Alert {
  private constructor(private readonly run: Run) {}

  /** Whose title contains this, as soon as it stands there. */
  static async titled(browser: Browser, words: string): Promise<Alert> {
    for (const end = Date.now() + 5_000; Date.now() < end; await new Promise((then) => setTimeout(then, 50))) {
      for (const run of await windows(browser)) {
        if (String(await run(title)).includes(words)) return new Alert(run);
      }
    }
    throw new Error(`Firefox shows no notification with “${words}”`);
  }

  async picture(file: string): Promise<void> {
    const url = String(await this.run(snapshot));
    await writeFile(file, Buffer.from(url.split(",")[1], "base64"));
  }

  /** Presses it, where no button is. */
  async tap(): Promise<void> {
    await this.run(`document.querySelector("#alertBox").click()`);
  }
}
