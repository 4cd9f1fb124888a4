import { promptsWith } from '../../../domain/building/prompts.js';
import { changedPromptsSchema, type Prompts } from '../../../domain/building/prompts-schema.js';
import { flawedFiles } from '../../services/read-file.js';
import { readYamlFile } from '../../services/yaml-file.js';

/** Prompts of the user's own. Throws UserError that names the lines that are wrong. */
export function readPrompts(path: string): Prompts {
  const { value, lineOf } = readYamlFile(path);
  const { data, error } = changedPromptsSchema.safeParse(value ?? {});
  if (data) return promptsWith(data);
  const problems = error.issues.map(
    (issue) => `line ${lineOf(issue.path)}: ${[...issue.path, issue.message].join(' ')}`,
  );
  throw flawedFiles([{ file: path, problems }]);
}
