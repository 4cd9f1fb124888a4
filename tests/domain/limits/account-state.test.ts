import { describe, expect, it } from 'vitest';
import type { AccountReport, KnownLimit } from '../../../domain/limits/account-report.js';
import {
  accountStateSchema,
  emptyAccount,
  isAbandoned,
  noteReport,
  type AccountState,
} from '../../../domain/limits/account-state.js';
import { accountReport, unknownLimit } from '../../support/account-report.js';
import { accountPicture, accountPictureText } from '../../../domain/limits/account-picture.js';

const measured = (perMinute: number): KnownLimit => ({ ...unknownLimit, measured: perMinute });
const told = (perMinute: number): KnownLimit => ({ ...unknownLimit, told: perMinute });

function after(...reports: readonly (readonly [number, AccountReport])[]): {
  readonly state: AccountState;
  readonly shares: readonly (number | null)[];
} {
  let state = emptyAccount;
  const shares = reports.map(([nowMs, one]) => {
    const noted = noteReport(state, one, nowMs);
    state = noted.state;
    return noted.share.requests.measured;
  });
  return { state, shares };
}

describe('the workers of an account', () => {
  it('keep what they know where nobody else is there', () => {
    const { state, shares } = after([0, accountReport('a', { requests: measured(588) })]);
    expect(shares).toEqual([588]);
    const noted = noteReport(state, accountReport('a', { requests: told(600) }), 3000);
    expect(noted.share).toMatchObject({ requests: { told: null }, pauseMs: 0 });
  });

  it('share what one of them has measured, to the last call', () => {
    const requests = measured(600);
    const { shares, state } = after(
      [0, accountReport('a', { requests })],
      [1000, accountReport('b')],
      [3000, accountReport('a', { requests })],
      [4000, accountReport('b', { requests: measured(300) })],
    );
    expect(shares).toEqual([600, 300, 300, 300]);
    expect(state.free.requests).toBe(0);
  });

  it('share what the provider states', () => {
    const { state } = after([0, accountReport('a', { requests: told(600) })]);
    const idle = accountReport('b', { requests: told(600), waiting: 0, accepted: 5 });
    expect(noteReport(state, idle, 10).share.requests.told).toBe(120);
    expect(
      noteReport(state, accountReport('b', { requests: told(600) }), 10).share.requests.told,
    ).toBe(300);
  });

  it('share by demand, and leave nobody without anything', () => {
    const requests = measured(300);
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
    const { state } = after([0, accountReport('a', { requests: measured(300) })]);
    for (const strays of [null, 0]) {
      const fresh = accountReport('b', { waiting: 0, accepted: 0, strays });
      expect(noteReport(state, fresh, 1000).share.requests.measured).toBe(150);
    }
  });

  it('do not divide a guess anew, but for one who knows nothing', () => {
    const guess: KnownLimit = { ...measured(200), isGuess: true };
    const { shares } = after(
      [0, accountReport('a', { requests: guess })],
      [1000, accountReport('b', { requests: measured(300) })],
      [2000, accountReport('c')],
    );
    expect(shares).toEqual([null, null, 500 / 3]);
  });

  it('tell one who knows nothing how well it is known', () => {
    const standing = { isGuess: true, beats: 12, proven: 1.5 };
    const { state } = after([
      0,
      accountReport('a', { requests: { ...measured(200), ...standing }, strays: 4 }),
    ]);
    const first = noteReport(state, accountReport('b', { strays: null }), 1000);
    expect(first.share).toMatchObject({ requests: { measured: 100, standing }, strays: 4 });
    const known = { ...measured(100), ...standing };
    const a = accountReport('a', { requests: { ...measured(200), ...standing } });
    const other = noteReport(first.state, a, 3000);
    expect(other.share.requests).toEqual({ told: null, measured: 100 });
    const second = noteReport(other.state, accountReport('b', { requests: known }), 4000);
    expect(second.share.requests).toEqual({ told: null, measured: null });
  });

  it('get what one has left that was guessed', () => {
    const guess: KnownLimit = { ...measured(200), isGuess: true };
    const { shares, state } = after(
      [0, accountReport('a', { requests: guess })],
      [10_000, accountReport('b', { requests: guess })],
      [16_000, accountReport('b', { requests: guess })],
      [19_000, accountReport('b', { requests: { ...guess, measured: 400 } })],
    );
    expect(shares).toEqual([null, null, 400, null]);
    expect(state.free.requests).toBe(0);
  });

  it('take over at once what was had under their name', () => {
    const { shares } = after(
      [0, accountReport('a', { requests: measured(300) })],
      [1000, accountReport('b', { requests: measured(300) })],
      [2000, accountReport('b')],
    );
    expect(shares).toEqual([300, 300, 300]);
  });

  it('get the share of one that is gone', () => {
    const { shares } = after(
      [0, accountReport('a', { requests: measured(300) })],
      [0, accountReport('b', { requests: measured(300) })],
      [14_000, accountReport('a', { requests: measured(300) })],
      [15_000, accountReport('a', { requests: measured(300) })],
    );
    expect(shares).toEqual([300, 300, 300, 600]);
  });

  it('have what one of them had that knows nothing any more', () => {
    const requests = measured(600);
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
    expect(noteReport(state, accountReport('b'), 5000).share.pauseMs).toBe(15_000);
    expect(noteReport(state, accountReport('b'), 25_000).share.pauseMs).toBe(0);
  });

  it('are gone when none has reported for a while', () => {
    const { state } = after([0, accountReport('a')], [5000, accountReport('b')]);
    expect([64_999, 65_000].map((now) => isAbandoned(state, 60_000, now))).toEqual([false, true]);
    expect(isAbandoned(emptyAccount, 60_000, 0)).toBe(true);
  });

  it('are carried from history to history', () => {
    const { state } = after(
      [0, accountReport('a', { requests: measured(300) })],
      [1, accountReport('b')],
    );
    expect(accountStateSchema.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });
});

describe('the picture of an account', () => {
  const text = (...reports: readonly AccountReport[]): string => {
    const { state } = after(...reports.map((one) => [0, one] as const));
    return accountPictureText(accountPicture(state, 1000));
  };

  it.each<[string, readonly AccountReport[]]>([
    [
      'no limit met yet · 300 calls a minute · 10 in flight · 1 worker',
      [accountReport('a', { waiting: 0, hold: null })],
    ],
    [
      'about 588 requests a minute, as refusals have shown · 600 calls a minute · 40 refused · 20 in flight · 80 waiting · 2 workers',
      [
        accountReport('a', { requests: measured(300), refused: 2 }),
        accountReport('b', { requests: measured(288) }),
      ],
    ],
    [
      '600 requests a minute, as the provider states, about 250k tokens a minute, as refusals have shown · 300 calls a minute · 10 in flight · 40 waiting · 1 worker',
      [
        accountReport('a', {
          requests: told(600),
          tokens: { ...measured(250_000), told: 300_000 },
        }),
      ],
    ],
    [
      'no limit met yet · left alone for 19 s as the provider asks · 300 calls a minute · 10 in flight · 40 waiting · 1 worker',
      [accountReport('a', { pauseMs: 20_000, hold: 'retry-after' })],
    ],
    [
      "no limit met yet · the account's credit is spent · 600 calls a minute · 20 in flight · 80 waiting · 2 workers",
      [accountReport('a'), accountReport('b', { hold: 'quota' })],
    ],
    [
      'no limit met yet · the provider refuses everything at the moment · 300 calls a minute · 10 in flight · 40 waiting · 1 worker',
      [accountReport('a', { hold: 'refused' })],
    ],
  ])('says: %s', (line, reports) => {
    expect(text(...reports)).toBe(line);
  });
});
