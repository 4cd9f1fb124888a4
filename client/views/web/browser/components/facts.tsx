import type { JSX } from 'preact';

interface FactsProps {
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly label?: string;
}

/** Names and their values. */
export const Facts = ({ facts, label }: FactsProps): JSX.Element => (
  <dl class="facts" aria-label={label}>
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
