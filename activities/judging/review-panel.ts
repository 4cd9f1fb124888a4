import { noAmount, sum, type Amount } from '../../domain/budget/amount.js';
import { worstCase } from '../../domain/budget/worst-case.js';
import type { CallAttempts } from '../../domain/models/call-attempts.js';
import type { Deferral } from '../../domain/runs/question-ref.js';
import { panelsFile } from '../../domain/runs/run-layout.js';
import { amountOfReply } from '../../domain/runs/spent-amount.js';
import { judgeReplySchema, type JudgeReply } from '../../domain/scoring/judging/judge-request.js';
import type { CallMade, FoundCalls, OpenCall } from '../../domain/scoring/open-calls.js';
import { subTasks } from '../../domain/scoring/review/panel.js';
import type { ReviewConfig } from '../../domain/scoring/review/review-config.js';
import { reviewFile, reviewTotals } from '../../domain/scoring/review/review-record.js';
import { reportingFailures } from '../failures.js';
import { attemptCall } from '../questions/call-attempt.js';
import { completeReply, type AskJudgePorts } from './ask-judge.js';
import {
  reviewRecord,
  storedPanels,
  type ReviewPorts,
  type ReviewRef,
  type StoredPanel,
} from './stored-panels.js';

/** Samples whose files are opened at the same time. */
const batchSize = 50;

/** The calls that are open in the panels from `from` on, as far as the stored replies show. */
export function createFindOpenReviews(
  ports: ReviewPorts,
): (input: ReviewRef & { readonly from: number }) => Promise<FoundCalls> {
  return async function findOpenReviews({ from, ...ref }) {
    return reportingFailures(async () => {
      const { config } = await reviewRecord(ports, ref);
      const first = Math.floor(from / subTasks.length);
      const { panels, next } = await batchOf(ports, ref, config, first);
      return {
        open: panels.filter(({ index }) => index >= from).flatMap(openCalls),
        next: next && next * subTasks.length,
      };
    });
  };
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
    Array.from({ length: Math.max(0, end - first) }, (_, place) =>
      storedPanels(ports, ref, config, first + place),
    ),
  );
  return { panels: found.flat(), next: end < samples ? end : null };
}

const openCalls = ({ index, open }: StoredPanel): readonly OpenCall[] =>
  open.map(({ member, question: { request, model } }) => ({
    index,
    member,
    need: worstCase(request, model.price),
  }));

export interface PanelMemberRef extends ReviewRef {
  /** Of the panel in its run, from 0. */
  readonly index: number;
  /** As `PanelState` numbers them. */
  readonly member: number;
}

/** One call of a member of a panel. The workflow that schedules it has reserved its cost. */
export function createReviewPanel(
  ports: ReviewPorts & AskJudgePorts,
): (ref: PanelMemberRef, before?: CallAttempts) => Promise<CallMade | Deferral> {
  return async function reviewPanel({ index, member, ...ref }, before) {
    return reportingFailures(async () => {
      const { config } = await reviewRecord(ports, ref);
      const find = async (): Promise<StoredPanel | undefined> => {
        const sample = Math.floor(index / subTasks.length);
        const subTask = subTasks[index % subTasks.length];
        return (await storedPanels(ports, ref, config, sample, subTask))[0];
      };
      const panel = await find();
      const question = panel?.open.find((each) => each.member === member)?.question;
      // Another attempt has stored the reply, or the question is asked again and has no answer now.
      if (panel === undefined || question === undefined)
        return { kind: 'made', spent: noAmount, opened: panel ? openCalls(panel) : [] };
      const { model } = question;
      const reply = await attemptCall<JudgeReply, never>({
        before,
        parse: (paid) => judgeReplySchema.safeParse(paid).data,
        ask: (attempt) => completeReply(ports, { ...question, price: model.price }, attempt),
        save: (made) => ports.judgingFiles.saveReply(panel.folder, made),
        storeForMs: ports.storeForMs,
      });
      if ('kind' in reply) return reply;
      const after = await find();
      return { kind: 'made', spent: amountOfReply(reply), opened: after ? openCalls(after) : [] };
    });
  };
}

/** Writes the panels of a review and what they came to, as far as they are. Resolves to what all replies have cost. */
export function createWriteReview(ports: ReviewPorts): (ref: ReviewRef) => Promise<Amount> {
  return async function writeReview(ref) {
    return reportingFailures(async () => {
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
  };
}
