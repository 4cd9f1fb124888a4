import { passAtK } from '../statistics/pass-at-k.js';
import { withinQuestionVariance } from '../statistics/within-question-variance.js';
import { estimateOf, type Estimate } from './estimate.js';
import { clusterOf, scoreOf, type ScoredSample } from './scored-sample.js';

/** What is seen only where questions are asked several times. */
export interface EpochScores {
  readonly epochs: number;
  /** The chance of full marks in at least one of k attempts, over the questions that have as many scores. */
  readonly passAt: readonly PassAt[];
  /** Null where no question has two scores. */
  readonly withinQuestionVariance: number | null;
  /** Questions whose scores differ between epochs. */
  readonly varyingQuestions: number;
}

export interface PassAt {
  readonly k: number;
  readonly questions: number;
  readonly chance: Estimate;
}

/** Null where every question was asked once. */
export function epochScores(samples: readonly ScoredSample[]): EpochScores | null {
  const epochs = samples.reduce((most, { epoch }) => Math.max(most, epoch), 0);
  if (epochs < 2) return null;
  const questions = questionsOf(samples);
  return {
    epochs,
    passAt: attemptCounts(epochs).flatMap((k) => passAt(questions, k)),
    withinQuestionVariance: withinQuestionVariance(questions.map(({ scores }) => scores)),
    varyingQuestions: questions.filter(({ scores }) => new Set(scores).size > 1).length,
  };
}

interface Question {
  readonly cluster: string;
  readonly scores: number[];
}

function questionsOf(samples: readonly ScoredSample[]): readonly Question[] {
  const questions = new Map<string, Question>();
  for (const sample of samples) {
    const question = questions.get(sample.uuid) ?? { cluster: clusterOf(sample), scores: [] };
    questions.set(sample.uuid, question);
    const score = scoreOf(sample);
    if (score !== null) question.scores.push(score);
  }
  return [...questions.values()];
}

/** Powers of two below the number of epochs, and that number. */
function attemptCounts(epochs: number): readonly number[] {
  const counts = [];
  for (let count = 1; count < epochs; count *= 2) counts.push(count);
  return [...counts, epochs];
}

function passAt(questions: readonly Question[], k: number): readonly PassAt[] {
  const chances = questions.flatMap(({ scores, cluster }) => {
    const score = passAtK(scores.length, scores.filter((each) => each === 1).length, k);
    return score === null ? [] : [{ score, cluster }];
  });
  const chance = estimateOf(chances);
  return chance ? [{ k, questions: chances.length, chance }] : [];
}
