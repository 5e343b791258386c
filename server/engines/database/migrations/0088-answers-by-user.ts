/** Wrong answers beyond the newest of a user are found without a walk over those of all others. */
export const answersByUser = {
  name: '0088-answers-by-user',
  up: [
    'CREATE INDEX wrong_answers_by_user ON wrong_answers (kind, userId, changedAt)',
    'DROP INDEX wrong_answers_by_time',
  ],
}
