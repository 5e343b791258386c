import { Op } from 'sequelize'
import { minuteMs } from '../../shared/durations.ts'
import type { App } from '../call/call.ts'
import { sleepsOf } from '../health/sleeps.ts'

/**
 * Returns a function with the time that this server ran between two times, for times after `since`. Counted in whole
 * minutes, as the online time of devices is.
 */
export async function serverTime({ models }: Pick<App, 'models'>, since: number) {
  const found = await models.ServerRun.findAll({ where: { aliveUntil: { [Op.gte]: since } }, raw: true })
  const runs = found.map((run) => ({ from: run.startedAt, to: run.aliveUntil, sleeps: sleepsOf(run) }))
  return (from: number, to: number): number => {
    const within = (span: { from: number; to: number }) => {
      const start = Math.ceil(Math.max(from, span.from) / minuteMs)
      const end = Math.floor(Math.min(to, span.to) / minuteMs)
      return Math.max(0, end - start) * minuteMs
    }
    return runs.reduce(
      (sum, run) => sum + within(run) - run.sleeps.reduce((slept, sleep) => slept + within(sleep), 0),
      0,
    )
  }
}
