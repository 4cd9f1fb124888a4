import { judgeReplyName } from '../domain/runs/run-manifest.js';
import { judgeReplySchema, type JudgeReply } from '../domain/scoring/judging/judge-request.js';
import { accessingFiles } from './atomic-file.js';
import type { ObjectStorage } from './objects.js';
import { keepPaidRecord, readPaidRecord } from './paid-records.js';

/** The judges' replies to one answer: an object for each. Empty if there is no folder. Damaged ones are left out. */
export async function readJudgeReplies(
  storage: ObjectStorage,
  folder: string,
): Promise<readonly JudgeReply[]> {
  const names = await accessingFiles(`${folder} cannot be read`, () => storage.list(folder));
  const replies = names
    .filter((name) => name.endsWith('.judge.json'))
    .map((name) => readPaidRecord(storage, `${folder}/${name}`, judgeReplySchema));
  return (await Promise.all(replies)).filter((reply) => reply !== null);
}

/** Keeps the first reply to a request, and resolves to the reply that is stored. */
export const saveJudgeReply = (
  storage: ObjectStorage,
  folder: string,
  reply: JudgeReply,
): Promise<JudgeReply> =>
  keepPaidRecord(storage, `${folder}/${judgeReplyName(reply)}`, reply, judgeReplySchema);
