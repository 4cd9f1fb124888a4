import { InvalidArgumentError } from 'commander';

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A commander parser for a moment to come: a date with time, or a time from now. As ISO 8601. */
export function deadline(text: string): string {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([mhd])$/.exec(text) ?? [];
  const at =
    number !== undefined && unit !== undefined
      ? Date.now() + Number(number) * units[unit as keyof typeof units]
      : Date.parse(text);
  if (!(at < 8.64e15)) {
    throw new InvalidArgumentError(
      'It must be a date with time, such as 2027-01-31T18:00Z, or a time from now, such as 90m, 8h or 2d.',
    );
  }
  if (at <= Date.now()) throw new InvalidArgumentError('It is past.');
  return new Date(at).toISOString();
}
