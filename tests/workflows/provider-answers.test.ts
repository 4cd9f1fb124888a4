import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resultSchema, type Result } from '../../domain/agent/question-result.js';
import { apiFacts, type ModelApi } from '../../domain/model-api.js';
import { defaultRunConfig } from '../../domain/runs/run-config.js';
import { resultsFile } from '../../domain/runs/run-manifest.js';
import { startHttpEndpoint, type HttpEndpoint } from '../support/fakes/http-endpoint.js';
import { keysForAll } from '../support/model-calls/keys-for-all.js';
import type { ProviderAnswer } from '../support/model-apis/provider-answer.js';
import { providerAnswers } from '../support/model-apis/provider-answers.js';
import { startRunsWithEndpoints, type RunsUnderTest } from '../support/runs/runs-under-test.js';

const good = '[Thought]: I know.\n[Action]:\nGenerateAnswer(answer="42")';
/** What each API sends for a text. */
const goodReplies: Readonly<Record<ModelApi, object>> = {
  chat: {
    choices: [{ finish_reason: 'stop', message: { content: good } }],
    usage: { prompt_tokens: 20, completion_tokens: 5 },
  },
  responses: {
    status: 'completed',
    output: [{ type: 'message', content: [{ type: 'output_text', text: good }] }],
    usage: { input_tokens: 20, output_tokens: 5 },
  },
  anthropic: {
    type: 'message',
    content: [{ type: 'text', text: good }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 20, output_tokens: 5 },
  },
  gemini: {
    candidates: [{ content: { parts: [{ text: good }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 5 },
  },
};

let runs: RunsUnderTest;
let endpoint: HttpEndpoint;
/** Calls about the question that is answered oddly, by the account of its run. */
const asked = new Map<string, number>();

beforeAll(async () => {
  endpoint = await startHttpEndpoint((response, { path, body }) => {
    const [, account = ''] = path.split('/');
    const answer = providerAnswers[Number(account.split('-')[0])];
    if (answer === undefined) throw new Error(`${path} is no account`);
    const isOdd = body.includes('odd-question');
    if (isOdd) asked.set(account, (asked.get(account) ?? 0) + 1);
    const { status, headers, body: odd } = answer;
    response.writeHead(isOdd ? status : 200, {
      'content-type': 'application/json',
      ...(isOdd && headers),
    });
    const sent = isOdd ? odd : goodReplies[answer.api];
    response.end(typeof sent === 'string' ? sent : JSON.stringify(sent));
  });
  runs = await startRunsWithEndpoints(keysForAll({ apiKey: 'sk-1', keyIsFor: endpoint.url }));
});
afterAll(async () => {
  await runs.stop();
  await endpoint.close();
});

/** Asks one question that is always answered so, among others that are answered well. */
async function runWith(
  answer: ProviderAnswer,
  questions: number,
): Promise<{ readonly result: Result; readonly calls: number; readonly outcomes: string[] }> {
  const account = `${providerAnswers.indexOf(answer)}-${questions}`;
  const isOpenAi = apiFacts[answer.api].addressVariable === 'OPENAI_BASE_URL';
  const names = [
    'odd-question',
    ...Array.from({ length: questions - 1 }, (_, index) => `other-${index}`),
  ];
  const run = runs.runOf(names, questions, [], {
    maxTurns: 8,
    model: {
      ...defaultRunConfig.model,
      api: answer.api,
      baseUrl: `${endpoint.url}/${account}${isOpenAi ? '/v1' : ''}`,
      name: 'odd-model',
    },
  });
  const totals = await (await run.start()).result();
  const results = readFileSync(join(run.folder, resultsFile), 'utf8')
    .trim()
    .split('\n')
    .map((line) => resultSchema.parse(JSON.parse(line)));
  const result = results.find(({ uuid }) => uuid === 'odd-question');
  if (result === undefined) throw new Error('the question has no result');
  const outcomes = Object.keys(totals.outcomes);
  return { result, calls: asked.get(account) ?? 0, outcomes };
}

describe.each([1, 10])('in a run of %i', (questions) => {
  it.concurrent.each(providerAnswers)(
    'a question that is always answered so ends, and what was billed is stored: $name',
    async (answer) => {
      const { result, calls, outcomes } = await runWith(answer, questions);
      expect(result.outcome.kind).toBe(answer.outcome);
      expect(calls).toBeGreaterThan(0);
      expect(calls).toBeLessThanOrEqual(10);
      const [prompt, completion] = answer.billed ?? [0, 0];
      const billed = answer.finish === null ? 0 : calls;
      expect(result.usage).toMatchObject({
        calls: billed,
        promptTokens: billed * prompt,
        completionTokens: billed * completion,
      });
      if (questions > 1 && answer.outcome !== 'answered') expect(outcomes).toContain('answered');
    },
  );
});
