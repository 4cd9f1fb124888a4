/** Enters every manifest and every judged score. Raised whenever a text the judge reads, or the way its reply is read, changes. */
export const judgePromptVersion = '1';
