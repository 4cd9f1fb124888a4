import { endedQuestion } from '../domain/questions/end-record.js';
import { samplesOf } from '../domain/questions/samples.js';
import { questionWorkflowId, type RunId, type SampleKey } from '../domain/ids.js';
import type { EndedQuestion } from '../domain/runs/run-totals.js';
import { reportingFailures } from './failures.js';
import { PortFailure } from './ports/port-failure.js';
import type { RunFilesPort } from './ports/run-files.js';
import { storedEnds } from './stored-ends.js';

export interface EndOfSample extends SampleKey {
  readonly ended: EndedQuestion;
}

/** How those of `keys` ended that have. Fails where one is no question of the run. */
export function createLookUpEnds({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: {
  readonly run: RunId;
  readonly keys: readonly SampleKey[];
}) => Promise<{ readonly ends: readonly EndOfSample[] }> {
  return async function lookUpEnds({ run, keys }) {
    return reportingFailures(async () => {
      const { config } = await runFiles.manifest(run);
      const samples = samplesOf(await runFiles.items(run), config.epochs);
      const known = new Set(samples.map((sample) => questionWorkflowId(run, sample)));
      const stranger = keys.find((key) => !known.has(questionWorkflowId(run, key)));
      if (stranger) {
        throw new PortFailure(
          'InvalidRun',
          `run ${run} has no question ${stranger.uuid} (epoch ${stranger.epoch})`,
        );
      }
      const records = await storedEnds(runFiles, run, keys);
      return {
        ends: records.flatMap((record) =>
          record === null
            ? []
            : [
                {
                  uuid: record.result.uuid,
                  epoch: record.result.epoch,
                  ended: endedQuestion(record),
                },
              ],
        ),
      };
    });
  };
}
