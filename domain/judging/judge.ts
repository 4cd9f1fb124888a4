/** What a judge said in one call. */
export interface JudgeSaid {
  readonly text: string;
  /** By the token limit. */
  readonly cutOff: boolean;
}

/** A judge, as scoring knows it: what it can do, and all that it has said about one answer. */
export interface Judge {
  /** Whether its provider holds it to a schema. */
  readonly structured: boolean;
  /** Calls about one matter before the judge counts as unreadable. The reference has one. */
  readonly tries: number;
  /** What it said about a part of the evaluator (`JudgeQuestion.part`), call by call. */
  readonly said: (part: string) => readonly JudgeSaid[];
}
