import { WorkflowUpdateFailedError } from '@temporalio/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { Choice, Decision, Item } from '../../../domain/building/item.js';
import type { ItemId } from '../../../domain/ids.js';
import {
  startBuildingUnderTest,
  type BuildingUnderTest,
  type BuiltDataset,
} from '../../support/runs/building/building-under-test.js';
import { ownPrompts, promptsWith } from '../../../domain/building/prompts.js';
import { contentText } from '../../../domain/models/chat-message.js';
import { eventually } from '../../support/command-line.js';
import { decisionOn } from '../../support/runs/building/items.js';

let building: BuildingUnderTest;
beforeAll(async () => {
  building = await startBuildingUnderTest();
  return () => building.stop();
});

const isAt = (state: Item['state']) => (item: Item) => item.state === state;

/** Decides about the item as it is, and resolves to the item afterwards. */
async function take(
  built: BuiltDataset,
  id: ItemId,
  choice: Choice,
  more: Partial<Decision> = {},
): Promise<Item> {
  const item = await built.item(id);
  if (item === null) throw new Error('it has not begun');
  return (await built.decide(id, decisionOn(item, choice, more))).item;
}

async function begun(
  items = 1,
  changes: Parameters<BuildingUnderTest['dataset']>[1] = {},
): Promise<BuiltDataset & { readonly id: ItemId }> {
  const built = await building.dataset(items, changes);
  await built.start();
  const [id] = built.items;
  if (id === undefined) throw new Error('it has no items');
  await built.until(id, ({ gate }) => gate !== null);
  return { ...built, id };
}

/** Why an update was refused. */
const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'it was taken',
    (error: unknown) =>
      error instanceof WorkflowUpdateFailedError ? (error.cause?.message ?? '') : String(error),
  );

describe('an item', () => {
  it('waits at each gate for a person, and is done after the last', async () => {
    const { id, ...built } = await begun();
    expect(await built.item(id)).toMatchObject({ state: 'awaiting-question', calls: 2 });
    await take(built, id, { kind: 'accept' });
    await built.until(id, isAt('awaiting-rows'));
    await take(built, id, { kind: 'accept' });
    const item = await built.until(id, isAt('awaiting-answer'));
    await take(built, id, { kind: 'accept', category: 'conclusive' });
    expect(await built.handle(id).result()).toEqual({ state: 'done' });
    expect(await built.item(id)).toMatchObject({ state: 'done', calls: 7 });
    expect(item.versions.map(({ part }) => part)).toEqual([
      ...['draft', 'question', 'conjecture', 'rows', 'queries', 'answer', 'category'],
    ]);
    expect(await built.text(id, 2)).toBe('Which class of boats wins race 1 most often?');
    expect(await built.text(id, 4)).toContain('INSERT INTO races (id, boat, sailed) VALUES');
  });

  it('costs nothing while it waits: no timer, no activity, a short history', async () => {
    const { id, ...built } = await begun();
    await take(built, id, { kind: 'edit', text: 'Which boat wins?' });
    const { raw } = await built.handle(id).describe();
    expect(raw.pendingActivities ?? []).toEqual([]);
    const { events = [] } = await built.handle(id).fetchHistory();
    expect(events?.filter((event) => event.timerStartedEventAttributes)).toEqual([]);
    expect(events?.length).toBeLessThan(60);
  });

  it('feeds back what is wrong with rows, and is parked with all errors when that does not help', async () => {
    const { id, ...built } = await begun();
    const bad = '```sql\nINSERT INTO races VALUES (1, 99, NULL)\n```';
    building.reply('A conjecture.', bad, 'INSERT INTO yachts VALUES (1)');
    await take(built, id, { kind: 'accept' });
    expect(await built.until(id, isAt('awaiting-rows'))).toMatchObject({ calls: 6 });
    const asked = building.requests.map(({ messages }) =>
      messages.map(({ content }) => contentText(content)).join(),
    );
    expect(asked.at(-2)).toContain('Violates foreign key');
    expect(asked.at(-1)).toContain('there is no table yachts');
    building.reply(bad, bad, bad, bad);
    await take(built, id, { kind: 'redo', step: 'construct' });
    const parked = await built.until(id, isAt('parked'));
    expect(parked.gate?.parked?.reason).toBe('construct-failed');
    expect(parked.gate?.parked?.message.match(/Violates foreign key/g)).toHaveLength(4);
    await take(built, id, { kind: 'redo', step: 'construct' });
    await built.until(id, isAt('awaiting-rows'));
  });

  it('sends the remark of a person to the step that it is sent back to', async () => {
    const { id, ...built } = await begun();
    await take(built, id, { kind: 'redo', step: 'condense' }, { reason: 'name the class' });
    const item = await built.until(id, ({ revision }) => revision === 2);
    expect(await built.text(id, item.versions.length)).toContain('(name the class)');
  });

  it('is parked where a model refuses the request, and goes on with another decision', async () => {
    const built = await building.dataset(1);
    const [id] = built.items as [ItemId];
    building.reply(new PortFailure('ModelRejectedRequest', 'no such setting'));
    await built.start();
    const parked = await built.until(id, isAt('parked'));
    expect(parked.gate?.parked).toEqual({
      from: 'drafting',
      reason: 'model-failed',
      message: 'no such setting',
    });
    await take(built, id, { kind: 'redo', step: 'control' });
    await built.until(id, isAt('awaiting-question'));
  });

  it('is parked when nobody decides in time, and can be opened again', async () => {
    const { id, ...built } = await begun(1, { gateTimeoutMs: 300 });
    const parked = await built.until(id, isAt('parked'));
    expect(parked.gate?.parked).toMatchObject({
      from: 'awaiting-question',
      reason: 'gate-timeout',
    });
    const reopened = await take(built, id, { kind: 'reopen' });
    expect(reopened).toMatchObject({ state: 'awaiting-question', gate: { parked: null } });
  });

  it('goes on where its files are when its workflow is lost', async () => {
    const { id, ...built } = await begun();
    await take(built, id, { kind: 'edit', text: 'Which boat wins?' });
    const before = await built.item(id);
    await built.handle(id).terminate();
    // The building of the dataset starts it again.
    await eventually(async () => {
      const { status } = await built.handle(id).describe();
      return status.name === 'RUNNING' ? true : null;
    });
    await eventually(async () => {
      const { started, drafting } = await built.progress();
      return started === 1 && drafting === 0 ? true : null;
    });
    const after = await built.until(id, () => true);
    expect(after).toEqual(before);
    const taken = await take(built, id, { kind: 'accept' });
    expect(taken.state).toBe('constructing');
    await built.until(id, isAt('awaiting-rows'));
  });
});

describe('a decision', () => {
  it('of the first of two people counts; the second is told who it was and when', async () => {
    const { id, ...built } = await begun();
    const item = await built.until(id, () => true);
    const decisions = ['ann', 'bob'].map((by) => decisionOn(item, { kind: 'accept' }, { by }));
    const outcomes = await Promise.all(
      decisions.map((decision) => refusalOf(built.decide(id, decision))),
    );
    expect(outcomes.filter((outcome) => outcome === 'it was taken')).toHaveLength(1);
    const other = outcomes.find((outcome) => outcome !== 'it was taken');
    expect(other).toMatch(/^item boats-1 .*(ann|bob) has accepted the question at \d{4}-/);
    expect((await built.item(id))?.decisions).toHaveLength(1);
  });

  it('that is sent again counts once, also by a client that knows nothing of the first', async () => {
    const { id, ...built } = await begun();
    const item = await built.until(id, () => true);
    const decision = decisionOn(item, { kind: 'edit', text: 'Which boat?' });
    const first = await built.decide(id, decision);
    expect(await built.decide(id, decision)).toEqual(first);
    const again = await built.handle(id).executeUpdate('decide', { args: [decision] });
    expect(again).toMatchObject({ decided: first.decided });
    expect((await built.item(id))?.versions).toHaveLength(3);
  });

  it('that was sent while no worker ran is taken once by the next one', async () => {
    const { id, ...built } = await begun();
    const item = await built.until(id, () => true);
    const decision = decisionOn(item, { kind: 'edit', text: 'Which boat?' });
    await building.stopWorker();
    const first = built.decide(id, decision);
    const again = built.decide(id, decision);
    await building.startWorker();
    expect(await again).toEqual(await first);
    expect((await built.item(id))?.decisions).toHaveLength(1);
  });

  it('about an item that has waited is taken by another worker, which continues from its history', async () => {
    const { id, ...built } = await begun();
    const item = await built.until(id, () => true);
    await building.stopWorker();
    await building.startWorker('second');
    await take(built, id, { kind: 'accept' });
    await built.until(id, isAt('awaiting-rows'));
    const { events = [] } = await built.handle(id).fetchHistory();
    const workers = events?.flatMap(
      ({ workflowTaskCompletedEventAttributes: done }) => done?.identity ?? [],
    );
    expect([...new Set(workers)]).toEqual(['first', 'second']);
    expect((await built.item(id))?.decisions).toMatchObject([{ seen: item.revision }]);
    await building.stopWorker();
    await building.startWorker();
  });

  it('that edits rows is refused with the error where they do not run', async () => {
    const { id, ...built } = await begun();
    await take(built, id, { kind: 'accept' });
    const item = await built.until(id, isAt('awaiting-rows'));
    const edit = (text: string) => built.decide(id, decisionOn(item, { kind: 'edit', text }));
    expect(await refusalOf(edit('INSERT INTO races VALUES (1, 7, NULL)'))).toContain(
      'Violates foreign key',
    );
    expect(await refusalOf(edit("COPY boats TO '/tmp/boats.csv'"))).toContain('only INSERT INTO');
    expect(await built.item(id)).toEqual(item);
    const { item: edited } = await edit("INSERT INTO boats VALUES (7, 'dinghy')");
    expect(edited).toMatchObject({ state: 'awaiting-rows', revision: item.revision + 1 });
    expect(edited.versions).toHaveLength(item.versions.length + 1);
  });

  it('that makes no sense is refused before it enters the history', async () => {
    const { id, ...built } = await begun();
    const item = await built.until(id, () => true);
    for (const bad of [null, {}, { ...decisionOn(item, { kind: 'accept' }), seen: 7 }]) {
      await expect(built.handle(id).executeUpdate('decide', { args: [bad] })).rejects.toThrow();
    }
    const { events = [] } = await built.handle(id).fetchHistory();
    expect(events?.filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes)).toEqual(
      [],
    );
  });

  it('waits for whom the item is assigned to', async () => {
    const { id, ...built } = await begun();
    const item = await built.assign(id, { id: 'a1', to: ['bob'], by: 'eve' });
    const byAnn = decisionOn(item, { kind: 'accept' }, { by: 'ann' });
    expect(await refusalOf(built.decide(id, byAnn))).toContain('assigned to bob');
    await built.assign(id, { id: 'a2', to: ['ann'], by: 'eve' });
    expect(await refusalOf(built.decide(id, { ...byAnn, id: 'other' }))).toBe('it was taken');
    expect((await built.item(id))?.assignments.map(({ to }) => to)).toEqual([['bob'], ['ann']]);
  });

  it('is made twice where two annotators are asked for', async () => {
    const { id, ...built } = await begun(1, { annotators: 2 });
    await take(built, id, { kind: 'accept' }, { by: 'ann' });
    expect(await built.item(id)).toMatchObject({
      state: 'awaiting-question',
      gate: { adjudicates: false },
    });
    await take(built, id, { kind: 'reject' }, { by: 'bob' });
    expect(await built.item(id)).toMatchObject({ gate: { adjudicates: true } });
    expect(await take(built, id, { kind: 'accept' }, { by: 'eve' })).toMatchObject({
      state: 'constructing',
    });
  });
});

describe('the building of a dataset', () => {
  it('drafts a few items at once, keeps its budget, and ends when all are done with', async () => {
    const built = await building.dataset(9, { budget: { usd: null, tokens: 1_000_000 } }, 2);
    const handle = await built.start();
    for (const id of built.items) await built.until(id, isAt('awaiting-question'));
    expect(await built.progress()).toMatchObject({ items: 9, started: 9, closed: 0, held: [] });
    expect(await built.calls()).toBe(18);
    for (const id of built.items) await take(built, id, { kind: 'reject' });
    expect(await handle.result()).toMatchObject({ closed: 9 });
  });

  it('holds items that the budget does not allow, until it is raised', async () => {
    const built = await building.dataset(1, { budget: { usd: null, tokens: 10 } });
    await built.start();
    for (;;) {
      const { held } = await built.progress();
      if (held.length > 0) {
        expect(held[0]?.message).toContain("The dataset's budget leaves less");
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const handle = building.temporal.client.workflow.getHandle(`tests/dataset/${built.dataset}`);
    await handle.executeUpdate('tuneBuild', { args: [{ budget: { usd: null, tokens: 100_000 } }] });
    const [id] = built.items as [ItemId];
    await built.until(id, isAt('awaiting-question'));
    expect((await built.progress()).held).toEqual([]);
  });

  it('asks no model while it is paused, and goes on with the prompts that it has then', async () => {
    const built = await building.dataset(2);
    await built.start();
    for (const id of built.items) await built.until(id, isAt('awaiting-question'));
    const [one, two] = built.items as [ItemId, ItemId];
    expect(await built.pause(true)).toMatchObject({ isPaused: true });
    await take(built, one, { kind: 'accept' });
    await take(built, two, { kind: 'edit', text: 'Which boat wins?' });
    await eventually(async () => ((await built.progress()).held.length === 1 ? true : null));
    expect((await built.progress()).held).toMatchObject([{ item: one, reason: 'pause' }]);
    expect(await built.calls()).toBe(4);
    const { conjecture } = ownPrompts.instructions;
    const prompts = promptsWith({ conjecture: `${conjecture} Say it in verse.` });
    await built.change({ prompts });
    expect(await built.pause(false)).toMatchObject({ isPaused: false, held: [] });
    const { versions } = await built.until(one, isAt('awaiting-rows'));
    expect(versions.map(({ by }) => by.kind === 'model' && by.prompts)).toEqual([
      ...['1', '1', prompts.version, prompts.version],
    ]);
    const asked = building.requests.map(({ messages }) => contentText(messages[0]?.content ?? ''));
    expect(asked.some((text) => text.includes('Say it in verse.'))).toBe(true);
  });

  it('starts no item while it is paused', async () => {
    const built = await building.dataset(3, {}, 1);
    await building.stopWorker();
    await built.start();
    const paused = built.pause(true);
    await building.startWorker();
    const { started } = await paused;
    expect(started).toBeLessThan(3);
    await built.pause(false);
    for (const id of built.items) await built.until(id, isAt('awaiting-question'));
  });
});
