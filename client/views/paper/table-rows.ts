import { DomUtils, parseDocument } from 'htmlparser2';

/** A cell of a table. */
export interface TableCell {
  readonly text: string;
  readonly isHead: boolean;
  readonly rows: number;
  readonly columns: number;
}

/** More are no table of a paper, and would stop a browser. */
const mostSpan = 1_000;

/** The cells of a table in HTML that is not to be trusted: of all that it holds, only texts and spans are kept. */
export function tableRows(html: string): readonly (readonly TableCell[])[] {
  return DomUtils.getElementsByTagName('tr', parseDocument(html)).map((row) =>
    row.children.flatMap((node): readonly TableCell[] => {
      if (!('attribs' in node) || (node.name !== 'td' && node.name !== 'th')) return [];
      const span = (name: string): number => {
        const stated = Number(node.attribs[name] ?? 1);
        return Number.isInteger(stated) ? Math.min(mostSpan, Math.max(1, stated)) : 1;
      };
      return [
        {
          text: DomUtils.innerText(node).trim(),
          isHead: node.name === 'th',
          rows: span('rowspan'),
          columns: span('colspan'),
        },
      ];
    }),
  );
}
