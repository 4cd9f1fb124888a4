import { parseDocument } from 'yaml';
import { dividedNames, surelyNames, chunkCaption, citedKeys } from './latex-truth.js';
import { latexText } from './latex-text.js';
import { gap, oneLine, type CaptionTruth, type PaperTruth, type SectionTruth } from './truth.js';

/** The truth from the source of a paper in R Markdown. */
export function markdownTruth(text: string): PaperTruth {
  const [, header = '', rest = ''] =
    /^---[ \t]*\n([\s\S]*?)\n---[ \t]*\n([\s\S]*)$/.exec(text.replace(/\r\n?/g, '\n')) ?? [];
  const front = readHeader(header);
  const chunkOptions: string[] = [];
  const body = rest
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/^(```+|~~~+)(.*)\n[\s\S]*?^\1[ \t]*$/gm, (_, _fence: string, options: string) => {
      chunkOptions.push(options.replace(/\}\s*$/, ''));
      return '\n';
    })
    .replace(/^(\S.*)\n=+[ \t]*$/gm, '# $1')
    .replace(/^(\S.*)\n-{2,}[ \t]*$/gm, '## $1');
  const complete = !chunkOptions.some((options) => /\bchild\s*=/.test(options));
  return {
    titles: front.titles.map(inlineText).filter((title) => title !== ''),
    authors: surelyNames(front.authors.flatMap((names) => dividedNames(inlineText(names)))),
    abstract: front.abstract === null ? null : inlineText(front.abstract),
    sections: complete ? sectionsOf(body) : null,
    possibleSections: [],
    captions: [...picturesOf(body), ...chunkOptions.flatMap(chunkCaption)],
    references: referencesOf(`${front.abstract ?? ''} ${body}`, front.bibliography),
    paragraphs: paragraphsOf(body),
    displayEquations: Array.from(body.matchAll(display)).length,
    columns: 1,
  };
}

interface Header {
  readonly titles: readonly string[];
  readonly authors: readonly string[];
  readonly abstract: string | null;
  readonly bibliography: boolean;
}

function readHeader(yaml: string): Header {
  // Pandoc accepts more than YAML does: what can be read is enough.
  const header: unknown = parseDocument(yaml).toJS();
  const fields: Readonly<Record<string, unknown>> = isRecord(header) ? header : {};
  const { title, author, abstract, bibliography } = fields;
  const titles = isRecord(title) ? [title['formatted'], title['plain']] : [title];
  const authors = (Array.isArray(author) ? author : [author]).map((one: unknown) =>
    isRecord(one) ? one['name'] : one,
  );
  return {
    titles: titles.filter(isText),
    authors: authors.filter(isText),
    abstract: isText(abstract) ? abstract : null,
    bibliography: bibliography !== undefined,
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function sectionsOf(body: string): readonly SectionTruth[] {
  return Array.from(
    body.matchAll(/^(#{1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$/gm),
    ([, marks = '', title = '']) => ({
      level: marks.length,
      title: inlineText(title.replace(/\{[^}]*\}\s*$/, '')),
    }),
  ).filter(({ title }) => /[\p{L}\p{N}]/u.test(title));
}

/** A picture alone in its paragraph is a figure, and `Table:` or `:` begins the caption of a table. */
function picturesOf(body: string): readonly CaptionTruth[] {
  const figures = body.matchAll(/(?:^|\n)[ \t]*\n!\[([^\]]+)\]\([^)]*\)(?:\{[^}]*\})?[ \t]*\n/g);
  const tables = body.matchAll(/(?:^|\n)[ \t]*\n(?:Table)?:[ \t]+(\S[^\n]*)\n/g);
  return [
    ...Array.from(figures, ([, text = '']) => ({
      kind: 'figure' as const,
      text: inlineText(text),
      cells: [],
    })),
    ...Array.from(tables, ([, text = '']) => ({
      kind: 'table' as const,
      text: inlineText(text),
      cells: [],
    })),
  ];
}

const citation =
  /(?<![\w.@])-?@(?:\{([^}]+)\}|([\p{L}\p{N}_][\p{L}\p{N}_:.#$%&+?<>~/-]*[\p{L}\p{N}_]))/gu;

function referencesOf(body: string, listed: boolean): PaperTruth['references'] {
  const prose = body.replace(/`[^`]*`/g, '').replace(/\\@/g, '');
  const keys = new Set([
    ...Array.from(prose.matchAll(citation), ([, braced, plain]) => braced ?? plain),
    ...citedKeys(prose),
  ]);
  return listed && keys.size > 0 ? Array.from(keys, () => ({ parts: [] })) : null;
}

const display =
  /\$\$[\s\S]*?\$\$|\\begin\{(equation|align|eqnarray|gather|multline)(\*?)\}[\s\S]*?\\end\{\1\2\}/g;

const paragraphsOf = (body: string): readonly string[] =>
  body
    .replace(display, gap)
    .split(/\n[ \t]*\n|\n[ \t]*(?:[-*+]|\d+\.)[ \t]/)
    .filter((block) => !/^\s*(?:#|\||!\[|>|---|<)/.test(block))
    .map(inlineText)
    .filter((paragraph) => /\p{L}/u.test(paragraph));

/** The text that pandoc prints for a line. */
function inlineText(markdown: string): string {
  const plain = markdown
    .replace(/`r [^`]*`/g, gap)
    .replace(/\$[^$\n]+\$/g, gap)
    .replace(/\[[^\]]*@[^\]]*\]/g, gap)
    .replace(citation, gap)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[a-z/][^>]*>/gi, '')
    .replace(/\*{1,3}|`|(?<!\w)_{1,2}|_{1,2}(?!\w)/g, '')
    .replace(/\[\^[^\]]*\]/g, '');
  // Backslashes before signs are Markdown's; the others are LaTeX's.
  return oneLine(
    latexText(plain.replace(/\\([^\sa-zA-Z])/g, '$1').replaceAll('#', '\\#')).replaceAll(
      '\\#',
      '#',
    ),
  );
}
