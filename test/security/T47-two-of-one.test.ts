import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { startAgentOn } from '../agent/agent-process.ts'
import { temporaryFolder } from '../agent/support.ts'
import { rowLimits } from '../../shared/row-limits.ts'
import { installerKey, TestAgent } from '../support/agent.ts'
import { copyRow } from '../support/copied-rows.ts'
import { connectViewer } from '../support/hub-client.ts'
import { isNight, some } from '../support/night.ts'
import { addMember } from '../support/people.ts'
import { makeRestrictedToken } from '../support/restricted-token.ts'
import { ownerForFile, serverForFile, useTestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const refusal = expect.stringContaining('Two machines use the identity of this device')

const server = serverForFile()
const owner = ownerForFile(server)

async function enrolled() {
  const device = new TestAgent(owner.tenantId)
  await device.register(owner, await installerKey(owner))
  const params = { deviceId: device.id }
  return {
    device,
    params,
    isOnline: async () => (await owner.devices.get({ params })).isOnline,
    absence: () => owner.applianceDevices.absence({ params }),
    auditKinds: async () =>
      (await server.rows<{ kind: string }>('SELECT kind FROM audit_events WHERE deviceId = ?', device.id)).map(
        ({ kind }) => kind,
      ),
  }
}

/** Connects a machine that has the identity of a device, and reports whenever it is asked. */
async function machine(device: TestAgent, facts: { name: string; macAddresses: string[] }) {
  const answers: (string | null | undefined)[] = []
  const messages: { dtoType: string | number }[] = []
  const report = async (): Promise<void> => {
    const answer = await agent.UpdateDeviceSigned(device.signed(device.report(facts)))
    answers.push(answer.isSuccess ? null : answer.reason)
  }
  const agent = await device.open(server.url, {
    RefreshDeviceInfo: () => void report().catch(() => undefined),
    ReceiveDto: (message) => {
      messages.push(message)
      return null
    },
  })
  await report()
  return { ...agent, report, answers, messages }
}

const original = { name: 'office', macAddresses: ['020000000001'] }
const copy = { name: 'copy-of-office', macAddresses: ['020000000002'] }
const third = { name: 'third', macAddresses: ['020000000003'] }

/** Returns a device whose two machines were noticed; both connections are closed. */
async function withTwo() {
  const scene = await enrolled()
  const { device, params, auditKinds } = scene
  const noticed = async () => (await auditKinds()).filter((kind) => kind === 'device.two-machines').length
  const collide = async (...both: (typeof original)[]) => {
    const before = await noticed()
    const machines = [await machine(device, both[0]!), await machine(device, both[1]!)]
    await until(async () => (await noticed()) > before)
    await Promise.all(machines.map(({ connection }) => connection.stop()))
  }
  await collide(original, copy)
  const idOf = async (name: string) => (await scene.absence()).machines.find((each) => each.name === name)!.id
  const keep = async (name: string) =>
    owner.applianceDevices.keepMachine({ params, body: { machineId: await idOf(name) } })
  const changeEvidence = (evidence: object) =>
    server.changeRow('device_evidence', device.id, `evidence = '${JSON.stringify(evidence)}'`, 'deviceId')
  const storedMachines = async () => {
    const sql = 'SELECT evidence FROM device_evidence WHERE deviceId = ?'
    const [row] = await server.rows<{ evidence: string }>(sql, device.id)
    return (JSON.parse(row!.evidence) as { twoMachines: object }).twoMachines
  }
  return { ...scene, collide, idOf, keep, storedMachines, changeEvidence }
}

test('two machines with one identity are noticed at once: neither is asked anything, and both are told', async () => {
  const { device, absence, auditKinds, isOnline } = await withTwo()
  for (const facts of [original, copy]) {
    const { answers } = await machine(device, facts)
    expect(answers).toEqual([refusal])
  }
  const { cause, machines } = await absence()
  expect(cause).toBe('two-machines')
  expect(machines.map(({ name }) => name).toSorted()).toEqual(['copy-of-office', 'office'])
  await until(async () => (await auditKinds()).includes('device.two-machines'))
  const viewer = await connectViewer(owner)
  const answer = await viewer.SendPowerStateChange2({ deviceId: device.id, changeType: 1 })
  expect(answer.isSuccess).toBe(false)
  expect(await isOnline()).toBe(false)
})

test('one choice lets a machine stay; the other one is refused, and gets a key to enroll with as a new device', async () => {
  const { device, params, idOf, isOnline, absence, auditKinds, storedMachines } = await withTwo()
  const choose = (machineId: string) => owner.applianceDevices.keepMachine({ params, body: { machineId } })
  await expect(choose('none')).rejects.toMatchObject({ status: 404 })
  await choose(await idOf('office'))
  await expect(choose('none')).rejects.toMatchObject({ status: 409 })
  const second = await machine(device, copy)
  expect(second.answers).toEqual([expect.stringContaining('Another machine keeps the identity')])
  await until(() => second.messages.length > 0)
  expect(second.messages).toMatchObject([{ dtoType: 'appliance.enroll-anew' }])
  expect(await storedMachines()).toMatchObject({ sealedKey: expect.stringMatching(/^s1\./) })
  expect(await isOnline()).toBe(false)
  const first = await machine(device, original)
  expect(first.answers).toEqual([null])
  expect(await isOnline()).toBe(true)
  await second.report().catch(() => undefined)
  expect(await isOnline()).toBe(true)
  expect(await absence()).toMatchObject({ cause: null, machines: [] })
  expect(await auditKinds()).toContain('device.machine-kept')
})

test('a restart of the server forgets neither the two machines, nor the choice, nor the key for the other machine', async () => {
  const { device, params, idOf } = await withTwo()
  await server.restart()
  expect((await machine(device, original)).answers).toEqual([refusal])
  await owner.applianceDevices.keepMachine({ params, body: { machineId: await idOf('copy-of-office') } })
  await server.restart()
  expect((await machine(device, copy)).answers).toEqual([null])
  const rejected = await machine(device, original)
  expect(rejected.answers).toEqual([expect.stringContaining('Another machine')])
  await until(() => rejected.messages.length > 0)
  expect(rejected.messages).toMatchObject([{ dtoType: 'appliance.enroll-anew' }])
})

test.each(some(['with', 'without'], 2))(
  'a third machine beside the chosen one asks for a second choice, %s a restart before and after it',
  async (restarts) => {
    const { device, absence, collide, keep } = await withTwo()
    const restart = async () => void (restarts === 'with' && (await server.restart()))
    await keep('office')
    await collide(original, third)
    await restart()
    expect((await machine(device, original)).answers).toEqual([refusal])
    expect((await absence()).machines.map(({ name }) => name).toSorted()).toEqual(['office', 'third'])
    await keep('third')
    await restart()
    expect((await machine(device, third)).answers).toEqual([null])
    expect((await machine(device, original)).answers).toEqual([expect.stringContaining('Another machine')])
  },
)

test.runIf(isNight)('a choice counts although storing the two machines failed when they were noticed', async () => {
  const { device, keep, changeEvidence } = await withTwo()
  await changeEvidence({})
  await keep('office')
  await server.restart()
  expect((await machine(device, original)).answers).toEqual([null])
  expect((await machine(device, copy)).answers).toEqual([expect.stringContaining('Another machine')])
})

test('a choice rejected because of an earlier one makes the server follow that one', async () => {
  const { device, idOf, keep, storedMachines, changeEvidence } = await withTwo()
  const twoMachines = await storedMachines()
  // Choice of another server, whose message did not arrive.
  await changeEvidence({ twoMachines: { ...twoMachines, keptId: await idOf('office') } })
  await expect(keep('copy-of-office')).rejects.toMatchObject({ status: 409 })
  expect((await machine(device, original)).answers).toEqual([null])
})

test('two machines noticed after another server has stored a choice between them follow that choice', async () => {
  const { device, idOf, auditKinds, storedMachines, changeEvidence } = await withTwo()
  const twoMachines = { ...(await storedMachines()), keptId: await idOf('office') }
  await device.register(owner, await installerKey(owner))
  // Choice of another server, whose message did not arrive.
  await changeEvidence({ twoMachines })
  const machines = [await machine(device, original), await machine(device, copy)]
  await Promise.race(machines.map(({ closed }) => closed))
  await Promise.all(machines.map(({ connection }) => connection.stop()))
  expect((await machine(device, original)).answers).toEqual([null])
  expect((await machine(device, copy)).answers).toEqual([expect.stringContaining('Another machine')])
  expect((await auditKinds()).filter((kind) => kind === 'device.two-machines')).toHaveLength(1)
})

test('a token without the right to install chooses: the audit log names the choice, and nobody gets a key', async () => {
  const { device, params, idOf, auditKinds } = await withTwo()
  const { client } = await makeRestrictedToken(owner, ['device.read', 'device.delete', 'installer-key.write'])
  await client.applianceDevices.keepMachine({ params, body: { machineId: await idOf('office') } })
  expect(await auditKinds()).toContain('device.machine-kept')
  const rejected = await machine(device, copy)
  expect(rejected.answers).toEqual([expect.stringContaining('Another machine')])
  expect(rejected.messages).toEqual([])
})

test('a choice holds although the organization has as many installer keys as it may: nobody gets a key', async () => {
  const { device, keep } = await withTwo()
  await copyRow(server, 'InstallerKey', { copies: rowLimits['valid installer keys'] })
  onTestFinished(async () => {
    await server.write(({ InstallerKey }, transaction) => InstallerKey.destroy({ where: {}, transaction }))
  })
  await keep('office')
  expect((await machine(device, original)).answers).toEqual([null])
  const rejected = await machine(device, copy)
  expect(rejected.answers).toEqual([expect.stringContaining('Another machine keeps the identity')])
  expect(rejected.messages).toEqual([])
})

test('a device that was registered again is one machine', async () => {
  const { device, isOnline } = await withTwo()
  await device.register(owner, await installerKey(owner))
  expect((await machine(device, original)).answers).toEqual([null])
  expect(await isOnline()).toBe(true)
})

test('a device that reconnects, with other facts each time and before its old connection is dead, stays one', async () => {
  const { device, isOnline, auditKinds } = await enrolled()
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const agent = await device.open(server.url)
    const answer = await agent.UpdateDeviceSigned(device.signed(device.report({ name })))
    expect(answer.isSuccess).toBe(true)
  }
  expect(await isOnline()).toBe(true)
  expect(await auditKinds()).not.toContain('device.two-machines')
})

test('one of two machines is not chosen by somebody who may not remove the device', async () => {
  const { params, idOf } = await withTwo()
  const reader = await addMember(server, owner.tenantId, ['device.read'])
  const body = { machineId: await idOf('office') }
  await expect(reader.applianceDevices.keepMachine({ params, body })).rejects.toMatchObject({ status: 403 })
})

const canNameHosts = process.getuid?.() === 0 && spawnSync('unshare', ['--uts', 'true']).status === 0

test.runIf(canNameHosts && isNight)(
  'a copied folder of our agent: the chosen machine stays, the other one becomes a device',
  { timeout: 90_000 },
  async () => {
    const server = await useTestServer()
    const owner = await server.owner()
    const key = await installerKey(owner)
    const folders = [temporaryFolder(), temporaryFolder()] as const
    const options = ['-s', server.url, '-t', owner.tenantId, '-ki', key.id, '-ks', key.keySecret]
    const first = startAgentOn('office', 'run', '--data-dir', folders[0], ...options)
    const devices = async () => await owner.devices.list({})
    const [device] = await until(async () => {
      const found = await devices()
      return found[0]?.isOnline ? found : undefined
    })
    cpSync(folders[0], folders[1], { recursive: true, filter: (file) => !file.endsWith('agent.pid') })
    const second = startAgentOn('copy', 'run', '--data-dir', folders[1])
    const params = { deviceId: device!.id }
    const machines = await until(async () => {
      const found = (await owner.applianceDevices.absence({ params })).machines
      return found.length === 2 ? found : undefined
    })
    await owner.applianceDevices.keepMachine({
      params,
      body: { machineId: machines.find(({ name }) => name === 'office')!.id },
    })
    const online = await until(async () => {
      const found = (await devices()).filter(({ isOnline }) => isOnline)
      return found.length === 2 ? found : undefined
    })
    expect(online.map(({ name }) => name).toSorted()).toEqual(['copy', 'office'])
    expect(online.find(({ name }) => name === 'office')!.id).toBe(device!.id)
    for (const agent of [first, second]) {
      agent.child.kill('SIGTERM')
      await agent.ended
    }
  },
)
