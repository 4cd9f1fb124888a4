import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { StoredTurn } from '../../../domain/agent/turn-record.js';
import {
  callOfJudge,
  callsOfTurn,
  callsWithoutReply,
  checkReceipt,
  foundOf,
  ReceiptLines,
  type ReceiptQuestion,
} from '../../../domain/runs/receipt.js';
import { failedAttempt, someExchange } from '../../support/runs/exchanges.js';
import {
  exampleEnd,
  exampleJudgeReply,
  exampleObservation,
  exampleReply,
  sampleKey,
} from '../../support/runs/example-records.js';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

const sql = { kind: 'RetrieveFromDatabase', sql: 'SELECT 1' } as const;
const turn: StoredTurn = {
  reply: exampleReply(1, sql, { exchange: someExchange('a') }),
  observation: exampleObservation(1, '1'),
};

const questionOf = (
  uuid: string,
  turns: readonly StoredTurn[] = [turn],
  answer = '20',
): ReceiptQuestion => {
  const { result, score } = exampleEnd(sampleKey(uuid));
  const ended = { ...result, turns: turns.length, answer };
  return {
    ...sampleKey(uuid),
    askedAgain: [],
    found: foundOf({ result: ended, score }, turns, digest),
    calls: turns.flatMap(({ reply }) => callsOfTurn(reply, 1)),
  };
};

function receiptOf(questions: readonly ReceiptQuestion[], header: object = { run: 'a' }): string {
  const lines = new ReceiptLines(digest);
  const made = [lines.header(header), ...questions.map((each) => lines.question(each))];
  return [...made, lines.seal()].join('');
}

const outcomeOf = (text: string): string => {
  const checked = checkReceipt(text, digest);
  if (checked.kind !== 'verified') throw new Error(checked.kind);
  return checked.outcome;
};

describe('a receipt', () => {
  const text = receiptOf([questionOf('Ünï 😀'), questionOf('b', [turn, turn])]);

  it('is verified as it was written, with what it lists', () => {
    expect(checkReceipt(text, digest)).toEqual({
      kind: 'verified',
      questions: 2,
      calls: 3,
      outcome: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
    });
  });

  it('is not verified where any byte is another one', () => {
    const bytes = Buffer.from(text);
    const unnoticed: number[] = [];
    for (const place of bytes.keys()) {
      const before = bytes[place] ?? 0;
      for (const mask of [1, 0x80, before ^ 0x0a]) {
        if (mask === 0) continue;
        bytes[place] = before ^ mask;
        const checked = checkReceipt(bytes.toString('latin1'), digest);
        const line = text.slice(0, place).split('\n').length;
        if (checked.kind !== 'altered' || checked.line !== line) unnoticed.push(place);
      }
      bytes[place] = before;
    }
    expect(unnoticed).toEqual([]);
  });

  it('is not verified where a line, or a byte at its end, is missing, moved or added', () => {
    const [header = '', first = '', second = '', seal = ''] = text.split(/(?<=\n)/);
    for (const altered of [
      [header, second, seal],
      [header, second, first, seal],
      [header, first, first, second, seal],
      [first, second, seal],
      [header, first, second],
      [header, first, second, seal.trimEnd()],
      [header, first, second, seal, '\n'],
      [header, first, second, seal, seal],
      [seal],
    ])
      expect(checkReceipt(altered.join(''), digest)).toMatchObject({ kind: 'altered' });
  });

  it('names the question whose line was altered', () => {
    expect(checkReceipt(text.replace('"costUsd":null', '"costUsd":0'), digest)).toMatchObject({
      ...{ kind: 'altered', line: 2, question: { uuid: 'Ünï 😀', epoch: 1 } },
    });
  });

  it.each(['', '\n', '{}\n', '{"uuid":"a"}\n{"uuid":"b"}\n', '\0\xff'])(
    'is not %j, nor a receipt of another version',
    (other) => {
      expect(checkReceipt(other, digest)).toEqual({ kind: 'unreadable' });
      const later = receiptOf([questionOf('a')], { format: 'turnwise receipt 2' });
      expect(checkReceipt(later, digest)).toEqual({ kind: 'unreadable' });
    },
  );
});

describe('the outcome hash', () => {
  const plain = [questionOf('a'), questionOf('b')];
  const hash = outcomeOf(receiptOf(plain));

  it('is the same whatever a kill changes', () => {
    const later = { startedAt: '2027-01-01T00:00:00.000Z', endedAt: '2027-01-02T00:00:00.000Z' };
    const again: StoredTurn = {
      reply: exampleReply(1, sql, {
        ...later,
        ...{ retries: 9, lost: 5, unanswered: 5, waitedMs: 7, costUsd: 1, cacheHit: true },
        failures: { count: 4, latest: [failedAttempt('ModelUnavailable')] },
        exchange: someExchange('b'),
        servedBy: { provider: 'Another' },
        model: 'another-2027',
      }),
      observation: { ...exampleObservation(1, '1'), ...later },
    };
    const disturbed = ['b', 'a'].map((uuid) => ({
      ...questionOf(uuid, [again]),
      askedAgain: [{ asking: 2, anew: false }],
    }));
    const text = receiptOf(disturbed, { run: 'another' });
    expect(outcomeOf(text)).toBe(hash);
    expect(text).not.toContain(receiptOf(plain).split('\n')[1]);
  });

  it('leaves out the ids of tool calls, and the times of statements', () => {
    const withId = (id: string, ms: number): StoredTurn => ({
      reply: exampleReply(1, null, {
        reading: {
          ...{ kind: 'action', thought: '', action: sql },
          calls: [{ kind: 'action', id, action: sql }],
        },
      }),
      observation: {
        ...exampleObservation(1, '1'),
        queries: [
          {
            ...{ sql: 'SELECT 1', round: 1, repairOf: null, status: 'rows', rows: 1 },
            ...{ moreRows: false, shownRows: 1, error: null, ms, shown: '1' },
          },
        ],
      },
    });
    const one = receiptOf([questionOf('a', [withId('call_1', 1)])]);
    expect(outcomeOf(receiptOf([questionOf('a', [withId('call_2', 2)])]))).toBe(outcomeOf(one));
  });

  it.each<[string, readonly ReceiptQuestion[]]>([
    ['an answer', [questionOf('a'), questionOf('b', [turn], '21')]],
    ['the answers of two questions', [questionOf('a', [turn], '21'), questionOf('b')]],
    ['an observation', [questionOf('a'), questionOf('b', [{ ...turn, observation: null }])]],
    [
      'an action',
      [
        questionOf('a'),
        questionOf('b', [{ ...turn, reply: exampleReply(1, { ...sql, sql: '' }) }]),
      ],
    ],
    ['a turn', [questionOf('a'), questionOf('b', [turn, turn])]],
    ['a question', [questionOf('a')]],
    ['an end', [questionOf('a'), { ...questionOf('b'), found: null }]],
  ])('is another one where %s differs', (_, questions) => {
    expect(outcomeOf(receiptOf(questions))).not.toBe(hash);
  });

  it('is another one where a score, its reason or the kind of outcome differs', () => {
    const { result, score } = exampleEnd(sampleKey('a'));
    const scored = { kind: 'scored' as const, score: 1 };
    const founds = [
      { result, score },
      {
        result,
        score: { ...score, verdict: { kind: 'unscored' as const, reason: 'no-answer' as const } },
      },
      { result, score: { ...score, scorer: 'eval_scidqa' } },
      { result, score: { ...score, score: 1, verdict: scored } },
      { result, score: { ...score, score: 1, verdict: { ...scored, rawScore: 5 } } },
      { result: { ...result, outcome: { kind: 'abstained' as const } }, score },
    ].map((answer) => JSON.stringify(foundOf(answer, [], digest)));
    expect(new Set(founds).size).toBe(founds.length);
    const words = { ...score, score: 1, verdict: { ...scored, rationale: 'in other words' } };
    expect(JSON.stringify(foundOf({ result, score: words }, [], digest))).toBe(founds[3]);
  });

  it('holds nothing of what a question did after its last whole turn', () => {
    const { result, score } = exampleEnd(sampleKey('a'), { kind: 'cancelled' });
    const found = foundOf({ result, score }, [turn], digest);
    expect(found).toMatchObject({ outcome: 'cancelled', answer: null, turns: [] });
  });

  it('names a program that scores without its arguments', () => {
    const { result, score } = exampleEnd(sampleKey('a'));
    const scorer = 'eval_program(python score.py --key sk-secret\n)';
    const found = foundOf({ result, score: { ...score, scorer } }, [], digest);
    expect(found?.score).toMatchObject({ scorer: 'eval_program' });
  });
});

describe('a call', () => {
  const at = { at: '2026-01-01T00:00:00.000Z', until: '2026-01-01T00:00:01.000Z' };
  const nobodyKnows = { at: 'unknown', request: 'unknown', reply: 'unknown' };

  it('lists what was lost and what failed before the attempt that was answered', () => {
    const failed = failedAttempt('ModelUnavailable', { status: 503 });
    const exchange = { ...someExchange('a'), id: 'chatcmpl-1' };
    const [call] = callsOfTurn(
      exampleReply(3, sql, {
        ...{ retries: 13, lost: 2, unanswered: 2, costUsd: 0.5, exchange },
        failures: { count: 11, latest: [failed] },
      }),
      2,
    );
    expect(call).toEqual({
      of: { kind: 'turn', turn: 3 },
      asking: 2,
      attempts: [
        { end: 'not-recorded', count: 10, ...nobodyKnows },
        { end: 'lost', count: 2, ...nobodyKnows },
        { end: 'failed', ...failed },
        { end: 'replied', ...exchange, ...at },
      ],
      model: 'a-model-2026',
      tokens: { prompt: 100, completion: 10, cached: 0, reasoning: 0 },
      costUsd: 0.5,
      unanswered: 2,
    });
  });

  it('says that nobody has kept what a run of an earlier version sent', () => {
    expect(callsOfTurn(exampleReply(1, sql, { retries: 2 }), 1)).toMatchObject([
      {
        attempts: [
          { end: 'not-recorded', count: 2, ...nobodyKnows },
          { end: 'replied', ...nobodyKnows, ...at },
        ],
      },
    ]);
  });

  it('sent nothing where the cache has its reply, and is none where no model is asked', () => {
    const cached = exampleReply(1, sql, { cacheHit: true });
    expect(callsOfTurn(cached, 1)[0]?.attempts).toEqual([{ end: 'reused', at: at.at }]);
    expect(callsOfTurn(exampleReply(1, sql, { model: null }), 1)).toEqual([]);
  });

  it('says where nothing could be made of its reply', () => {
    const odd = { kind: 'error', error: 'nothing', odd: 'empty' } as const;
    expect(callsOfTurn(exampleReply(1, null), 1)[0]?.odd).toBe('unreadable');
    expect(callsOfTurn(exampleReply(1, null, { reading: odd }), 1)[0]?.odd).toBe('empty');
    const judge = exampleJudgeReply('0.1', 2);
    expect(callOfJudge(judge, 1)).toMatchObject({ of: { kind: 'judge', part: '0.1', number: 2 } });
    expect(callOfJudge(judge, 1).odd).toBeUndefined();
    expect(callOfJudge({ ...judge, cutOff: true }, 1).odd).toBe('cut-off');
    expect(callOfJudge({ ...judge, withheld: 'refused' }, 1).odd).toBe('refused');
  });

  it('that ended its question lists the attempts that failed', () => {
    const failed = failedAttempt('ModelUnavailable');
    const outcome = { kind: 'infra-error', failure: 'ModelUnavailable', message: '' } as const;
    const failures = { count: 1, latest: [failed] };
    const ended = { outcome: { ...outcome, attempts: 2, failures }, turns: 3 };
    expect(callsWithoutReply(ended, 1)).toEqual([
      {
        ...{ of: { kind: 'turn', turn: 4 }, asking: 1, model: null, tokens: null, costUsd: null },
        attempts: [
          { end: 'not-recorded', count: 1, ...nobodyKnows },
          { end: 'failed', ...failed },
        ],
      },
    ]);
    expect(callsWithoutReply({ outcome, turns: 3 }, 1)).toEqual([]);
    expect(callsWithoutReply({ outcome: { kind: 'answered' }, turns: 3 }, 1)).toEqual([]);
  });
});
