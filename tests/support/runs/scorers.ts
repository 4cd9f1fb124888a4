import type { OwnScoring } from '../../../client/runs/scoring/score-answers.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';
import {
  defaultJudging,
  type JudgingConfig,
} from '../../../domain/scoring/judging/judging-config.js';

const refuse = (): never => {
  throw new Error('no code of the user is to be called');
};

/** Where no scorer of the user's has anything to score. */
export const noOwnScoring: OwnScoring = {
  scorer: null,
  plugins: [],
  ownCode: {
    callPlugin: refuse,
    callProgram: refuse,
    callAgent: refuse,
    exportsOf: refuse,
    close: refuse,
  },
  timeoutMs: 1000,
  onFailed: refuse,
};

/** One judge, as `--judge-model` makes it. */
export const judgingBy = (name: string): JudgingConfig => ({
  models: [{ ...defaultRunConfig.model, name, baseUrl: 'http://127.0.0.1:1/v1' }],
  combination: defaultJudging.combination,
  tries: 1,
});
