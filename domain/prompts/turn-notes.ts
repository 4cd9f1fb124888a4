// Notes under an observation. They stay as they were first sent, so that providers can cache what comes before them.

export const turnsLeftNote = (left: number): string => `[Turns Left]: ${left}`;

/** Before the last turn, in which every other action is refused. */
export const lastTurnNote =
  '[Turns Left]: 1. This turn must be GenerateAnswer. Give the best answer that what you have seen allows, in the answer format.';

export const repeatedActionNote = (turn: number): string =>
  `[Note]: This is the same action as in turn ${turn}, so it brought nothing new. Try something else.`;
