/** Sent to the program that queries a graph, in place of a bare question. */
export const graphQueryPrompt = `{{task}}

Give the final answer, and nothing but the answer, inside a code fence that begins with \`\`\`txt and ends with \`\`\`.`;

/** The word that accepts an answer. */
export const completed = 'COMPLETED';

/** What a judge ends with that is content. */
export const acceptance = `\`\`\`txt\n${completed}\n\`\`\``;

/** Asks whether the last answer of a graph will do. */
export const judgePrompt = `{{role}}

--------

## Task Description
A task is made of these parts. Parts that do not apply are left out.

{{inputs}}

--------

This is the task:

{{task}}

First reason about whether the last answer settles the question, and whether it has the form that the answer format asks for. If both are so, end with this code fence, which hands the answer in:

${acceptance}

If not, write in place of that word the question to ask next. It must be understood by itself, and differ from those asked so far.
`;
