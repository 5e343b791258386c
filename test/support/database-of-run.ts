/** Starts the PostgreSQL of a run with `FARHAND_TEST_DATABASE=postgres`, before its first test. */
export async function setup(): Promise<(() => void) | undefined> {
  if (process.env['FARHAND_TEST_DATABASE'] !== 'postgres') {
    return undefined
  }
  // Other runs do not load the server here.
  const { startForRun } = await import('./postgres.ts')
  return startForRun()
}
