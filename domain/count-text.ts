import { grouped } from './grouped.js';

const units = [
  { from: 1e9, letter: 'B' },
  { from: 1e6, letter: 'M' },
  { from: 1e4, letter: 'k', per: 1e3 },
] as const;

/** A count in at most five characters or so: `9,999`, `35k`, `1.2M`, `12M`, `3.4B`. */
export function countText(count: number): string {
  const unit = units.find(({ from }) => count >= from);
  if (unit === undefined) return grouped(count);
  const inUnits = count / ('per' in unit ? unit.per : unit.from);
  return `${inUnits < 10 ? inUnits.toFixed(1) : grouped(inUnits)}${unit.letter}`;
}
