import { openingMessages, turnRequest } from '../../domain/agent/conversation.js';
import { agentTexts } from '../../domain/agent/prompts/agent-texts.js';
import { promptVersion } from '../../domain/agent/prompts/prompt-texts.js';
import { methodOf } from '../../domain/agent/methods.js';
import { runIdSchema } from '../../domain/ids.js';
import { holdsRows } from '../../domain/agent/turn-plan.js';
import { UserError } from '../../domain/user-error.js';
import { readRows } from '../runs/database-qa/read-rows.js';
import { partsOf, chatBody, type ChatBody } from '../../domain/models/chat-message.js';
import { flag } from '../../domain/option.js';
import type { RequestBody } from '../../domain/model-api.js';
import { requestBody, requestPath } from '../../domain/models/apis/request-body.js';
import type { RequestTokens } from '../../domain/models/request-tokens.js';
import { versionWith, type PromptTexts } from '../../domain/models/prompt-file.js';
import { costOfCall, dollars } from '../../domain/models/usage.js';
import type { RunConfig } from '../../domain/runs/run-config.js';
import { judgeTexts } from '../../domain/scoring/judging/judge-request.js';
import { reviewTexts } from '../../domain/scoring/review/review-messages.js';
import type { DatasetItem } from '../../domain/scoring/dataset-item.js';
import { storageOf, type Environment } from '../../domain/settings.js';
import type { StoreManifest } from '../../domain/stores/store-manifest.js';
import { questionDatabases } from '../runs/database-qa/question-databases.js';
import { printJson, printResult } from '../services/tell.js';
import { priceRemedy } from '../services/user-error.js';

export const firstRequestOptions = {
  dryRun: flag('show what the model would be sent first, with token counts, and ask nothing'),
  texts: flag(
    'print what agents of the method, judges and reviewers are told, as --prompts reads it',
  ),
};

/** What agents of the method, judges and reviewers are told, as `--prompts` reads it. */
export function printTexts(config: RunConfig, given: PromptTexts): void {
  const texts = { ...agentTexts(config), ...judgeTexts, ...reviewTexts, ...given };
  printJson(texts);
}

/** Prints the first request for a question, and sends nothing. */
export async function printFirstRequest(
  environment: Environment,
  config: RunConfig,
  item: DatasetItem,
  store: StoreManifest | null,
  json: boolean,
): Promise<void> {
  const home = environment.TURNWISE_HOME;
  const titles = Object.fromEntries(
    (store?.papers ?? []).map(({ paperId, title }) => [paperId, title]),
  );
  const dataset = { path: 'turnwise ask' };
  const asked = { home, storage: storageOf(environment), dataset, store, config, isAlone: true };
  const { databases, schemaOf } = await questionDatabases(asked, [item]);
  const manifest = { run: runIdSchema.parse('dry-run'), config, store, databases };
  const [read] = holdsRows(methodOf(config))
    ? await readRows(environment, { manifest, items: [item] })
    : [];
  if (read && read.kind !== 'rows')
    throw new UserError(`no request would be sent: ${read.message}`);
  const messages = openingMessages(manifest, item, titles, 1, schemaOf(item), read?.text);
  const request = turnRequest(config, 1, messages);
  const body = requestBody(request);
  const asChat = chatBody(request);
  // Read only here: the tokenizers' tables are megabytes that no other command needs.
  const { countRequestTokens } = await import('../../domain/models/request-tokens.js');
  const counted = countRequestTokens(asChat);
  const prompts = versionWith(promptVersion, config.prompts);
  const tokens = { ...counted, estimated: [...counted.estimated, ...contextDoubt(config)] };
  printResult(
    json,
    { endpoint: config.model.baseUrl, path: requestPath(request), prompts, request: body, tokens },
    inWords(asChat, body, tokens, config.model, prompts),
  );
}

/** The fields of a body, whatever its API, that hold the conversation and the tools. */
const spoken = ['messages', 'input', 'contents', 'system', 'systemInstruction', 'tools'];

/** @param asChat - the same request in the form of chat completions */
function inWords(
  { messages, tools }: ChatBody,
  body: RequestBody,
  tokens: RequestTokens,
  model: RunConfig['model'],
  prompts: string,
): string {
  const parameters = Object.fromEntries(
    Object.entries(body).filter(([key]) => !spoken.includes(key)),
  );
  const cost = costOfCall({ prompt: tokens.total, completion: 0, cached: 0 }, model.price);
  const doubt = tokens.estimated.length > 0 ? `, an estimate: ${tokens.estimated.join('; ')}` : '';
  return [
    ...messages.map(
      ({ role, content }, index) =>
        `── ${role} (${tokens.messages[index] ?? 0} tokens)\n${partsOf(content ?? [])
          .map((part) => (part.type === 'text' ? part.text : '(a picture)'))
          .join('\n')}`,
    ),
    ...(tools === undefined
      ? []
      : [`── tools (${tokens.tools} tokens)\n${JSON.stringify(tools, null, 1)}`]),
    [
      `── ${JSON.stringify(parameters)}`,
      ...(prompts === promptVersion ? [] : [`prompts ${prompts}`]),
      `${tokens.total} tokens in ${tokens.encoding}${doubt}`,
      cost === null
        ? `price unknown ${priceRemedy}`
        : `${dollars(cost)} for these, the reply apart`,
    ].join('\n'),
  ].join('\n\n');
}

/** The only part of a request that no file holds. */
function contextDoubt(config: RunConfig): readonly string[] {
  const method = methodOf(config);
  if (method.kind !== 'single-shot') return [];
  const { context } = method;
  if (context.kind === 'none' || context.kind === 'schema') return [];
  const most =
    context.kind === 'search'
      ? `${context.limit} passages`
      : `at most ${context.cutoffTokens} tokens`;
  return [`the context comes when the question is asked, ${most}`];
}
