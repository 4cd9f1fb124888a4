import { defineScorer } from 'turnwise';

const wordsOf = (text: string): readonly string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** The share of the gold answer's words that the answer has. */
export const wordOverlap = defineScorer({
  name: 'word_overlap',
  score: ({ answer, gold }) => {
    if (typeof gold !== 'string') throw new Error('the evaluator has no text as its gold');
    const wanted = [...new Set(wordsOf(gold))];
    const found = wanted.filter((word) => wordsOf(answer).includes(word));
    return {
      score: found.length / wanted.length,
      reason: `${found.length} of ${wanted.length} words`,
    };
  },
});
