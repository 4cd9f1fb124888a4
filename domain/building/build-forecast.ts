import { contentText } from '../models/chat-message.js';
import { countTokens } from '../models/tokens.js';
import { costOfCall } from '../models/usage.js';
import { renderDatabaseDdl } from '../stores/database-schema.js';
import type { Build } from './build.js';
import { steps, partOf, type Part, type Step } from './item.js';
import { stepMessages } from './prompts.js';

/** What the calls for all items come to, if each step is asked for once. */
export interface BuildForecast {
  readonly calls: number;
  readonly tokens: number;
  /** Null where the price is unknown. */
  readonly usd: number | null;
}

/** Tokens of a usual reply, without reasoning that a model does not show. */
const replyTokens: Readonly<Record<Step, number>> = {
  control: 60,
  condense: 40,
  conjecture: 200,
  construct: 1_200,
  query: 300,
  conclude: 250,
  classify: 90,
};
/** Of the results of all queries of an item. */
const resultTokens = 500;

/** A text of about so many tokens. */
const textOf = (tokens: number): string => ' word'.repeat(tokens);

/** Repetitions that failures and people ask for come on top. */
export function forecastBuild({ seeds, databases, model, prompts }: Build): BuildForecast {
  const promptTokens = databases.map((database) => {
    const schema = renderDatabaseDdl(database);
    const texts = Object.fromEntries(
      steps.map((step) => [partOf[step], usualText(partOf[step], replyTokens[step])]),
    );
    return steps.map((step) => {
      // What is asked for is not there yet.
      const others = Object.fromEntries(
        Object.entries(texts).filter(([part]) => part !== partOf[step]),
      );
      const input = { step, schema, seedQuestion: textOf(40), texts: others, remark: '' };
      const asked = stepMessages({ ...input, failures: [], failedReply: null }, prompts);
      return asked.reduce((sum, { content }) => sum + countTokens(contentText(content)), 0);
    });
  });
  let [tokens, usd] = [0, 0];
  for (const { database } of seeds) {
    for (const [at, step] of steps.entries()) {
      const prompt = promptTokens[database]?.[at] ?? 0;
      const completion = replyTokens[step];
      tokens += prompt + completion;
      usd += costOfCall({ prompt, completion, cached: 0 }, model.price) ?? 0;
    }
  }
  return {
    calls: seeds.length * steps.length,
    tokens,
    usd: model.price === null ? null : usd,
  };
}

const usualText = (part: Part, tokens: number) => ({
  ...{ version: 1, part, text: textOf(tokens) },
  results:
    part === 'queries'
      ? [{ sql: textOf(tokens), status: 'rows' as const, rows: 1, shown: textOf(resultTokens) }]
      : [],
});
