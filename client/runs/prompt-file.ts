import { textsOfAgents } from '../../domain/agent/prompts/agent-texts.js';
import type { LoadedPlugin } from './own-code.js';
import { promptFileSchema, type PromptTexts } from '../../domain/models/prompt-file.js';
import { judgeTexts } from '../../domain/scoring/judging/judge-request.js';
import { reviewTexts } from '../../domain/scoring/review/review-messages.js';
import { flawedFiles, readYamlFile } from '../services/read-file.js';

/**
 * Texts of the user's own, by the names of those in whose place they are told, in YAML or JSON. Empty without a file.
 * Throws UserError that names the lines that are wrong.
 */
export function readPromptFile(path: string | undefined, own: PromptTexts): PromptTexts {
  if (path === undefined) return {};
  const { value, lineOf } = readYamlFile(path);
  const { data, error } = promptFileSchema(own).safeParse(value ?? {});
  if (data) return data;
  const problems = error.issues.map(
    (issue) => `line ${lineOf(issue.path)}: ${[...issue.path, issue.message].join(' ')}`,
  );
  throw flawedFiles([{ file: path, problems }]);
}

/** The same for the texts of all agents, judges and reviewers. @param loaded - plugins whose methods are agents, too */
export function readTexts(path?: string, loaded: readonly LoadedPlugin[] = []): PromptTexts {
  const agents = textsOfAgents(loaded.map(({ plugin }) => plugin));
  return readPromptFile(path, { ...agents, ...judgeTexts, ...reviewTexts });
}
