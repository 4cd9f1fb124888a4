import { z } from 'zod';
import { storeNameSchema } from '../ids.js';
import { databaseIdSchema } from './database.js';
import type { StoredPaper } from './store-manifest.js';

/** What may disagree in a store, and what mends it: reading PDFs again, building a new generation, or removing leftovers. */
export const mendings = {
  /** Without it no row of the paper can be derived. */
  'text-lost': 'read',
  'pdf-lost': 'read',
  'pdf-changed': 'read',
  'tables-lost': 'build',
  'rows-missing': 'build',
  'rows-changed': 'build',
  'rows-extra': 'build',
  /** The manifest says something else of a paper than the paper's text. */
  'paper-changed': 'build',
  /** Built by another version of the extraction, the tables or the encoders. */
  outdated: 'build',
  'collection-missing': 'build',
  'vectors-missing': 'build',
  /** Their row does not exist, or the cell is empty. */
  'vectors-extra': 'build',
  /** The collection holds another number of vectors than the manifest says. */
  'vectors-miscounted': 'build',
  'bm25-lost': 'build',
  'bm25-changed': 'build',
  'collection-left': 'remove',
  'file-left': 'remove',
} as const;
export type FindingKind = keyof typeof mendings;

/** One kind of disagreement in one place. */
const findingSchema = z.object({
  kind: z.enum(Object.keys(mendings) as [FindingKind, ...FindingKind[]]),
  /** A table, `COLLECTION TABLE.COLUMN`, a collection, or a folder or file of the store. */
  where: z.string(),
  /** Of rows, cells, files or collections. */
  count: z.int().positive(),
  /** How many papers it concerns; 0 where it is about none that the store holds. */
  papers: z.int().nonnegative(),
  /** The first one: the file of its paper and a primary key, or a name. */
  example: z.string(),
});
export type Finding = Readonly<z.infer<typeof findingSchema>>;

/** What a check has compared, and the disagreements. */
const storeCheckSchema = z.object({
  /** The database that the store holds; null for a store of papers. */
  database: databaseIdSchema.nullable(),
  papers: z.int().nonnegative(),
  rows: z.int().nonnegative(),
  vectors: z.int().nonnegative(),
  findings: z.array(findingSchema).readonly(),
});
export type StoreCheck = Readonly<z.infer<typeof storeCheckSchema>>;

/** A paper of which a repair could not restore everything. */
const lostPaperSchema = z.object({
  paperId: z.guid(),
  title: z.string(),
  file: z.string(),
  /** `pdf`: the pictures of its pages. `text`: those, and its rows cannot be derived again. `import`: its imported rows. */
  lost: z.enum(['pdf', 'text', 'import']),
});
export type LostPaper = Readonly<z.infer<typeof lostPaperSchema>>;

export const checkStoreInputSchema = z.object({
  store: storeNameSchema,
  repair: z.boolean(),
  /** Of its texts, where it is built anew. */
  embedder: z.string(),
});
export type CheckStoreInput = Readonly<z.infer<typeof checkStoreInputSchema>>;

export const checkStoreResultSchema = z.object({
  found: storeCheckSchema,
  /** After a repair. Null where there was none. */
  left: storeCheckSchema.nullable(),
  /** At most 1,000. */
  lost: z.array(lostPaperSchema).readonly(),
});
export type CheckStoreResult = Readonly<z.infer<typeof checkStoreResultSchema>>;

/** Whether a repair must build a new generation. @param restored - papers whose text or PDF was restored */
export const isBuildNeeded = (
  { findings }: Pick<StoreCheck, 'findings'>,
  restored: number,
): boolean =>
  findings.some(({ kind }) => mendings[kind] === 'build' || (kind === 'text-lost' && restored > 0));

export interface Findings {
  /** @param paper - null where the store holds no such paper */
  readonly add: (
    kind: FindingKind,
    where: string,
    paper: Pick<StoredPaper, 'paperId' | 'file'> | null,
    detail: string,
    count?: number,
  ) => void;
  readonly has: (kind: FindingKind) => boolean;
  readonly list: () => readonly Finding[];
}

/** Counts disagreements by kind and place, so that its size does not grow with the store. Papers come one after another. */
export function newFindings(): Findings {
  const found = new Map<string, { readonly finding: Finding; readonly lastPaper: string | null }>();
  return {
    add: (kind, where, paper, detail, count = 1) => {
      const place = JSON.stringify([kind, where]);
      const known = found.get(place);
      const isNewPaper = paper !== null && paper.paperId !== known?.lastPaper;
      const example = [paper?.file, detail].filter((part) => part !== undefined && part !== '');
      const before = known?.finding ?? {
        ...{ kind, where, count: 0, papers: 0, example: example.join(' ') },
      };
      found.set(place, {
        finding: {
          ...before,
          count: before.count + count,
          papers: before.papers + (isNewPaper ? 1 : 0),
        },
        lastPaper: paper?.paperId ?? null,
      });
    },
    has: (kind) => [...found.values()].some(({ finding }) => finding.kind === kind),
    list: () => {
      const kinds = Object.keys(mendings);
      const findings = [...found.values()].map(({ finding }) => finding);
      return findings.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
    },
  };
}
