import { sum, type Amount } from '../../domain/budget/amount.js';
import { sizeOf } from '../../domain/budget/call-size.js';
import type { CallAttempts } from '../../domain/models/call-attempts.js';
import type { JobOwner } from '../../domain/runs/batches.js';
import type { Deferral } from '../../domain/runs/question-ref.js';
import { panelsFile } from '../../domain/runs/run-manifest.js';
import { amountOfReply } from '../../domain/runs/spent-amount.js';
import { judgeReplySchema, type JudgeReply } from '../../domain/scoring/judging/judge-request.js';
import type { CallMade, FoundCalls, OpenCall } from '../../domain/scoring/open-calls.js';
import {
  subTasks,
  reviewFile,
  reviewTotals,
  type ReviewConfig,
} from '../../domain/scoring/review/panel.js';
import { activity } from '../failures.js';
import {
  attemptCall,
  batchedCalls,
  callMade,
  ofJob,
  paidActivity,
  type BatchedCallsInput,
  type TakenCall,
} from '../questions/call-attempt.js';
import { readyReply, type AskJudgePorts } from './ask-judge.js';
import {
  reviewRecord,
  panelsOfSample,
  type ReviewPorts,
  type ReviewRef,
  withReplies,
  type StoredPanel,
} from './stored-panels.js';

/** Samples whose files are opened at the same time. */
const batchSize = 50;

/** The calls that are open in the panels from `from` on, as far as the stored replies show. */
export function createFindOpenReviews(
  ports: ReviewPorts,
): (input: ReviewRef & { readonly from: number }) => Promise<FoundCalls> {
  return activity(async ({ from, ...ref }) => {
    const { config } = await reviewRecord(ports, ref);
    const first = Math.floor(from / subTasks.length);
    const { panels, next } = await batchOf(ports, ref, config, first);
    return {
      open: panels.filter(({ index }) => index >= from).flatMap(openCalls),
      next: next && next * subTasks.length,
    };
  });
}

/** The panels of some samples. `next` is the first sample after them; null if there is none. */
async function batchOf(
  ports: ReviewPorts,
  ref: ReviewRef,
  config: ReviewConfig,
  first: number,
): Promise<{ readonly panels: readonly StoredPanel[]; readonly next: number | null }> {
  const { dataset, config: run } = await ports.runFiles.manifest(ref.run);
  const samples = dataset.items * run.epochs;
  const end = Math.min(samples, first + batchSize);
  const found = await Promise.all(
    Array.from({ length: Math.max(0, end - first) }, async (_, place) => {
      const places = await panelsOfSample(ports, ref, first + place);
      return Promise.all(places.map((each) => withReplies(ports, config, each)));
    }),
  );
  return { panels: found.flat(), next: end < samples ? end : null };
}

const openCalls = ({ index, open }: StoredPanel): readonly OpenCall[] =>
  open.map(({ member, question: { request, key, model } }) => ({
    index,
    member,
    key,
    size: sizeOf({ ...request, price: model.price }),
  }));

export interface PanelMemberRef extends ReviewRef {
  /** Of the panel in its run, from 0. */
  readonly index: number;
  /** As `PanelState` numbers them. */
  readonly member: number;
  /** Of the request (`OpenCall`). */
  readonly key: string;
}

/** One call of a member of a panel. The workflow that schedules it has reserved its cost. */
export const createReviewPanel = (
  ports: ReviewPorts & AskJudgePorts,
): ((ref: PanelMemberRef, before?: CallAttempts) => Promise<CallMade | Deferral>) =>
  paidActivity(reviewPanel(ports));

/** Many of them, in batches. */
export const createReviewPanels = (
  ports: ReviewPorts & AskJudgePorts,
): ((input: BatchedCallsInput & ReviewRef) => Promise<readonly TakenCall[]>) =>
  batchedCalls<ReviewRef>(reviewPanel(ports));

/** @param owner - of the batch; absent for a call that is sent at once */
function reviewPanel(
  ports: ReviewPorts & AskJudgePorts,
): (ref: PanelMemberRef, before?: CallAttempts, owner?: JobOwner) => Promise<CallMade | Deferral> {
  return async ({ index, member, key, ...ref }, before, owner) => {
    const { config } = await reviewRecord(ports, ref);
    const sample = Math.floor(index / subTasks.length);
    const places = await panelsOfSample(ports, ref, sample);
    const place = places.find((each) => each.index === index);
    // The question is asked again and has no answer now.
    if (place === undefined) return callMade(null, []);
    const panel = await withReplies(ports, config, place);
    // An earlier attempt of this activity may have stored the reply.
    const stored = panel.replies.find(({ request }) => request === key);
    if (stored !== undefined) return callMade(stored, openCalls(panel));
    const question = panel.open.find((each) => each.member === member)?.question;
    if (question === undefined) return callMade(null, openCalls(panel));
    const { model } = question;
    const reply = await attemptCall<JudgeReply, never>({
      before,
      parse: (paid) => judgeReplySchema.safeParse(paid).data,
      prepare: (attempt) =>
        Promise.resolve(
          readyReply(
            ports,
            { ...question, price: model.price },
            attempt,
            owner && ofJob(owner, { index, member, key }),
          ),
        ),
      save: (made) => ports.judgingFiles.saveReply(place.folder, made),
      storeForMs: ports.storeForMs,
      isOneOfMany: owner !== undefined,
    });
    if ('kind' in reply) return reply;
    // Other members may have replied meanwhile.
    return callMade(reply, openCalls(await withReplies(ports, config, place)));
  };
}

/** Writes the panels of a review and what they came to, as far as they are. Resolves to what all replies have cost. */
export function createWriteReview(ports: ReviewPorts): (ref: ReviewRef) => Promise<Amount> {
  return activity(async (ref) => {
    const { run, review } = ref;
    const record = await reviewRecord(ports, ref);
    const panels: StoredPanel[] = [];
    for (let first: number | null = 0; first !== null;) {
      const batch: Awaited<ReturnType<typeof batchOf>> = await batchOf(
        ports,
        ref,
        record.config,
        first,
      );
      panels.push(...batch.panels);
      first = batch.next;
    }
    const lines = panels.map(({ panel }) => `${JSON.stringify(panel)}\n`).join('');
    await ports.runFiles.saveText(run, panelsFile(review), lines);
    const totals = reviewTotals(panels);
    const text = JSON.stringify({ ...record, totals }, null, 1);
    await ports.runFiles.saveText(run, reviewFile(review), `${text}\n`);
    return sum(panels.flatMap(({ replies }) => replies.map(amountOfReply)));
  });
}
