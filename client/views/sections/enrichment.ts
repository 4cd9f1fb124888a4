import type { EnrichmentForecast } from '../../../domain/enrichment/asked-paper.js';
import {
  enrichmentKinds,
  type EnrichmentKind,
  type EnrichmentJob,
} from '../../../domain/enrichment/job.js';
import type { EnrichmentResult } from '../../../domain/enrichment/totals.js';
import { countText, grouped, joined, said } from '../../../domain/formats/text.js';
import { costText, dollars } from '../../../domain/models/usage.js';
import { countsOf, sum } from '../../../domain/statistics/means.js';
import { priceRemedy } from '../../services/user-error.js';
import type { Section } from './section.js';

/** For one and for several. */
const names: Readonly<Record<EnrichmentKind, readonly [one: string, several: string]>> = {
  scans: ['scanned page', 'scanned pages'],
  pages: ['page', 'pages'],
  sections: ['section', 'sections'],
  tables: ['table', 'tables'],
  images: ['figure', 'figures'],
  metadata: ['paper as a whole', 'papers as a whole'],
};

const counted = (count: number, [one, several]: readonly [string, string]): string =>
  `${grouped(count)} ${count === 1 ? one : several}`;

/** What an enrichment will take, before it starts. */
export function forecastText(
  store: string,
  { model, vision }: EnrichmentJob,
  { papers, kinds, calls, promptTokens, mostUsd, mostTokens, isEstimate }: EnrichmentForecast,
): string {
  const of = `store ${store}, ${counted(papers, ['paper', 'papers'])}`;
  if (calls === 0) return `${of}: nothing is left to be asked`;
  const parts = enrichmentKinds.flatMap((kind) =>
    kinds[kind] === undefined ? [] : [counted(kinds[kind], names[kind])],
  );
  const asked = [...new Set([model?.name, vision?.name].filter((name) => name !== undefined))];
  const cost = mostUsd === null ? `cost unknown ${priceRemedy}` : `${dollars(mostUsd)} at most`;
  return [
    `${of}: ${parts.join(', ')}`,
    `${isEstimate ? 'about ' : ''}${grouped(calls)} calls to ${asked.join(' and ')}, about ${countText(promptTokens)} prompt tokens and at most ${countText(mostTokens)} tokens in all, ${cost}`,
  ].join('\n');
}

/** What an enrichment has come to, and what could not be used. */
export function enrichmentSection({ totals, progress }: EnrichmentResult): Section {
  const rows = enrichmentKinds.flatMap((kind) => {
    const ofKind = totals.kinds[kind];
    if (ofKind === undefined) return [];
    const { items, answered, nothing, unusable } = ofKind;
    return [[names[kind][1], items, answered, nothing, unusable, openOf(ofKind)]];
  });
  const heads = ['kind', 'items', 'answered', 'nothing to say', 'unusable', 'no reply'];
  return {
    id: 'enrichment',
    title: 'Enrichment',
    words: [
      ...(rows.length === 0 ? ['there is nothing to ask about these papers'] : []),
      `${counted(progress.calls, ['call', 'calls'])}; on these papers ${grouped(totals.spent.tokens)} tokens were spent so far, ${costText({ usd: totals.spent.usd, unpricedCalls: totals.unpriced })}`,
    ],
    notes: said([
      Object.entries(totals.unusable).map(([reason, count]) => `${count} unusable: ${reason}`),
      totals.lost > 0 &&
        `${totals.lost === 1 ? '1 paper was left out, since its' : `${grouped(totals.lost)} papers were left out, since their`} text is lost: \`turnwise store check\``,
    ]),
    tables: rows.length === 0 ? [] : [{ caption: 'What was asked', heads, names: 1, rows }],
  };
}

const openOf = ({
  items,
  answered,
  nothing,
  unusable,
}: NonNullable<EnrichmentResult['totals']['kinds'][EnrichmentKind]>): number =>
  items - answered - nothing - unusable;

/** Why items have no reply; null if all have one. */
export function stoppedText(
  { progress, totals }: EnrichmentResult,
  flags: { readonly budgetUsd?: number },
): string | null {
  const { parked, failures, spent } = progress;
  if (parked !== null) {
    const open = sum(Object.values(totals.kinds).map(openOf));
    const budget = flags.budgetUsd === undefined ? '--budget-tokens' : '--budget-usd';
    return `held at the budget: ${dollars(spent.usd)} and ${grouped(spent.tokens)} tokens are spent, the next call may take ${dollars(parked.usd)} and ${grouped(parked.tokens)} tokens, and ${grouped(open)} items have no reply; the same command with a higher ${budget} goes on`;
  }
  if (failures.length === 0) return null;
  return joined(
    '\n',
    [...countsOf(failures.map(({ message }) => message))].map(
      ([reason, count]) => `${counted(count, ['call', 'calls'])} failed: ${reason}`,
    ),
    'what they were about has no reply; the same command asks again',
  );
}
