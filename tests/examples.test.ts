import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limitOf, answerText, type Action } from '../domain/agent/actions/action.js';
import { observationMessage } from '../domain/agent/actions/parse-reply.js';
import { methods } from '../domain/agent/methods.js';
import { asksModel, planTurn } from '../domain/agent/turn-plan.js';
import { str, pythonFromJson } from '../domain/formats/python/value.js';
import { readDataset } from '../domain/runs/dataset.js';
import { defaultRunConfig } from '../domain/runs/run-config.js';
import { evaluatorProblems, type DatasetItem } from '../domain/scoring/dataset-item.js';
import { scoreAnswer } from '../domain/scoring/score-answer.js';
import { scored, type Verdict } from '../domain/scoring/verdict.js';
import { readEvaluationFile } from '../client/runs/evaluations/read-evaluation.js';
import published from '../client/views/database-qa/published-values.json' with { type: 'json' };
import { databaseModes } from '../domain/agent/database-qa/answer-trace.js';
import { paperId } from '../domain/stores/paper-rows.js';
import { chatRequestSchema } from '../simulator/chat-request.js';
import { replyMessage } from '../simulator/completion.js';
import { readConversation } from '../simulator/conversation.js';
import { createReplies } from '../simulator/next-reply.js';
import { readScript, type Row } from '../simulator/script.js';
import {
  examples,
  openExampleLibrary,
  readExamplePapers,
  type ExampleLibrary,
  type ExamplePaper,
} from './support/stores/example-library.js';

const dataset = readDataset(readFileSync(join(examples, 'questions.jsonl'), 'utf8'));
const items = dataset.kind === 'items' ? dataset.items : [];
const script = readScript(join(examples, 'replies.json'));

let papers: readonly ExamplePaper[];
let library: ExampleLibrary;
beforeAll(async () => {
  papers = await readExamplePapers();
  library = await openExampleLibrary(papers);
});
afterAll(() => library.close());

describe('the example papers', () => {
  it('are at least three, each of 4 to 10 pages with title, author, keywords and outline', () => {
    expect(papers.length).toBeGreaterThanOrEqual(3);
    for (const { content } of papers) {
      expect(content.pages.length).toBeGreaterThanOrEqual(4);
      expect(content.pages.length).toBeLessThanOrEqual(10);
      expect(content.outline.length).toBeGreaterThan(5);
      for (const property of Object.values(content.properties)) expect(property).not.toBe('');
    }
  });

  it('are stored with abstract, keywords and sections', () => {
    for (const { rows } of papers) {
      expect(rows.metadata[0]?.abstract).toMatch(/^.{300,}\.$/s);
      expect(rows.metadata[0]?.tags?.length).toBeGreaterThan(2);
      expect(rows.sections.at(0)?.section_title).toBe('1 Introduction');
      expect(rows.sections.at(-1)?.section_title).toBe('References');
    }
  });
});

describe('the example questions', () => {
  it('can be read, and are at least twelve', () => {
    expect(dataset).toMatchObject({ kind: 'items' });
    expect(items.length).toBeGreaterThanOrEqual(12);
  });

  it('anchor in papers that are there, named by the hash of their titles', () => {
    const ids = papers.map(({ content }) => paperId(content.properties.title));
    expect(ids).toEqual(papers.map(({ rows }) => rows.metadata[0]?.paper_id));
    for (const { anchor_pdf } of items) expect(ids).toEqual(expect.arrayContaining(anchor_pdf));
  });

  it('each have a script of 2 to 6 turns', () => {
    expect(script.questions.map(({ question }) => question)).toEqual(
      items.map(({ question }) => question),
    );
    for (const { steps, answer } of script.questions) {
      expect(steps.length).toBeGreaterThanOrEqual(1);
      expect(steps.length).toBeLessThanOrEqual(5);
      // Filled from an observation, never the gold itself.
      expect(JSON.stringify(answer.value)).toContain('{{');
    }
  });

  it.each(items)('have a gold that scores 1 without a judge: $question', (item) => {
    expect(item.evaluator && evaluatorProblems(item.evaluator)).toEqual([]);
    const gold = str(pythonFromJson(item.evaluator?.eval_kwargs['gold'] ?? null));
    expect(verdicts(gold, item)).toEqual([scored(true), scored(true)]);
    expect(verdicts('no answer', item)).toEqual([scored(false), scored(false)]);
  });

  it.each(items)('are answered rightly from what the papers hold: $question', async (item) => {
    expect(verdicts(await play(item.question), item)).toEqual([scored(true), scored(true)]);
  });
});

/** As the reference scores, and as we do. */
function verdicts(answer: string, { evaluator }: DatasetItem): readonly Verdict[] {
  if (evaluator === undefined) throw new Error('the item names no evaluator');
  return (['strict', 'default'] as const).map((mode) => scoreAnswer({ answer, evaluator, mode }));
}

const plan = planTurn(methods.hybrid_react, 1, defaultRunConfig);
const replies = createReplies(script);

/** Plays a scripted conversation by the means of the usual method and returns its answer. */
async function play(question: string): Promise<string> {
  if (!asksModel(plan)) throw new Error('the usual method begins with a model');
  const messages = [{ role: 'user', content: `[Question]: ${question}\n[Answer Format]: any` }];
  for (;;) {
    const request = chatRequestSchema.parse({ model: 'scripted', messages });
    const said = replies(readConversation(request), plan);
    if (said?.kind !== 'turn') throw new Error('the script has no turn for this question');
    const { action } = said;
    if (action.kind === 'GenerateAnswer') return answerText(action);
    const rows = await observe(action);
    messages.push(
      { role: 'assistant', content: replyMessage(said, plan, '').content ?? '' },
      {
        role: 'user',
        content: observationMessage(rows.map((row) => `${JSON.stringify(row)}\n`).join('')),
      },
    );
  }
}

/** A statement that DuckDB refuses shows the model no rows; some scripts begin with one. */
function observe(
  action: Exclude<Action, { readonly kind: 'GenerateAnswer' }>,
): Promise<readonly Row[]> {
  switch (action.kind) {
    case 'RetrieveFromDatabase':
      return library.query(action.sql).catch(() => []);
    case 'ClassicRetrieve':
      return library.search(action.query, limitOf(action.limit, 'strict') ?? 0);
    case 'RetrieveFromVectorstore':
    case 'CalculateExpr':
    case 'ViewImage':
    case 'QueryGraph':
    case 'PluginAction':
      throw new Error(`the script holds a ${action.kind}`);
  }
}

describe('the evaluation of the paper', () => {
  it('asks the models whose figures it publishes, in the modes of its agents', () => {
    const { file, cells } = readEvaluationFile('examples/evaluation/paper.yaml');
    const labels = new Set(cells.map(({ model }) => model.label));
    expect(labels).toEqual(new Set(published.table2.rows.map(({ model }) => model)));
    expect(file.methods).toEqual(databaseModes);
  });
});
