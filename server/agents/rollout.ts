import { randomBytes } from 'node:crypto'
import { plural } from '../../shared/plural.ts'
import { compareVersions } from '../../shared/release.ts'
import type { AgentRolloutDto } from '../../shared/dtos/update.ts'
import { systemCall, type App, type Call, type OpenCall } from '../call/call.ts'
import { conflict } from '../ground/errors.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { AgentRolloutRow, AgentRolloutDeviceRow } from './tables.ts'
import type { Entity } from '../engines/database/entity.ts'
import { evidenceOf } from '../devices/absence-evidence.ts'
import { updateAgent } from '../devices/device-commands.ts'
import { isUpdatable } from './device-agent.ts'

/*
 * A new version of the agent reaches the devices of each tenant in rings: one device, ten per cent, all. A ring begins
 * when the previous ring is settled and has run for a while; too many failures stop the rollout of this tenant until
 * somebody resumes it. No device decides about another tenant, or about its own place (T44).
 */

const allRing = 3
/** Time for a device to come back with the new version. */
const answerLimitMs = 15 * 60_000
/** Time that a settled ring runs before the next one begins. */
const soakMs = 10 * 60_000
/** Devices of all tenants asked in one pass, so that not all of them download at once. */
const mostAsked = 50
/** Share of a ring that may fail. */
const toleratedShare = 0.1

/** Begins the reason of a refusal; the words of the device follow, beside its name only. */
const refusal = 'It refused the update'

/** Rollouts of a tenant that are stored, with their devices. */
const rolloutsKept = 5

type Member = AgentRolloutDeviceRow

const isVersion = (text: string) => /^\d+(\.\d+){1,3}$/.test(text)

/** Whether an agent is older than the offered one. Newer ones stay: agents never go back without being asked. */
const isBehind = (agentVersion: string, offered: string) =>
  isVersion(agentVersion) && isVersion(offered) && compareVersions(agentVersion, offered) < 0

/** Compares each version once: thousands of devices have few. */
function outdatedDevices({ fleet }: App, offered: string): DeviceState[] {
  const known = new Map<string, boolean>()
  return [...fleet.all].filter((device) => {
    const { agentVersion } = device
    const isOld = known.get(agentVersion) ?? isBehind(agentVersion, offered)
    known.set(agentVersion, isOld)
    return isOld && isUpdatable(device)
  })
}

/** Rollouts of the offered version: the last one of each tenant that has one. */
async function currentRollouts({ database, agentRelease }: App): Promise<AgentRolloutRow[]> {
  return database.all<AgentRolloutRow>(
    `SELECT * FROM agent_rollouts WHERE version = ? AND id IN (SELECT max(id) FROM agent_rollouts GROUP BY tenantId)
     ORDER BY id`,
    [agentRelease.version ?? ''],
  )
}

/** Rollout of the offered version in a tenant. Strangers ask for it, so it does not read those of all tenants (T40). */
async function currentRollout({ database, agentRelease }: App, tenantId: string): Promise<AgentRolloutRow | undefined> {
  const [newest] = await database.all<AgentRolloutRow>(
    'SELECT * FROM agent_rollouts WHERE tenantId = ? ORDER BY id DESC LIMIT 1',
    [tenantId],
  )
  return newest?.version === agentRelease.version ? newest : undefined
}

async function membersOf({ models }: App, { id }: AgentRolloutRow): Promise<Member[]> {
  const rows = await models.AgentRolloutDevice.findAll({ where: { rolloutId: id }, order: ['askedAt', 'deviceId'] })
  return rows.map((row) => row.get({ plain: true }))
}

/** Whether a device may install the offered agent without being asked to. */
export async function isDue(app: App, deviceId: string, agentVersion: string): Promise<boolean> {
  const offered = app.agentRelease.version
  if (!app.config.updates.agentRings || offered === undefined || !isBehind(agentVersion, offered)) {
    return true
  }
  const device = app.fleet.get(deviceId)
  const rollout = device && (await currentRollout(app, device.tenantId))
  if (rollout?.state === 'done' || (rollout?.state === 'running' && rollout.ring === allRing)) {
    return true
  }
  return (
    rollout !== undefined &&
    (await app.models.AgentRolloutDevice.count({ where: { rolloutId: rollout.id, deviceId } })) > 0
  )
}

/** Begins the rollout of a tenant whose devices are behind the offered version. */
async function begin(app: App, tenantId: string, offered: string): Promise<AgentRolloutRow> {
  const { AgentRollout } = app.models
  const row: AgentRolloutRow = {
    id: Math.max(app.clock.now(), ((await AgentRollout.max<number | null, Entity<AgentRolloutRow>>('id')) ?? 0) + 1),
    tenantId,
    version: offered,
    ring: 1,
    state: 'running',
    settledAt: null,
    reason: null,
  }
  await app.database.write(async (transaction) => {
    await AgentRollout.create(row, { transaction })
    const order: [string, string][] = [['id', 'DESC']]
    const old = await AgentRollout.findAll({
      where: { tenantId },
      order,
      offset: rolloutsKept,
      limit: 100,
      transaction,
    })
    await AgentRollout.destroy({ where: { id: old.map(({ id }) => id) }, transaction })
  })
  app.log.info({ tenantId, version: offered }, 'A new version of the agent goes to one device first.')
  return row
}

/** Returns the outcome of a device that was asked; undefined while it may still come back. */
async function outcomeOf(
  app: App,
  { version }: AgentRolloutRow,
  member: Member,
): Promise<Pick<Member, 'outcome' | 'reason'> | undefined> {
  const device = app.fleet.get(member.deviceId)
  if (!device) {
    return { outcome: 'skipped', reason: 'The device was removed.' }
  }
  const isOnline = device.connectionId !== ''
  if (isOnline && !isBehind(device.agentVersion, version)) {
    return { outcome: 'updated', reason: null }
  }
  const { updateRefused, announced } = await evidenceOf(app, device.id)
  if (updateRefused && updateRefused.at >= member.askedAt) {
    return { outcome: 'failed', reason: `${refusal}: ${updateRefused.reason}` }
  }
  if (app.clock.now() - member.askedAt < answerLimitMs) {
    return undefined
  }
  const wasShutDown = announced && announced.at >= member.askedAt && ['Shutdown', 'Restart'].includes(announced.reason)
  if (!isOnline && wasShutDown) {
    return { outcome: 'skipped', reason: 'The device was shut down.' }
  }
  const limit = answerLimitMs / 60_000
  return {
    outcome: 'failed',
    reason: isOnline
      ? `It still runs version ${device.agentVersion} ${limit} minutes later.`
      : `It did not come back within ${limit} minutes.`,
  }
}

/** Stores the outcome of asked devices; returns all members with their outcome. */
async function settle(app: App, rollout: AgentRolloutRow): Promise<Member[]> {
  const members = await membersOf(app, rollout)
  for (const member of members.filter(({ outcome }) => outcome === 'asked')) {
    const found = await outcomeOf(app, rollout, member)
    if (found) {
      Object.assign(member, found)
      const where = { rolloutId: rollout.id, deviceId: member.deviceId }
      await app.database.write((transaction) => app.models.AgentRolloutDevice.update(found, { where, transaction }))
    }
  }
  return members
}

async function change(app: App, { id }: AgentRolloutRow, values: Partial<AgentRolloutRow>): Promise<void> {
  await app.database.write((transaction) => app.models.AgentRollout.update(values, { where: { id }, transaction }))
}

async function stop(app: App, rollout: AgentRolloutRow, failed: readonly Member[], size: number): Promise<void> {
  const { version, ring } = rollout
  const first = failed[0]?.reason ?? ''
  const sentence = first.startsWith(refusal) ? `${refusal}.` : first
  const reason = `${failed.length} of ${plural(size, 'device', 'devices')} of ring ${ring} failed. ${sentence}`.trim()
  await app.database.write(async (transaction) => {
    await app.models.AgentRollout.update({ state: 'stopped', reason }, { where: { id: rollout.id }, transaction })
    await app.audit.recordIn(transaction, systemCall(app).actor, [
      { kind: 'server.agents-rollout-stopped', tenantId: null, details: { version, ring, reason } },
    ])
  })
  app.log.warn({ version, ring, reason }, 'The rollout of an agent was stopped.')
}

const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, place: randomBytes(8).readBigUInt64LE() }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ item }) => item)

/** Devices that a tenant has behind the version, and how many of them one pass may ask. */
interface Pass {
  outdated: readonly DeviceState[]
  mostAsked: number
}

/** Devices that the ring still needs, in random order. */
function candidates(rollout: AgentRolloutRow, members: readonly Member[], pass: Pass): DeviceState[] {
  const { outdated } = pass
  const known = new Set(members.map(({ deviceId }) => deviceId))
  const online = shuffled(outdated.filter(({ id, connectionId }) => connectionId !== '' && !known.has(id)))
  const inRing = members.filter(({ ring, outcome }) => ring === rollout.ring && outcome !== 'skipped').length
  const total = outdated.length + members.filter(({ outcome }) => outcome === 'updated').length
  const wanted = { 1: 1, 2: Math.ceil(total * 0.1) }[rollout.ring] ?? total
  return online.slice(0, Math.max(0, Math.min(pass.mostAsked, wanted - inRing)))
}

async function ask(app: App, rollout: AgentRolloutRow, device: DeviceState): Promise<void> {
  const { id: rolloutId, ring } = rollout
  const row: Member = { rolloutId, deviceId: device.id, ring, askedAt: app.clock.now(), outcome: 'asked', reason: null }
  // Stored first, so that a restart asks no device twice.
  await app.database.write((transaction) => app.models.AgentRolloutDevice.create(row, { transaction }))
  await updateAgent(systemCall(app), device)
}

/** Asks the devices of the ring, or continues with the next ring. */
async function advance(app: App, rollout: AgentRolloutRow, members: readonly Member[], pass: Pass): Promise<void> {
  const next = candidates(rollout, members, pass)
  const ofRing = members.filter(({ ring }) => ring === rollout.ring)
  if (next.length > 0) {
    if (ofRing.length === 0) {
      const details = { version: rollout.version, ring: rollout.ring }
      await app.audit.record(systemCall(app).actor, { kind: 'server.agents-rollout', tenantId: null, details })
    }
    await change(app, rollout, { settledAt: null })
    for (const device of next) {
      await ask(app, rollout, device)
    }
    return
  }
  const now = app.clock.now()
  const isSettled = members.every(({ outcome }) => outcome !== 'asked')
  if (!isSettled || ofRing.every(({ outcome }) => outcome === 'skipped')) {
    return
  }
  if (rollout.settledAt === null) {
    await change(app, rollout, { settledAt: now })
  } else if (now - rollout.settledAt >= soakMs) {
    const isLast = rollout.ring === allRing
    await change(app, rollout, isLast ? { state: 'done' } : { ring: rollout.ring + 1, settledAt: null })
    app.log.info({ version: rollout.version, ring: rollout.ring }, 'A ring of a rollout of the agent is done.')
  }
}

/** Job: begins, follows and advances the rollout of the offered agent in each tenant. */
export async function followRollouts({ app }: OpenCall): Promise<void> {
  const offered = app.agentRelease.version
  if (!app.config.updates.agentRings || offered === undefined) {
    return
  }
  const outdated = Map.groupBy(outdatedDevices(app, offered), ({ tenantId }) => tenantId)
  const rollouts = await currentRollouts(app)
  const known = new Set(rollouts.map(({ tenantId }) => tenantId))
  for (const tenantId of outdated.keys()) {
    if (!known.has(tenantId)) {
      rollouts.push(await begin(app, tenantId, offered))
    }
  }
  const running = rollouts.filter(({ state }) => state === 'running')
  const share = Math.max(1, Math.floor(mostAsked / running.length))
  for (const rollout of running) {
    await followRollout(app, rollout, { outdated: outdated.get(rollout.tenantId) ?? [], mostAsked: share })
  }
}

async function followRollout(app: App, rollout: AgentRolloutRow, pass: Pass): Promise<void> {
  const members = await settle(app, rollout)
  const ofRing = members.filter(({ ring, outcome }) => ring === rollout.ring && outcome !== 'skipped')
  const failed = ofRing.filter(({ outcome }) => outcome === 'failed')
  if (failed.length > Math.floor(ofRing.length * toleratedShare)) {
    await stop(app, rollout, failed, ofRing.length)
  } else {
    await advance(app, rollout, members, pass)
  }
}

/** Goes on with the stopped rollouts; their failures count no more. Throws 409 unless one is stopped. */
export async function resumeRollouts(call: Call): Promise<void> {
  const stopped = (await currentRollouts(call.app)).filter(({ state }) => state === 'stopped')
  if (stopped.length === 0) {
    throw conflict('No rollout of the agent is stopped.')
  }
  for (const rollout of stopped) {
    await resumeRollout(call, rollout)
  }
}

async function resumeRollout({ app, actor }: Call, { id, version, tenantId }: AgentRolloutRow): Promise<void> {
  await app.database.write(async (transaction) => {
    await app.models.AgentRollout.update({ state: 'running', reason: null }, { where: { id }, transaction })
    await app.models.AgentRolloutDevice.update(
      { outcome: 'skipped' },
      { where: { rolloutId: id, outcome: 'failed' }, transaction },
    )
    await app.audit.recordIn(transaction, actor, [
      { kind: 'server.agents-rollout-resumed', tenantId: null, details: { version } },
    ])
  })
  app.log.info({ actor, tenantId, version }, 'The rollout of an agent was resumed.')
}

const failuresShown = 10

/** Rollouts of the offered version, for people; none while no version is on its way. */
export async function rolloutStates(app: App): Promise<AgentRolloutDto[]> {
  const tenants = await app.models.Tenant.findAll({ raw: true })
  const names = new Map(tenants.map(({ id, name }) => [id, name]))
  const rollouts = await currentRollouts(app)
  return Promise.all(rollouts.map((rollout) => rolloutState(app, rollout, names.get(rollout.tenantId) ?? '')))
}

async function rolloutState(app: App, rollout: AgentRolloutRow, tenantName: string): Promise<AgentRolloutDto> {
  const { tenantId } = rollout
  const members = await membersOf(app, rollout)
  const countOf = (wanted: Member['outcome']) => members.filter(({ outcome }) => outcome === wanted).length
  const known = new Set(members.map(({ deviceId }) => deviceId))
  const failures = members.filter(({ outcome }) => outcome === 'failed').slice(0, failuresShown)
  return {
    tenantId,
    tenantName,
    version: rollout.version,
    ring: rollout.ring,
    state: rollout.state,
    reason: rollout.reason,
    counts: {
      asked: countOf('asked'),
      updated: countOf('updated'),
      failed: countOf('failed'),
      skipped: countOf('skipped'),
      waiting: outdatedDevices(app, rollout.version).filter((one) => one.tenantId === tenantId && !known.has(one.id))
        .length,
    },
    failures: failures.map(({ deviceId, reason }) => {
      const device = app.fleet.get(deviceId)
      return { deviceId, name: device?.alias || device?.name || deviceId, reason: reason ?? '' }
    }),
  }
}
