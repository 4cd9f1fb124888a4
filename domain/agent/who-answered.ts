import { z } from 'zod';
import { servedBySchema } from '../models/chat-message.js';
import type { ReplyRecord } from './turn-record.js';

/** Who gave some replies, as far as providers tell. */
export const answererSchema = servedBySchema.extend({
  /** The model's name in the provider's replies. */
  model: z.string(),
  replies: z.int().positive(),
});
export type Answerer = Readonly<z.infer<typeof answererSchema>>;

/** Those who gave the replies of a question, in the order of their first reply. Replies of a cache count for who gave them first. */
export const answerersOf = (
  replies: readonly Pick<ReplyRecord, 'model' | 'servedBy'>[],
): readonly Answerer[] =>
  addedAnswerers(
    replies.flatMap(({ model, servedBy }) =>
      model === null ? [] : [{ model, ...servedBy, replies: 1 }],
    ),
  );

/** Adds up the replies of those who are the same in all fields. */
export function addedAnswerers(answerers: readonly Answerer[]): readonly Answerer[] {
  const sums = new Map<string, Answerer>();
  for (const each of answerers) {
    const key = keyOf(each);
    sums.set(key, { ...each, replies: each.replies + (sums.get(key)?.replies ?? 0) });
  }
  return [...sums.values()];
}

const keyOf = ({ model, provider, systemFingerprint, serviceTier }: Answerer): string =>
  JSON.stringify([model, provider, systemFingerprint, serviceTier]);

/** The model and its upstream: `m by Together`. Fingerprints and tiers change too often to tell models apart. */
export const upstreamOf = ({ model, provider }: Omit<Answerer, 'replies'>): string =>
  provider === undefined ? model : `${model} by ${provider}`;

/** Each once. */
export const upstreamsOf = (answerers: readonly Answerer[]): readonly string[] => [
  ...new Set(answerers.map(upstreamOf)),
];

/** Says that several models or upstreams answered, or that their configuration changed. Null where neither is so. */
export function answererText(answerers: readonly Answerer[]): string | null {
  const upstreams = upstreamsOf(answerers);
  if (upstreams.length > 1) {
    const counts = upstreams.map((name) => {
      const own = answerers.filter((each) => upstreamOf(each) === name);
      return `${name} (${own.reduce((sum, { replies }) => sum + replies, 0)} replies)`;
    });
    return `Answered by ${upstreams.length} different upstreams: ${counts.join(', ')}. Their scores may differ.`;
  }
  const fingerprints = new Set(
    answerers.flatMap(({ systemFingerprint }) => systemFingerprint ?? []),
  );
  return fingerprints.size > 1
    ? `The provider reported ${fingerprints.size} system fingerprints while the run was answered.`
    : null;
}

/** The only upstream of some replies, or that there were several. Null without replies. */
export function onlyUpstream(answerers: readonly Answerer[]): string | null {
  const [first, ...others] = upstreamsOf(answerers);
  return first === undefined ? null : others.length > 0 ? 'several' : first;
}
