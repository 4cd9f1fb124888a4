import { endedQuestion } from '../domain/questions/end-record.js';
import type { RunId, SampleKey } from '../domain/ids.js';
import type { EndedQuestion } from '../domain/runs/run-totals.js';
import { reportingFailures } from './failures.js';
import { PortFailure } from './ports/port-failure.js';
import type { RunFilesPort } from './ports/run-files.js';

export interface ReopenInput {
  readonly run: RunId;
  readonly keys: readonly SampleKey[];
  /** Forget its turns, too. */
  readonly anew: boolean;
}

export interface ReopenedQuestion extends SampleKey {
  readonly ended: EndedQuestion;
}

/** Takes back the ends of questions, so that they can be asked again. Those without an end are left as they are. */
export function createReopenQuestions({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: ReopenInput) => Promise<{ readonly reopened: readonly ReopenedQuestion[] }> {
  return async function reopenQuestions({ run, keys, anew }) {
    return reportingFailures(async () => {
      const known = new Set((await runFiles.items(run)).map(({ uuid }) => uuid));
      const stranger = keys.find(({ uuid }) => !known.has(uuid));
      if (stranger)
        throw new PortFailure('InvalidRun', `run ${run} has no question ${stranger.uuid}`);
      const ends = await runFiles.reopen(run, keys, anew);
      return {
        reopened: ends.map((record) => ({
          uuid: record.result.uuid,
          epoch: record.result.epoch,
          ended: endedQuestion(record),
        })),
      };
    });
  };
}
