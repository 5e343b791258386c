import type { App } from '../call/call.ts'
import type { HealthChecks, HealthStatus } from '../engines/http/web/health-answer.ts'

/** Time limit of a check, and lifetime of a good result. */
const limitMs = 5_000

/** Whether the database answers, checked once in 5 s while it does, and whether a balancer is to leave this server out. */
function createHealth({ database, clock }: App, isLeftOut: () => boolean): () => Promise<HealthStatus> {
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
    if (isLeftOut()) {
      return 404
    }
    if (clock.monotonic() - checkedAt >= limitMs) {
      checkedAt = clock.monotonic()
      answer = check()
    }
    const asked = answer
    if (await asked) {
      return 200
    }
    if (asked === answer) {
      checkedAt = -Infinity
    }
    return 503
  }
}

/** Health checks of a server by path; `isLeftOut` tells whether balancers are to send requests to other servers only. */
export const healthChecks = (app: App, isLeftOut: () => boolean): HealthChecks => ({
  '/health': app.restoreOnly ? () => 503 : createHealth(app, isLeftOut),
  '/alive': () => 200,
})
