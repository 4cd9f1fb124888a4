import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PortFailure } from '../activities/ports/port-failure.js';
import { jsonIn } from '../domain/formats/json.js';
import { judgeReplyName } from '../domain/runs/run-layout.js';
import { judgeReplySchema, type JudgeReply } from '../domain/scoring/judging/judge-request.js';
import { accessingFiles, createFileAtomically, jsonText, pathsIn } from './atomic-file.js';

/** The judges' replies to one answer: a file for each. Empty if there is no folder. */
export async function readJudgeReplies(folder: string): Promise<readonly JudgeReply[]> {
  return Promise.all((await pathsIn(folder, '.judge.json')).map(readReply));
}

/** Keeps the first reply to a request, and resolves to the reply that is stored. */
export async function saveJudgeReply(folder: string, reply: JudgeReply): Promise<JudgeReply> {
  const path = join(folder, judgeReplyName(reply));
  const isNew = await accessingFiles(`${path} cannot be written`, () =>
    createFileAtomically(path, jsonText(reply)),
  );
  return isNew ? reply : readReply(path);
}

async function readReply(path: string): Promise<JudgeReply> {
  const text = await accessingFiles(`${path} cannot be read`, () => readFile(path, 'utf8'));
  const parsed = judgeReplySchema.safeParse(jsonIn(text));
  if (parsed.success) return parsed.data;
  throw new PortFailure(
    'InvalidRun',
    `${path} is damaged: remove it, and its judge is asked again`,
  );
}
