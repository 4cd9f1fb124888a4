import { expect, it, afterEach, beforeEach, describe } from 'vitest';
import { createServer, type Server } from 'node:net';
import { afterDeath, choosePorts } from '../../../worker/embedded/service.js';

it.each([
  [1, { kind: 'restart', delayMs: 100 }],
  [2, { kind: 'restart', delayMs: 400 }],
  [3, { kind: 'restart', delayMs: 1_600 }],
  [4, { kind: 'restart', delayMs: 5_000 }],
  [5, { kind: 'give-up' }],
])('after %i quick deaths in a row: %o', (quickDeaths, decision) => {
  expect(afterDeath(quickDeaths)).toEqual(decision);
});

describe('choosing ports', () => {
  let occupant: Server;
  let taken: number;

  beforeEach(async () => {
    occupant = createServer();
    await new Promise<void>((listening) => occupant.listen(0, '127.0.0.1', listening));
    const address = occupant.address();
    taken = typeof address === 'object' && address ? address.port : 0;
  });
  afterEach(() => new Promise((closed) => occupant.close(closed)));

  it('gives different free ports to those who want any', async () => {
    const { a, b, c } = await choosePorts({
      a: { kind: 'any' },
      b: { kind: 'any' },
      c: { kind: 'any' },
    });
    expect(new Set([a, b, c, taken]).size).toBe(4);
  });

  it('leaves out the ports that outgoing connections get', async () => {
    const { any } = await choosePorts({ any: { kind: 'any' } });
    expect(any).toBeGreaterThanOrEqual(20_000);
    expect(any).toBeLessThan(32_768);
  });

  it('gives the former port back when it is free, and another when it is not', async () => {
    const { free } = await choosePorts({ free: { kind: 'any' } });
    const chosen = await choosePorts({
      same: { kind: 'any', former: free },
      moved: { kind: 'any', former: taken },
    });
    expect(chosen.same).toBe(free);
    expect(chosen.moved).not.toBe(taken);
  });

  it('names the port, its variable and the remedy when a set port is taken', async () => {
    const wish = { kind: 'set', port: taken, variable: 'TURNWISE_UI_PORT' } as const;
    await expect(choosePorts({ ui: wish })).rejects.toMatchObject({
      exitStatus: 2,
      message: `Port ${taken}, set by TURNWISE_UI_PORT, is taken by another program: set TURNWISE_UI_PORT to a free port, or unset it to have one chosen.`,
    });
  });

  it('refuses two variables that name the same port', async () => {
    const { free } = await choosePorts({ free: { kind: 'any' } });
    const clash = choosePorts({
      temporal: { kind: 'set', port: free, variable: 'TURNWISE_TEMPORAL_PORT' },
      ui: { kind: 'set', port: free, variable: 'TURNWISE_UI_PORT' },
    });
    await expect(clash).rejects.toThrow(`Port ${free}, set by TURNWISE_UI_PORT`);
  });
});
