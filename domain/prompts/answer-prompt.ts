/** Asks for an answer at once, from what the message itself holds. */
export const answerPrompt = `{{role}}

--------

## Task Description
A task is made of these parts. Parts that do not apply are left out.

{{inputs}}

--------

This is the task:

{{task}}

First reason step by step about what the question asks and what speaks for which answer. Then give the final answer, and nothing but the answer, inside a code fence that begins with \`\`\`txt and ends with \`\`\`:

\`\`\`txt
the final answer, in the form the answer format asks for
\`\`\`
`;
