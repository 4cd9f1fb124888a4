import { describe, expect, it } from 'vitest';
import {
  enrichmentSection,
  forecastText,
  stoppedText,
} from '../../../../client/commands/store/enrich.js';
import type { EnrichmentResult } from '../../../../domain/enrichment/totals.js';
import { noProgress } from '../../../../domain/scoring/open-calls.js';
import { sectionText } from '../../../support/commands/section-text.js';
import { jobOf } from '../../../support/enrichment/enriched-paper.js';

const forecast = {
  ...{ papers: 2, kinds: { scans: 1, pages: 1200 }, calls: 1201, promptTokens: 310_000 },
  ...{ mostUsd: 0.123, mostTokens: 2_100_000, isEstimate: true },
};

const result: EnrichmentResult = {
  progress: { ...noProgress, calls: 4, spent: { usd: 0.25, tokens: 900 } },
  totals: {
    kinds: {
      pages: { items: 5, answered: 2, nothing: 1, unusable: 1 },
      images: { items: 1, answered: 0, nothing: 0, unusable: 0 },
    },
    unusable: { 'the reply ended at the token limit': 1 },
    ...{ lost: 1, spent: { usd: 0.25, tokens: 900 }, unpriced: 0 },
  },
};

describe('the forecast of an enrichment', () => {
  it('says what is asked about, and the most that it may cost', () => {
    expect(forecastText('mine', jobOf(), forecast)).toBe(
      `store mine, 2 papers: 1 scanned page, 1,200 pages
about 1,201 calls to text-model and vision-model, about 310k prompt tokens and at most 2.1M tokens in all, $0.12 at most`,
    );
  });

  it('says where nothing is left to be asked, and where nobody knows the price', () => {
    expect(forecastText('mine', jobOf(), { ...forecast, papers: 1, calls: 0 })).toBe(
      'store mine, 1 paper: nothing is left to be asked',
    );
    const { model } = jobOf();
    const job = jobOf({ vision: model });
    expect(forecastText('mine', job, { ...forecast, mostUsd: null, isEstimate: false })).toMatch(
      /\n1,201 calls to text-model, .*, cost unknown \(`prices:` in turnwise\.yaml/,
    );
  });
});

describe('the result of an enrichment', () => {
  it('counts what became of the items, and says what could not be used and why', () => {
    expect(sectionText(enrichmentSection(result))).toBe(
      `4 calls; on these papers 900 tokens were spent so far, $0.25
note: 1 unusable: the reply ended at the token limit
note: 1 paper was left out, since its text is lost: \`turnwise store check\`

kind     items  answered  nothing to say  unusable  no reply
pages    5      2         1               1         1
figures  1      0         0               0         1`,
    );
  });

  it('says where there was nothing to ask', () => {
    const { totals } = result;
    expect(enrichmentSection({ ...result, totals: { ...totals, kinds: {} } })).toMatchObject({
      words: ['there is nothing to ask about these papers', expect.any(String)],
      tables: [],
    });
  });

  it('says why items have no reply, and what helps', () => {
    expect(stoppedText(result, {})).toBeNull();
    const parked = { ...result, progress: { ...result.progress, parked: { usd: 1, tokens: 50 } } };
    expect(stoppedText(parked, { budgetUsd: 1 })).toBe(
      'held at the budget: $0.25 and 900 tokens are spent, the next call may take $1.00 and 50 tokens, and 2 items have no reply; the same command with a higher --budget-usd goes on',
    );
    expect(stoppedText(parked, {})).toContain('--budget-tokens');
    const failures = ['HTTP 500', 'no picture of page 2', 'HTTP 500'].map((message, member) => ({
      ...{ index: 0, member, message },
    }));
    expect(stoppedText({ ...result, progress: { ...result.progress, failures } }, {})).toBe(
      `2 calls failed: HTTP 500
1 call failed: no picture of page 2
what they were about has no reply; the same command asks again`,
    );
  });
});
