import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Paper } from '../../../domain/extraction/paper.js';
import { extractionVersion } from '../../../domain/stores/paper-tables.js';
import { paperId } from '../../../domain/stores/paper-rows.js';
import type { StoredPaper } from '../../../domain/stores/store-manifest.js';

/** A paper of two pages with an item of every kind. */
export const readPaper = (changes: Partial<Paper> = {}): Paper => ({
  ...{ title: 'Counting Geese', subtitle: null, authors: ['Ada Field', 'Bo Marsh'] },
  ...{ affiliations: [], abstract: 'Geese are counted at dusk.', keywords: ['geese'] },
  ...{ year: 2023, venue: null, doi: '10.1000/geese', arxivId: null },
  pages: [
    { width: 612, height: 792, text: 'Counting Geese\n1 Ponds', unusable: null },
    { width: 612, height: 792, text: 'References', unusable: null },
  ],
  sections: [
    {
      ...{ title: 'Ponds', number: '1', level: 1, parent: null, pages: [1] },
      text: 'The north pond held 214 geese.',
    },
    { title: 'North', number: '1.1', level: 2, parent: 0, pages: [1, 2], text: 'It froze.' },
  ],
  tables: [
    {
      ...{ page: 1, box: [72, 300, 200, 60], caption: 'Table 1: Geese by pond.', number: '1' },
      html: '<table><tr><th>pond</th><th>geese</th></tr><tr><td>north</td><td>214</td></tr></table>',
    },
  ],
  figures: [{ page: 1, box: [72, 400, 200, 100], caption: 'Figure 1: A pond.', number: '1' }],
  equations: [{ page: 1, box: [72, 520, 80, 20], text: 'n=g', latex: 'n = g', number: '1' }],
  references: [
    {
      ...{ page: 2, box: [72, 100, 400, 12], text: 'A. Field. Ducks. 1999.', label: '1' },
      ...{ authors: ['A. Field'], year: 1999, title: 'Ducks' },
    },
  ],
  citations: [],
  footnotes: [{ page: 1, box: [72, 700, 200, 10], mark: '1', text: 'At dusk.' }],
  chunks: [
    { page: 1, section: null, text: 'Before all sections.' },
    { page: 1, section: 0, text: 'The north pond held 214 geese.' },
  ],
  ...changes,
});

/** Writes what a store keeps, without its tables and collections. */
export function writeStore(
  home: string,
  name: string,
  papers: readonly {
    readonly file: string;
    readonly paper: Paper;
    readonly pdf: Uint8Array | null;
    /** Of the extraction. @defaultValue this one */
    readonly version?: number;
  }[],
): void {
  const folder = join(home, 'stores', name);
  for (const part of ['papers', 'generations']) mkdirSync(join(folder, part), { recursive: true });
  const stored = papers.map(({ file, paper, pdf, version = extractionVersion }): StoredPaper => {
    const sha256 = createHash('sha256')
      .update(pdf ?? file)
      .digest('hex');
    if (pdf !== null) writeFileSync(join(folder, 'papers', `${sha256}.pdf`), pdf);
    const kept = { version, file, path: `/papers/${file}`, sha256, paper };
    writeFileSync(join(folder, 'papers', `${sha256}.json`), JSON.stringify(kept));
    const title = paper.title ?? file;
    return { paperId: paperId(title), title, file, sha256, pages: paper.pages.length };
  });
  const manifest = { name, key: 'k1', generation: 1, fingerprint: 'f', builtAt: '2026-01-02' };
  writeFileSync(
    join(folder, 'generations', '1-k1.json'),
    JSON.stringify({ ...manifest, papers: stored, collections: [], files: {} }),
  );
}
