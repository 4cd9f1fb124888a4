import { repr } from '../../domain/python/text.js';
import { pythonFromJson } from '../../domain/python/value.js';
import type { Conversation } from './conversation.js';
import { generatedTurn } from './generated-turn.js';
import { fillPlaceholders, type Row } from './placeholders.js';
import { oneLine, type Script, type ScriptedQuestion, type ScriptedReply } from './script.js';

/** What a model with this script says next, from the messages alone; `undefined` where the script has nothing for them. */
export function createReplies(script: Script): (conversation: Conversation) => string | undefined {
  const questions = new Map(script.questions.map((entry) => [oneLine(entry.question), entry]));

  return ({ question, lastThought, rows, lastMessage }) => {
    const scripted = question === undefined ? undefined : questions.get(oneLine(question));
    if (scripted) return turnText(filled(followUp(scripted, lastThought), rows));
    const prompt = script.prompts.find(({ includes }) => lastMessage.includes(includes));
    if (prompt) return prompt.reply;
    if (script.generated === undefined || question === undefined) return undefined;
    return turnText(generatedTurn(question, lastThought, script.generated.turns));
  };
}

/** The reply after the one with that thought. The last one is repeated if the agent would not accept it. */
function followUp({ replies }: ScriptedQuestion, lastThought: string | undefined): ScriptedReply {
  const said = replies.findIndex(({ thought }) => oneLine(thought) === oneLine(lastThought ?? ''));
  return replies[said + 1] ?? replies.at(-1) ?? replies[0];
}

/** A placeholder that finds nothing ends the question with an answer that says so, and that no evaluator takes for right. */
function filled({ thought, action }: ScriptedReply, rows: readonly Row[]): ScriptedReply {
  const filling = fillPlaceholders(action, rows);
  if (filling.kind === 'filled') return { thought, action: filling.action };
  const apology = `The simulated model found nothing for ${filling.placeholder} in the last observation.`;
  return { thought, action: `GenerateAnswer(answer=${repr(pythonFromJson(apology))})` };
}

const turnText = ({ thought, action }: ScriptedReply): string =>
  `[Thought]: ${thought}\n[Action]:\n${action}`;
