import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { groupEnd, latexText, replaceWhole } from './latex-text.js';
import { gap, oneLine, type CaptionTruth, type PaperTruth, type ReferenceTruth } from './truth.js';

/** The truth from the source of an example paper in Typst, and from `paper.typ` and `references.bib` beside it. */
export function typstTruth(text: string, path: string): PaperTruth {
  const beside = (file: string): string => readFileSync(join(dirname(path), file), 'utf8');
  const [preface = '', body = ''] = divided(text);
  const title = /\btitle:\s*"((?:[^"\\]|\\.)*)"/.exec(preface)?.[1] ?? '';
  const author = /\bauthor:\s*"([^"]*)"/.exec(beside('paper.typ'))?.[1] ?? '';
  const printed = withItemNumbers(withoutCode(body));
  const figures = figuresOf(body);
  return {
    titles: [title],
    authors: [author],
    abstract: abstractOf(preface),
    sections: Array.from(
      printed.matchAll(/^(=+)[ \t]+(.+)$/gm),
      ([, marks = '', heading = '']) => ({
        level: marks.length,
        title: inlineText(heading),
      }),
    ),
    possibleSections: [],
    captions: figures,
    references: referencesOf(text, beside('references.bib')),
    paragraphs: printed
      .split(/\n[ \t]*\n|\n(?=- |\d+\. |=+ )|(?<=^=+ .*)\n/m)
      .filter((block) => !/^\s*=/.test(block))
      .map(inlineText)
      .filter((paragraph) => /\p{L}/u.test(paragraph)),
    displayEquations: displayEquations(printed),
    columns: 2,
  };
}

/** Typst sets an equation on a line of its own if there is a space after its first dollar sign and before its last. */
const displayEquations = (text: string): number =>
  Array.from(text.matchAll(/(?<!\\)\$([^$]*)\$/g)).filter(([, inside = '']) =>
    /^\s[^]*\s$/.test(inside),
  ).length;

/** The call of `paper.with(…)` and what follows it. */
function divided(text: string): readonly string[] {
  const start = text.indexOf('paper.with(');
  const end = groupEnd(text, start + 10, '(', ')');
  return [text.slice(start, end), text.slice(end + 1)];
}

function abstractOf(preface: string): string {
  const start = preface.indexOf('[', preface.indexOf('abstract:'));
  return inlineText(preface.slice(start + 1, groupEnd(preface, start, '[', ']')));
}

/** The text of the body without definitions, figures, blocks of code and comments. */
function withoutCode(body: string): string {
  const bare = body.replace(/^\/\/.*$/gm, '').replace(/^```\w*$/gm, '');
  const printed = replaceWhole(bare, /#(?:figure|bibliography)\(/g, (_, after) => {
    const end = groupEnd(bare, after - 1, '(', ')') + 1;
    const [label = ''] = /^\s*<[\w-]+>/.exec(bare.slice(end)) ?? [];
    return { text: '\n\n', end: end + label.length };
  });
  return replaceWhole(printed, /^#(?:let|set|show)\b/gm, ({ index }) => ({
    ...{ text: '', end: statementEnd(printed, index) },
  }));
}

/** Items of a list that begin with `+` are printed with their numbers, from 1 in each list. */
function withItemNumbers(body: string): string {
  let number = 0;
  return body
    .split('\n')
    .map((line) => {
      if (line.startsWith('+ ')) return `${(number += 1)}. ${line.slice(2)}`;
      if (!/^\s+\S/.test(line)) number = 0;
      return line;
    })
    .join('\n');
}

/** A statement ends with the first line break outside of brackets. */
function statementEnd(source: string, start: number): number {
  const closing: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']' };
  for (let at = start; at < source.length; at += 1) {
    const sign = source[at] ?? '';
    const close = closing[sign];
    if (close !== undefined) at = groupEnd(source, at, sign, close);
    else if (sign === '\n') return at;
  }
  return source.length;
}

function figuresOf(body: string): readonly CaptionTruth[] {
  return Array.from(body.matchAll(/#figure\(/g), ({ index }) => {
    const call = body.slice(index, groupEnd(body, index + 7, '(', ')'));
    const start = call.indexOf('[', call.lastIndexOf('caption:'));
    const kind = /#figure\(\s*(?:ruled|table)\(/.test(call)
      ? ('table' as const)
      : ('figure' as const);
    const content = call.slice(0, call.lastIndexOf('caption:'));
    return {
      kind,
      text: inlineText(call.slice(start + 1, groupEnd(call, start, '[', ']'))),
      cells: kind === 'figure' ? [] : cellsOf(content),
    };
  });
}

/** Cells in brackets that hold no formula or call. */
const cellsOf = (table: string): readonly string[] =>
  Array.from(table.matchAll(/\[([^[\]#$]+)\]/g), ([, cell = '']) => inlineText(cell)).filter(
    (cell) => cell !== '',
  );

/** Entries in order of citation do not matter: each is known by its surnames, year and title. */
function referencesOf(text: string, bibliography: string): readonly ReferenceTruth[] {
  const cited = new Set(Array.from(text.matchAll(/@([\w-]+)/g), ([, key]) => key));
  return Array.from(bibliography.matchAll(/^@\w+\{([\w-]+),([\s\S]*?)^\}/gm))
    .filter(([, key]) => cited.has(key))
    .map(([, , fields = '']) => {
      const field = (name: string): string =>
        oneLine(
          latexText(new RegExp(`\\b${name}\\s*=\\s*\\{(.*)\\},?$`, 'm').exec(fields)?.[1] ?? ''),
        );
      const surnames = field('author')
        .split(' and ')
        .map((name) => name.split(',')[0] ?? '');
      // A style may shorten a long list of authors to the first one.
      return {
        parts: [field('title'), field('year'), surnames[0] ?? ''].filter((part) => part !== ''),
      };
    });
}

/** Formulas, calls and references to other places become gaps. */
function inlineText(typst: string): string {
  const source = typst
    .replace(/<[\w-]+>/g, '')
    .replace(/\$[^$]*\$/g, gap)
    .replace(/(?<![\w\\])@[\w-]+/g, gap)
    .replace(/`([^`]*)`/g, '$1');
  const plain = replaceWhole(source, /#[\w.-]*/g, (_, after) => {
    const call = source[after] === '(' ? groupEnd(source, after, '(', ')') + 1 : after;
    const end = source[call] === '[' ? groupEnd(source, call, '[', ']') + 1 : call;
    return { text: gap, end };
  });
  return oneLine(
    plain
      .replace(/(?<!\w)[_*]|[_*](?!\w)/g, '')
      .replace(/\\(.)/g, '$1')
      .replace(/^[ \t]*- /gm, '')
      .replace(/---/g, '—')
      .replace(/--/g, '–'),
  );
}
