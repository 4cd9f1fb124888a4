import type { ComponentChildren, JSX } from 'preact';
import { grouped } from '../../../../../domain/formats/text.js';

interface FilterProps {
  /** What is filtered, for screen readers. */
  readonly label: string;
  readonly shown: number;
  readonly of: number;
  readonly children: ComponentChildren;
}

/** The form above a list that decides which of its rows are shown. */
export const Filter = ({ label, shown, of, children }: FilterProps): JSX.Element => (
  <form
    class="filter"
    role="search"
    aria-label={label}
    onSubmit={(event) => event.preventDefault()}
  >
    {children}
    <output aria-live="polite">
      {grouped(shown)} of {grouped(of)} shown
    </output>
  </form>
);

interface TextFilterProps {
  readonly label?: string;
  readonly name: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  /** The id of a list of suggestions. */
  readonly list?: string;
}

export const TextFilter = ({
  label = 'text',
  name,
  placeholder,
  value,
  onInput,
  list,
}: TextFilterProps): JSX.Element => (
  <label>
    {label}{' '}
    <input
      type="search"
      name={name}
      placeholder={placeholder}
      list={list}
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  </label>
);

interface ChoiceProps {
  readonly name: string;
  /** Empty for all. */
  readonly value: string;
  readonly choices: readonly (readonly [string, number])[];
  readonly onChoose: (value: string) => void;
}

export const Choice = ({ name, value, choices, onChoose }: ChoiceProps): JSX.Element => (
  <label>
    {name}
    <select
      name={name}
      value={value}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    >
      <option value="">all</option>
      {choices
        .filter(([, count]) => count > 0)
        .map(([choice, count]) => (
          <option key={choice} value={choice}>
            {choice} ({grouped(count)})
          </option>
        ))}
    </select>
  </label>
);

/** How often each value is there. */
export function countsOf(values: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts];
}
