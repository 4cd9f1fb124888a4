import { runFacts, type FactsOfRun } from '../sections/run.js';
import { markup, type Markup } from './markup.js';

export const factsSection = (reported: FactsOfRun): Markup =>
  markup`<dl class="facts">
${runFacts(reported).map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>`;
