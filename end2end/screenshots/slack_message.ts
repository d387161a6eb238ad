// Draws a card's blocks about as Slack does: enough to see how a card reads, without Slack. A block it does not
// know it refuses, so that a picture never leaves something out.

type Text = { type: "plain_text" | "mrkdwn"; text: string };
type Option = { text: Text };
type Element = {
  type: string;
  text: Text;
  placeholder: Text;
  options: Option[];
};
type Literal = { text: string; style?: { bold: boolean } };
type Part = { type: string; elements: Literal[] };
type Block =
  | { type: "header" | "section"; text: Text }
  | { type: "context"; elements: Text[] }
  | { type: "actions"; elements: Element[] }
  | { type: "rich_text"; elements: Part[] };
export type Card = { blocks: Block[] };

/** A page with one message on it. */
export function messagePage(card: Card): string {
  return `<!doctype html><meta charset="utf-8"><style>${style}</style>
    <div class="message">
      <div class="avatar">H</div>
      <div>
        <p class="who"><b>Handraise</b> <span class="app">APP</span> <span class="when">10:13 PM</span></p>
        ${card.blocks.map(block).join("\n")}
      </div>
    </div>`;
}

function block(block: Block): string {
  switch (block.type) {
    case "header":
      return `<h1>${text(block.text)}</h1>`;
    case "section":
      return `<p class="section">${text(block.text)}</p>`;
    case "context":
      return `<p class="context">${block.elements.map((it) => `<span>${text(it)}</span>`).join(" ")}</p>`;
    case "actions":
      return `<p class="actions">${block.elements.map(element).join(" ")}</p>`;
    case "rich_text":
      return block.elements.map(part).join("\n");
    default:
      throw new Error(`cannot draw ${JSON.stringify(block)}`);
  }
}

function element(element: Element): string {
  switch (element.type) {
    case "button":
      return `<span class="button">${text(element.text)}</span>`;
    case "static_select":
      return `<span class="button menu">${text(element.placeholder)} <i>⌄</i></span>`;
    default:
      throw new Error(`cannot draw ${element.type}`);
  }
}

function part(part: Part): string {
  const said = part.elements.map((it) => (it.style?.bold ? `<b>${escape(it.text)}</b>` : escape(it.text)));
  switch (part.type) {
    case "rich_text_section":
      return `<p class="section">${said.join("")}</p>`;
    case "rich_text_preformatted":
      return `<pre>${said.join("")}</pre>`;
    default:
      throw new Error(`cannot draw ${part.type}`);
  }
}

function text(given: Text): string {
  if (given.type === "plain_text") {
    return escape(given.text);
  }
  return given.text.replace(/<([^|>]+)\|([^>]*)>/g, (_, target: string, label: string) => {
    const date = /^!date\^(\d+)\^/.exec(target);
    return date ? moment(new Date(Number(date[1]) * 1000)) : `<a>${label}</a>`;
  });
}

function moment(at: Date): string {
  const day = at.toLocaleDateString("en-US", { dateStyle: "medium", timeZone: "UTC" });
  const time = at.toLocaleTimeString("en-US", { timeStyle: "short", timeZone: "UTC" });
  return `${day} ${time}`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const style = `
  body { margin: 0; font: 15px/1.46 Lato, "Helvetica Neue", "Liberation Sans", Arial, sans-serif; color: #1d1c1d; background: #fff; }
  .message { display: grid; grid-template-columns: 36px 600px; gap: 8px; padding: 16px 20px; width: max-content; }
  .avatar { width: 36px; height: 36px; border-radius: 8px; background: #eef1f5; display: grid; place-items: center; font-size: 20px; font-weight: 700; color: #454f5b; }
  p, h1, pre { margin: 0 0 8px; white-space: pre-wrap; overflow-wrap: anywhere; }
  .who { margin-bottom: 4px; }
  .app { font-size: 10px; font-weight: 700; color: #616061; background: #e8e8e8; border-radius: 2px; padding: 1px 3px; }
  .when { font-size: 12px; color: #616061; }
  h1 { font-size: 18px; line-height: 1.33; font-weight: 900; }
  .context { font-size: 13px; line-height: 1.5; color: #616061; display: flex; flex-wrap: wrap; gap: 0 8px; }
  a { color: #1264a3; }
  pre { font: 12px/1.5 Monaco, Menlo, Consolas, "Liberation Mono", monospace; background: #f8f8f8; border: 1px solid #ddd; border-radius: 4px; padding: 8px; }
  .actions { display: flex; flex-wrap: wrap; gap: 8px; }
  .button { font-size: 13px; font-weight: 700; border: 1px solid #bbb; border-radius: 4px; padding: 3px 12px; max-width: 220px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
  .menu { font-weight: 400; color: #616061; }
`;
