import type { Estimate } from '../reports/estimate.js';
import type { Headline } from '../reports/headline.js';
import type { ScoreLedger } from '../reports/score-ledger.js';
import { grouped } from '../grouped.js';
import { decimals } from './figures.js';
import { markup, type Markup } from './markup.js';

/** A run's score with its interval, what it is of, and what is missing and could make of it. */
export function headlineSection({ headline, verdicts }: ScoreLedger): Markup {
  const { score } = headline;
  return markup`<div class="headline">
<p class="score"><span class="number">${score ? decimals(score.mean) : 'no score'}</span>${score && intervalWords(score)}</p>
<div>
<p>${denominatorWords(headline)}</p>
${missingWords(headline, verdicts)}</div>
</div>`;
}

const intervalWords = ({ interval }: Estimate): Markup =>
  markup` <span class="interval">95 % between ${decimals(interval.low)} and ${decimals(interval.high)}</span>`;

function denominatorWords({ score, scored, samples, scorable }: Headline): Markup {
  const clusters =
    score?.method === 'cluster-robust'
      ? `, which come from ${grouped(score.clusters)} papers or single questions`
      : null;
  const unscorable = samples - scorable;
  return markup`${
    score
      ? markup`Mean over <strong>${grouped(scored)}</strong> scored of ${grouped(scorable)} questions that can have a score${clusters}.`
      : 'No question has a score.'
  }${unscorable > 0 ? ` ${grouped(unscorable)} name no evaluator.` : null}`;
}

function missingWords(
  { unresolved, scorable, bounds }: Headline,
  verdicts: ScoreLedger['verdicts'],
): Markup | null {
  if (unresolved === 0 || bounds === null) return null;
  const reasons = Object.entries(verdicts)
    .filter(([verdict]) => verdict !== 'scored' && verdict !== 'no-evaluator')
    .map(([reason, count]) => `${grouped(count)} ${reason}`);
  return markup`<p><strong>${grouped(unresolved)}</strong> of ${grouped(scorable)} have no score and enter no mean (${reasons.join(', ')}). The mean would be <strong>${decimals(bounds.worst)}</strong> if all of them were wrong, <strong>${decimals(bounds.best)}</strong> if all were right.</p>
`;
}
