import { defineAction } from 'turnwise';

const glossary: Readonly<Record<string, string>> = {
  epoch: 'one asking of every question of a dataset',
  turn: 'one reply of the model, and what came of it',
};

/** Looks a term up. A model sees the error of an unknown term, and may ask for another one. */
export const lookUp = defineAction({
  name: 'LookUp',
  description: 'Look up what a term means in the glossary.',
  observation: 'The meaning of the term, or that it has no entry.',
  parameters: {
    term: { type: 'string', description: 'One word, in the singular.' },
  },
  examples: [{ explanation: 'The question is what an epoch is.', arguments: { term: 'epoch' } }],
  run: ({ term }) => {
    const meaning = glossary[term.toLowerCase()];
    if (meaning === undefined) throw new Error(`the glossary has no entry ${term}`);
    return meaning;
  },
});
