import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { answerTraceSchema } from '../../../domain/agent/database-qa/answer-trace.js';
import { pictureUrl, type Picture, type StoredTurn } from '../../../domain/agent/turn-record.js';
import { keyText } from '../../../domain/ids.js';
import { messageSchema } from '../../../domain/models/chat-message.js';
import { traceFile, trajectoryFile, notesAbout } from '../../../domain/runs/run-manifest.js';
import type { ReviewedPanel } from '../../../domain/scoring/review/panel.js';
import type { RunAnswer } from '../../../domain/scoring/answer.js';
import { openIn } from '../../../domain/scoring/ruling.js';
import { latestPanels } from '../../runs/database-qa/database-runs.js';
import type { RunFolder } from '../../runs/run-folder.js';
import { papersOfRun } from '../../runs/stores/store-papers.js';
import { rulingLines } from '../run-text.js';
import type { PageData } from './document.js';
import {
  pageDatabaseAnswer,
  type PageDatabaseAnswer,
  pageQuestion,
  pageTurn,
  type PageQuestion,
  type PlacePicture,
} from './page-question.js';
import { pagePaths, pathTo } from './page-paths.js';
import type { CallSpan } from './plots/draw.js';
import type { ReportedRun } from '../../runs/reported-run.js';

interface PackLimits {
  /** The most Base64 characters of all conversations together. */
  readonly questions: number;
  /** The most Base64 characters of all pictures together. */
  readonly pictures: number;
}

/** These keep a page below 30 MB, including a table of thousands of questions. */
const usualPackLimits: PackLimits = { questions: 20_000_000, pictures: 6_000_000 };

/** Characters of JSON in one pack: few enough to unpack quickly, enough to compress well. */
const packSize = 400_000;

/**
 * Collects the conversations of a page in compressed packs of a few dozen, each a data element, so that a browser unpacks only
 * what it shows. Conversations above the limit are left out and counted.
 */
export class QuestionPacks {
  readonly #limits: PackLimits;
  readonly #packs: string[] = [];
  readonly #pictures: string[] = [];
  readonly #placeOf = new Map<string, number>();
  readonly #packOf: Record<string, number> = {};
  #open: { readonly address: string; readonly json: string }[] = [];
  #openSize = 0;
  #packedSize = 0;
  #pictureSize = 0;
  #leftOut = 0;
  #picturesLeftOut = 0;

  constructor(limits = usualPackLimits) {
    this.#limits = limits;
  }

  add(question: PageQuestion): void {
    if (this.#packedSize >= this.#limits.questions) {
      this.#leftOut += 1;
      return;
    }
    const json = JSON.stringify(question);
    const { run, uuid, epoch } = question;
    this.#open.push({ address: pathTo(pagePaths.question, { run, uuid, epoch }), json });
    this.#openSize += json.length;
    if (this.#openSize >= packSize) this.#close();
  }

  /** The picture's index in the page. Equal pictures share one; null if there is no room or the format is not allowed. */
  readonly place = (picture: Picture): number | null => {
    const url = pictureUrl(picture);
    const name = createHash('sha256').update(url).digest('base64');
    const known = this.#placeOf.get(name);
    if (known !== undefined) return known;
    if (!allowedPicture.test(url) || this.#pictureSize + url.length > this.#limits.pictures) {
      this.#picturesLeftOut += 1;
      return null;
    }
    this.#pictureSize += url.length;
    this.#placeOf.set(name, this.#pictures.length);
    return this.#pictures.push(url) - 1;
  };

  /** Returns the page's data, and how much was left out. */
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
    if (this.#packedSize + content.length > this.#limits.questions) {
      this.#packedSize = this.#limits.questions;
      this.#leftOut += this.#open.length;
    } else {
      this.#packedSize += content.length;
      const place = this.#packs.push(content) - 1;
      for (const { address } of this.#open) this.#packOf[address] = place;
    }
    this.#open = [];
    this.#openSize = 0;
  }
}

/** Data URLs of formats that browsers show, without characters that could end an element. */
export const allowedPicture = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;

/** As the page's application unpacks it. */
export const packed = (json: string): string => gzipSync(json).toString('base64');

/** A run and the folder with its turns. */
interface RunToPack {
  readonly folder: RunFolder;
  readonly reported: ReportedRun;
}

/**
 * Packs the conversations of runs, those for which `comesFirst` is true before all others, since the page may not have room
 * for all. Returns the model calls of each run, in the order of the runs.
 */
export async function packRuns(
  packs: QuestionPacks,
  runs: readonly RunToPack[],
  comesFirst: (answer: RunAnswer) => boolean,
): Promise<readonly (readonly CallSpan[])[]> {
  const calls = runs.map((): CallSpan[] => []);
  for (const isFirstPass of [true, false]) {
    for (const [at, run] of runs.entries()) {
      const answers = run.reported.answers.filter((answer) => comesFirst(answer) === isFirstPass);
      calls[at]?.push(...(await packAnswers(packs, run, answers)));
    }
  }
  return calls;
}

async function packAnswers(
  packs: QuestionPacks,
  run: RunToPack,
  answers: readonly RunAnswer[],
): Promise<readonly CallSpan[]> {
  const readAnswer = await answerReader(run);
  const calls: CallSpan[] = [];
  for (const answer of answers) {
    const read = await readAnswer(answer, packs.place);
    packs.add(read.question);
    calls.push(...callsIn(read.turns));
  }
  return calls;
}

/** A question with its turns as they are stored. */
interface ReadAnswer {
  readonly question: PageQuestion;
  readonly turns: readonly StoredTurn[];
}

/** Returns a function that reads the conversation of one answer of a run. */
export async function answerReader({
  folder,
  reported,
}: RunToPack): Promise<(answer: RunAnswer, place: PlacePicture) => Promise<ReadAnswer>> {
  const panelsOf = await panelsByAnswer(folder, reported.answers);
  const papers = await papersOfRun(folder.place, reported.manifest);
  return async (answer, place) => {
    const turns = await folder.turns(answer);
    const question = pageQuestion(
      reported.run,
      answer,
      turns.map((turn) => pageTurn(turn, place)),
      papers,
      await databaseAnswer(folder, answer, panelsOf),
      await folder.readLines(trajectoryFile(answer), messageSchema),
      notesAbout(reported.notes, answer),
      rulingLines(openIn([answer]), answer.ruling ? [answer.ruling] : []),
    );
    return { question, turns };
  };
}

/** The model calls of turns, without those that the cache answered. */
export const callsIn = (turns: readonly StoredTurn[]): readonly CallSpan[] =>
  turns.flatMap(({ reply }) =>
    reply.model === null || reply.cacheHit
      ? []
      : [{ startMs: Date.parse(reply.startedAt), endMs: Date.parse(reply.endedAt) }],
  );

type PanelsOf = ReadonlyMap<string, readonly ReviewedPanel[]>;

/** Empty unless the questions are about databases. */
async function panelsByAnswer(folder: RunFolder, answers: readonly RunAnswer[]): Promise<PanelsOf> {
  const panelsOf = new Map<string, ReviewedPanel[]>();
  if (answers.every(({ item }) => item.database === undefined)) return panelsOf;
  for (const panel of await latestPanels(folder)) {
    const known = panelsOf.get(keyText(panel));
    if (known) known.push(panel);
    else panelsOf.set(keyText(panel), [panel]);
  }
  return panelsOf;
}

async function databaseAnswer(
  folder: RunFolder,
  answer: RunAnswer,
  panelsOf: PanelsOf,
): Promise<PageDatabaseAnswer | null> {
  const { database, category = null } = answer.item;
  if (database === undefined) return null;
  const trace = await folder.readJson(traceFile(answer), answerTraceSchema);
  return trace && pageDatabaseAnswer(trace, category, panelsOf.get(keyText(answer)) ?? []);
}
