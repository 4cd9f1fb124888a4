import { decimals } from '../../../domain/formats/text.js';
import type { ScoreLedger } from '../../../domain/scoring/score-ledger.js';
import { headlineWords } from '../sections/ledger.js';
import { markup, type Markup } from './markup.js';

/** A run's score on each scale in large figures, with what is to be said about it. */
export const headlineMarkup = ({ headlines }: ScoreLedger): Markup =>
  markup`${headlines.map(
    (headline) => markup`<div class="headline">
<p class="score"><span class="number">${headline.score ? decimals(headline.score.mean) : 'no score'}</span></p>
<div>
${headlineWords(headline).map((words) => markup`<p>${words}.</p>\n`)}</div>
</div>
`,
  )}`;
