import { batchPermissions, type BatchKind } from '../../shared/dtos/batch.ts'
import type { CommandEndDto } from '../../shared/dtos/run-command.ts'
import type { OrderedChange, PowerTiming } from '../../shared/dtos/power-order.ts'
import type { HubResult } from '../../shared/dtos/hub-result.ts'
import type { Call } from '../call/call.ts'
import { AppError } from '../ground/errors.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { deviceRight } from '../fleet/rights.ts'
import { isUpdatable } from '../agents/device-agent.ts'
import { runCommand } from '../remote/commands.ts'
import { neighborsOf, wakeDevice } from '../devices/wake.ts'
import { changePower, updateAgent } from '../devices/device-commands.ts'
import { orderPower } from '../devices/power-orders.ts'
import { sendFiles } from './send-files.ts'
import { done, failed, skipped, type Step, type StepOrder, type StepOutcome } from './step.ts'
import { addDeviceTag, removeDeviceTag } from '../devices/device-tags.ts'

const sentOutcome = ({ isSuccess, reason }: HubResult): StepOutcome =>
  isSuccess ? done() : failed(reason ?? 'The agent gave no reason.')

/** Restarts a device or shuts it down, at once or as ordered. */
async function changeOrOrder(
  call: Call,
  device: DeviceState,
  change: OrderedChange,
  power: PowerTiming | undefined,
): Promise<StepOutcome> {
  if (!power) {
    return sentOutcome(await changePower(call, device, change === 'restart' ? 1 : 2))
  }
  await orderPower(call, device, { change, ...power })
  return done()
}

function outcomeOf(end: CommandEndDto, endedFor: string | undefined, { timeLimitSeconds }: StepOrder): StepOutcome {
  if (end.endedBy === 'time-limit') {
    return { ...failed(`It did not end within ${timeLimitSeconds} s, so it was ended.`), end }
  }
  if (end.endedBy === 'request') {
    return { ...failed(endedFor ?? 'The agent ended it.'), end }
  }
  if (end.exitCode === 0) {
    return { ...done(), end }
  }
  return { ...failed(end.exitCode === null ? 'A signal ended it.' : `It ended with exit code ${end.exitCode}.`), end }
}

const steps: Readonly<Record<BatchKind, Step>> = {
  'run-command': async (call, device, order) => {
    const { batchId, command, timeLimitSeconds, maxOutputBytes, signal } = order
    const outcome = await runCommand(call, device, { command, timeLimitSeconds, maxOutputBytes }, { batchId, signal })
    return 'end' in outcome ? outcomeOf(outcome.end, outcome.endedFor, order) : outcome
  },
  restart: (call, device, { power }) => changeOrOrder(call, device, 'restart', power),
  'shut-down': (call, device, { power }) => changeOrOrder(call, device, 'shutdown', power),
  'update-agent': async (call, device) =>
    isUpdatable(device)
      ? sentOutcome(await updateAgent(call, device))
      : skipped('The agent is of another make, so this server cannot update it.'),
  wake: async (call, device) => {
    const { isSuccess, value, reason } = await wakeDevice(call, device, [])
    const text = value ?? reason
    return { state: isSuccess && neighborsOf(call, device).length > 0 ? 'done' : 'failed', reason: text }
  },
  'send-files': sendFiles,
  'add-tag': async (call, device, { tagId }) => {
    await addDeviceTag(call, device, tagId)
    return done()
  },
  'remove-tag': async (call, device, { tagId }) => {
    if (!device.tagIds.includes(tagId)) {
      return done('It did not have the tag.')
    }
    await removeDeviceTag(call, device, tagId)
    return done()
  },
}

const needsNoAgent: ReadonlySet<BatchKind> = new Set(['add-tag', 'remove-tag'])

/** Returns the reason to skip or fail a device before its step, or undefined. */
function obstacleOn({ app, principal }: Call, device: DeviceState | undefined, kind: BatchKind) {
  if (!device || !deviceRight(app, principal, 'device.read')(device)) {
    return failed('This device was deleted, or it is outside of what you may see.')
  }
  if (!deviceRight(app, principal, batchPermissions[kind])(device)) {
    return failed('You do not have permission to do this on this device.')
  }
  const isOnline = device.connectionId !== ''
  if (kind === 'wake') {
    return isOnline ? skipped('The device is online already.') : undefined
  }
  return isOnline || needsNoAgent.has(kind) ? undefined : skipped('The device is offline.')
}

/**
 * Runs the step of a batch on a device, if the principal's current rights allow the step (T10). Checks the rights and
 * starts the step synchronously.
 */
export async function takeStep(call: Call, deviceId: string, order: StepOrder): Promise<StepOutcome> {
  const device = call.app.fleet.get(deviceId)
  const obstacle = obstacleOn(call, device, order.kind)
  if (obstacle || !device) {
    return obstacle ?? failed('There is no such device.')
  }
  try {
    return await steps[order.kind](call, device, order)
  } catch (error) {
    if (error instanceof AppError) {
      return failed(error.message)
    }
    call.app.log.error({ err: error, deviceId, kind: order.kind }, 'A step of a batch failed.')
    return failed('Something went wrong on the server. Its log says what.')
  }
}
