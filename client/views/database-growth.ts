import { sizeText } from '../../domain/formats/text.js';
import type { DatabaseUse } from '../../storage/temporal-database.js';

/** A server writes its file every few megabytes: less is no growth that could be told. */
const leastBytes = 1e6;

/** What a run has added to the database of the embedded server; null where that is next to nothing, or unknown. */
export function growthText(before: DatabaseUse | null, after: DatabaseUse | null): string | null {
  if (before === null || after === null) return null;
  const grownBy = usedOf(after) - usedOf(before);
  if (grownBy < leastBytes) return null;
  return `Temporal's database grew by about ${sizeText(grownBy)}, to ${sizeText(after.bytes)}; it keeps histories for TURNWISE_HISTORY_DAYS`;
}

const usedOf = ({ bytes, freeBytes }: DatabaseUse): number => bytes - freeBytes;
