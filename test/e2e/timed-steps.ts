import { test } from '@playwright/test'

/** Steps of a long walk; `times` has the seconds that each took. */
export function timedSteps() {
  const times: string[] = []
  const step = (name: string, work: () => Promise<void>) =>
    test.step(name, async () => {
      const begun = performance.now()
      await work()
      times.push(`${name}: ${((performance.now() - begun) / 1000).toFixed(1)} s`)
    })
  return { times, step }
}
