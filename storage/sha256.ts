import { createHash } from 'node:crypto';

/** Of a text in UTF-8, in hex. */
export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');
