import { describe, expect, it } from 'vitest';
import { conversation, openingMessages } from '../../../domain/questions/conversation.js';
import { datasetItemSchema } from '../../../domain/questions/dataset-item.js';
import { exampleManifest } from '../../support/example-manifest.js';
import { exampleReply } from '../../support/example-records.js';

const item = datasetItemSchema.parse({ uuid: 'q1', question: 'How many turns?' });

describe('the messages that open a conversation', () => {
  const [system, task] = openingMessages(exampleManifest(), item);

  it('explain every action of the method, and the turns there are', () => {
    expect(system?.role).toBe('system');
    expect(system?.content).toContain('RetrieveFromDatabase');
    expect(system?.content).toContain('ClassicRetrieve');
    expect(system?.content).toContain('GenerateAnswer');
    expect(system?.content).toContain('20');
    expect(system?.content).not.toMatch(/\{\{|\}\}/);
  });

  it('put the task before the schemas of its store', () => {
    expect(task?.role).toBe('user');
    expect(task?.content).toMatch(
      /^\[Question\]: How many turns\?\n\[Answer Format\]:\n\[Database Schema\]: [^]+\n\[Vectorstore Schema\]: /,
    );
  });
});

describe('a conversation', () => {
  it('has what the model said and what it was told, as the model is shown them', () => {
    const opening = [{ role: 'user', content: 'Why?' }] as const;
    const search = exampleReply(1, { kind: 'ClassicRetrieve', query: 'turns', limit: 5 });
    const unreadable = exampleReply(2, null, { raw: 'I would rather talk.' });
    expect(
      conversation(opening, [
        { reply: search, observation: 'found' },
        { reply: unreadable, observation: '[Error]: No action in it.' },
      ]),
    ).toEqual([
      { role: 'user', content: 'Why?' },
      {
        role: 'assistant',
        content: "[Thought]: thought 1\n[Action]:\nClassicRetrieve(query='turns', limit=5)",
      },
      { role: 'user', content: '[Observation]: found' },
      { role: 'assistant', content: 'I would rather talk.' },
      { role: 'user', content: '[Observation]: [Error]: No action in it.' },
    ]);
  });
});
