import { storeOf } from '../../domain/agent/question-context.js';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { z } from 'zod';
import { startRun } from '../../client/runs/start-run.js';
import { workerProgram } from '../../client/services/programs.js';
import { questionWorkflowId, runIdSchema, storeNameSchema } from '../../domain/ids.js';
import type { RunConfig } from '../../domain/runs/run-config.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import type { Evaluator } from '../../domain/scoring/dataset-item.js';
import type { workerServeSchema } from '../../domain/services.js';
import type { ScriptedQuestion } from '../../simulator/script.js';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import { sampleKey } from '../support/runs/example-records.js';
import { runInFolder } from '../support/runs/run-in-folder.js';
import { startMilvusLite } from '../../bench/servers/local-server.js';
import { startTemporal } from '../support/temporal.js';
import { HomeClient, identityOf } from '../../client/services/home-client.js';
import { homeFile } from '../../domain/home.js';
import { environmentSchema } from '../../domain/settings.js';
import { jsonText } from '../../storage/atomic-file.js';
import { storedManifest } from '../support/stores/store-commands.js';

export const store = storeNameSchema.parse('papers');

export const searches: ScriptedQuestion = {
  question: 'How many fireflies did the wet meadow hold?',
  steps: [
    { thought: 'A search.', search: 'wet meadow' },
    { thought: 'A look.', sql: 'SELECT title FROM metadata' },
  ],
  answer: { thought: 'That is it.', value: 412 },
};
export const stumbles: ScriptedQuestion = {
  question: 'Who counted them?',
  steps: [
    { thought: 'A search.', search: 'authors' },
    { thought: 'I ask them.', action: 'AskTheAuthors()' },
  ],
  answer: { thought: 'Nobody knows.', value: '' },
};

/** What is replied to the prompts of methods without turns, whatever the question. */
const prompts = [
  {
    includes: 'Then write one action',
    reply:
      '```json\n{"action_type": "RetrieveFromDatabase", "parameters": {"sql": "SELECT title FROM metadata"}}\n```',
  },
  { includes: 'Then give the final answer', reply: 'As it says.\n```txt\n412\n```' },
];

const script = { questions: [searches, stumbles], prompts, generated: { turns: 2 } };

/** A run of questions `q1`, `q2`, … in the worker's own folder. */
interface RunToRecord {
  readonly manifest: RunManifest;
  readonly start: () => ReturnType<typeof startRun>;
  readonly question: (number: number) => WorkflowHandle;
}

export interface Recorder {
  readonly client: HomeClient;
  /** Of the worker. */
  readonly home: string;
  readonly model: SimulatedModel;
  /** Its calls take four seconds. */
  readonly slowModel: SimulatedModel;
  /** @param asked - the model. @defaultValue model */
  readonly runOf: (
    name: string,
    questions: readonly string[],
    config: Partial<RunConfig>,
    asked?: Pick<SimulatedModel, 'url'>,
    evaluator?: Evaluator,
  ) => RunToRecord;
  /** Kills the worker with all activities in flight, and starts another. */
  readonly loseWorker: () => Promise<void>;
  /** Unless a history of this name is there. */
  readonly write: (name: string, handle: WorkflowHandle) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** What real runs need: a Temporal server, Milvus Lite, the built worker in a process of its own and simulated models. */
export async function startRecorder(): Promise<Recorder> {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-recorded-'));
  // A new history is suggested early, so that a run of a few questions has several.
  const temporal = await startTemporal('limit.historyCount.suggestContinueAsNew=60');
  // Always the same, so that equal histories are.
  writeFileSync(join(home, homeFile), jsonText({ id: 'recorded' }));
  const { home: id, queue } = await identityOf(environmentSchema.parse({ TURNWISE_HOME: home }));
  const client = new HomeClient({ connection: temporal.connection }, id, queue);
  const milvus = await startMilvusLite();
  const model = await startSimulatedModel({ script });
  const slowModel = await startSimulatedModel({
    script: { generated: { turns: 2 } },
    latencyMs: 4_000,
  });
  const start = (): Promise<ChildProcess> =>
    startWorker({
      TURNWISE_HOME: home,
      TEMPORAL_ADDRESS: temporal.address,
      MILVUS_ADDRESS: milvus.address,
      OPENAI_BASE_URL: model.url,
    });
  let worker = await start();
  return {
    client,
    home,
    model,
    slowModel,
    runOf: (name, questions, config, { url } = model, evaluator) => {
      const run = runIdSchema.parse(name);
      const { manifest } = runInFolder(
        questions.map((question, index) => ({ uuid: `q${index + 1}`, question, evaluator })),
        (example) => ({
          ...example,
          run,
          store: { ...storeOf(example), fingerprint: fingerprintOfStore(home) },
          config: {
            ...example.config,
            ...config,
            model: { ...example.config.model, baseUrl: url },
          },
        }),
        home,
      );
      return {
        manifest,
        start: () => startRun(client, manifest),
        question: (number) =>
          client.workflow.getHandle(questionWorkflowId(client.home, run, sampleKey(`q${number}`))),
      };
    },
    loseWorker: async () => {
      worker.kill('SIGKILL');
      await once(worker, 'exit');
      worker = await start();
    },
    write: writeHistory,
    stop: async () => {
      worker.kill();
      await once(worker, 'exit');
      await Promise.all([model.close(), slowModel.close(), milvus.remove()]);
      await temporal.teardown();
    },
  };
}

/** As it was ingested: a run goes on over the store that it began with. */
function fingerprintOfStore(home: string): string {
  return storedManifest(home, store).fingerprint;
}

async function startWorker(settings: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const child = fork(workerProgram('worker'), {
    // Those of this process say how its own code is read.
    execArgv: [],
    env: { ...process.env, OPENAI_API_KEY: 'none', ...settings },
  });
  const started = once(child, 'message').then(() => true);
  const ended = once(child, 'exit').then(() => false);
  child.send({ kind: 'serve', temporal: 'embedded' } satisfies z.infer<typeof workerServeSchema>);
  if (await Promise.race([started, ended])) return child;
  throw new Error('the worker ended before it was ready');
}

async function writeHistory(name: string, handle: WorkflowHandle): Promise<void> {
  const path = fileURLToPath(new URL(`${name}.json`, import.meta.url));
  if (existsSync(path)) return;
  const history: unknown = JSON.parse(historyToJSON(await handle.fetchHistory()));
  const text = JSON.stringify(history).replaceAll(hostname(), 'host');
  writeFileSync(path, `${text}\n`);
  process.stdout.write(`${name}: ${text.length} characters\n`);
}
