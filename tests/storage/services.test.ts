import { describe, expect, it } from 'vitest';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServicesRecord } from '../../domain/services.js';
import {
  isAlive,
  judgeRecord,
  parseProcStat,
  parsePsLine,
  systemProcessTable,
} from '../../storage/services.js';
import { fakeProcessTable } from '../support/fakes/fake-process-table.js';

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

const record: ServicesRecord = {
  kind: 'ready',
  supervisor: { pid: 10, startTime: 't10', commandMark: 'supervise.js' },
  services: [
    { name: 'temporal', pid: 11, startTime: 't11', commandMark: '/h/temporal.db', logPath: '/h/t' },
    { name: 'milvus', pid: 12, startTime: 't12', commandMark: '/h/milvus', logPath: '/h/m' },
  ],
  temporalAddress: '127.0.0.1:1',
  uiAddress: null,
  milvusAddress: '127.0.0.1:2',
  storage: '/h',
};
const supervisor = { startTime: 't10', command: 'node supervise.js' };
const temporal = { startTime: 't11', command: 'temporal --db-filename /h/temporal.db' };
const milvus = { startTime: 't12', command: 'python --data-dir /h/milvus' };

describe('judging the record of former services', () => {
  it.each([
    ['no record', undefined, {}, { kind: 'none' }],
    [
      'a live supervisor',
      record,
      { 10: supervisor, 11: temporal },
      { kind: 'supervised', supervisorPid: 10 },
    ],
    ['everything dead', record, {}, { kind: 'none' }],
    [
      'services outliving their supervisor',
      record,
      { 11: temporal, 12: milvus },
      { kind: 'orphaned', orphans: record.services },
    ],
    [
      'one service outliving its supervisor',
      record,
      { 12: milvus },
      { kind: 'orphaned', orphans: record.services.slice(1) },
    ],
    [
      'a supervisor pid that a later process got',
      record,
      { 10: { ...supervisor, startTime: 'later' } },
      { kind: 'none' },
    ],
    [
      'a service pid that another program got',
      record,
      { 11: { ...temporal, command: 'vim' } },
      { kind: 'none' },
    ],
  ])('with %s', (_case, found, processes, expected) => {
    expect(judgeRecord(found, fakeProcessTable(processes))).toEqual(expected);
  });

  it('needs pid, start time and command to agree', () => {
    const recorded = { pid: 7, startTime: 's', commandMark: 'mark' };
    const alive = (process: { startTime: string; command: string }): boolean =>
      isAlive(recorded, fakeProcessTable({ 7: process }));
    expect(alive({ startTime: 's', command: 'a mark b' })).toBe(true);
    expect(alive({ startTime: 'x', command: 'a mark b' })).toBe(false);
    expect(alive({ startTime: 's', command: 'other' })).toBe(false);
  });
});
