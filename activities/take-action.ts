import { methods } from '../domain/methods/methods.js';
import { scopeFilter } from '../domain/methods/retrieval-scope.js';
import { summariseObservation, type ActionTurn } from '../domain/questions/action-turn.js';
import type { TurnRef } from '../domain/questions/question-ref.js';
import type { ObservationRecord } from '../domain/questions/turn-record.js';
import { reportingFailures } from './failures.js';
import { whileHeartbeating } from './heartbeat.js';
import { PortFailure } from './ports/port-failure.js';
import type { ClockPort } from './ports/clock.js';
import type { RunFilesPort } from './ports/run-files.js';
import { observe } from './observe.js';
import type { ToolPorts } from './tools/tool-use.js';

export interface TakeActionPorts extends ToolPorts {
  readonly runFiles: RunFilesPort;
  readonly clock: ClockPort;
}

/** Carries out the action of a turn's stored reply and stores its observation. */
export function createTakeAction({
  runFiles,
  clock,
  ...tools
}: TakeActionPorts): (turn: TurnRef) => Promise<ActionTurn> {
  return (ref) => reportingFailures(() => takeAction(ref));

  async function takeAction(ref: TurnRef): Promise<ActionTurn> {
    const stored = await runFiles.observation(ref.run, ref, ref.turn);
    if (stored) return summariseObservation(stored);

    const [manifest, item, reply] = await Promise.all([
      runFiles.manifest(ref.run),
      runFiles.item(ref.run, ref.uuid),
      runFiles.reply(ref.run, ref, ref.turn),
    ]);
    if (reply?.reading.kind !== 'action') {
      throw new PortFailure(
        'InvalidRun',
        `turn ${ref.turn} of question ${ref.uuid} has no action to take in run ${ref.run}`,
      );
    }
    const { action } = reply.reading;
    const startedAt = clock.now();
    const scope = scopeFilter(methods[manifest.config.method], item);
    const observation = await whileHeartbeating((signal) =>
      observe(tools, manifest, action, scope, signal),
    );
    const record: ObservationRecord = {
      turn: ref.turn,
      ...observation,
      startedAt,
      endedAt: clock.now(),
    };
    return summariseObservation(await runFiles.saveObservation(ref.run, ref, record));
  }
}
