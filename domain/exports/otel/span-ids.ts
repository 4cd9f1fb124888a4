import { v5 as uuid5 } from 'uuid';
import type { RecordedQuestion } from '../recorded-question.js';

// The same for the same question of the same run, whenever and wherever it is exported.

/** 32 hexadecimal digits. */
export const traceId = (question: RecordedQuestion): string => hexadecimal(keyOf(question));

/** 16 hexadecimal digits. @param part - of the question, e.g. `turn 3 chat` */
export const spanId = (question: RecordedQuestion, part: string): string =>
  hexadecimal(`${keyOf(question)} ${part}`).slice(0, 16);

const hexadecimal = (name: string): string => uuid5(name, uuid5.URL).replaceAll('-', '');

/** Runs of the same id are told apart by when they began. */
const keyOf = ({ manifest, item, result }: RecordedQuestion): string =>
  `turnwise run ${manifest.run} ${manifest.startedAt} ${item.uuid} ${result.epoch}`;
