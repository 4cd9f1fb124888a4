import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillPlaceholders, type Row } from '../client/simulated-model/placeholders.js';
import { readScript } from '../client/simulated-model/script.js';
import { actionFormats } from '../domain/actions/action-formats.js';
import { actionNames, answerText, type Action } from '../domain/actions/action.js';
import { limitOf } from '../domain/actions/argument-checks.js';
import type { DatasetItem } from '../domain/questions/dataset-item.js';
import { readDataset } from '../domain/questions/dataset.js';
import { evaluatorProblems } from '../domain/questions/evaluator.js';
import { paperId } from '../domain/papers/paper-id.js';
import { parseReply } from '../domain/actions/parse-reply.js';
import { str } from '../domain/python/text.js';
import { pythonFromJson } from '../domain/python/value.js';
import { scoreAnswer } from '../domain/scoring/score-answer.js';
import { scored, type Verdict } from '../domain/scoring/verdict.js';
import {
  examples,
  openExampleLibrary,
  readExamplePapers,
  type ExampleLibrary,
  type ExamplePaper,
} from './support/example-library.js';

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
    for (const { document } of papers) {
      expect(document.pages.length).toBeGreaterThanOrEqual(4);
      expect(document.pages.length).toBeLessThanOrEqual(10);
      expect(document.outline.length).toBeGreaterThan(5);
      for (const property of Object.values(document.properties)) expect(property).not.toBe('');
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
    const ids = papers.map(({ document }) => paperId(document.properties.title));
    expect(ids).toEqual(papers.map(({ rows }) => rows.metadata[0]?.paper_id));
    for (const { anchor_pdf } of items) expect(ids).toEqual(expect.arrayContaining(anchor_pdf));
  });

  it('each have a script of 2 to 6 turns that ends in an answer', () => {
    expect(script.questions.map(({ question }) => question)).toEqual(
      items.map(({ question }) => question),
    );
    for (const { replies } of script.questions) {
      expect(replies.length).toBeGreaterThanOrEqual(2);
      expect(replies.length).toBeLessThanOrEqual(6);
      expect(replies.map(({ action }) => action.startsWith('GenerateAnswer('))).toEqual(
        replies.map((_, index) => index === replies.length - 1),
      );
      // Filled from an observation, never the gold itself.
      expect(replies.at(-1)?.action).toContain('{{');
    }
  });

  it.each(items)('have a gold that scores 1 without a judge: $question', (item) => {
    expect(item.evaluator && evaluatorProblems(item.evaluator)).toEqual([]);
    const gold = str(pythonFromJson(item.evaluator?.eval_kwargs['gold'] ?? null));
    expect(verdicts(gold, item)).toEqual([scored(true), scored(true)]);
    expect(verdicts('no answer', item)).toEqual([scored(false), scored(false)]);
  });

  it.each(items)('are answered rightly from what the papers hold: $question', async (item) => {
    const scripted = script.questions.find(({ question }) => question === item.question);
    const answer = await play(scripted?.replies ?? []);
    expect(verdicts(answer, item)).toEqual([scored(true), scored(true)]);
  });
});

/** As the reference scores, and as we do. */
function verdicts(answer: string, { evaluator }: DatasetItem): readonly Verdict[] {
  if (evaluator === undefined) throw new Error('the item names no evaluator');
  return (['strict', 'default'] as const).map((mode) => scoreAnswer({ answer, evaluator, mode }));
}

/** Plays a scripted conversation and returns its answer. Every action must already be in the form the history gives it. */
async function play(
  replies: readonly { readonly thought: string; readonly action: string }[],
): Promise<string> {
  let rows: readonly Row[] = [];
  for (const { thought, action: scripted } of replies) {
    const filling = fillPlaceholders(scripted, rows);
    if (filling.kind === 'nothing-found') throw new Error(`nothing for ${filling.placeholder}`);
    const written = `[Thought]: ${thought}\n[Action]:\n${filling.action}`;
    const parsed = parseReply(written, {
      actions: actionNames,
      strictness: 'strict',
      format: 'markdown',
      protocol: 'react',
    });
    if (parsed.kind === 'error') throw new Error(parsed.error);
    expect(parsed.thought).toBe(thought);
    expect(actionFormats.markdown.renderAction(parsed.action, 'strict')).toBe(filling.action);
    if (parsed.action.kind === 'GenerateAnswer') return answerText(parsed.action);
    rows = await observe(parsed.action);
  }
  throw new Error('the script ends without an answer');
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
      throw new Error(`the script holds a ${action.kind}`);
  }
}
