import type { Clock } from '../../clock.ts'
import type { Database } from '../../database.ts'

/** An answer that takes longer counts as none, and one is good for so long. */
const limitMs = 5_000

/** Whether the service can do its work: the database answers. Asks at most once in 5 s. */
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
