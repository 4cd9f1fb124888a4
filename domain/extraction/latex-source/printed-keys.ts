import { groupAt, optionAt } from './arguments.js';
import { plainText, type PrintedKeys } from './plain-text.js';

export interface BibItem {
  readonly key: string;
  /** As in `[Smith(1999)Smith]`; null where entries have numbers. */
  readonly option: string | null;
  readonly text: string;
}

/** The entries of the lists of references in a source. */
export function bibItemsOf(source: string): readonly BibItem[] {
  return [
    ...source.matchAll(/\\begin\s*\{thebibliography\}([^]*?)(?:\\end\s*\{thebibliography\}|$)/g),
  ]
    .flatMap(([, list = '']) => list.split(/\\bibitem(?![A-Za-z])/).slice(1))
    .flatMap((entry) => {
      const option = optionAt(entry, 0);
      const key = groupAt(entry, option?.end ?? 0);
      return key === null
        ? []
        : [
            {
              key: key.content.trim(),
              option: option?.content ?? null,
              text: entry.slice(key.end),
            },
          ];
    });
}

/** What the citations and references of a source print; nothing where that is not known. */
export function printedKeys(document: string, items: readonly BibItem[]): PrintedKeys {
  const entries = new Map(
    items.map(({ key, option }, index) => [key, { option, number: index + 1 }]),
  );
  const numbers = numbersOfLabels(document);
  return {
    cite: (command, keys) => {
      const found = keys.flatMap((key) => entries.get(key) ?? []);
      const named = found.map(({ option }) => namesAndYear(option));
      if (found.length === 0 || /^nocite/.test(command)) return '';
      if (!named.every((one) => one !== null)) {
        return `[${found.map(({ option, number }) => (option === null ? number : withoutMarkup(option))).join(', ')}]`;
      }
      return /^(?:cite[tA]|textcite|citealt|citeauthor|newcite)/.test(command)
        ? named.map(([names, year]) => `${names} (${year})`).join(', ')
        : `(${named.map(([names, year]) => `${names}, ${year}`).join('; ')})`;
    },
    ref: (label) => numbers.get(label) ?? '',
  };
}

const unknown: PrintedKeys = { cite: () => '', ref: () => '' };
const withoutMarkup = (latex: string): string => plainText(latex, unknown);

/** `Smith and Doe(1999)Smith, Doe` of natbib. */
function namesAndYear(option: string | null): readonly [names: string, year: string] | null {
  const [, names, year] = /^([^(]+)\(([^()]*)\)/.exec(withoutMarkup(option ?? '')) ?? [];
  return names === undefined || year === undefined ? null : [names.trim(), year];
}

const numbered =
  /\\(chapter|section|subsection|subsubsection)(\*?)\s*[[{]|\\(appendix)\b|\\begin\{(figure|table|longtable|equation|align|gather|eqnarray|multline)(\*?)\}|\\(caption)\s*[[{]|\\label\s*\{([^{}]*)\}/g;
const ranks = ['chapter', 'section', 'subsection', 'subsubsection'];

/** The numbers that standard classes give to sections, figures, tables and formulas, by their labels. */
function numbersOfLabels(document: string): ReadonlyMap<string, string> {
  const numbers = new Map<string, string>();
  const counts = new Map<string, number>();
  const top = /\\chapter\s*[[{]/.test(document) ? 0 : 1;
  let path: number[] = [];
  let inAppendix = false;
  let float = 'figure';
  let last = '';
  const next = (name: string): string => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return String(count);
  };
  for (const [, heading, star, appendix, environment, starred, caption, label] of document.matchAll(
    numbered,
  )) {
    if (appendix !== undefined) [inAppendix, path] = [true, []];
    else if (heading !== undefined && star === '') {
      const depth = ranks.indexOf(heading) - top;
      path = [
        ...path.slice(0, depth),
        ...Array.from({ length: Math.max(0, depth - path.length) }, () => 0),
        (path[depth] ?? 0) + 1,
      ];
      const [first = 1, ...rest] = path;
      const letter = String.fromCharCode('A'.charCodeAt(0) + first - 1);
      last = [inAppendix ? letter : String(first), ...rest].join('.');
    } else if (environment === 'figure' || environment === 'table' || environment === 'longtable') {
      float = environment === 'figure' ? 'figure' : 'table';
    } else if (environment !== undefined && starred === '') last = next('equation');
    else if (caption !== undefined) last = next(float);
    else if (label !== undefined) numbers.set(label.trim(), last);
  }
  return numbers;
}
