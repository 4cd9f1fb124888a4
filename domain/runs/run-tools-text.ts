import type { LatencySummary, RunTools } from './run-tools.js';

/** For a terminal: a line each for statements, searches, what they found, and what went wrong. What never happened is left out. */
export function runToolsText(tools: RunTools): readonly string[] {
  const latency = (name: string, ms: LatencySummary | null): string[] =>
    ms === null ? [] : [`${name}: ${ms.calls}, median ${ms.p50} ms, 95 % within ${ms.p95} ms`];
  const errors = (name: string, counts: RunTools['sqlErrors']): string[] => {
    const kinds = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
    return kinds.length === 0 ? [] : [`${name}: ${kinds.join(', ')}`];
  };
  const looked = tools.sqlMs !== null || tools.searchMs !== null;
  const { firstNonEmptyTurn: first, questionsWithoutResult: without } = tools;
  const results = [
    ...some(tools.emptyResults, 'empty'),
    ...some(tools.rowsCut, 'shown in part'),
    ...some(tools.repeatedQueries, 'asked for again'),
    ...(first === null ? [] : [`the first in turn ${first} at the median`]),
    ...some(without, without === 1 ? 'question without any' : 'questions without any'),
  ];
  return [
    ...latency('SQL', tools.sqlMs),
    ...latency('searches', tools.searchMs),
    ...(looked && results.length > 0 ? [`results: ${results.join(', ')}`] : []),
    ...errors('SQL errors', tools.sqlErrors),
    ...errors('search errors', tools.searchErrors),
    ...errors('image errors', tools.imageErrors),
    ...errors('calculation errors', tools.calculationErrors),
    ...errors('unreadable replies', tools.parseErrors),
  ];
}

const some = (count: number, what: string): string[] => (count === 0 ? [] : [`${count} ${what}`]);
