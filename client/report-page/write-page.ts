import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { pageDocument } from '../../domain/report-page/document.js';
import type { Markup } from '../../domain/report-page/markup.js';
import { pageScripts } from './page-scripts.js';
import { pageStyle } from './page-style.js';
import type { QuestionPacks } from './question-packs.js';

/** What a page came to. */
export interface WrittenPage {
  readonly file: string;
  readonly bytes: number;
  /** Conversations and pictures that the page had no room for. */
  readonly leftOut: number;
  readonly picturesLeftOut: number;
}

/** What a page is made of, beside the conversations. */
export interface PageToWrite {
  readonly title: string;
  readonly body: (made: { readonly madeAt: string; readonly remarks: readonly string[] }) => Markup;
}

export function writePage(
  file: string,
  packs: QuestionPacks,
  { title, body }: PageToWrite,
): WrittenPage {
  const { data, leftOut, picturesLeftOut } = packs.finish();
  const page = pageDocument({
    title,
    style: pageStyle,
    scripts: pageScripts(),
    body: body({
      madeAt: new Date().toISOString(),
      remarks: roomRemarks(leftOut, picturesLeftOut),
    }),
    data,
    digest: (text) => createHash('sha256').update(text).digest('base64'),
  });
  writeFileSync(file, page);
  return { file, bytes: Buffer.byteLength(page), leftOut, picturesLeftOut };
}

function roomRemarks(leftOut: number, picturesLeftOut: number): readonly string[] {
  return [
    ...(leftOut > 0
      ? [
          `${leftOut} conversations are not in this page, which would grow too large: turnwise trajectory shows them.`,
        ]
      : []),
    ...(picturesLeftOut > 0
      ? [`${picturesLeftOut} pictures are not in this page, which would grow too large.`]
      : []),
  ];
}
