/** Index of the oldest wrong answers of a user: without it, the answers of all users are read. */
export const answersByUser = {
  name: '0088-answers-by-user',
  up: [
    'CREATE INDEX wrong_answers_by_user ON wrong_answers (kind, userId, changedAt)',
    'DROP INDEX wrong_answers_by_time',
  ],
}
