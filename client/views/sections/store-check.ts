import { counted } from '../../../domain/formats/text.js';
import type { StoreName } from '../../../domain/ids.js';
import type {
  CheckStoreResult,
  Finding,
  FindingKind,
  LostPaper,
  StoreCheck,
} from '../../../domain/stores/store-check.js';
import type { Section, Table } from './section.js';

const findingWords: Readonly<Record<FindingKind, string>> = {
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

/** The findings of a check, what a repair could not mend, and what it comes to. */
export function storeCheckSection(
  store: StoreName,
  { found, left, lost }: CheckStoreResult,
): Section {
  const remedies = {
    before: `\`turnwise store check ${store} --repair\` mends what it can`,
    paper: `\`turnwise store add PDF --store ${store}\` brings back what is lost of a paper`,
    database: `\`turnwise store import PATH --store ${store}\` brings back the database`,
  };
  const words =
    left === null
      ? summary(`store ${store}`, found, remedies.before)
      : summary(
          `store ${store} after the repair`,
          left,
          left.database === null ? remedies.paper : remedies.database,
        );
  return {
    id: 'check',
    title: `Store ${store}`,
    words: [
      words,
      ...lost.map(({ file, title, lost: what }) => `${file} (${title}): ${losses[what]}`),
    ],
    tone: (left ?? found).findings.length + lost.length > 0 ? 'bad' : undefined,
    notes: [],
    tables: [
      ...findingsTable('finding', found.findings),
      ...(left === null ? [] : findingsTable('not mended', left.findings)),
    ],
  };
}

const findingsTable = (name: string, findings: readonly Finding[]): readonly Table[] =>
  findings.length === 0
    ? []
    : [
        {
          caption: name,
          heads: [name, 'where', 'how many', 'for example'],
          names: 4,
          isList: true,
          rows: findings.map(({ kind, where, count, papers, example }) => [
            findingWords[kind],
            where,
            papers === 0 ? count : `${count} in ${counted(papers, 'paper')}`,
            example,
          ]),
        },
      ];

function summary(what: string, check: StoreCheck, remedy: string): string {
  const { database, papers, rows, vectors, findings } = check;
  const held = database === null ? counted(papers, 'paper') : 'the database';
  return findings.length === 0
    ? `${what}: ${held}, ${counted(rows, 'row')} and ${counted(vectors, 'vector')} agree`
    : `${what}: ${counted(findings.length, 'finding')}; ${remedy}`;
}
