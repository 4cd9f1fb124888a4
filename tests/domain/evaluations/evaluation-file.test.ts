import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  evaluationFileSchema,
  evaluationJsonSchema,
} from '../../../domain/evaluations/evaluation-file.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';
import { checkout } from '../../support/command-line.js';

const schemaFile = 'examples/evaluation/evaluation.schema.json';

describe('the JSON schema of evaluation files', () => {
  it('is in the examples as the program has it', () => {
    // After a change: npx turnwise eval --schema > examples/evaluation/evaluation.schema.json
    expect(readFileSync(join(checkout, schemaFile), 'utf8')).toBe(evaluationJsonSchema());
  });

  it('says what every setting is for, and refuses unknown ones', () => {
    const schema = z
      .looseObject({ properties: z.record(z.string(), z.looseObject({})) })
      .parse(JSON.parse(evaluationJsonSchema()));
    expect(Object.keys(schema.properties)).toEqual(Object.keys(evaluationFileSchema.shape));
    const silent = Object.entries(schema.properties).filter(([, { description }]) => !description);
    expect(silent).toEqual([]);
    expect(schema['additionalProperties']).toBe(false);
  });
});

it('takes the defaults of `turnwise run` in its section of options', () => {
  const { maxTurns, windowSize: window, modelAttempts, sqlRepairs, strict } = defaultRunConfig;
  const file = {
    datasets: ['a.jsonl'],
    methods: ['hybrid_react'],
    models: ['m'],
    run: { maxTurns, window, modelAttempts, sqlRepairs, strict },
  };
  expect(evaluationFileSchema.parse(file)).toEqual(file);
});
