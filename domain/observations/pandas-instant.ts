// Of cells that hold a DATE or TIMESTAMP as ISO 8601: `2020-01-02`, `2020-01-02T03:04:05.5`, `…Z`.

export const isMidnight = (iso: string): boolean => /^[^T]*(?:T00:00:00(?:\.0*)?)?$/.test(iso);

/** Digits behind the second as pandas counts them: 0, 3, 6 or 9. */
export function instantPrecision(iso: string): number {
  const digits = /\.(\d*?)0*Z?$/.exec(iso)?.[1] ?? '';
  return Math.ceil(digits.length / 3) * 3;
}

/** With `digits` digits behind the second; a time in UTC ends in `+00:00`. */
export function instantText(iso: string, separator: ' ' | 'T', digits: number): string {
  const [, date = iso, time = '00:00:00', fraction = '', zone = ''] =
    /^([^T]*)(?:T(\d+:\d+:\d+)(?:\.(\d+))?(Z)?)?$/.exec(iso) ?? [];
  const behind = digits === 0 ? '' : `.${fraction.padEnd(digits, '0').slice(0, digits)}`;
  return `${date}${separator}${time}${behind}${zone === '' ? '' : '+00:00'}`;
}
