import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import { checkout, newHome, turnwise } from '../support/command-line.js';

/** A published paper, there on the machines that build turnwise only; our own papers carry what matters. */
const pdf = join(checkout, '../shared/data/test_pdf.pdf');
const question = 'Which two models does the paper propose?';

let model: SimulatedModel;
beforeAll(async () => {
  model = await startSimulatedModel({
    script: {
      questions: [
        {
          question,
          steps: [
            {
              thought: 'The passages that speak of the models come first.',
              search: 'two models that marginalize over documents',
            },
            {
              thought: 'The section on methods names both.',
              sql: "SELECT section_content FROM sections WHERE section_title ILIKE '%methods%' AND ref_paper_id = '{{0.pdf_id}}'",
            },
          ],
          answer: {
            thought: 'Both names are there.',
            value: ['{{/RAG-Sequence/}}', '{{/RAG-Token/}}'],
          },
        },
      ],
    },
  });
});
afterAll(() => model.close());

it.skipIf(!existsSync(pdf))(
  'ingests a published paper and answers about it through a real search and real SQL',
  async () => {
    const settings = { TURNWISE_HOME: newHome(), OPENAI_BASE_URL: model.url };
    expect(
      await turnwise(['store', 'add', pdf, '--store', 'real'], settings).finished,
    ).toMatchObject({
      status: 0,
    });
    const asked = await turnwise(['ask', question, '--store', 'real', '--json'], settings).finished;
    expect(asked.status, asked.stderr).toBe(0);
    expect(JSON.parse(asked.stdout)).toMatchObject({
      answer: "['RAG-Sequence', 'RAG-Token']",
      outcome: { kind: 'answered' },
      turns: 3,
      model: 'gpt-4o-mini (simulated)',
    });
  },
);
