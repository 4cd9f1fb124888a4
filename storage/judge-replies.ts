import { PortFailure } from '../activities/ports/port-failure.js';
import { jsonIn } from '../domain/formats/json.js';
import { judgeReplyName } from '../domain/runs/run-layout.js';
import { judgeReplySchema, type JudgeReply } from '../domain/scoring/judging/judge-request.js';
import { accessingFiles, jsonText } from './atomic-file.js';
import { readText, type ObjectStorage } from './objects.js';

/** The judges' replies to one answer: an object for each. Empty if there is no folder. */
export async function readJudgeReplies(
  storage: ObjectStorage,
  folder: string,
): Promise<readonly JudgeReply[]> {
  const names = await accessingFiles(`${folder} cannot be read`, () => storage.list(folder));
  const replies = names
    .filter((name) => name.endsWith('.judge.json'))
    .map((name) => readReply(storage, `${folder}/${name}`));
  return (await Promise.all(replies)).filter((reply) => reply !== null);
}

/** Keeps the first reply to a request, and resolves to the reply that is stored. */
export async function saveJudgeReply(
  storage: ObjectStorage,
  folder: string,
  reply: JudgeReply,
): Promise<JudgeReply> {
  const path = `${folder}/${judgeReplyName(reply)}`;
  const isNew = await accessingFiles(`${path} cannot be written`, () =>
    storage.create(path, jsonText(reply)),
  );
  const stored = isNew ? reply : await readReply(storage, path);
  if (stored !== null) return stored;
  throw new PortFailure('RunFilesUnavailable', `${path} cannot be read yet`);
}

/** Null if there is none. */
async function readReply(storage: ObjectStorage, path: string): Promise<JudgeReply | null> {
  const text = await accessingFiles(`${path} cannot be read`, () => readText(storage, path));
  if (text === null) return null;
  const parsed = judgeReplySchema.safeParse(jsonIn(text));
  if (parsed.success) return parsed.data;
  throw new PortFailure(
    'InvalidRun',
    `${storage.location}/${path} is damaged: remove it, and its judge is asked again`,
  );
}
