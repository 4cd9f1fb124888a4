import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PortFailure } from '../activities/ports/port-failure.js';
import { jsonIn } from '../domain/json-in.js';
import { judgeReplySchema, type JudgeReply } from '../domain/judging/judge-reply.js';
import { judgeReplyName } from '../domain/runs/run-layout.js';
import { createFileAtomically } from './atomic-file.js';
import { filesUnavailable } from './files-unavailable.js';

/** What judges said about one answer: a file for each reply. */
export async function readJudgeReplies(folder: string): Promise<readonly JudgeReply[]> {
  const files = await readdir(folder).catch((error: unknown) => {
    // What node:fs throws.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw filesUnavailable(`${folder} cannot be read`, error);
  });
  return Promise.all(
    files.filter((file) => file.endsWith('.judge.json')).map((file) => read(join(folder, file))),
  );
}

/** The first reply to a request stays; what is stored is returned. */
export async function saveJudgeReply(folder: string, reply: JudgeReply): Promise<JudgeReply> {
  const path = join(folder, judgeReplyName(reply));
  try {
    const text = `${JSON.stringify(reply, null, 1)}\n`;
    if (await createFileAtomically(path, text)) return reply;
  } catch (error) {
    throw filesUnavailable(`${path} cannot be written`, error);
  }
  return read(path);
}

async function read(path: string): Promise<JudgeReply> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw filesUnavailable(`${path} cannot be read`, error);
  });
  const parsed = judgeReplySchema.safeParse(jsonIn(text));
  if (parsed.success) return parsed.data;
  throw new PortFailure(
    'InvalidRun',
    `${path} is damaged: remove it, and its judge is asked again`,
  );
}
