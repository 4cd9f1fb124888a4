/** What judges are told, by the names that a file of other texts has. The borders of the sections stay as they are. */
export const judgeTexts = {
  'judge.content':
    'Only content counts. Wording, structure and formatting of the answer do not matter, nor does its length, unless the rule says so.',
  'judge.again':
    'Your reply is not in the form that was asked for, so it does not count. Judge the same answer once more.\n\n{{form}}',
  'judge.extraction':
    'What follows is an evaluation of an answer: a heading, four numbered lines of a score and an explanation each, and a last line with the overall quality score. Reply with the overall quality score: that number and nothing else.',
  // The reply format for providers that do not enforce a schema, and for those that do.
  'judge.form.verdict': `Reason in as many sentences as you need. Then end your reply with a code fence of this form that holds nothing but the word True or the word False:

\`\`\`txt
True
\`\`\``,
  'judge.form.selection': `Reply with nothing but a JSON object of one key, selection, whose value is one of the texts "1", "0.5" and "0":

{"selection": "1"}`,
  'judge.form.grades': `Reply in this form, and write nothing after its last line:

Evaluation:
1. Relevance: <score> - <explanation>
2. Accuracy: <score> - <explanation>
3. Completeness: <score> - <explanation>
4. Conciseness: <score> - <explanation>
Overall Quality Score: <the average of the four scores>`,
  'judge.form.match': `Write your reasons first. Then end your reply with one of these two lines:

Verdict: match
Verdict: not match`,
  'judge.form.one-to-five': `Write your reasons first. Then end your reply with a line of this form that has one of the whole numbers 1, 2, 3, 4 and 5:

Score: <number>`,
  'judge.form.verdict.structured':
    'Reply with a JSON object: first your reasoning, then verdict, which is true or false and follows from it.',
  'judge.form.selection.structured':
    'Reply with a JSON object: first your reasoning, then selection, which is "1", "0.5" or "0" and follows from it.',
  'judge.form.grades.structured':
    'Reply with a JSON object: for relevance, accuracy, completeness and conciseness an explanation and then a score, and in overall the average of the four scores.',
  'judge.form.match.structured':
    'Reply with a JSON object: first your rationale, then verdict, which is "match" or "not match" and follows from it.',
  'judge.form.one-to-five.structured':
    'Reply with a JSON object: first your rationale, then score, which is a whole number from 1 to 5 and follows from it.',
  'judge.closing.verdict':
    'Reason step by step about what the rule requires and what the answer says, then decide.',
  'judge.closing.selection':
    'Compare the answer with the reference answer and select. No other form is accepted.',
  'judge.closing.grades': 'Grade the answer.',
  'judge.closing.match':
    'Go through the critical information of the reference answer, look for each piece in the answer, then decide.',
  'judge.closing.one-to-five':
    'Go through the key points of the reference answer and look for each in the answer, note what the answer adds, then decide.',
  'judge.role': 'You are an impartial examiner with expert knowledge of the field.',
  'judge.role.databases':
    'You are an impartial examiner of long answers to questions about the content of databases.',
  'judge.role.mathematics':
    'You are an impartial examiner with expert knowledge of symbolic mathematics and of LaTeX.',
  'judge.role.m3sciqa':
    'You are the leading expert of this field and understand its scientific papers.',
  'judge.role.scidqa': 'You are an expert at evaluating long answers.',
  eval_reference_answer_with_llm:
    'The answer is right if, as an answer to the question, it means the same as the reference answer.',
  eval_candidate_reference_answer_with_llm:
    'The answer is right if, as an answer to the question, it means the same as at least one of the {{count}} reference answers. One is enough.',
  eval_scoring_points_with_llm:
    'The answer is right if it mentions all of the {{count}} points; one that is missing makes it wrong.{{order}}',
  eval_partial_scoring_points_with_llm:
    'The answer is right if it mentions at least {{least}} of the {{count}} points, whichever they are; with fewer than {{least}} it is wrong.',
  eval_reference_answer_and_scoring_points_with_llm:
    'The answer is right if, as an answer to the question, it means the same as the reference answer and also mentions all of the {{count}} points.{{order}}',
  eval_complex_math_formula_with_llm:
    'The answer is right if its LaTeX is mathematically equivalent to the reference: another notation, another arrangement of terms or other names for bound variables change nothing.{{several}} Compare it component by component.',
  eval_m3sciqa:
    'A model is tested on open questions. Decide whether, as an answer to the question, the candidate answer means the same as the reference answer: select 1 if it does, 0.5 if it is right in part, and 0 otherwise.',
  eval_scidqa:
    'Compare the answer with the reference answer and grade it from 1 to 10, in whole numbers, in four respects: its relevance to the question; its accuracy, measured by the reference answer; its completeness, measured by the reference answer; and its conciseness. Give reasons for each grade from both sides: why it is no higher and why it is no lower. The average of the four grades is the overall quality.',
  // Both rules follow the criteria of the paper's Fig. 7, in words of ours: an addition is no fault in the first one.
  eval_long_form_match:
    'The reference answer is known to be right. The answer matches it if everything critical in the reference answer, its conclusion above all, is in the answer as well, in whatever words. What the answer says beyond that is no fault unless it contradicts the reference answer.',
  eval_long_form_grade: `The reference answer is known to be right. Grade how far the answer says the same, with a whole number:
1: it has next to nothing of the reference answer.
2: it has some of its key points and lacks others; it may give details that the reference answer does not have.
3: it has most of its key points, with noticeable omissions or additions.
4: it has all of its key points, and more that the reference answer does not have.
5: it says what the reference answer says, and leaves out and adds nothing.`,
} as const;
