import { argumentAfter, groupEnd, latexText, readOptional } from './latex-text.js';
import { readLatexSource, type LatexSource } from './latex-source.js';
import { authorsOfLatex, plainAuthors } from './latex-authors.js';
import {
  gap,
  oneLine,
  type CaptionTruth,
  type PaperTruth,
  type ReferenceTruth,
  type SectionTruth,
} from './truth.js';

/** The truth from the source of a paper in LaTeX, Sweave or knitr. */
export function latexTruth(text: string): PaperTruth {
  const source = readLatexSource(text);
  const whole = `${source.preamble}\n${source.body}`;
  const texts = (name: string): readonly string[] =>
    argumentsOf(whole, name)
      .slice(0, 1)
      .map(latexText)
      .map(oneLine)
      .filter((line) => line !== '');
  const complete =
    !/\\(?:input|include|subfile|includepdf)\s*[[{]|\\SweaveInput/.test(
      source.body.replace(/\\input\s*\{[^}]*(?:figs?|table|plot|graphic)[^}]*\}/gi, ''),
    ) && !source.chunkOptions.some((options) => /\bchild\s*=/.test(options));
  return {
    titles: [...texts('title'), ...texts('Plaintitle')],
    authors:
      argumentsOf(whole, 'author').slice(0, 1).map(authorsOfLatex)[0] ??
      argumentsOf(whole, 'Plainauthor').slice(0, 1).map(plainAuthors)[0] ??
      null,
    abstract: abstractOf(whole),
    sections: complete ? sectionsOf(source.body) : null,
    possibleSections: sectionsOf(source.code.replaceAll('\\\\', '\\')).map(({ title }) => title),
    captions: [...captionsOf(source.body), ...source.chunkOptions.flatMap(chunkCaption)],
    references: referencesOf(source),
    paragraphs: paragraphsOf(source.body),
    displayEquations: Array.from(source.body.matchAll(displayEquation)).length,
    columns: /\\documentclass\s*\[[^\]]*twocolumn/.test(text) ? 2 : 1,
  };
}

/** The arguments of every use of a command, the optional one left out. */
export function argumentsOf(source: string, name: string): readonly string[] {
  const uses = source.matchAll(new RegExp(`\\\\${name}\\*?(?=\\s*[[{])`, 'g'));
  return Array.from(uses, ({ 0: use, index }) => argumentAfter(source, index + use.length).text);
}

const levels = ['section', 'subsection', 'subsubsection', 'paragraph', 'subparagraph'] as const;

function sectionsOf(body: string): readonly SectionTruth[] {
  const heading = /\\(part|chapter|(?:sub){0,2}section|(?:sub)?paragraph)\*?(?=\s*[[{])/g;
  const found = Array.from(body.matchAll(heading), (match) => {
    const { text } = argumentAfter(body, match.index + match[0].length);
    const level = levels.findIndex((name) => name === match[1]) + 1;
    return { level, title: oneLine(latexText(text)) };
  });
  // A `part` or `chapter` has level 0 so far.
  const raised = found.some(({ level }) => level === 0) ? 1 : 0;
  return found
    .filter(({ title }) => /[\p{L}\p{N}]/u.test(title))
    .map(({ level, title }) => ({ level: level + raised, title }));
}

const floats =
  /\\begin\{((?:sideways|wrap|SC|long|margin)?(?:figure|table)|longtable|tabularx)(\*?)\}([\s\S]*?)\\end\{\1\2\}/g;

function captionsOf(body: string): readonly CaptionTruth[] {
  const inFloats = Array.from(body.matchAll(floats)).flatMap(([, name = '', , content = '']) => {
    const own = content.replace(/\\begin\{(sub(?:figure|table))\}[\s\S]*?\\end\{\1\}/g, '');
    return argumentsOf(own, 'caption').map((text) => captionOf(name, text));
  });
  const apart = Array.from(body.matchAll(/\\captionof\s*\{(figure|table)\}/g), (match) => {
    const { text } = argumentAfter(body, match.index + match[0].length);
    return captionOf(match[1] ?? '', text);
  });
  return [...inFloats, ...apart].filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
}

const captionOf = (name: string, text: string): CaptionTruth => ({
  kind: name.includes('figure') ? 'figure' : 'table',
  text: oneLine(latexText(text)),
  cells: [],
});

/** `fig.cap` of a chunk where it is one string. */
export function chunkCaption(options: string): readonly CaptionTruth[] {
  const [, double, single] =
    /fig\.cap\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\s*(?:,|$|\})/.exec(options) ?? [];
  const text = double ?? single;
  if (text === undefined || /\b(?:eval|include)\s*=\s*(?:F|FALSE)\b/.test(options)) return [];
  return [captionOf('figure', text.replace(/\\(.)/g, '$1'))];
}

function abstractOf(whole: string): string | null {
  const [, inEnvironment] = /\\begin\{abstract\}([\s\S]*?)\\end\{abstract\}/.exec(whole) ?? [];
  const text = inEnvironment ?? argumentsOf(whole, '[aA]bstract')[0];
  return text === undefined ? null : oneLine(latexText(text));
}

/** From the list itself, else a key for each entry that is cited. */
function referencesOf({ preamble, body, code }: LatexSource): readonly ReferenceTruth[] | null {
  const [, list] = /\\begin\{thebibliography\}([\s\S]*?)\\end\{thebibliography\}/.exec(body) ?? [];
  if (list !== undefined) {
    const [, ...items] = list.split(/\\bibitem\b/);
    return items.map((item) => {
      const { end } = argumentAfter(item, 0);
      return { parts: [oneLine(latexText(item.slice(end)))] };
    });
  }
  if (!/\\(?:bibliography|printbibliography)\b/.test(body)) return null;
  // Title and abstract may stand before the body.
  const before = ['title', 'Abstract'].flatMap((name) => argumentsOf(preamble, name));
  const keys = citedKeys([...before, body].join(' '));
  // A key that a program writes cannot be counted, and `*` stands for all entries.
  if (keys.has('*') || /\\defbibheading|\\newrefsection/.test(preamble)) return null;
  if (/\\cite/.test(code)) return null;
  if (keys.size === 0 || [...keys].some((key) => /[\\#]/.test(key))) return null;
  return Array.from(keys, () => ({ parts: [] }));
}

/** The keys of all citations, in order. */
export const citedKeys = (source: string): ReadonlySet<string> =>
  new Set(
    Array.from(source.matchAll(/\\(?:[a-zA-Z]*[cC]ite[a-zA-Z]*)\*?(?=\s*[[{])/g))
      .flatMap((match) => {
        let start = match.index + match[0].length;
        for (let option = readOptional(source, start); option;) {
          start = option.end;
          option = readOptional(source, start);
        }
        return source[start] === '{'
          ? source.slice(start + 1, groupEnd(source, start)).split(',')
          : [];
      })
      .map((key) => key.trim())
      .filter((key) => key !== ''),
  );

const displayEquation =
  /\\begin\{((?:equation|align|eqnarray|displaymath|gather|multline|flalign|alignat)\*?)\}[\s\S]*?\\end\{\1\}|\\\[[\s\S]*?\\\]|(?<!\\)\$\$[\s\S]*?\$\$/g;

function paragraphsOf(body: string): readonly string[] {
  return (
    body
      .replace(/\\begin\{(thebibliography|tabular|center|abstract)\}[\s\S]*?\\end\{\1\}/g, '\n\n')
      .replace(floats, '\n\n')
      .replace(displayEquation, gap)
      // A note leaves its mark in the text.
      .replace(/\\footnote(?:mark)?(?=\s*[[{])/g, `${gap}\\label`)
      .replace(
        /\\(?:title|author|Plainauthor|Plaintitle|Shorttitle|Address|Abstract|Keywords|Plainkeywords|(?:sub)*section|(?:sub)?paragraph)\*?(?=\s*[[{])/g,
        '\n\n\\label',
      )
      .split(/\n[ \t]*\n|\\item\b|\\par\b/)
      .map((paragraph) => oneLine(latexText(paragraph)))
      .filter((paragraph) => /\p{L}/u.test(paragraph))
  );
}
