import { duration } from '../duration.js';
import type { RunId } from '../ids.js';
import { waitLabels } from '../questions/question-details.js';
import { waitReasons } from '../questions/deferral.js';
import type { RunLive } from './run-live.js';
import type { RunProgress } from './run-progress.js';
import { slowQuestionText } from './slow-question.js';
import { holdText, summaryText } from './summary-text.js';

/** Where a run that has not ended is, in a few words. */
export function runLiveState(run: RunId, live: RunLive): string {
  switch (live.kind) {
    case 'no-services':
      return 'unfinished; no services run: `turnwise up`, or the command that started it, goes on with it';
    case 'not-open':
      return `unfinished, and not under way: \`turnwise run\` with the same arguments and --run ${run} continues it`;
    case 'stuck':
      return `unfinished, and its workflow cannot be replayed: \`turnwise run\` with the same arguments and --run ${run} begins it anew from its files`;
    case 'silent':
      return live.workers === 0
        ? 'unfinished, and no worker runs: `turnwise up` or `turnwise worker` starts one'
        : 'unfinished; workers run, and none has answered for it: they are busy, or their logs say more';
    case 'open':
      return `under way · ${summaryText(live.progress.summary)}`;
  }
}

/** Why it does not go on, or part of it does not, and what can be done about that. */
export function runLiveLines(
  run: RunId,
  live: RunLive,
  { turnMs, nowMs }: { readonly turnMs: number | null; readonly nowMs: number },
): readonly string[] {
  if (live.kind !== 'open') return [];
  const hold = holdText(run, live.progress);
  // Where all are held, each of them waits for the same.
  if (hold !== null) return [hold];
  const { stuck } = live;
  const usual = turnMs === null ? '' : `; a turn usually takes ${seconds(turnMs)}`;
  return [
    ...waitingLines(run, live.progress),
    ...(stuck.length === 0
      ? []
      : [
          `nothing has happened for long in${usual}:`,
          ...stuck.map((question) => `  ${slowQuestionText(question, nowMs)}`),
          `\`turnwise skip ${run} QUESTION\` ends one of them, \`turnwise retry ${run} --question QUESTION\` asks it again then`,
        ]),
  ];
}

/** Turns may be quick. */
const seconds = (ms: number): string =>
  ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : duration(ms);

/** Questions that wait for something while others go on, by what it is. */
function waitingLines(run: RunId, { waiting }: RunProgress): readonly string[] {
  return waitReasons.flatMap((reason) => {
    const [first, ...others] = waiting.filter((question) => question.reason === reason);
    if (first === undefined) return [];
    const { message, until } = first;
    const then =
      until === null
        ? `\`turnwise resume ${run}\` has them try again`
        : `they try again by ${new Date(until).toISOString()}, or at once with \`turnwise resume ${run}\``;
    return [`${1 + others.length} waiting: ${waitLabels[reason]} (${message}); ${then}`];
  });
}
