import type { FlagsOf, formatOptions, ResultFormat } from '../../domain/option.js';
import { isQuiet, print, printLines, widthOf, type Line } from '../services/tell.js';
import { pageDocument } from './page/document.js';
import { markup } from './page/markup.js';
import { pageStyle } from './page/page-style.js';
import { sectionsMarkup } from './page/section-markup.js';
import { plainText, sectionLines } from './terminal.js';
import { markdownText, sectionsMarkdown, type Section } from './sections/section.js';

/** What a command came to. Each format says the same. */
export interface SectionedResult {
  /** Of a document. In a terminal the sections speak for themselves. */
  readonly title: string;
  readonly sections: readonly Section[];
  /** For programs: the figures with all their digits. Of a list, the list. */
  readonly data: object;
}

export const printSections = (
  { format, json }: FlagsOf<typeof formatOptions>,
  result: SectionedResult,
): void => {
  const wanted = json ? 'json' : format;
  if (wanted === 'json') print(resultText(wanted, result), true);
  else printLines(resultLines(wanted, result, widthOf(process.stdout)));
};

/** Says on stderr what a command will do. @param isNeeded - quiet or not */
export function tellSections(sections: readonly Section[], isNeeded: boolean): void {
  const { stderr } = process;
  if (sections.length === 0 || (isQuiet() && !isNeeded)) return;
  printLines(sectionLines(sections, widthOf(stderr)), stderr);
}

/** A document is one line. */
export const resultLines = (
  format: ResultFormat,
  result: SectionedResult,
  width: number,
): readonly Line[] =>
  format === 'text'
    ? sectionLines(result.sections, width)
    : [[{ text: resultText(format, result) }]];

export function resultText(
  format: ResultFormat,
  { title, sections, data }: SectionedResult,
): string {
  switch (format) {
    case 'text':
      return plainText(sectionLines(sections));
    case 'markdown':
      return `# ${markdownText(title)}\n\n${sectionsMarkdown(sections)}`;
    case 'html':
      return pageDocument({
        title,
        style: pageStyle,
        scripts: [],
        body: markup`<header class="top"><h1>${title}</h1></header>\n<main>${sectionsMarkup(sections)}</main>`,
        data: [],
      });
    case 'json':
      return JSON.stringify(Array.isArray(data) ? data : { ...data, sections }, null, 1);
  }
}
