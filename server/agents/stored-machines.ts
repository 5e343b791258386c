import type { Transaction } from 'sequelize'
import { cutText } from '../../shared/cut-text.ts'
import { EnrollAnew } from '../../shared/dtos/enroll-anew.ts'
import { systemCall, type App, type Call } from '../call/call.ts'
import { AppError, notFound } from '../ground/errors.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { holds } from '../rights/rights.ts'
import { evidenceOf, type Evidence } from '../devices/absence-evidence.ts'
import type { Rivals } from '../devices/tables.ts'
import { createInstallerKey } from './installer-keys.ts'

export type TwoMachines = NonNullable<Evidence['twoMachines']>

/** Machines that this server knows of a device, and the choice between them. */
interface Known {
  rivals: Rivals
  keptId: string | undefined
}

/** Context of the sealed key for the machine that was not chosen. */
const keyContext = (deviceId: string) => `device_evidence/${deviceId}/enroll-anew`

/** Id of the chosen machine; undefined until one of these two is chosen. */
export const keptIdOf = ({ rivals, keptId }: TwoMachines) => rivals.find(({ id }) => id === keptId)?.id

async function readStored({ models }: App, deviceId: string, transaction: Transaction): Promise<Evidence> {
  const row = await models.DeviceEvidence.findByPk(deviceId, { transaction })
  return row ? (JSON.parse(row.evidence) as Evidence) : {}
}

export const isSame = (two: TwoMachines, known: Known | undefined) =>
  keptIdOf(two) === known?.keptId && known?.rivals.every(({ id }, place) => id === two.rivals[place]!.id)

/** Machines in the row of a device after a write. */
interface Stored {
  two: TwoMachines
  /** False if another server has written before: then the row holds its machines or its choice. */
  isNew: boolean
}

/** Stores two machines of a device with their audit event, unless the row has two machines, or a choice, that this server does not know. */
export async function storeRivals(app: App, device: DeviceState, rivals: Rivals): Promise<Stored> {
  const { audit, clock, database, models, sharedIdentities } = app
  const earlierChoice = sharedIdentities.settled.get(device.id)
  return database.write(async (transaction) => {
    const stored = await readStored(app, device.id, transaction)
    if (stored.twoMachines && !(earlierChoice && isSame(stored.twoMachines, earlierChoice))) {
      return { two: stored.twoMachines, isNew: false }
    }
    const two: TwoMachines = { at: clock.now(), rivals }
    const evidence = JSON.stringify({ ...stored, twoMachines: two })
    await models.DeviceEvidence.upsert({ deviceId: device.id, evidence }, { transaction })
    const details = { addresses: addressesOf(rivals) }
    await audit.recordIn(transaction, systemCall(app).actor, [{ kind: 'device.two-machines', device, details }])
    return { two, isNew: true }
  })
}

export const addressesOf = (rivals: Rivals) => rivals.map(({ addresses }) => addresses.at(-1) ?? '').join(', ')

/**
 * Stores a choice between two machines with its audit event, and with a key for the other machine if the caller may enroll,
 * unless somebody else has chosen already.
 */
export async function storeChoice(
  call: Call,
  device: DeviceState,
  { known, machineId }: { known: Rivals; machineId: string },
): Promise<Stored> {
  const { app, actor } = call
  const { audit, clock, database, models } = app
  return database.write(async (transaction) => {
    const stored = await readStored(app, device.id, transaction)
    if (stored.twoMachines && keptIdOf(stored.twoMachines) !== undefined) {
      return { two: stored.twoMachines, isNew: false }
    }
    // The row lacks the machines if storing them failed when they were noticed.
    const rivals = stored.twoMachines?.rivals ?? known
    const kept = rivals.find(({ id }) => id === machineId)
    if (!kept) {
      throw notFound('machine')
    }
    const key = await enrollmentKey(call, device, transaction)
    const sealedKey = key && { sealedKey: app.sealer.seal(JSON.stringify(key), keyContext(device.id)) }
    const two: TwoMachines = { at: clock.now(), rivals, keptId: kept.id, ...sealedKey }
    const evidence = JSON.stringify({ ...stored, twoMachines: two })
    await models.DeviceEvidence.upsert({ deviceId: device.id, evidence }, { transaction })
    const details = { machine: kept.name, addresses: kept.addresses.join(', ') }
    await audit.recordIn(transaction, actor, [{ kind: 'device.machine-kept', device, details }])
    return { two, isNew: true }
  })
}

/** Creates a key for the machine that was not chosen, if the caller may enroll: a key needs both permissions of its creator. */
async function enrollmentKey(
  call: Call,
  device: DeviceState,
  transaction: Transaction,
): Promise<EnrollAnew | undefined> {
  const needed = ['installer-key.write', 'agent.install'] as const
  if (!needed.every((permission) => holds(call.app, call.principal, permission, device.tenantId))) {
    return undefined
  }
  const wanted = {
    keyType: 'UsageBased',
    allowedUses: 1,
    expiration: null,
    friendlyName: cutText(`Second machine of ${device.alias ?? device.name}`, 100),
    // The machine may be a thief's: it must not take back this device, or register another one again (T47).
    isForNewDevices: true,
  } as const
  try {
    const { key, secret } = await createInstallerKey(call, device.tenantId, wanted, transaction)
    return { installerKeyId: key.id, installerKeySecret: secret }
  } catch (error) {
    if (!(error instanceof AppError)) {
      throw error
    }
    // The choice holds without a key, too.
    return undefined
  }
}

/** Key for the machine that was not chosen, to enroll with as a new device; undefined without one. */
export async function storedKey(app: App, deviceId: string): Promise<EnrollAnew | undefined> {
  const { twoMachines: two } = await evidenceOf(app, deviceId)
  return two?.sealedKey === undefined
    ? undefined
    : EnrollAnew.parse(JSON.parse(app.sealer.unseal(two.sealedKey, keyContext(deviceId)).toString()))
}
