import { decimals, joined } from '../../../../domain/formats/text.js';
import type { ShownScore } from '../page-data.js';

/** `2026-11-21 17:46`, in UTC as in the report. */
export const instantText = (iso: string): string => iso.slice(0, 16).replace('T', ' ');

/** The interval of a mean, and what people have ruled. */
export const intervalText = ({ interval, rulings }: ShownScore): string =>
  joined('; ', interval && `${decimals(interval.low)} – ${decimals(interval.high)}`, rulings);

/** Two decimals, and below ten cents two significant digits. */
export function costText(usd: number | null): string {
  if (usd === null) return 'cost unknown';
  const digits = usd === 0 ? 2 : Math.max(2, 1 - Math.floor(Math.log10(usd)));
  return `$${usd.toFixed(Math.min(10, digits))}`;
}
