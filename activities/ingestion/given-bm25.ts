import type { Bm25 } from '../../domain/stores/bm25.js';
import type { Ingestion } from '../../domain/stores/ingestion.js';
import type { StoredPaper, StoreManifest } from '../../domain/stores/store-manifest.js';
import type { PaperImportsPort } from '../ports/imports.js';
import type { StoreContentsPort } from '../ports/store-contents.js';

interface GivenModel {
  readonly model: Bm25;
  readonly sha256: string;
}

/**
 * The model that came with an import; null where one must be fitted. Its words are those of the imported papers: it counts as
 * long as there are no others, and until the papers change without a new model.
 * @param ingestion - whose papers are added, maybe with a model
 */
export async function givenModel(
  {
    contents,
    imports,
  }: { readonly contents: StoreContentsPort; readonly imports: PaperImportsPort },
  previous: StoreManifest | null,
  papers: readonly StoredPaper[],
  ingestion: Ingestion | null,
): Promise<GivenModel | null> {
  if (papers.some(({ imported }) => imported === undefined)) return null;
  const added = ingestion && (await imports.bm25(ingestion));
  if (added !== null) return { model: added, sha256: await bm25Sha256(added) };
  if (previous?.givenBm25 === undefined || !isSamePapers(previous.papers, papers)) return null;
  const model = await contents.bm25(previous);
  const sha256 = model && (await bm25Sha256(model));
  return model && sha256 === previous.givenBm25 ? { model, sha256 } : null;
}

const isSamePapers = (one: readonly StoredPaper[], other: readonly StoredPaper[]): boolean => {
  const known = new Set(one.map(({ sha256 }) => sha256));
  return one.length === other.length && other.every(({ sha256 }) => known.has(sha256));
};

/** Of what a model says, not of the bytes of its file. */
export const bm25Sha256 = (model: Bm25): Promise<string> => sha256Of(JSON.stringify(model));

/** In hex. */
export async function sha256Of(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
