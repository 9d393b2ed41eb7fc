/**
 * Renders a Mermaid flowchart of a document as HTML without script: one line for each arrow, with the boxes that it
 * connects. Reads the part of Mermaid's syntax that the documents use: `a["Text"] -- "label" --> b`.
 */

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

/** A box: an id, and where the box is introduced its text in brackets of some shape. */
const BOX = String.raw`(\w+)(?:[[({]+"([^"]*)"[\])}]+)?`;
const ARROW = new RegExp(`^${BOX} (?:-- "([^"]*)" )?--> ${BOX}$`);

/** @returns null if the text is no flowchart, or has a line that is no arrow */
export function flowchart(text: string, escaped: (text: string) => string): string | null {
  const [kind, ...lines] = text.split('\n').map((line) => line.trim());
  if (kind === undefined || !/^flowchart \w+$/.test(kind)) return null;
  const texts = new Map<string, string>();
  const matches = lines.filter((line) => line !== '').map((line) => ARROW.exec(line));
  const arrows: Arrow[] = [];
  for (const match of matches) {
    if (match === null) return null;
    const [, from = '', fromText, label = '', to = '', toText] = match;
    for (const [id, boxText] of [[from, fromText] as const, [to, toText] as const])
      if (boxText !== undefined) texts.set(id, boxText);
    arrows.push({ from, to, label });
  }
  const box = (id: string): string => `<b>${escaped(texts.get(id) ?? id)}</b>`;
  const items = arrows.map(({ from, to, label }) => {
    const arrow = label === '' ? '→' : `${escaped(label)} →`;
    return `<li>${box(from)} <span>${arrow}</span> ${box(to)}</li>\n`;
  });
  return `<ul class="flow">\n${items.join('')}</ul>\n`;
}
