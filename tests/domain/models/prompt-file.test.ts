import { describe, expect, it } from 'vitest';
import { anyValueOfJson, type Action } from '../../../domain/agent/actions/action.js';
import { requestMessages, turnRequest } from '../../../domain/agent/conversation.js';
import { resultOfFailure } from '../../../domain/agent/database-qa/query-results.js';
import { methodNames, type MethodName } from '../../../domain/agent/methods.js';
import { agentTexts, textsOfAgents } from '../../../domain/agent/prompts/agent-texts.js';
import type { FinishedTurn, ReplyRecord } from '../../../domain/agent/turn-record.js';
import { contentText } from '../../../domain/models/chat-message.js';
import {
  changesTo,
  fillPrompt,
  promptFileSchema,
  versionWith,
  type PromptTexts,
} from '../../../domain/models/prompt-file.js';
import type { RunConfig } from '../../../domain/runs/run-config.js';
import { judgedScore } from '../../../domain/scoring/judging/judged-score.js';
import {
  judgePromptVersion,
  judgeTexts,
  type JudgeReply,
} from '../../../domain/scoring/judging/judge-request.js';
import { subTasks, reviewConfigSchema, reviewIdOf } from '../../../domain/scoring/review/panel.js';
import { panelState, reviewedPart } from '../../../domain/scoring/review/panel-state.js';
import { reviewTexts } from '../../../domain/scoring/review/review-messages.js';
import { questionIdSchema } from '../../../domain/ids.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { judged } from '../../support/runs/judged.js';
import { finishedTurn, questionMaterial } from '../../support/runs/question-material.js';
import { exampleTrace } from '../../support/runs/reviewed.js';

describe('fillPrompt', () => {
  it('fills every place, and takes values as they are', () => {
    expect(fillPrompt('{{a}} and {{b}} and {{a}}', { a: '$& {{b}}', b: '2' })).toBe(
      '$& {{b}} and 2 and $& {{b}}',
    );
  });

  it('sends no prompt with a hole', () => {
    expect(() => fillPrompt('{{a}} {{b}}', { a: '1' })).toThrow('no value for {{b}}');
  });

  it('leaves other braces alone', () => {
    const text = '{a} {{ a }} {"json": {}}';
    expect(fillPrompt(text, {})).toBe(text);
  });
});

const own = { task: 'Do {{what}} with {{tool}}.', other: 'Say so.' };

describe('a file of prompts', () => {
  const problems = (file: unknown): readonly string[] =>
    promptFileSchema(own)
      .safeParse(file)
      .error?.issues.map(({ path, message }) => [...path, message].join(' ')) ?? [];

  it('has texts with the placeholders of those in whose place they are', () => {
    expect(
      problems({ task: 'With {{tool}} do {{what}}, {{what}}!', other: 'No {braces}.' }),
    ).toEqual([]);
    expect(problems({ task: 'Do it.' })).toEqual(['task lacks {{what}}, {{tool}}']);
    expect(problems({ other: 'Say {{so}}.' })).toEqual(['other has {{so}}, which nothing fills']);
    expect(problems({ others: 'x', toString: 'x' })).toEqual([
      'others is no text (did you mean other?): choose one of task, other',
      'toString is no text: choose one of task, other',
    ]);
  });

  it('changes what it says otherwise, and has a version of its own for that', () => {
    const changes = changesTo(own, { task: own.task, other: 'Say no.', elsewhere: 'x' });
    expect(changes).toEqual({ other: 'Say no.' });
    expect(versionWith('3', {})).toBe('3');
    expect(versionWith('3', changes)).toMatch(/^3-[0-9a-f]{8}$/);
    expect(versionWith('3', changes)).not.toBe(versionWith('3', { other: 'Say so!' }));
    expect(versionWith('3', { b: '1', a: '2' })).toBe(versionWith('3', { a: '2', b: '1' }));
  });
});

/** Every text replaced by its name and its placeholders. */
const replaced = (texts: PromptTexts): PromptTexts =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      `«${name}»${[...text.matchAll(/\{\{\w+\}\}/g)].join(' ')}`,
    ]),
  );

const unseen = (texts: PromptTexts, shown: readonly string[]): readonly string[] =>
  Object.keys(texts).filter((name) => !shown.some((text) => text.includes(`«${name}»`)));

const search: Action = { kind: 'ClassicRetrieve', query: 'turns', limit: anyValueOfJson(5) };
const step = (reading: ReplyRecord['reading'], turn: number): FinishedTurn => ({
  ...finishedTurn(turn, search, ''),
  reply: { ...finishedTurn(turn, search, '').reply, reading },
});
const failing = { sql: 'SELECT bad;', round: 1, repairOf: null } as const;
const queried: FinishedTurn = {
  ...step({ kind: 'step', step: { kind: 'queries', round: 1, queries: [failing.sql] } }, 2),
  queries: [{ ...failing, ms: 1, ...resultOfFailure('error', 'no column bad') }],
};
const planned = step({ kind: 'step', step: { kind: 'plan', text: 'Count.' } }, 1);
const enough = step({ kind: 'step', step: { kind: 'enough' } }, 1);
const turns = [finishedTurn(1, search, 'a hit'), finishedTurn(2, search, 'a hit', { repeats: 1 })];

/** What a model is told by a method at one point or another. */
function told(method: MethodName, change: (texts: PromptTexts) => PromptTexts): readonly string[] {
  const prompts = change(agentTexts({ method }));
  const context = { titles: {}, context: 'what was read' };
  return [[], [planned], [planned, queried], [planned, queried, queried], [enough], turns].flatMap(
    (before) =>
      (['markdown', 'json', 'tools'] as const).flatMap((actionFormat) => {
        const turn = before.length + 1;
        return [turn, turn + 2].flatMap((maxTurns) => {
          const changed: Partial<RunConfig> = { method, prompts, actionFormat, maxTurns };
          const material = questionMaterial(
            { ...changed, sqlRepairs: 1, references: true },
            { anchor_pdf: ['p-1'], reference_pdf: ['p-2'] },
            context,
          );
          const { config } = material.manifest;
          const messages = requestMessages(material, turn, before);
          const request = turnRequest(config, turn, messages);
          return [
            ...messages.map(({ content }) => contentText(content)),
            JSON.stringify(request.tools ?? []),
          ];
        });
      }),
  );
}

describe('a file that changes every text', () => {
  it('of an agent: the model is told each of them', () => {
    const shown = methodNames.flatMap((method) => told(method, replaced));
    expect(unseen(textsOfAgents([]), shown)).toEqual([]);
  });

  it('by ours: nothing changes', () => {
    for (const method of methodNames) {
      expect(told(method, (texts) => texts)).toEqual(told(method, () => ({})));
    }
  });

  const question = { question: 'Which?', reference_answer: 'the blue one' };
  const points = { scoring_points: ['is blue', 'is round'] };
  const functions = {
    reference_answer_with_llm: question,
    candidate_reference_answer_with_llm: { question: 'Which?', candidate_reference_answers: ['a'] },
    scoring_points_with_llm: { question: 'Which?', ...points },
    partial_scoring_points_with_llm: { question: 'Which?', ...points },
    reference_answer_and_scoring_points_with_llm: { ...question, ...points },
    complex_math_formula_with_llm: { question: 'Which?', formulas: ['a', 'b'] },
    ...{
      m3sciqa: question,
      scidqa: question,
      long_form_match: question,
      long_form_grade: question,
    },
  };

  it('of a judge: each is asked with them', () => {
    const shown = Object.entries(functions).flatMap(([name, eval_kwargs]) =>
      [{}, { structured: true }, { mode: 'strict' as const }].flatMap((how) =>
        judged({ eval_func: `eval_${name}`, eval_kwargs }, 'a round one', () => 'no verdict', {
          ...how,
          prompts: replaced(judgeTexts),
        }).questions.flatMap(({ messages }) => messages.map(({ content }) => contentText(content))),
      ),
    );
    expect(unseen(judgeTexts, shown)).toEqual([]);
    const { model } = exampleManifest().config;
    const config = { models: [model], combination: 'mean', tries: 1 } as const;
    const evaluator = { eval_func: 'eval_m3sciqa', eval_kwargs: question };
    const answer = {
      answer: { kind: 'str', value: 'a round one' },
      evaluator,
      mode: 'default',
    } as const;
    const promptsOf = (prompts: PromptTexts): string | undefined =>
      judgedScore(answer, { config: { ...config, prompts }, replies: [], failures: ['down'] })
        .judging?.prompts;
    expect([promptsOf({}), promptsOf(replaced(judgeTexts))]).toEqual([
      judgePromptVersion,
      expect.stringMatching(/^\d+-[0-9a-f]{8}$/),
    ]);
  });

  it('of a panel: each member is asked with them', () => {
    const { model } = exampleManifest().config;
    const answer = { question: 'How many?', schema: 's', rows: null, trace: exampleTrace('q1') };
    const shown = [false, true].flatMap((structuredReplies) => {
      const members = [{ ...model, structuredReplies }];
      const config = {
        ...{ reviewers: members, metaReviewers: members, tries: 2, seed: 1, orderCheck: 0 },
        prompts: replaced(reviewTexts),
      };
      const part = (subTask: (typeof subTasks)[number]) => reviewedPart(answer, subTask);
      return subTasks.flatMap((subTask) =>
        asked(config, { uuid: questionIdSchema.parse('q1'), epoch: 1, part: part(subTask) }),
      );
    });
    expect(unseen(reviewTexts, shown)).toEqual([]);
    const members = [model];
    const review = { reviewers: members, metaReviewers: members, tries: 2, seed: 1, orderCheck: 0 };
    const changed = { ...review, prompts: replaced(reviewTexts) };
    expect(reviewIdOf(changed)).not.toBe(reviewIdOf(review));
    expect(reviewConfigSchema.parse(changed)).toEqual(changed);
  });
});

type PanelOf = [config: Parameters<typeof panelState>[0], answer: Parameters<typeof panelState>[1]];

/** All that the members of a panel are told, where each decides at its second call. */
function asked(...[config, answer]: PanelOf): readonly string[] {
  const stored: JudgeReply[] = [];
  const shown: string[] = [];
  for (;;) {
    const [open] = panelState(config, answer, stored).open;
    if (open === undefined) return shown;
    const { request, key, part, number } = open.question;
    shown.push(...request.messages.map(({ content }) => contentText(content)));
    const decision = request.replySchema
      ? '{"rationale": "So.", "decision": "Perfect"}'
      : 'So.\n\nDecision: Perfect';
    stored.push({
      ...finishedTurn(1, search, '').reply,
      ...{ request: key, part, number, cutOff: false },
      raw: number === 1 ? 'nothing decided' : decision,
    });
  }
}
