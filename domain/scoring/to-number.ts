import type { PythonValue } from '../python/value.js';

/** Python reads no int from more digits than these. */
const maxDigits = 4300;
const digitRun = String.raw`\d(?:_?\d)*`;
const intText = new RegExp(`^[+-]?${digitRun}$`);
const floatText = new RegExp(
  `^[+-]?(?:(?:${digitRun}\\.?(?:${digitRun})?|\\.${digitRun})(?:e[+-]?${digitRun})?)$`,
  'i',
);
const namedFloats: ReadonlyMap<string, number> = new Map([
  ['inf', Infinity],
  ['infinity', Infinity],
  ['nan', NaN],
]);

/** Python's `int(value)`; null where it raises. Truncates floats toward zero. */
export function toInt(value: PythonValue): bigint | null {
  switch (value.kind) {
    case 'int':
      return value.value;
    case 'bool':
      return BigInt(value.value);
    case 'float':
      return Number.isFinite(value.value) ? BigInt(Math.trunc(value.value)) : null;
    case 'str': {
      const text = plainNumber(value.value);
      if (!intText.test(text) || text.length > maxDigits) return null;
      // BigInt takes no plus sign.
      return BigInt(text.replaceAll('_', '').replace('+', ''));
    }
    case 'none':
    case 'ellipsis':
    case 'complex':
    case 'bytes':
    case 'list':
    case 'tuple':
    case 'set':
    case 'dict':
      return null;
  }
}

/** Python's `float(value)`; null where it raises. */
export function toFloat(value: PythonValue): number | null {
  switch (value.kind) {
    case 'float':
      return value.value;
    case 'int':
    case 'bool': {
      const number = Number(value.value);
      return Number.isFinite(number) ? number : null;
    }
    case 'str': {
      const text = plainNumber(value.value);
      if (floatText.test(text)) return Number(text.replaceAll('_', ''));
      const named = namedFloats.get(text.replace(/^[+-]/, '').toLowerCase());
      return named === undefined ? null : text.startsWith('-') ? -named : named;
    }
    case 'none':
    case 'ellipsis':
    case 'complex':
    case 'bytes':
    case 'list':
    case 'tuple':
    case 'set':
    case 'dict':
      return null;
  }
}

/** Without blanks around it (numbers know fewer than `strip`), decimal digits of any script as 0 to 9. */
function plainNumber(text: string): string {
  return text
    .replace(/^(?:(?!\ufeff)\s|\x85)+|(?:(?!\ufeff)\s|\x85)+$/g, '')
    .replace(/(?!\d)\p{Nd}/gu, (digit) => digitValue(digit).toString());
}

const isDecimalDigit = (codePoint: number): boolean =>
  /\p{Nd}/u.test(String.fromCodePoint(codePoint));

/** Unicode lists the decimal digits of a script in runs of ten, some of them back to back. */
function digitValue(digit: string): number {
  const codePoint = digit.codePointAt(0) ?? 0;
  let first = codePoint;
  while (isDecimalDigit(first - 1)) first -= 1;
  return (codePoint - first) % 10;
}
