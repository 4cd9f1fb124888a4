import { z } from 'zod';
import type { Result } from '../agent/question-result.js';
import type {
  ObservationRecord,
  OddReply,
  PaidCall,
  ReplyRecord,
  StoredTurn,
} from '../agent/turn-record.js';
import { canonicalJson, jsonIn } from '../formats/json.js';
import { sampleKeySchema, type SampleKey } from '../ids.js';
import type { Exchange, FailedAttempt } from '../models/call-attempts.js';
import { lackOf } from '../models/chat-message.js';
import type { RunAnswer } from '../scoring/answer.js';
import type { JudgeReply } from '../scoring/judging/judge-request.js';
import type { Verdict } from '../scoring/verdict.js';

/** SHA-256 of a text in UTF-8, in hex. */
type Digest = (text: string) => string;

/**
 * An attempt at a call, or several of which nothing is known. `lost`: with their worker. `not-recorded`: nobody kept why they
 * failed. `reused`: nothing was sent, since the cache, or the run that is forked or replayed, has the reply.
 */
type Attempt =
  | ({ readonly end: 'replied'; readonly at: string; readonly until: string } & Exchange)
  | { readonly end: 'reused'; readonly at: string }
  | ({ readonly end: 'failed' } & FailedAttempt)
  | ({ readonly end: 'lost' | 'not-recorded'; readonly count: number } & typeof unknown);

const unknown = { at: 'unknown', request: 'unknown', reply: 'unknown' } as const;

type Billed = 'model' | 'servedBy' | 'tokens' | 'costUsd' | 'charged' | 'unanswered';

/** A call of a model, with all attempts at it and what it was billed. */
export interface ReceiptCall extends Pick<PaidCall, Billed> {
  readonly of:
    | { readonly kind: 'turn'; readonly turn: number }
    | { readonly kind: 'judge'; readonly part: string; readonly number: number };
  /** Of the question: a person has it asked again. */
  readonly asking: number;
  /** Those of which no time is known stand first. */
  readonly attempts: readonly Attempt[];
  /** Why nothing could be made of the reply, so that the model was asked once more or gave no answer. Absent where it was read. */
  readonly odd?: OddReply | 'unreadable' | undefined;
}

export interface ReceiptQuestion extends SampleKey {
  /** By a person. `anew`: from the first turn. */
  readonly askedAgain: readonly { readonly asking: number; readonly anew: boolean }[];
  readonly found: Found;
  readonly calls: readonly ReceiptCall[];
}

/** `{outcome, failure?, answer, score, turns: {action, observation}[]}`; null for a question that has not ended. */
type Found = Readonly<Record<string, unknown>> | null;

/**
 * What a question came to, texts by their digests. Nothing in it depends on times, attempts, workers or upstreams.
 * @param turns - of the asking that ended so
 */
export function foundOf(
  { result, score }: Pick<RunAnswer, 'result' | 'score'>,
  turns: readonly StoredTurn[],
  digest: Digest,
): Found {
  if (result === null) return null;
  const { outcome, answer } = result;
  const digestOf = (value: unknown): string => digest(canonicalJson(value));
  return {
    outcome: outcome.kind,
    ...(outcome.kind === 'infra-error' && { failure: outcome.failure }),
    answer: answer === null ? null : digest(answer),
    score: score && {
      // A command line may hold a secret.
      scorer: score.scorer?.replace(/^(eval_program)\(.*/s, '$1') ?? null,
      ...withoutWords(score.verdict),
    },
    // What is begun after the last whole turn depends on when the question is stopped.
    turns: turns.slice(0, result.turns).map(({ reply, observation }) => ({
      action: digestOf(withoutIds(reply.reading)),
      observation: observation && digestOf(withoutTimes(observation)),
    })),
  };
}

function withoutWords(verdict: Verdict) {
  if (verdict.kind === 'unscored') return { kind: verdict.kind, reason: verdict.reason };
  return { kind: verdict.kind, score: verdict.score, rawScore: verdict.rawScore };
}

/** Providers give ids to tool calls. */
function withoutIds(reading: ReplyRecord['reading']): unknown {
  if (reading.kind !== 'action' || reading.calls === undefined) return reading;
  return { ...reading, calls: reading.calls.map(({ id, ...call }) => call) };
}

const withoutTimes = ({ content, ofCalls, image, queries }: ObservationRecord): unknown => ({
  ...{ content, ofCalls, image },
  queries: queries?.map(({ ms, ...query }) => query),
});

function attemptsBefore({
  retries,
  lost = 0,
  failures: { count, latest } = { count: 0, latest: [] },
}: Pick<PaidCall, 'retries' | 'lost' | 'failures'>): readonly Attempt[] {
  const notRecorded = Math.max(count, retries - lost) - latest.length;
  return [
    ...(notRecorded > 0 ? [{ end: 'not-recorded', count: notRecorded, ...unknown } as const] : []),
    ...(lost > 0 ? [{ end: 'lost', count: lost, ...unknown } as const] : []),
    ...latest.map((failed) => ({ end: 'failed', ...failed }) as const),
  ];
}

type Reply = PaidCall & Pick<ReplyRecord, 'startedAt' | 'endedAt'>;

function paidCall(reply: Reply): Pick<ReceiptCall, Billed | 'attempts'> {
  const { cacheHit, exchange = unknown, startedAt: at, endedAt: until } = reply;
  const { model, servedBy, tokens, costUsd, charged, unanswered } = reply;
  const last: Attempt = cacheHit
    ? { end: 'reused', at }
    : { end: 'replied', ...unknown, ...exchange, at, until };
  const attempts = [...attemptsBefore(reply), last];
  return { attempts, model, servedBy, tokens, costUsd, charged, unanswered };
}

/** Empty for a turn that asks no model. */
export function callsOfTurn(reply: ReplyRecord, asking: number): readonly ReceiptCall[] {
  if (reply.model === null) return [];
  const { turn, reading } = reply;
  const odd = reading.kind === 'error' ? (reading.odd ?? 'unreadable') : undefined;
  return [{ of: { kind: 'turn', turn }, asking, ...paidCall(reply), odd }];
}

export function callOfJudge(reply: JudgeReply, asking: number): ReceiptCall {
  const { part, number, cutOff } = reply;
  const odd = lackOf(reply) ?? (cutOff ? 'cut-off' : undefined);
  return { of: { kind: 'judge', part, number }, asking, ...paidCall(reply), odd };
}

/** The call of which a question ended without a reply; none where it ended otherwise. */
export function callsWithoutReply(
  { outcome, turns }: Pick<Result, 'outcome' | 'turns'>,
  asking: number,
): readonly ReceiptCall[] {
  if (outcome.kind !== 'infra-error' || outcome.attempts === undefined) return [];
  const attempts = attemptsBefore({ retries: outcome.attempts, failures: outcome.failures });
  const nothing = { model: null, tokens: null, costUsd: null };
  return [{ of: { kind: 'turn', turn: turns + 1 }, asking, attempts, ...nothing }];
}

/** The end of a receipt. */
interface Seal {
  readonly questions: number;
  readonly calls: number;
  /** The outcome hash: of what the run found out, whatever the order. */
  readonly outcome: string;
}

const format = 'turnwise receipt 1';
const headerSchema = z.looseObject({ format: z.string() });
/** What is read of a question. */
const questionSchema = z.looseObject({
  ...sampleKeySchema.shape,
  found: z.unknown(),
  calls: z.array(z.unknown()).readonly(),
});

/**
 * Makes the lines of a receipt, in their order. Each has the digest of its content and of all lines before. They are canonical
 * JSON in ASCII, so that another file is another text, however it is decoded.
 */
export class ReceiptLines {
  #previous = '';
  #calls = 0;
  readonly #found: string[] = [];

  constructor(private readonly digest: Digest) {}

  header(header: object | undefined): string {
    return this.#line('header', { format, ...header });
  }

  question(question: z.infer<typeof questionSchema> | ReceiptQuestion): string {
    const { uuid, epoch, found, calls } = question;
    this.#found.push(this.digest(canonicalJson({ uuid, epoch, found })));
    this.#calls += calls.length;
    return this.#line('question', question);
  }

  /** Of the questions so far. */
  seal(): string {
    return this.#line('seal', this.sealed());
  }

  sealed(): Seal {
    const outcome = this.digest(this.#found.toSorted().join('\n'));
    return { questions: this.#found.length, calls: this.#calls, outcome };
  }

  #line(kind: string, content: unknown): string {
    const json = canonicalJson(content).replace(
      /[\u007f-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    this.#previous = this.digest(`${this.#previous}\n${kind} ${json}`);
    return `{"sha256":"${this.#previous}","${kind}":${json}}\n`;
  }
}

/** `altered`: the first line that is not as it was written, from 1. `unreadable`: no receipt, or of another version. */
type CheckedReceipt =
  | ({ readonly kind: 'verified' } & Seal)
  | { readonly kind: 'altered'; readonly line: number; readonly question: SampleKey | undefined }
  | { readonly kind: 'unreadable' };

const lineForm = /^\{"sha256":"[0-9a-f]{64}","(?:header|question|seal)":(.*)\}\n$/s;

/** @param text - one character for each byte of the file */
export function checkReceipt(text: string, digest: Digest): CheckedReceipt {
  const lines = text.split(/(?<=\n)/);
  if (!lines.some((line) => lineForm.test(line))) return { kind: 'unreadable' };
  const written = new ReceiptLines(digest);
  for (const [index, line] of lines.entries()) {
    const content = jsonIn(lineForm.exec(line)?.[1] ?? '');
    const header = headerSchema.safeParse(content).data;
    const question = questionSchema.safeParse(content).data;
    const expected =
      index === 0
        ? written.header(header)
        : index === lines.length - 1
          ? written.seal()
          : question && written.question(question);
    if (line !== expected) return { kind: 'altered', line: index + 1, question };
    if (index === 0 && header?.format !== format) return { kind: 'unreadable' };
  }
  return { kind: 'verified', ...written.sealed() };
}
