import type { ActionFormatName } from '../actions/action-format-names.js';

/** How a conversation of thoughts, actions and observations goes. */
export const interactionFramework = (format: ActionFormatName): string =>
  format === 'tools' ? withTools : withText;

const withText = `## Interaction Framework
The conversation goes like this:

----

[Thought]: why the next action is the right one
[Action]: one action, written exactly as specified above
[Observation]: what came of it

... more rounds of the same three parts ...

[Thought]: why the evidence is now sufficient
[Action]: GenerateAnswer, which ends the task

----

You write one [Thought] and one [Action] in each turn, nothing after the action. The [Observation] is written for you: never write one yourself.`;

const withTools = `## Interaction Framework
In each turn you say in a sentence or two why the next action is the right one, and call one tool. You are then told what came of the call. Turns follow each other until you call GenerateAnswer, which ends the task. Call one tool at a time; a turn without a call is lost.`;
