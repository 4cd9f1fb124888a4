import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  parseProcStat,
  parsePsLine,
  systemProcessTable,
} from '../../../worker/embedded/process-table.js';

describe('reading the process table', () => {
  it('finds state and start in a stat line whose name holds spaces and parentheses', () => {
    const after = Array.from({ length: 40 }, (_, index) => String(index + 4)).join(' ');
    expect(parseProcStat(`123 (a) (b c) S ${after}`)).toEqual({ state: 'S', startTicks: '22' });
  });

  it.each([
    [
      'Ss   Sat Nov  1 08:02:03 2026     /usr/bin/temporal server start-dev',
      { startTime: 'Sat Nov  1 08:02:03 2026', command: '/usr/bin/temporal server start-dev' },
    ],
    ['Z    Sat Nov 21 08:02:03 2026     <defunct>', undefined],
    ['', undefined],
  ])('reads the ps line “%s”', (line, expected) => {
    expect(parsePsLine(line)).toEqual(expected);
  });

  it('sees this process the same way twice', () => {
    const first = systemProcessTable(process.pid);
    expect(first?.command).toContain('node');
    expect(systemProcessTable(process.pid)).toEqual(first);
  });

  it('no longer sees a process that ended', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    const pid = child.pid ?? 0;
    await once(child, 'exit');
    expect(systemProcessTable(pid)).toBeUndefined();
  });
});
