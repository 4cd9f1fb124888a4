import { z } from 'zod';

/** An option of the command line: what it is for, and what it takes, with limits and default. */
export interface Option<Type extends z.ZodType = z.ZodType> {
  /** What stands for its value in the help text, such as `<n>`. Null if it is a switch. */
  readonly value: string | null;
  readonly help: string;
  readonly type: Type;
  /** Options that it cannot stand beside. */
  readonly conflicts?: readonly string[];
  /** Few need it: `--help-all` shows it, `--help` does not. */
  readonly isRare?: true;
}

/** By their names in camelCase, in the order of the help text: `maxTurns` is given as `--max-turns`. */
export type Options = Readonly<Record<string, Option>>;

type Text = z.ZodOptional<z.ZodString>;
type Switch = z.ZodOptional<z.ZodBoolean>;

/** Without a type it takes any text. */
export function option(value: string, help: string): Option<Text>;
export function option<Type extends z.ZodType>(
  value: string,
  help: string,
  type: Type,
  conflicts?: readonly string[],
): Option<Type>;
export function option(
  value: string,
  help: string,
  type: z.ZodType = z.string().optional(),
  conflicts: readonly string[] = [],
): Option {
  return { value, help, type, conflicts };
}

/** An option without a value. One that is true by default is given as `--no-…`. */
export function flag(help: string): Option<Switch>;
export function flag<Type extends z.ZodType>(help: string, type: Type): Option<Type>;
export function flag(help: string, type: z.ZodType = z.boolean().optional()): Option {
  return { value: null, help, type };
}

/** The same option, which few need. */
export const rare = <Of extends Option>(each: Of): Of => ({ ...each, isRare: true });

export const jsonOption = { json: flag('one JSON document') };

export const resultFormats = ['text', 'markdown', 'html', 'json'] as const;
export type ResultFormat = (typeof resultFormats)[number];

/** Of every command that prints a result. */
export const formatOptions = {
  format: option('<format>', 'of what is printed', z.enum(resultFormats).default('text')),
  json: { ...flag('one JSON document, as --format json'), conflicts: ['format'] },
};

export const whole = (least: number, most: number): z.ZodInt => z.int().min(least).max(most);
export const decimal = (least: number, most: number): z.ZodNumber =>
  z.number().min(least).max(most);

type Value<Of extends Option> = z.output<Of['type']>;
type MayLack<Group extends Options> = {
  [Name in keyof Group]: undefined extends Value<Group[Name]> ? Name : never;
}[keyof Group];

/** What a command is handed: an option that was not given has its default, or is absent. */
export type FlagsOf<Group extends Options> = {
  readonly [Name in MayLack<Group>]?: Exclude<Value<Group[Name]>, undefined>;
} & { readonly [Name in Exclude<keyof Group, MayLack<Group>>]: Value<Group[Name]> };

type Plain<Type> = Type extends z.ZodDefault<infer Inner> | z.ZodOptional<infer Inner>
  ? Inner
  : Type;
type Partly<Group extends Options> = {
  readonly [Name in keyof Group]: Option<z.ZodOptional<Plain<Group[Name]['type']> & z.ZodType>>;
};

/** The type of an option without its default. */
export const plainType = (type: z.ZodType): z.ZodType =>
  type instanceof z.ZodDefault || type instanceof z.ZodOptional
    ? (type.unwrap() as z.ZodType)
    : type;

/** The same options, none of which is needed or has a default. */
export const partly = <Group extends Options>(group: Group): Partly<Group> =>
  // Its names are those of the group.
  mapOptions(group, (each) => ({
    ...each,
    type: plainType(each.type).optional(),
  })) as Partly<Group>;

/** The options as settings of a file: none is needed, and each is described. */
export const settingsOf = <Group extends Options>(
  group: Group,
): { readonly [Name in keyof Group]: Partly<Group>[Name]['type'] } =>
  // Its names are those of the group.
  mapOptions(group, ({ type, help }) =>
    plainType(type)
      .optional()
      .describe(`${help.slice(0, 1).toUpperCase()}${help.slice(1)}`),
  ) as never;

/** Options as a program gives them. */
export type GivenOf<Group extends Options> = {
  readonly [Name in keyof Group]?: Readonly<z.input<Group[Name]['type']>>;
};

/** What is given elsewhere than on the command line, with the defaults that it would have. */
export const flagsOf = <Group extends Options>(
  group: Group,
  given: { readonly [Name in keyof Group]?: z.output<Group[Name]['type']> | undefined },
): FlagsOf<Group> =>
  // Its names are those of the group.
  mapOptions(group, ({ type }, name) => given[name] ?? type.parse(undefined)) as FlagsOf<Group>;

const mapOptions = (
  group: Options,
  map: (each: Option, name: string) => unknown,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(group).map(([name, each]) => [name, map(each, name)]));
