import type { SampleKey } from '../../../domain/ids.js';
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

export interface FramedPage {
  /** What page this is, above its title. */
  readonly kind: string;
  readonly title: string;
  /** To sections of the content. */
  readonly links: readonly { readonly id: string; readonly name: string }[];
  readonly content: Markup;
  /** On the questions, above their table. */
  readonly remarks: readonly string[];
  readonly questions: Markup;
}

/** The overview, and the place where the page's script shows a single question instead of it. */
export const pageFrame = ({
  kind,
  title,
  links,
  content,
  remarks,
  questions,
}: FramedPage): Markup => markup`<div id="overview">
<a class="skip" href="#questions">to the questions</a>
<header class="top"><p class="kind">${kind}</p>
<h1>${title}</h1>
<nav aria-label="Sections"><ul>${[...links, { id: 'questions', name: 'Questions' }].map(({ id, name }) => markup`<li><a href="#${id}">${name}</a></li>`)}</ul></nav></header>
<main>
${content}<section aria-labelledby="questions"><h2 id="questions">Questions</h2>
${remarks.map((remark) => markup`<p class="note">${remark}</p>\n`)}<noscript><p class="note">Sorting, filtering and the conversation of each question need JavaScript.</p></noscript>
${questions}
</section>
</main>
</div>
<main id="trajectory" hidden tabindex="-1"></main>`;

/** Where a page shows a question, once: the part of its address behind `#`. */
export const trajectoryAddress = (run: string, { uuid, epoch }: SampleKey): string =>
  `q/${run}/${uuid}/${epoch}`;

/** Where a page shows it as it went in two runs, side by side. */
export const comparisonAddress = (
  baseline: string,
  candidate: string,
  { uuid, epoch }: SampleKey,
): string => `c/${baseline}/${candidate}/${uuid}/${epoch}`;
