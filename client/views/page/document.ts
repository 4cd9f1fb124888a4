import { createHash } from 'node:crypto';
import { instantText } from '../../../domain/formats/text.js';
import type { Section, Table } from '../sections/section.js';
import { markup, trustedMarkup, type Markup } from './markup.js';
import type { QuestionTable } from './question-table.js';
import { sectionsMarkup, tableMarkup } from './section-markup.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../../domain/user-error.js';
import { packageRoot } from '../../services/programs.js';

/** The parts of a page. */
interface PageParts {
  readonly title: string;
  readonly style: string;
  /** Scripts of turnwise and of libraries, never from a run. */
  readonly scripts: readonly string[];
  readonly body: Markup;
  /** Data for the scripts, each in a script element of a type that browsers do not execute. */
  readonly data: readonly PageData[];
  /** Of a text, in base64. @defaultValue SHA-256, as the policy says */
  readonly digest?: (text: string) => string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64');

export interface PageData {
  readonly id: string;
  /** Base64, or a data URL of base64. */
  readonly content: string;
}

/**
 * A self-contained page. Its content security policy allows its own scripts and style, by their hashes, and pictures in data
 * URLs. It forbids every request to another address.
 */
export function pageDocument({
  title,
  style,
  body,
  data,
  digest = sha256,
  ...parts
}: PageParts): string {
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

/** Normalises line ends as HTML parsers do, since the hash is of the parsed text. Throws if the script would end its element. */
function fitForElement(script: string): string {
  if (/<\/script|<!--/i.test(script)) throw new Error('a script of the page contains markup');
  return script.replaceAll(/\r\n?/g, '\n');
}

interface FramedPage {
  /** The kind of page, shown above the title. */
  readonly kind: string;
  readonly title: string;
  /** Links to sections of the content. */
  readonly links: readonly { readonly id: string; readonly name: string }[];
  readonly content: Markup;
  readonly made: MadePage;
}

/** What is known of a page when the conversations have been packed. */
export interface MadePage {
  /** ISO 8601. */
  readonly madeAt: string;
  /** What the page leaves out. */
  readonly remarks: readonly string[];
  /** Null where it has none of its own. */
  readonly questions: QuestionTable | null;
}

/** The overview, and an empty element in which the application shows a single question instead. */
export const pageFrame = ({
  kind,
  title,
  links,
  content,
  made: { madeAt, remarks, questions },
}: FramedPage): Markup => markup`<div id="overview">
<a class="skip" href="#questions">to the questions</a>
<header class="top"><p class="kind">${kind}, made ${instantText(madeAt)}</p>
<h1>${title}</h1>
<nav aria-label="Sections"><ul>${[...links, { id: 'questions', name: 'Questions' }].map(({ id, name }) => markup`<li><a href="#${id}">${name}</a></li>`)}</ul></nav></header>
<main>
${content}<section aria-labelledby="questions"><h2 id="questions">Questions</h2>
${remarks.map((remark) => markup`<p class="note">${remark}</p>\n`)}${
  questions &&
  markup`<div id="table"><noscript><p class="note">Sorting, filtering and the conversation of each question need JavaScript.</p>
${plainQuestions(questions)}</noscript></div>
`
}</section>
</main>
</div>
<div id="app" hidden></div>`;

/** For readers without scripts. */
function plainQuestions({ columns, rows }: QuestionTable): Markup {
  const table: Table = {
    caption: '',
    heads: columns.map(({ name }) => name),
    names: columns.filter(({ kind }) => kind !== 'number').length,
    isList: true,
    rows: rows.map(({ epoch, cells }) =>
      cells.map((cell, at) => {
        const { text, mark = '', under = '' } = typeof cell === 'string' ? { text: cell } : cell;
        const isLater = columns[at]?.kind === 'question' && epoch > 1;
        const shown = mark === '' ? text : `${mark} ${text}`;
        const below = isLater ? `epoch ${epoch}` : under;
        return below === '' ? shown : { text: shown, under: below };
      }),
    ),
  };
  return markup`<div class="wide" tabindex="0">${tableMarkup(table, 'report-table')}</div>`;
}

/** A page of sections. */
export const sectionsPage = ({
  sections,
  ...page
}: Omit<FramedPage, 'links' | 'content'> & { readonly sections: readonly Section[] }): Markup =>
  pageFrame({
    ...page,
    links: sections.map(({ id, title }) => ({ id, name: title })),
    content: sectionsMarkup(sections),
  });

/** A script that the build has made of `client/views/web/browser/`: of the view or of reports. */
export function browserScript(name: 'view' | 'report'): string {
  const file = join(packageRoot, `dist/view/${name}.js`);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new UserError(`${file} is missing: \`npm run build\` makes it`);
  }
}
