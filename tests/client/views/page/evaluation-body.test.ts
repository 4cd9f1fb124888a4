import { describe, expect, it } from 'vitest';
import { evaluationBody } from '../../../../client/views/page/evaluation-body.js';
import {
  compareCells,
  readEvaluation,
  type Evaluation,
} from '../../../../domain/evaluations/evaluation.js';
import { evaluationFileSchema } from '../../../../domain/evaluations/evaluation-file.js';
import { evaluationNameSchema } from '../../../../domain/ids.js';
import { exampleManifest } from '../../../support/runs/example-manifest.js';
import { reportedRun } from '../../../support/runs/reported-run.js';
import { runAnswer } from '../../../support/runs/run-answer.js';

const hostile = '<img src=x onerror=alert(1)>';

function evaluationOf(models: readonly string[]): Evaluation {
  const reading = readEvaluation(
    evaluationFileSchema.parse({
      datasets: [{ path: 'a.jsonl', label: hostile }],
      methods: ['classic_rag'],
      models,
      budget: { usd: 1 },
    }),
    evaluationNameSchema.parse('both'),
  );
  if (reading.kind === 'problem') throw new Error(reading.message);
  return reading.evaluation;
}

function bodyOf(models: readonly string[]): string {
  const evaluation = evaluationOf(models);
  const cells = evaluation.cells.map((cell, index) => {
    const samples = ['p', 'q', 'r'].map((uuid) => runAnswer({ uuid, verdict: index }));
    const run = reportedRun(samples, { run: `run-${index}` });
    return { cell, run, compared: { ...run, ended: true, manifest: exampleManifest() } };
  });
  return evaluationBody(
    { evaluation, comparison: compareCells(cells), spent: { usd: 0.25, tokens: 10 } },
    { madeAt: '2026-01-02T03:04:05.000Z', remarks: [], questions: null },
  ).text;
}

describe('the page of an evaluation', () => {
  it('has a row for each cell, and one for every two cells', () => {
    const body = bodyOf(['m', 'n']);
    expect(body).toContain('$0.25 of $1.00 spent');
    expect(body.match(/<\/th><td>classic_rag<\/td><td>[mn]<\/td>/g)).toHaveLength(2);
    expect(body).toContain(
      '<td>classic_rag with n</td><td>classic_rag with m</td><td>too few questions: 3 of 6</td><td class="n">3</td><td class="n">+1.000</td>',
    );
    expect(body).toContain('corrected for 1 comparison,');
  });

  it('has no section of differences where there is one cell, and escapes names', () => {
    const body = bodyOf(['m']);
    expect(body).not.toContain('id="differences"');
    expect(body).not.toContain(hostile);
    expect(body).toContain('&lt;img');
  });
});
