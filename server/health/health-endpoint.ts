import type { Clock } from '../ground/clock.ts'
import type { Database } from '../engines/database/database.ts'
import type { HealthStatus } from '../engines/http/web/health.ts'

/** Time limit of a check, and lifetime of its cached result. */
const limitMs = 5_000

interface HealthDependencies {
  database: Database
  clock: Clock
  /** Whether other servers take over from this one. */
  isDraining: () => boolean
}

/** Whether the database answers, checked at most once in 5 s, and whether a balancer is to leave this server out. */
export function createHealth({ database, clock, isDraining }: HealthDependencies): () => Promise<HealthStatus> {
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

  return async () => {
    if (isDraining()) {
      return 404
    }
    if (clock.monotonic() - checkedAt >= limitMs) {
      checkedAt = clock.monotonic()
      answer = check()
    }
    return (await answer) ? 200 : 503
  }
}
