import { execFile } from 'node:child_process'
import type { z } from 'zod'
import { parseJson } from '../../shared/contract/parse-json.ts'
import type { DtoWrapper } from '../../shared/dtos/device-commands.ts'
import { failure, success, type HubResult } from '../../shared/dtos/hub-result.ts'
import { PowerChangeOrder, powerChangeType, type PowerVariant } from '../../shared/dtos/power-change.ts'
import { wait, type Clock } from '../base/clock.ts'
import { reasonOf } from '../base/errors.ts'
import { runOrExplain } from '../base/run-tool.ts'
import type { Log } from '../base/log.ts'
import { platform } from '../platform/index.ts'
import type { InstalledAgent, PowerChange } from '../platform/platform.ts'
import type { CommandLine } from '../base/command-line.ts'
import type { PowerOrder } from '../../shared/dtos/power-order.ts'
import type { VisitLog } from './visit-log.ts'

/** Power changes by the hub's numbers; 0 is undefined. */
const changes: Readonly<Record<number, PowerChange | undefined>> = { 1: 'restart', 2: 'shutdown' }

interface PowerDependencies {
  log: Log
  visits: Pick<VisitLog, 'note'>
  /** Runs a system program, which may terminate this process before the call returns. */
  execute?: (command: CommandLine, failed: (error: Error) => void) => void
}

const executeNow = ([file, ...args]: CommandLine, failed: (error: Error) => void) => {
  execFile(file, args, { timeout: 30_000, windowsHide: true }, (error) => {
    if (error) {
      failed(error)
    }
  })
}

/** Restarts the device (1) or shuts the device down (2), at once and without consent. */
export function changePower(type: number, dependencies: PowerDependencies): void {
  const change = changes[type]
  if (change) {
    changePowerNow(change, dependencies)
  }
}

/** Restarts the device or shuts it down, and notes that for the people there. */
export function changePowerNow(
  change: PowerChange,
  { log, visits, execute = executeNow }: PowerDependencies,
  by?: Pick<PowerOrder, 'visitorName' | 'organizationName'>,
): void {
  log.warn({ change }, 'The server asked to change the power state')
  visits.note({ kind: change, visitor: by?.visitorName, organizationName: by?.organizationName })
  execute(platform.powerCommand(change), (error) => log.error({ change, error }, 'The power state was not changed'))
}

/** A change that takes the device down may never let its command return. */
const answerMs = 5_000

interface VariantDependencies {
  clock: Clock
  log: Log
  agent: InstalledAgent
  commands?: typeof platform.powerVariant
  lockProblem?: typeof platform.lockProblem
  /** Rejects with a sentence. */
  run?: (command: CommandLine) => Promise<unknown>
}

/** Locks, signs everybody out, sleeps or restarts in another way; resolves with the reason if that fails. */
export async function changePowerVariant(change: PowerVariant, dependencies: VariantDependencies): Promise<HubResult> {
  const {
    clock,
    log,
    agent,
    lockProblem = (of: Clock) => platform.lockProblem?.(of),
    commands = (wanted: PowerVariant) => platform.powerVariant(wanted),
    run = ([file, ...args]: CommandLine) => runOrExplain(file, ...args),
  } = dependencies
  log.warn({ change }, 'The server asked to change the power state')
  if (change === 'safe-mode' && platform.restartInSafeMode && agent.asService) {
    return outcomeOf(change, log, platform.restartInSafeMode(agent))
  }
  const steps = await commands(change)
  if (!steps) {
    return failure('The system of this device has no such change.')
  }
  if (steps.length === 0) {
    return failure('Nobody is signed in.')
  }
  const done = await outcomeOf(
    change,
    log,
    Promise.race([
      Promise.all(steps.map((step) => (typeof step === 'function' ? step() : run(step)))),
      wait(clock, answerMs),
    ]),
  )
  const problem = change === 'lock' && done.isSuccess ? await lockProblem(clock) : undefined
  return problem === undefined ? done : failure(problem)
}

/** Answers a message of the server about such a change; undefined for any other message. */
export async function receivePowerChange(
  { dtoType, payload }: Pick<z.output<typeof DtoWrapper>, 'dtoType' | 'payload'>,
  dependencies: VariantDependencies,
) {
  if (dtoType !== powerChangeType) {
    return undefined
  }
  const { change } = PowerChangeOrder.parse(parseJson(Buffer.from(payload, 'base64').toString()))
  return { ...(await changePowerVariant(change, dependencies)), value: null }
}

async function outcomeOf(change: PowerVariant, log: Log, work: Promise<unknown>): Promise<HubResult> {
  try {
    await work
    return success
  } catch (error) {
    log.error({ change, error }, 'The power state was not changed')
    return failure(reasonOf(error))
  }
}
