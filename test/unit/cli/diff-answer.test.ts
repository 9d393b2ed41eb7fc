import { expect, it } from 'vitest';
import type { AnswersDiff, Question } from '../../../src/administration/diff/answer-tally.ts';
import type { VersionDiff } from '../../../src/administration/diff/version-diff.ts';
import { diffAnswer } from '../../../src/cli/operations/diff-answer.ts';

function notesOf(answers: AnswersDiff): readonly string[] {
  const none = { layout: [], tables: [], uncompared: [], answers_left_out: [], positions: ['0:1'] };
  const diff: VersionDiff = { name: 'events', from: 1, to: 2, equal: false, ...none, answers: [answers] };
  return diffAnswer(diff).notes!;
}

const asked = (limit: number): Question => ({
  bot: 'b',
  report_config: `{"filter":"${'x'.repeat(100)}","limit":${limit}}`,
});

it('shows two questions that differ only near their end as different lines', () => {
  const samples = [1, 2].map((limit) => ({ question: asked(limit), before: 1, after: 2 }));
  const slower = [3, 4].map((limit) => ({ question: asked(limit), ms_before: 60, ms_after: 200 }));
  const notes = notesOf({ kind: 'asked_reports', compared: 9, differing: 2, samples, slower });
  for (const limit of [1, 2, 3, 4])
    expect(notes.filter((note) => note.includes(`x","limit":${limit}}: `))).toHaveLength(1);
});
