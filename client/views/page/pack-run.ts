import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { pictureUrl, type Picture } from '../../../domain/agent/turn-record.js';
import { keyText } from '../../../domain/ids.js';
import type { ScoredSample } from '../../../domain/scoring/scored-sample.js';
import type { RunFolder } from '../../runs/run-folder.js';
import { trajectoryAddress, type PageData } from './document.js';
import { pageQuestion, pageTurn, type PageQuestion } from './page-question.js';
import type { CallSpan } from './plots/draw.js';
import type { ReportedRun } from './reported-run.js';

export interface PackLimits {
  /** Base64 characters of all conversations together. */
  readonly questions: number;
  /** The same of all pictures. */
  readonly pictures: number;
}

/** A page stays below 30 MB with these, its table of thousands of questions included. */
const usualPackLimits: PackLimits = { questions: 20_000_000, pictures: 6_000_000 };

/** Characters of JSON that are compressed together: little enough to be read at once, enough to compress well. */
const packSize = 400_000;

/**
 * Gathers the conversations of a page, compressed, a few dozen in each of its data elements, so that a reader's browser
 * unpacks what it shows and nothing else. What no longer fits is left out and counted.
 */
export class QuestionPacks {
  readonly #limits: PackLimits;
  readonly #packs: string[] = [];
  readonly #pictures: string[] = [];
  readonly #placeOf = new Map<string, number>();
  readonly #packOf: Record<string, number> = {};
  #open: { readonly address: string; readonly json: string }[] = [];
  #openSize = 0;
  #packed = 0;
  #pictured = 0;
  #leftOut = 0;
  #picturesLeftOut = 0;

  constructor(limits = usualPackLimits) {
    this.#limits = limits;
  }

  add(question: PageQuestion): void {
    if (this.#packed >= this.#limits.questions) {
      this.#leftOut += 1;
      return;
    }
    const json = JSON.stringify(question);
    this.#open.push({ address: trajectoryAddress(question.run, question), json });
    this.#openSize += json.length;
    if (this.#openSize >= packSize) this.#close();
  }

  /** Where the page keeps the picture; null where it is full, or the picture of a strange kind. Equal ones are kept once. */
  readonly place = (picture: Picture): number | null => {
    const url = pictureUrl(picture);
    const name = createHash('sha256').update(url).digest('base64');
    const known = this.#placeOf.get(name);
    if (known !== undefined) return known;
    if (!shownPicture.test(url) || this.#pictured + url.length > this.#limits.pictures) {
      this.#picturesLeftOut += 1;
      return null;
    }
    this.#pictured += url.length;
    this.#placeOf.set(name, this.#pictures.length);
    return this.#pictures.push(url) - 1;
  };

  /** The page's data, complete, and how much it lacks. */
  finish(): {
    readonly data: readonly PageData[];
    readonly leftOut: number;
    readonly picturesLeftOut: number;
  } {
    this.#close();
    return {
      data: [
        { id: 'pack-of', content: packed(JSON.stringify(this.#packOf)) },
        ...this.#packs.map((content, at) => ({ id: `pack-${at}`, content })),
        ...this.#pictures.map((content, at) => ({ id: `picture-${at}`, content })),
      ],
      leftOut: this.#leftOut,
      picturesLeftOut: this.#picturesLeftOut,
    };
  }

  #close(): void {
    if (this.#open.length === 0) return;
    const content = packed(`[${this.#open.map(({ json }) => json).join(',')}]`);
    if (this.#packed + content.length > this.#limits.questions) {
      this.#packed = this.#limits.questions;
      this.#leftOut += this.#open.length;
    } else {
      this.#packed += content.length;
      const place = this.#packs.push(content) - 1;
      for (const { address } of this.#open) this.#packOf[address] = place;
    }
    this.#open = [];
    this.#openSize = 0;
  }
}

/** A picture that a browser shows from the address that holds it, and that ends no element. */
const shownPicture = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;

const packed = (json: string): string => gzipSync(json).toString('base64');

/** A run with the folder that its turns are in. */
export interface RunToPack {
  readonly folder: RunFolder;
  readonly reported: ReportedRun;
}

/**
 * Packs the conversations of runs, of all runs those first that are looked at first: where the page has no room for all,
 * the others are left out. Returns the model calls of each run, in the order of the runs.
 */
export async function packRuns(
  packs: QuestionPacks,
  runs: readonly RunToPack[],
  comesFirst: (sample: ScoredSample) => boolean,
): Promise<readonly (readonly CallSpan[])[]> {
  const calls = runs.map((): CallSpan[] => []);
  for (const now of [true, false]) {
    for (const [at, run] of runs.entries()) {
      const samples = run.reported.samples.filter((sample) => comesFirst(sample) === now);
      calls[at]?.push(...(await packSamples(packs, run, samples)));
    }
  }
  return calls;
}

async function packSamples(
  packs: QuestionPacks,
  { folder, reported }: RunToPack,
  samples: readonly ScoredSample[],
): Promise<readonly CallSpan[]> {
  const itemOf = new Map(reported.items.map((item) => [item.uuid, item]));
  const resultOf = new Map(reported.results.map((result) => [keyText(result), result]));
  const calls: CallSpan[] = [];
  for (const sample of samples) {
    const item = itemOf.get(sample.uuid);
    if (item === undefined) continue;
    const turns = await folder.turns(sample);
    const result = resultOf.get(keyText(sample)) ?? null;
    packs.add(
      pageQuestion(
        { run: reported.run, item, sample, result },
        turns.map((turn) => pageTurn(turn, packs.place)),
      ),
    );
    for (const { reply } of turns) {
      if (reply.model === null || reply.cacheHit) continue;
      calls.push({ startMs: Date.parse(reply.startedAt), endMs: Date.parse(reply.endedAt) });
    }
  }
  return calls;
}
