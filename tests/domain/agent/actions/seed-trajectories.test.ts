import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { actionNames } from '../../../../domain/agent/actions/action.js';
import {
  defaultObservationStyle,
  renderRows,
} from '../../../../domain/agent/observations/observation.js';
import {
  parseReply,
  assistantMessage,
  observationMessage,
} from '../../../../domain/agent/actions/parse-reply.js';
import type { TableResult } from '../../../../domain/agent/observations/tool-outcome.js';

/** Of our own, and the seeds, which lie beside the checkout where this project was made, and nowhere else. */
const trajectories = [
  { name: 'our own', replies: 5, rows: 14, files: ['../../../support/trajectories/bread.jsonl'] },
  {
    ...{ name: 'the seeds', replies: 11, rows: 29 },
    files: ['newsbench', 'wassa'].map(
      (name) => `../../../../../shared/seeds/trajectory-${name}.jsonl`,
    ),
  },
].map(({ files, ...rest }) => ({
  ...rest,
  files: files.map((path) => new URL(path, import.meta.url)),
}));
const seedMessageSchema = z.object({ role: z.string(), content: z.string() });
const rowSchema = z.record(z.string(), z.union([z.string(), z.number()]));

/** The table that rows were printed from: the types that can be told from the values. */
function tableOf(lines: readonly string[]): TableResult {
  const rows = lines.map((line) => rowSchema.parse(JSON.parse(line)));
  const columns = Object.entries(rows[0] ?? {}).map(([name, value]) => ({
    name,
    type: typeof value === 'string' ? 'VARCHAR' : Number.isInteger(value) ? 'INTEGER' : 'DOUBLE',
  }));
  return { columns, rows: rows.map((row) => Object.values(row)), more: false };
}

const present = trajectories.filter(({ files }) => files.every((file) => existsSync(file)));

describe.each(present)('trajectories of $name', ({ files, replies: count, rows }) => {
  const messages = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => seedMessageSchema.parse(JSON.parse(line))),
  );
  const replies = messages.filter(({ role }) => role === 'assistant');
  const observations = messages
    .filter(({ content }) => content.startsWith('[Observation]:'))
    .map(({ content }) => content.replace(/^\[Observation\]:\s/, ''));

  it.each(['strict', 'tolerant'] as const)(
    'are rebuilt from what is read of them (%s)',
    (strictness) => {
      expect(replies).toHaveLength(count);
      for (const { content } of replies) {
        const style = { format: 'markdown', protocol: 'react', strictness } as const;
        const parsed = parseReply(content, { actions: actionNames, ...style });
        expect(parsed.kind).toBe('action');
        expect(assistantMessage(parsed, '', style)).toBe(content);
      }
    },
  );

  it('show rows in the bytes that strict rendering gives', () => {
    const style = { ...defaultObservationStyle, strictness: 'strict' } as const;
    let shown = 0;
    for (const content of observations) {
      const lines = content.split('\n').filter((line) => line.startsWith('{"'));
      if (lines.length === 0) continue;
      shown += lines.length;
      const more = content.includes('... # only display');
      expect(renderRows({ ...tableOf(lines), more }, style).content).toBe(content);
    }
    expect(shown).toBe(rows);
  });

  it('begin each observation where ours would', () => {
    for (const { content } of messages) {
      if (!content.startsWith('[Observation]:')) continue;
      expect(observationMessage(content.replace(/^\[Observation\]:\s/, ''))).toBe(content);
    }
  });
});
