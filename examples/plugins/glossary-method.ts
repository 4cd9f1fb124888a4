import { defineMethod } from 'turnwise';
import { lookUp } from './glossary.js';

/** Answers questions about words. It reads no store. */
export const glossaryReact = defineMethod({
  name: 'glossary_react',
  summary: 'a glossary, one term a turn',
  role: 'You explain the words of a program. A glossary has their meanings.',
  actions: [lookUp, 'GenerateAnswer'],
  hints: ['Look a term up before you explain it.'],
  about: 'tables',
});
