/** Times in which the computer of the server slept, which explain absences of devices. */
export const sleepsOfRuns = {
  name: '0037-sleeps-of-runs',
  up: [`ALTER TABLE server_runs ADD COLUMN sleeps TEXT NOT NULL DEFAULT '[]'`],
}
