import { fingerprintOf } from '../../domain/stores/ingestion.js';
import type { PaperRows } from '../../domain/stores/paper-tables.js';
import { cellsOf, compareCells, whereOf, type Findings } from '../../domain/stores/store-check.js';
import {
  collectionInMilvus,
  generationInMilvus,
  modalityOf,
  type Collection,
  type StoredPaper,
  type StoreManifest,
} from '../../domain/stores/store-manifest.js';
import type { StoreContentsPort, StoredVectorsPort, VectorRef } from '../ports/store-contents.js';
import type { CollectionsPort } from '../ports/stores.js';

export interface CollectionsCheck {
  readonly collections: CollectionsPort;
  readonly contents: StoreContentsPort;
  readonly vectors: StoredVectorsPort;
  readonly manifest: StoreManifest;
  readonly findings: Findings;
}

/** Compares the manifest with what there is beside the papers. Returns the collections that exist. */
export async function compareCollections({
  collections,
  contents,
  findings,
  manifest,
}: CollectionsCheck): Promise<readonly Collection[]> {
  if (manifest.fingerprint !== fingerprintOf(manifest)) {
    findings.add('outdated', 'store.json', null, `built ${manifest.builtAt}`);
  }
  const kept = await contents.kept(manifest.name);
  const { manifests, files } = await contents.superseded(manifest.name, kept);
  const left = [...manifests, ...files, ...(await contents.unusedFiles(manifest.name, kept))];
  for (const file of left) findings.add('file-left', 'files', null, file);
  const generations = new Set<number | null>(kept.map(({ generation }) => generation));
  const names = await collections.list(manifest);
  for (const name of names) {
    if (generations.has(generationInMilvus(manifest, name))) continue;
    findings.add('collection-left', 'Milvus', null, name);
  }
  return manifest.collections.filter(({ name }) => {
    const exists = names.includes(collectionInMilvus(manifest, name));
    if (!exists) findings.add('collection-missing', name, null, collectionInMilvus(manifest, name));
    return exists;
  });
}

/** The vectors of some papers, by collection. */
type HeldVectors = ReadonlyMap<Collection, readonly VectorRef[]>;

export async function heldVectors(
  { manifest, vectors }: CollectionsCheck,
  collections: readonly Collection[],
  papers: readonly string[],
): Promise<HeldVectors> {
  const held = new Map<Collection, readonly VectorRef[]>();
  for (const collection of collections) {
    const all: VectorRef[] = [];
    for await (const part of vectors.refs(manifest, collection.name, { papers })) all.push(...part);
    held.set(collection, all);
  }
  return held;
}

/** @param hasTerms - whether a text has a term of the BM25 model, and so a sparse vector */
export function compareVectors(
  { findings }: CollectionsCheck,
  paper: StoredPaper,
  rows: PaperRows,
  held: HeldVectors,
  hasTerms: (text: string) => boolean,
): void {
  for (const [{ name, vector }, refs] of held) {
    const entries = refs.filter(({ paperId }) => paperId === paper.paperId);
    const cells = cellsOf(rows, modalityOf(name));
    // Nothing can be drawn of a paper that was imported without its PDF.
    const isDrawn = modalityOf(name) === 'text' || paper.imported?.hasPdf !== false;
    const hasVector = vector.kind === 'sparse' ? hasTerms : () => isDrawn;
    compareCells(name, paper, cells, entries, hasVector, findings);
  }
}

/**
 * The vectors of a collection. Finds those of papers or tables that the store does not hold.
 * @param seen - of its papers or tables
 */
export async function countVectors(
  { findings, manifest, vectors }: CollectionsCheck,
  { name, rows }: Collection,
  seen: number,
): Promise<number> {
  let others = 0;
  if ((await vectors.count(manifest, name)) !== seen) {
    const { papers, database } = manifest;
    const ours = new Set(
      database?.searched.map(({ table }) => table) ?? papers.map(({ paperId }) => paperId),
    );
    for await (const refs of vectors.refs(manifest, name)) {
      for (const ref of refs) {
        if (ours.has(database === undefined ? ref.paperId : ref.table)) continue;
        others += 1;
        const example = `${ref.paperId} ${ref.primaryKey}`.trim();
        findings.add('vectors-extra', whereOf(name, ref), null, example);
      }
    }
  }
  const explained = findings.list().some(({ where }) => where.startsWith(`${name} `));
  if (!explained && seen + others !== rows) {
    findings.add('vectors-miscounted', name, null, `${seen + others} instead of ${rows}`);
  }
  return seen + others;
}
