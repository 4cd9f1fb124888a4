import { OpenAI } from 'openai';
import { schemaOf } from '../../activities/questions/question-database.js';
import { storedTurns } from '../../activities/questions/stored-turns.js';
import {
  requestMessages,
  firstTurnInWindow,
  turnRequest,
} from '../../domain/agent/conversation.js';
import { methodOf } from '../../domain/agent/methods.js';
import { chatBody } from '../../domain/models/chat-message.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import { openRunFiles } from '../../storage/runs/run-files.js';
import { openStorePlace } from '../../storage/stores/store-place.js';
import { createDatabases } from '../../worker/adapters/files/stores.js';

/** The request bodies of one question, in order. */
type QuestionRequests = readonly Readonly<Record<string, unknown>>[];

/** Every request that a finished run made, rebuilt from its files. @param home - without a storage elsewhere */
export async function requestsOf(
  home: string,
  manifest: RunManifest,
): Promise<readonly QuestionRequests[]> {
  const { run, config } = manifest;
  const { kind } = methodOf(config);
  const runFiles = openRunFiles(home);
  const { generations, imported } = openStorePlace({ TURNWISE_HOME: home });
  const databases = createDatabases(generations, imported);
  const items = await runFiles.items(run);
  return Promise.all(
    items.map(async (item) => {
      const database = await schemaOf(databases, manifest, item);
      const { turns } = await storedTurns(runFiles, { run, uuid: item.uuid, epoch: 1 });
      return turns.map((_, index) => {
        const turn = index + 1;
        const window = turns.slice(firstTurnInWindow(turn, config.windowSize, kind) - 1, index);
        const messages = requestMessages(
          { manifest, item, database, questionContext: null },
          turn,
          window,
        );
        const { baseUrl } = config.model;
        return { ...chatBody({ ...turnRequest(config, turn, messages), baseUrl }) };
      });
    }),
  );
}

/**
 * Sends the requests with OpenAI's client and a limit of questions in flight, without a store, tools or files. The calls of
 * a question follow one another. Resolves to the wall time in milliseconds.
 */
export async function askBare(
  baseURL: string,
  questions: readonly QuestionRequests[],
  inFlight: number,
): Promise<number> {
  const client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 });
  const start = performance.now();
  await forEachConcurrently(inFlight, questions.length, async (index) => {
    for (const body of questions[index] ?? []) await client.post('/chat/completions', { body });
  });
  return performance.now() - start;
}

/** Calls `work` with every index below `count`, at most `limit` calls at once. */
export async function forEachConcurrently(
  limit: number,
  count: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const loop = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, count) }, loop));
}
