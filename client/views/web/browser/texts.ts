import { costText } from '../../page/browser/figure-text.js';
import type { ShownScore } from '../page-data.js';

/** `2026-11-21 17:46`, in UTC as in the report. */
export const instantText = (iso: string): string => iso.slice(0, 16).replace('T', ' ');

export const decimals = (value: number): string => value.toFixed(3);

export const intervalText = ({ interval }: ShownScore): string =>
  interval === null ? '' : `${decimals(interval.low)} – ${decimals(interval.high)}`;

export { costText };
