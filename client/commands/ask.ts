import type { CommandLine } from './shared/command-line.js';
import { questionIdSchema, runIdSchema } from '../../domain/ids.js';
import { addressesOf, type RequestBody } from '../../domain/model-api.js';
import { flag, type FlagsOf, option } from '../../domain/option.js';
import type { SharedRunFlags } from '../../domain/runs/run-options.js';
import { storageOf, type Environment } from '../../domain/settings.js';
import { UserError } from '../../domain/user-error.js';
import { questionReport, totalsOf } from '../views/end-report.js';
import { loadEnvironment } from '../services/environment.js';
import { executeRun } from '../runs/execute-run.js';
import { exitStatusOf } from '../views/print-summary.js';
import { prepareRun } from '../runs/prepare-run.js';
import { readTexts } from '../runs/prompt-file.js';
import { requireGraphProgram } from './shared/launch-run.js';
import { addSharedRunOptions, pluginsOf, runConfigOf } from './shared/run-options.js';
import { withSession } from './shared/execute.js';
import { storeOfQuestions } from '../runs/stores/store-files.js';
import { TurnPrinter } from '../views/turn-printer.js';
import { note, printJson, visibleWriter, printResult } from '../services/tell.js';
import { firstIssue } from '../../domain/formats/json.js';
import { datasetItemSchema, type DatasetItem } from '../../domain/scoring/dataset-item.js';
import type { StoreManifest } from '../../domain/stores/store-manifest.js';
import { findPaper } from '../runs/stores/store-papers.js';
import { openingMessages, turnRequest } from '../../domain/agent/conversation.js';
import { agentTexts } from '../../domain/agent/prompts/agent-texts.js';
import { promptVersion } from '../../domain/agent/prompts/prompt-texts.js';
import { methodOf } from '../../domain/agent/methods.js';
import { holdsRows } from '../../domain/agent/turn-plan.js';
import { readRows } from '../runs/database-qa/read-rows.js';
import { partsOf, chatBody, type ChatBody } from '../../domain/models/chat-message.js';
import { requestBody, requestPath } from '../../domain/models/apis/request-body.js';
import type { RequestTokens } from '../../domain/models/request-tokens.js';
import { versionWith, type PromptTexts } from '../../domain/models/prompt-file.js';
import { costOfCall, dollars } from '../../domain/models/usage.js';
import type { RunConfig } from '../../domain/runs/run-config.js';
import { judgeTexts } from '../../domain/scoring/judging/judge-request.js';
import { reviewTexts } from '../../domain/scoring/review/review-messages.js';
import { questionDatabases } from '../runs/database-qa/question-databases.js';
import { priceRemedy } from '../services/user-error.js';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';

const askOptions = {
  answerFormat: option('<text>', 'the form the answer must have'),
  database: option('<path>', 'the database that the question is about (`turnwise docs datasets`)'),
  paper: option(
    '<paper>',
    'a paper the question is about, by id, title or file name (again for more)',
    z.array(z.string()).optional(),
  ),
  dryRun: flag('show what the model would be sent first, with token counts, and ask nothing'),
  texts: flag(
    'print what agents of the method, judges and reviewers are told, as --prompts reads it',
  ),
  json: flag(
    'print the result (or with --dry-run the request) as one JSON document; the turns go to stderr',
  ),
};
type AskFlags = FlagsOf<typeof askOptions>;

export function registerAsk(program: CommandLine): void {
  const command = program
    .command('ask')
    .description('ask one question; prints each turn as it happens, then the answer')
    .argument('[question]');
  addSharedRunOptions(command).optionsGroup('This question:').takes(askOptions).action(ask);
}

/** A question by itself is a run of one: everything that can be asked about a run can be asked about it. */
async function ask(question: string | undefined, flags: SharedRunFlags & AskFlags): Promise<void> {
  const environment = loadEnvironment();
  const asksNothing = flags.dryRun === true || flags.texts === true;
  if (question === undefined && !asksNothing) throw new UserError('name the question');
  const uuid = questionIdSchema.parse(randomUUID());
  const plugins = await pluginsOf(flags, environment);
  const limits = {
    epochs: 1,
    concurrency: 1,
    // Somebody waits for the answer.
    onFailure: 'end',
  } as const;
  const asked = asksNothing ? { ...environment, ...addressesOf(environment) } : environment;
  const config = runConfigOf(flags, asked, limits, plugins);
  if (flags.texts) {
    printTexts(config, readTexts(flags.prompts, plugins));
    return;
  }
  if (!asksNothing) requireGraphProgram(config, environment);
  const store = await storeOfQuestions(environment, flags, config);
  const item = questionItem(uuid, question ?? '{question}', flags, store);
  if (asksNothing) {
    await printFirstRequest(environment, config, item, store, flags.json ?? false);
    return;
  }
  const { folder, manifest } = await prepareRun({
    home: environment.TURNWISE_HOME,
    storage: storageOf(environment),
    run: runIdSchema.parse(
      `ask-${new Date().toISOString().slice(0, 19).replace(/[T:]/g, '-')}-${uuid.slice(0, 4)}`,
    ),
    dataset: { path: 'turnwise ask', text: `${JSON.stringify(item)}\n` },
    store,
    config,
    plugins,
    isAlone: true,
  });
  await withSession(environment, async (session) => {
    const printer = new TurnPrinter(
      folder,
      { uuid, epoch: 1 },
      visibleWriter(flags.json ? process.stderr : process.stdout),
    );
    const end = await executeRun(session, environment, manifest, printer);
    const totals = totalsOf(manifest.run, end);
    const results = await folder.results();
    const [result] = results;
    if (!result) throw new Error(`run ${manifest.run} has ended without a result`);
    await printer.finish(result);
    if (flags.json) printJson(result);
    note(
      `${questionReport({ samples: 1, totals, results, price: manifest.config.model.price })}\nthe whole conversation: turnwise trajectory ${manifest.run} ${uuid}`,
    );
    process.exitCode = exitStatusOf(totals);
  });
}

/** Throws UserError where the question is no question, or the store does not hold its papers. */
function questionItem(
  uuid: string,
  question: string,
  flags: Pick<AskFlags, 'answerFormat' | 'database' | 'paper'>,
  store: StoreManifest | null,
): DatasetItem {
  if (store === null && flags.paper !== undefined) {
    throw new UserError('--paper names a paper of a store: give --store too');
  }
  const papers = store === null ? [] : (flags.paper ?? []).map((paper) => findPaper(store, paper));
  const item = datasetItemSchema.safeParse({
    uuid,
    question,
    answer_format: flags.answerFormat,
    anchor_pdf: papers.map(({ paperId }) => paperId),
    ...(flags.database !== undefined && { database: { path: flags.database } }),
  });
  if (item.success) return item.data;
  throw new UserError(`the question cannot be asked: ${firstIssue(item.error)}`);
}

/** What agents of the method, judges and reviewers are told, as `--prompts` reads it. */
function printTexts(config: RunConfig, given: PromptTexts): void {
  const texts = { ...agentTexts(config), ...judgeTexts, ...reviewTexts, ...given };
  printJson(texts);
}

/** Prints the first request for a question, and sends nothing. */
async function printFirstRequest(
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
