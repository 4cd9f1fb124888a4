import { basename, extname } from 'node:path';
import {
  evaluationFileSchema,
  flawOf,
  type FileFlaw,
} from '../../../domain/evaluations/evaluation-file.js';
import { readEvaluation, type Evaluation } from '../../../domain/evaluations/evaluation.js';
import { didYouMean, similarNames } from '../../../domain/formats/did-you-mean.js';
import { evaluationNameSchema } from '../../../domain/ids.js';
import { UserError } from '../../../domain/user-error.js';
import { plainIssue, readYamlFile, type YamlFile } from '../../services/read-file.js';

/** Throws UserError naming the line of the first flaw. */
export function readEvaluationFile(path: string): Evaluation {
  const file = readYamlFile(path);
  const parsed = evaluationFileSchema.safeParse(file.value ?? {}, {
    error: plainIssue,
    reportInput: true,
  });
  if (!parsed.success) throw flawed(path, file, flawOf(parsed.error));
  const fileName = evaluationNameSchema.safeParse(basename(path, extname(path)));
  if (parsed.data.name === undefined && !fileName.success) {
    const message = 'is missing, and the name of the file cannot be that of an evaluation';
    throw flawed(path, file, { path: ['name'], message });
  }
  const reading = readEvaluation(
    parsed.data,
    // One of the two is there.
    fileName.data ?? evaluationNameSchema.parse(parsed.data.name),
  );
  if (reading.kind === 'problem') throw flawed(path, file, reading);
  return reading.evaluation;
}

function flawed(
  file: string,
  { lineOf }: YamlFile,
  { path, message, unknown }: FileFlaw,
): UserError {
  const name = path.map(keyText).join('').replace(/^\./, '');
  const hint = unknown === undefined ? '' : hintOf(message, unknown);
  return new UserError(
    `in ${file}, line ${lineOf(path)}: ${name === '' ? 'it' : name} ${message}${hint}`,
  );
}

/** `.models[0].name`. */
const keyText = (key: PropertyKey): string =>
  typeof key === 'number' ? `[${key}]` : `.${String(key)}`;

/** The nearest name; all names where none is near and the message does not list them. */
function hintOf(message: string, { word, known }: NonNullable<FileFlaw['unknown']>): string {
  if (similarNames(word, known).length > 0) return didYouMean(word, known);
  return message.includes(known.join(', ')) ? '' : `; there are ${known.join(', ')}`;
}
