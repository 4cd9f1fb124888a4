import { z } from 'zod';
import { jsonIn } from '../../../domain/formats/json.js';
import { extractedPaperSchema, importedPaperSchema } from '../../../domain/stores/paper-tables.js';
import {
  extractedPaperFile,
  pdfCopyFile,
  storeFolder,
  type StoredPaper,
  type StoreManifest,
} from '../../../domain/stores/store-manifest.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import { papersLike, severalText } from '../../../domain/stores/papers-named.js';
import { UserError } from '../../../domain/user-error.js';
import { accessingFiles } from '../../../storage/atomic-file.js';
import { readText } from '../../../storage/objects.js';
import { openStorePlace, type StoreSettings } from '../../../storage/stores/store-place.js';
import { inWords, readStore } from './store-files.js';

/** Papers that were read by another version can be shown and compared, too. */
const readablePaperSchema = z.union([
  extractedPaperSchema.extend({ version: z.int() }),
  importedPaperSchema,
]);
export type ReadablePaper = Readonly<z.infer<typeof readablePaperSchema>>;

/**
 * The paper that is meant by an id, file name or title, or by a part of one.
 * @throws UserError where there is none, or more than one
 */
export function findPaper(
  { name, papers }: Pick<StoreManifest, 'name' | 'papers'>,
  wanted: string,
): StoredPaper {
  const found = papersLike(papers, wanted);
  const [paper, another] = found;
  if (another !== undefined) {
    throw new UserError(`${severalText(wanted, found)}; give the id of one in store ${name}`);
  }
  if (paper !== undefined) return paper;
  throw new UserError(
    `store ${name} has no paper '${wanted}'; \`turnwise store show ${name}\` lists its papers`,
  );
}

/** The same paper in another store: that of the same PDF, else that of the same id or file name. Throws UserError where there is none. */
export function findSamePaper({ name, papers }: StoreManifest, paper: StoredPaper): StoredPaper {
  const same =
    papers.find(({ sha256 }) => sha256 === paper.sha256) ??
    papers.find(({ paperId }) => paperId === paper.paperId) ??
    papers.find(({ file }) => file === paper.file);
  if (same !== undefined) return same;
  throw new UserError(`store ${name} has no paper ${paper.file} to compare with`);
}

/** What a store keeps of a paper. Throws UserError where that is lost, or cannot be read by this version. */
export async function readPaper(
  settings: StoreSettings,
  store: StoreManifest,
  paper: StoredPaper,
): Promise<ReadablePaper> {
  const { storage } = openStorePlace(settings);
  const path = `${storeFolder(store.name)}/${extractedPaperFile(paper.sha256)}`;
  const text = await inWords(() =>
    accessingFiles(`${path} cannot be read`, () => readText(storage, path)),
  );
  const kept = readablePaperSchema.safeParse(text === null ? null : jsonIn(text));
  if (kept.success) return kept.data;
  throw new UserError(
    `the text of ${paper.file} is ${text === null ? 'lost' : 'damaged or of another version'}: \`turnwise store check ${store.name} --repair\` reads it again`,
  );
}

/** The store's copy of the PDF on this machine; null where it has none. */
export async function pdfOf(
  settings: StoreSettings,
  store: StoreManifest,
  { sha256 }: StoredPaper,
): Promise<string | null> {
  const { storage, copies } = openStorePlace(settings);
  const path = `${storeFolder(store.name)}/${pdfCopyFile(sha256)}`;
  return inWords(() =>
    accessingFiles(`${path} cannot be read`, async () =>
      (await storage.version(path)) === null ? null : copies.file(path, { sha256 }),
    ),
  );
}

/** The papers of the store that a run is over, by id, as the store has them now. Empty where it is gone, or holds none. */
export async function papersOfRun(
  settings: StoreSettings,
  { store }: Pick<RunManifest, 'store'>,
): Promise<ReadonlyMap<string, StoredPaper>> {
  const papers = store === null ? undefined : (await readStore(settings, store.name))?.papers;
  return new Map(papers?.map((paper) => [paper.paperId, paper]));
}
