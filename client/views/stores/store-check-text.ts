import { counted, joined, type Texts } from '../../../domain/formats/text.js';
import type { StoreName } from '../../../domain/ids.js';
import type {
  CheckStoreResult,
  Finding,
  FindingKind,
  LostPaper,
  StoreCheck,
} from '../../../domain/stores/store-check.js';
import { table } from '../terminal.js';

const words: Readonly<Record<FindingKind, string>> = {
  'text-lost': 'kept text missing or damaged',
  'pdf-lost': 'copy of the PDF missing',
  'pdf-changed': 'copy of the PDF has other bytes',
  'tables-lost': 'tables unreadable',
  'rows-missing': 'rows missing',
  'rows-changed': 'rows changed',
  'rows-extra': 'rows of nothing',
  'paper-changed': 'paper described wrongly',
  outdated: 'built by another version',
  'collection-missing': 'collection missing',
  'vectors-missing': 'cells without vectors',
  'vectors-extra': 'vectors without cells',
  'vectors-miscounted': 'vectors too many or too few',
  'bm25-lost': 'BM25 model missing or damaged',
  'bm25-changed': 'BM25 model not that of the papers',
  'collection-left': 'collections left over',
  'file-left': 'files left over',
};

const losses: Readonly<Record<LostPaper['lost'], string>> = {
  pdf: 'its PDF is lost, and with it the pictures of its pages',
  text: 'its text and its PDF are lost; the rows it has were kept',
  import: 'what was imported of it is lost; the rows it has were kept: import it again',
};

/** The findings of a check, a line each, what a repair could not mend, and a line that sums it up. */
export function checkText(store: StoreName, { found, left, lost }: CheckStoreResult): string {
  const before = findingsTable(found.findings);
  if (left === null) {
    const remedy = `\`turnwise store check ${store} --repair\` mends what it can`;
    return joined('\n', before, summary(`store ${store}`, found, remedy));
  }
  const remedy =
    left.database === null
      ? `\`turnwise store add PDF --store ${store}\` brings back what is lost of a paper`
      : `\`turnwise store import PATH --store ${store}\` brings back the database`;
  return joined(
    '\n',
    before,
    left.findings.length > 0 && ['', 'not mended:', findingsTable(left.findings)],
    lost.map(({ file, title, lost: what }) => `${file} (${title}): ${losses[what]}`),
    summary(`store ${store} after the repair`, left, remedy),
  );
}

const findingsTable = (findings: readonly Finding[]): Texts =>
  findings.length > 0 &&
  table(
    ['finding', 'where', 'how many', 'for example'],
    findings.map(({ kind, where, count, papers, example }) => [
      words[kind],
      where,
      papers === 0 ? count : `${count} in ${counted(papers, 'paper')}`,
      example,
    ]),
  );

function summary(what: string, check: StoreCheck, remedy: string): string {
  const { database, papers, rows, vectors, findings } = check;
  const held = database === null ? counted(papers, 'paper') : 'the database';
  return findings.length === 0
    ? `${what}: ${held}, ${counted(rows, 'row')} and ${counted(vectors, 'vector')} agree`
    : `${what}: ${counted(findings.length, 'finding')}; ${remedy}`;
}
