import { describe, expect, it } from 'vitest';
import type { AccountReport, KnownLimit } from '../../../domain/rate-limits/account-report.js';
import {
  accountStateSchema,
  emptyAccount,
  isAbandoned,
  addReport,
  divide,
  accountSummary,
  accountSummaryText,
  type AccountState,
} from '../../../domain/rate-limits/account-state.js';
import { accountReport, unknownLimit } from '../../support/fakes/account-report.js';

const guessEvidence = { ...unknownLimit.evidence, isGuess: true };
const estimated = (perMinute: number): KnownLimit => ({ ...unknownLimit, estimated: perMinute });
const advertised = (perMinute: number): KnownLimit => ({ ...unknownLimit, advertised: perMinute });

function after(...reports: readonly (readonly [number, AccountReport])[]): {
  readonly state: AccountState;
  readonly shares: readonly (number | null)[];
} {
  let state = emptyAccount;
  const shares = reports.map(([nowMs, one]) => {
    const added = addReport(state, one, nowMs);
    state = added.state;
    return added.share.requests.estimated;
  });
  return { state, shares };
}

describe('the workers of an account', () => {
  it('keep what they know where nobody else is there', () => {
    const { state, shares } = after([0, accountReport('a', { requests: estimated(588) })]);
    expect(shares).toEqual([588]);
    const added = addReport(state, accountReport('a', { requests: advertised(600) }), 3000);
    expect(added.share).toMatchObject({ requests: { advertised: null }, pauseMs: 0 });
  });

  it('share what one of them has measured, to the last call', () => {
    const requests = estimated(600);
    const { shares, state } = after(
      [0, accountReport('a', { requests })],
      [1000, accountReport('b')],
      [3000, accountReport('a', { requests })],
      [4000, accountReport('b', { requests: estimated(300) })],
    );
    expect(shares).toEqual([600, 300, 300, 300]);
    expect(state.free.requests).toBe(0);
  });

  it('share what the provider states', () => {
    const { state } = after([0, accountReport('a', { requests: advertised(600) })]);
    const idle = accountReport('b', { requests: advertised(600), waiting: 0, accepted: 5 });
    expect(addReport(state, idle, 10).share.requests.advertised).toBe(120);
    expect(
      addReport(state, accountReport('b', { requests: advertised(600) }), 10).share.requests
        .advertised,
    ).toBe(300);
  });

  it('share by demand, and leave nobody without anything', () => {
    const requests = estimated(300);
    const idle = { waiting: 0, accepted: 0, requests };
    const { shares } = after(
      [0, accountReport('a', idle)],
      [1000, accountReport('b', { requests })],
    );
    expect(shares).toEqual([300, 570]);
    expect(
      after([0, accountReport('b', { requests })], [1, accountReport('a', idle)]).shares[1],
    ).toBe(30);
  });

  it('leave one who has only just come its part, before anything waits there', () => {
    const { state } = after([0, accountReport('a', { requests: estimated(300) })]);
    for (const spurious429s of [null, 0]) {
      const fresh = accountReport('b', { waiting: 0, accepted: 0, spurious429s });
      expect(addReport(state, fresh, 1000).share.requests.estimated).toBe(150);
    }
  });

  it('do not divide a guess anew, but for one who knows nothing', () => {
    const guess: KnownLimit = { ...estimated(200), evidence: guessEvidence };
    const { shares } = after(
      [0, accountReport('a', { requests: guess })],
      [1000, accountReport('b', { requests: estimated(300) })],
      [2000, accountReport('c')],
    );
    expect(shares).toEqual([null, null, 500 / 3]);
  });

  it('tell one who knows nothing how well it is known', () => {
    const evidence = { isGuess: true, probingSeconds: 12, acceptedRatio: 1.5 };
    const { state } = after([
      0,
      accountReport('a', { requests: { ...estimated(200), evidence }, spurious429s: 4 }),
    ]);
    const first = addReport(state, accountReport('b', { spurious429s: null }), 1000);
    expect(first.share).toMatchObject({ requests: { estimated: 100, evidence }, spurious429s: 4 });
    const known = { ...estimated(100), evidence };
    const a = accountReport('a', { requests: { ...estimated(200), evidence } });
    const other = addReport(first.state, a, 3000);
    expect(other.share.requests).toEqual({ advertised: null, estimated: 100 });
    const second = addReport(other.state, accountReport('b', { requests: known }), 4000);
    expect(second.share.requests).toEqual({ advertised: null, estimated: null });
  });

  it('get what one has left that was guessed', () => {
    const guess: KnownLimit = { ...estimated(200), evidence: guessEvidence };
    const { shares, state } = after(
      [0, accountReport('a', { requests: guess })],
      [10_000, accountReport('b', { requests: guess })],
      [16_000, accountReport('b', { requests: guess })],
      [19_000, accountReport('b', { requests: { ...guess, estimated: 400 } })],
    );
    expect(shares).toEqual([null, null, 400, null]);
    expect(state.free.requests).toBe(0);
  });

  it('take over at once what was had under their name', () => {
    const { shares } = after(
      [0, accountReport('a', { requests: estimated(300) })],
      [1000, accountReport('b', { requests: estimated(300) })],
      [2000, accountReport('b')],
    );
    expect(shares).toEqual([300, 300, 300]);
  });

  it('get the share of one that is gone', () => {
    const { shares } = after(
      [0, accountReport('a', { requests: estimated(300) })],
      [0, accountReport('b', { requests: estimated(300) })],
      [14_000, accountReport('a', { requests: estimated(300) })],
      [15_000, accountReport('a', { requests: estimated(300) })],
    );
    expect(shares).toEqual([300, 300, 300, 600]);
  });

  it('have what one of them had that knows nothing any more', () => {
    const requests = estimated(600);
    const { shares } = after(
      [0, accountReport('a', { requests })],
      // It has rested, so that others may have its share: here nobody does.
      [5000, accountReport('a')],
      [30_000, accountReport('a')],
      // It has not heard of its share.
      [31_000, accountReport('b')],
      [32_000, accountReport('b')],
    );
    expect(shares).toEqual([600, 600, 600, 300, 300]);
  });

  it('all leave the provider alone when one of them was asked to', () => {
    const { state } = after([0, accountReport('a', { pauseMs: 20_000 })]);
    expect(addReport(state, accountReport('b'), 5000).share.pauseMs).toBe(15_000);
    expect(addReport(state, accountReport('b'), 25_000).share.pauseMs).toBe(0);
  });

  it('are gone when none has reported for a while', () => {
    const { state } = after([0, accountReport('a')], [5000, accountReport('b')]);
    expect([64_999, 65_000].map((now) => isAbandoned(state, 60_000, now))).toEqual([false, true]);
    expect(isAbandoned(emptyAccount, 60_000, 0)).toBe(true);
  });

  it('are carried from history to history', () => {
    const { state } = after(
      [0, accountReport('a', { requests: estimated(300) })],
      [1, accountReport('b')],
    );
    expect(accountStateSchema.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });
});

describe('the summary of an account', () => {
  const text = (...reports: readonly AccountReport[]): string => {
    const { state } = after(...reports.map((one) => [0, one] as const));
    return accountSummaryText(accountSummary(state, 1000));
  };

  it.each<[string, readonly AccountReport[]]>([
    [
      'no limit met yet · 300 calls a minute · 10 in flight · 1 worker',
      [accountReport('a', { waiting: 0, waitsFor: null })],
    ],
    [
      'about 588 requests a minute, as refusals have shown · 600 calls a minute · 40 refused · 20 in flight · 80 waiting · 2 workers',
      [
        accountReport('a', { requests: estimated(300), refused: 2 }),
        accountReport('b', { requests: estimated(288) }),
      ],
    ],
    [
      '600 requests a minute, as the provider states, about 250k tokens a minute, as refusals have shown · 300 calls a minute · 10 in flight · 40 waiting · 1 worker',
      [
        accountReport('a', {
          requests: advertised(600),
          tokens: { ...estimated(250_000), advertised: 300_000 },
        }),
      ],
    ],
    [
      'no limit met yet · no calls for 19 s, as the provider asks · 300 calls a minute · 10 in flight · 40 waiting · 1 worker',
      [accountReport('a', { pauseMs: 20_000, waitsFor: 'retry-after' })],
    ],
    [
      "no limit met yet · the account's credit is spent · 600 calls a minute · 20 in flight · 80 waiting · 2 workers",
      [accountReport('a'), accountReport('b', { waitsFor: 'quota' })],
    ],
    [
      'no limit met yet · the provider refuses every call at the moment · 300 calls a minute · 10 in flight · 40 waiting · 1 worker',
      [accountReport('a', { waitsFor: 'refused' })],
    ],
  ])('says: %s', (line, reports) => {
    expect(text(...reports)).toBe(line);
  });
});

const all = Infinity;

describe('divide', () => {
  it.each<[string, number, readonly number[], readonly number[]]>([
    ['equally between those who want all', 600, [all, all], [300, 300]],
    ['what the modest leave to the others', 600, [100, all, all], [100, 250, 250]],
    ['what nobody wants equally too', 600, [100, 50], [325, 275]],
    ['equally where all want more than there is', 90, [60, 80, all], [30, 30, 30]],
    ['all to the only one', 600, [0], [600]],
    ['nothing', 0, [all, 5], [0, 0]],
  ])('gives %s', (_, total, demands, shares) => {
    expect(divide(total, demands)).toEqual(shares);
  });
});
