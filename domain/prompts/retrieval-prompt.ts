/** Asks for one retrieval whose result another prompt will answer from. The places differ by what is to be written. */
export const retrievalPrompt = `{{role}} What you retrieve is shown to somebody else, who answers the question from it alone. There is only one attempt: nothing can be corrected afterwards.

--------

## Task Description
A task is made of these parts. Parts that do not apply are left out.

{{inputs}}

--------

{{instructions}}

--------

This is the task:

{{task}}

{{request}}
`;

export const sqlInstructions = `## Hints
1. Write one SELECT statement in the DuckDB dialect. Only tables and columns of the schema exist.
2. Texts vary between papers: prefer ILIKE with a part of the wording to an exact comparison.
3. Select the columns that hold evidence rather than ids, and limit the rows: long results are cut.`;

export const sqlRequest = `First reason about which tables and columns hold the evidence. Then write the statement inside a code fence:

\`\`\`sql
SELECT ...
\`\`\``;

export const actionRequest = `First reason about what would settle the question. Then write one action, exactly as specified above, inside a code fence:

\`\`\`json
{"action_type": ..., "parameters": {...}}
\`\`\``;

export const toolRequest = `First reason about what would settle the question. Then call one tool.`;
