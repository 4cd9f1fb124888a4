/** What can stand in one place of a command line. */
export type Values =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'runs' }
  | { readonly kind: 'files' }
  /** A number, a name of the user's own. */
  | { readonly kind: 'any' };

export interface DescribedOption {
  /** As it is typed: `--run`, `-h`. */
  readonly names: readonly string[];
  readonly description: string;
  /** Null if it takes no value. */
  readonly values: Values | null;
}

/** A command as a shell completes it. */
export interface DescribedCommand {
  /** From the program's name on: `turnwise store check`. */
  readonly path: string;
  readonly description: string;
  readonly options: readonly DescribedOption[];
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly arguments: Values;
}
