import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeToyCheckout, type ToyCheckout } from '../support/toy-checkout.js';

const installing = '• installing packages with npm ci (about a minute)';
const building = '• building (about half a minute)';

describe('set-up', () => {
  let checkout: ToyCheckout;
  beforeEach(() => {
    checkout = makeToyCheckout();
  });
  afterEach(() => checkout.remove());

  const setUp = (...args: readonly string[]): ReturnType<ToyCheckout['run']> =>
    checkout.run('bin/setup.js', ...args);

  it('installs and builds once, then hands over with its arguments and exit status', () => {
    const first = setUp('start', '--limit', '2');
    expect(first.lines).toEqual(expect.arrayContaining([installing, building]));
    expect(first.lines.at(-1)).toBe('demo,--limit,2');
    expect(first.status).toBe(7);

    const second = setUp('start');
    expect(second).toEqual({ status: 7, lines: ['demo'], complaint: '' });
  });

  it('sets up before it measures', () => {
    const { status, lines } = setUp('bench', 'tools', '--save');
    expect(lines).toContain(building);
    expect(lines.at(-1)).toBe('tools,--save');
    expect(status).toBe(0);
  });

  it.each([
    [[], 'chaos'],
    [['--save'], 'chaos,--save'],
    [['machines', '--questions', '60'], 'chaos-machines,--questions,60'],
  ])('starts a chaos run as one of the benchmarks: %j', (args, benchmark) => {
    const { status, lines } = setUp('chaos', ...args);
    expect(lines.at(-1)).toBe(benchmark);
    expect(status).toBe(0);
  });

  it('builds again, and installs nothing, when a source has changed', () => {
    setUp('build');
    checkout.write('domain/a.ts', 'export const a = 1;');
    const { lines } = setUp('build');
    expect(lines).toContain(building);
    expect(lines).not.toContain(installing);
  });

  it('installs again when the lock file has changed', () => {
    setUp('build');
    checkout.append('package-lock.json', ' ');
    expect(setUp('build').lines).toContain(installing);
  });

  it('accepts packages that were installed by hand', () => {
    setUp('build');
    checkout.remove('node_modules/.turnwise-stamp');
    expect(setUp('build')).toEqual({ status: 0, lines: [''], complaint: '' });
  });

  it('accepts a build that was made by hand', () => {
    setUp('build');
    checkout.append('domain/a.ts', 'export const a = 1;');
    checkout.build();
    expect(setUp('build')).toEqual({ status: 0, lines: [''], complaint: '' });
  });

  it('builds without the benches, as the Docker image does', () => {
    checkout.remove('bench');
    expect(checkout.build).not.toThrow();
  });

  it('ends a test run with its counts', () => {
    const { status, lines } = setUp('test');
    expect(lines.slice(-2)).toEqual(['1 skipped', '3 passed, 0 failed']);
    expect(status).toBe(0);
  });

  it('counts a failing check besides the tests, and makes the other checks all the same', () => {
    checkout.setScript('lint', 'exit 1');
    const { status, lines } = setUp('test');
    expect(lines.slice(-2)).toEqual(['failed besides tests: lint', '3 passed, 1 failed']);
    expect(status).toBe(1);
  });

  it('counts tests that could not be run as one failure', () => {
    checkout.setScript('unit', 'exit 1');
    const { status, lines } = setUp('test');
    expect(lines.at(-1)).toBe('0 passed, 1 failed');
    expect(status).toBe(1);
  });

  it('leaves out the tests over Postgres where that is wished, and says so', () => {
    checkout.setScript(
      'unit',
      `node -e "const without=process.env.TURNWISE_TESTS_WITHOUT_POSTGRES==='1'&&process.argv.length===1;require('fs').writeFileSync(process.env.TALLY_FILE,JSON.stringify({passed:without?2:3,failed:0,skipped:without?1:0}))"`,
    );
    const leavingOut = '• leaving out the tests over Postgres (--without-postgres)';
    const without = setUp('test', '--without-postgres');
    expect(without.lines.slice(-3)).toEqual([leavingOut, '1 skipped', '2 passed, 0 failed']);
    const all = setUp('test');
    expect(all.lines.at(-1)).toBe('3 passed, 0 failed');
    expect(all.lines).not.toContain(leavingOut);
  });

  it('counts a build that fails, and goes no further', () => {
    checkout.setScript('build', 'exit 3');
    const { status, lines } = setUp('test');
    expect(lines.at(-1)).toBe('0 passed, 1 failed');
    expect(status).toBe(1);
  });

  it('says what it can do when asked for anything else', () => {
    const { status, complaint } = setUp('dance');
    expect(status).toBe(2);
    expect(complaint).toBe(
      'Say what to do: node bin/setup.js start | test | bench | chaos | install | build',
    );
  });

  it('tells how to build when the program is not built yet', () => {
    const { status, complaint } = checkout.run('bin/turnwise.js');
    expect(status).toBe(2);
    expect(complaint).toBe(
      'turnwise is not built yet: run `npm run build`, or `npm start`, which does it all.',
    );
  });
});
