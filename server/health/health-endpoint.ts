import type { Clock } from '../ground/clock.ts'
import type { Database } from '../engines/database/database.ts'

/** Time limit of a check, and lifetime of its cached result. */
const limitMs = 5_000

/** Whether the database answers. Checks at most once in 5 s. */
export function createHealth(database: Database, clock: Clock): () => Promise<boolean> {
  let checkedAt = -Infinity
  let answer: Promise<boolean> = Promise.resolve(false)

  const check = async () => {
    let cancel = () => {}
    const limit = new Promise<boolean>((resolve) => (cancel = clock.after(limitMs, () => resolve(false))))
    const isAnswered = database.all('SELECT 1').then(
      () => true,
      () => false,
    )
    return await Promise.race([isAnswered, limit]).finally(cancel)
  }

  return () => {
    if (clock.monotonic() - checkedAt >= limitMs) {
      checkedAt = clock.monotonic()
      answer = check()
    }
    return answer
  }
}
