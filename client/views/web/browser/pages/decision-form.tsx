import type { JSX, ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { textDifference, type TextPiece } from '../../../../../domain/formats/text-difference.js';
import type { OpenGate } from '../../page-data.js';
import { actionPaths, pathTo } from '../../../page/page-paths.js';
import { useRemembered } from '../navigation.js';
import { rememberPerson, thisPerson } from '../form.jsx';
import { Problem } from '../components/page.jsx';
import { act } from '../use-page.js';

type ChoiceKind = OpenGate['choices'][number];

interface DecisionFormProps {
  readonly dataset: string;
  readonly item: string;
  /** As it was opened: a decision about anything else is refused. */
  readonly gate: OpenGate;
  readonly onDone: (said: string) => void;
}

const buttons: Readonly<Record<ChoiceKind, string>> = {
  accept: 'Accept',
  edit: 'Save the edit',
  redo: 'Ask for another',
  reject: 'Reject',
  reopen: 'Open again',
};

const reasons: Readonly<Record<ChoiceKind, string>> = {
  accept: 'Remark (optional)',
  edit: 'Why (optional)',
  redo: 'What the model shall do',
  reject: 'Reason',
  reopen: 'Remark (optional)',
};

function labelOf(choice: ChoiceKind, { edited }: OpenGate): string {
  switch (choice) {
    case 'accept':
      return 'Accept it as it is';
    case 'edit':
      return `Edit the ${edited?.part ?? 'text'}`;
    case 'redo':
      return 'Ask a model for another';
    case 'reject':
      return 'Reject the item';
    case 'reopen':
      return 'Open its gate again';
  }
}

/** Makes one decision. What was typed stays where it is refused, and where the reader goes elsewhere and comes back. */
export function DecisionForm({ dataset, item, gate, onDone }: DecisionFormProps): JSX.Element {
  const [person, setPerson] = useState(thisPerson);
  const [choice, setChoice] = useRemembered<ChoiceKind | ''>(`choice ${gate.seen}`, '');
  const [text, setText] = useRemembered(`text ${gate.seen}`, gate.edited?.text ?? '');
  const [reason, setReason] = useRemembered(`reason ${gate.seen}`, '');
  const [category, setCategory] = useState('');
  const [step, setStep] = useState<string>(gate.steps.at(-1) ?? '');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy || choice === '') return;
    setBusy(true);
    setProblem(null);
    const by = person.trim();
    rememberPerson(by);
    const choices: Readonly<Record<ChoiceKind, object>> = {
      accept: { ...(gate.categories.length > 0 && { category }) },
      edit: { text },
      redo: { step },
      reject: {},
      reopen: {},
    };
    const body = { by, seen: gate.seen, reason, choice: { kind: choice, ...choices[choice] } };
    try {
      onDone(await act(pathTo(actionPaths.decide, { dataset, item }), body));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };

  return (
    <form class="decide fields" onSubmit={(event) => void submit(event)}>
      <label>
        Your name
        <input
          name="by"
          required
          maxLength={100}
          autocomplete="name"
          value={person}
          onInput={({ currentTarget }) => setPerson(currentTarget.value)}
        />
      </label>
      <Decided gate={gate} person={person.trim()} />
      <RadioGroup
        legend="What is to be done"
        name="choice"
        values={gate.choices}
        chosen={choice}
        onChoose={setChoice}
        labelOf={(each) => labelOf(each, gate)}
      />
      {choice === 'accept' && gate.categories.length > 0 && (
        <RadioGroup
          legend="The question is"
          name="category"
          values={gate.categories}
          chosen={category}
          onChoose={setCategory}
          labelOf={(each) => (
            <>
              {each}
              {gate.proposed === each && <span class="faint"> (a model proposes it)</span>}
            </>
          )}
        />
      )}
      {choice === 'edit' && gate.edited && (
        <Edit part={gate.edited.part} before={gate.edited.text} text={text} onText={setText} />
      )}
      {choice === 'redo' && (
        <label>
          From step
          <select
            name="step"
            value={step}
            onChange={({ currentTarget }) => setStep(currentTarget.value)}
          >
            {gate.steps.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
      )}
      {choice !== '' && (
        <label>
          {reasons[choice]}
          <textarea
            name="reason"
            rows={2}
            maxLength={10_000}
            required={choice === 'reject'}
            value={reason}
            onInput={({ currentTarget }) => setReason(currentTarget.value)}
          />
        </label>
      )}
      <Problem text={problem} />
      <p class="buttons">
        <button type="submit" class="first" disabled={isBusy}>
          {isBusy ? 'One moment …' : choice === '' ? 'Decide' : buttons[choice]}
        </button>
      </p>
    </form>
  );
}

/** Whom the gate waits for, as far as that concerns this person. */
function Decided({
  gate: { assigned, decidedBy, adjudicates },
  person,
}: {
  readonly gate: OpenGate;
  readonly person: string;
}): JSX.Element {
  const isOthers = assigned.length > 0 && !adjudicates && !assigned.includes(person);
  return (
    <p class="faint" role="status">
      {adjudicates && 'Two annotators differ. This decision counts. '}
      {decidedBy.includes(person)
        ? `${person} has decided. The decision of another annotator is awaited.`
        : isOthers && `Assigned to ${assigned.join(' and ')}.`}
    </p>
  );
}

interface EditProps {
  readonly part: string;
  readonly before: string;
  readonly text: string;
  readonly onText: (text: string) => void;
}

function Edit({ part, before, text, onText }: EditProps): JSX.Element {
  const pieces = useMemo(() => textDifference(before, text), [before, text]);
  return (
    <>
      <label>
        {part === 'rows' ? 'INSERT statements, which are tried out first' : `The ${part}`}
        <textarea
          name="text"
          class={part === 'rows' ? 'code' : ''}
          rows={part === 'question' ? 5 : 14}
          required
          spellcheck={part !== 'rows'}
          value={text}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
      </label>
      <details>
        <summary>{text === before ? 'Nothing is changed yet' : 'What is changed'}</summary>
        <Difference pieces={pieces} />
      </details>
    </>
  );
}

interface RadioGroupProps<Value extends string> {
  readonly legend: string;
  readonly name: string;
  readonly values: readonly Value[];
  readonly chosen: string;
  readonly onChoose: (value: Value) => void;
  readonly labelOf: (value: Value) => ComponentChildren;
}

/** One of several values must be chosen. */
const RadioGroup = <Value extends string>({
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

/** How two texts differ, with words for those who do not see it. */
export function Difference({ pieces }: { readonly pieces: readonly TextPiece[] }): JSX.Element {
  return (
    <p class="difference">
      {pieces.map(({ kind, text }, at) => {
        if (kind === 'same') return text;
        const Mark = kind === 'added' ? 'ins' : 'del';
        return (
          <Mark key={at}>
            <span class="unseen">{kind}: </span>
            {text}
          </Mark>
        );
      })}
    </p>
  );
}
