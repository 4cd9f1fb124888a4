import type { Client } from '@temporalio/client';
import type { RunId } from '../../domain/ids.js';
import type { Headline } from '../../domain/scoring/score-ledger.js';
import type { RunProgress } from '../../domain/runs/run-progress.js';
import { isSlow, type SlowQuestion } from '../../domain/runs/slow-question.js';
import { endedCount } from '../../domain/runs/run-totals.js';
import { accountLines } from '../runs/run-snapshot.js';
import { failureLines } from './end-report.js';
import type { RunFolder } from '../runs/run-folder.js';
import { runLedger } from '../runs/run-scores.js';
import { slowQuestions } from '../runs/slow-questions.js';

/** Details that the run's workflow does not have: from the run's files and from the workflows of its questions. */
export interface DisplayDetails {
  readonly headline: Headline | null;
  readonly failures: readonly string[];
  readonly slowest: readonly SlowQuestion[];
  /** The limits that slow the run down at the moment, a line each. */
  readonly limits: readonly string[];
}

export const noDetails: DisplayDetails = { headline: null, failures: [], slowest: [], limits: [] };

const questionsShown = 3;
/** A reachable server answers sooner. */
const answerMs = 3_000;
/** Reading the files of a large run is slow: the next read waits for this multiple of the time that the last one took. */
const restTimes = 20;

/** Reads a run's details; its caller decides how often. */
export class DetailsReader {
  #scores: Pick<DisplayDetails, 'headline' | 'failures'> = noDetails;
  #endedThen = 0;
  #filesAgainAt = 0;

  constructor(
    private readonly run: {
      readonly client: Client;
      readonly id: RunId;
      /** Null if the run's files are on another machine. */
      readonly folder: RunFolder | null;
    },
  ) {}

  readonly look = async (progress: RunProgress): Promise<DisplayDetails> => {
    const { client, id, folder } = this.run;
    if (folder) await this.#readScores(folder, progress);
    const now = Date.now();
    const [slowest, limits] = await Promise.all([
      client.withDeadline(now + answerMs, () =>
        slowQuestions({ client, run: id, folder, progress }, questionsShown, (question) =>
          isSlow(question, now),
        ),
      ),
      folder ? accountLines(client, (await folder.manifest()).config.model) : [],
    ]);
    return { ...this.#scores, slowest, limits };
  };

  async #readScores(folder: RunFolder, { totals }: RunProgress): Promise<void> {
    const begun = Date.now();
    const ended = endedCount(totals);
    if (ended === this.#endedThen || begun < this.#filesAgainAt) return;
    this.#scores = {
      headline: (await runLedger(folder)).headline,
      // The first line is the count, which the outcomes already show.
      failures: failureLines({ totals, results: await folder.results() }).slice(1),
    };
    this.#endedThen = ended;
    this.#filesAgainAt = begun + restTimes * (Date.now() - begun);
  }
}
