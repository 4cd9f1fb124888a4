import type { PdfContent, TextLine } from '../page-content.js';

const listTitle = /^(table of )?contents$|^list of (figures|tables|algorithms)$/i;
const leaders = /(\s?[.·…]){4,}\s*(\d+|[ivxl]+)?$/i;
const endsInNumber = /[\s.](\d{1,3}|[ivxl]{1,5})$/;
/** Lines of an entry before the one with the page number. */
const longestEntry = 3;

/** The lines of tables of contents and the like, their titles left out. */
export function findContentsLists({ pages }: PdfContent): ReadonlySet<TextLine> {
  const found = new Set<TextLine>();
  let inList = false;
  for (const { lines } of pages) {
    let pending: TextLine[] = [];
    for (const line of lines) {
      if (listTitle.test(line.text)) {
        inList = true;
        pending = [];
      } else if (leaders.test(line.text) || (inList && endsInNumber.test(line.text))) {
        for (const entry of [...(inList ? pending : []), line]) found.add(entry);
        pending = [];
      } else if (inList && pending.length < longestEntry) {
        pending.push(line);
      } else {
        inList = false;
      }
    }
  }
  return found;
}
