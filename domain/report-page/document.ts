import { markup, trustedMarkup, type Markup } from './markup.js';

/** What a page is put together from. */
export interface PageParts {
  readonly title: string;
  readonly style: string;
  /** Of our own and of a library, never of a run. */
  readonly scripts: readonly string[];
  readonly body: Markup;
  /** Data for the scripts, each in a script element of its own that is not run. */
  readonly data: readonly PageData[];
  /** SHA-256 of a text, in base64. */
  readonly digest: (text: string) => string;
}

export interface PageData {
  readonly id: string;
  /** Base64, or a data URL of base64. */
  readonly content: string;
}

/**
 * A whole page that asks no other address for anything, and may not: its policy lets run its own scripts and style, told
 * by their hashes, and show pictures that it holds itself.
 */
export function pageDocument({ title, style, body, data, digest, ...parts }: PageParts): string {
  const scripts = parts.scripts.map(fitForElement);
  const hashes = (texts: readonly string[]): string =>
    texts.map((text) => `'sha256-${digest(text)}'`).join(' ');
  const policy = [
    "default-src 'none'",
    `script-src ${hashes(scripts)}`,
    `style-src ${hashes([style])}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trustedMarkup(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${trustedMarkup(style)}</style>
</head>
<body>
${body}
${data.map(dataElement)}${scripts.map((script) => markup`<script>${trustedMarkup(script)}</script>\n`)}</body>
</html>
`.text;
}

const dataElement = ({ id, content }: PageData): Markup =>
  markup`<script type="text/plain" id="${id}">${trustedMarkup(content)}</script>\n`;

/** As a browser's parser hands it on, which is what its hash is of. Throws where it would end its element. */
function fitForElement(script: string): string {
  if (/<\/script|<!--/i.test(script)) throw new Error('a script of the page holds markup');
  return script.replaceAll(/\r\n?/g, '\n');
}
