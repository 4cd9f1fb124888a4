import type { ComponentChildren, JSX } from 'preact';

interface RadioGroupProps<Value extends string> {
  readonly legend: string;
  readonly name: string;
  readonly values: readonly Value[];
  readonly chosen: string;
  readonly onChoose: (value: Value) => void;
  readonly labelOf: (value: Value) => ComponentChildren;
}

/** One of several values must be chosen. */
export const RadioGroup = <Value extends string>({
  legend,
  name,
  values,
  chosen,
  onChoose,
  labelOf,
}: RadioGroupProps<Value>): JSX.Element => (
  <fieldset>
    <legend>{legend}</legend>
    {values.map((value) => (
      <label key={value} class="check">
        <input
          type="radio"
          name={name}
          value={value}
          required
          checked={chosen === value}
          onChange={() => onChoose(value)}
        />{' '}
        {labelOf(value)}
      </label>
    ))}
  </fieldset>
);
