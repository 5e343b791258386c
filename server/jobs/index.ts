import type { App } from '../context.ts'

/** Work that runs at start and then on schedule. Running it twice does no harm. */
export interface Job {
  name: string
  everyMs: number
  run(app: App): Promise<void>
}

/** The schedule. */
const jobs: readonly Job[] = []

/** Runs every job now and from then on; never two of one job at the same time. Returns what waits for their end. */
export function startJobs(app: App): () => Promise<void> {
  const running = new Map<Job, Promise<void>>()
  const run = (job: Job) => {
    if (running.has(job)) {
      return
    }
    const work = job
      .run(app)
      .catch((error: unknown) => app.log.error({ err: error, job: job.name }, 'A job failed; it runs again later.'))
      .finally(() => running.delete(job))
    running.set(job, work)
  }
  const cancels = jobs.map((job) => {
    run(job)
    return app.clock.every(job.everyMs, () => run(job))
  })
  return async () => {
    cancels.forEach((cancel) => cancel())
    await Promise.all(running.values())
  }
}
