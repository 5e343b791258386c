import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, hostname, networkInterfaces } from 'node:os'
import { beforeAll, describe, expect, test } from 'vitest'
import { cpuMeter, createFactsReader, meaningfulFacts } from '../../../agent/device/facts.ts'
import { fourPart } from '../../../agent/base/version.ts'
import { DeviceUpdateRequestDto } from '../../../shared/dtos/device.ts'

const gib = 1024 ** 3

describe('facts', () => {
  let facts: Awaited<ReturnType<ReturnType<typeof createFactsReader>>>
  beforeAll(async () => {
    facts = await createFactsReader()()
  })

  test('are a valid update, with the members in signing order', async () => {
    const ids = { id: '11111111-2222-3333-4444-555555555555', tenantId: '11111111-2222-3333-4444-555555555555' }
    const update = { ...ids, ...facts }
    expect(DeviceUpdateRequestDto.parse(update)).toEqual(update)
    expect(Object.keys(update)).toEqual(Object.keys(DeviceUpdateRequestDto.shape))
    const driveMembers = Object.keys(DeviceUpdateRequestDto.shape.drives.unwrap().element.shape)
    for (const drive of facts.drives) {
      expect(Object.keys(drive)).toEqual(driveMembers)
    }
  })

  test('describe this machine', async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries?.map(({ address }) => address))
    expect(facts).toMatchObject({
      dnsHostName: hostname(),
      processorCount: cpus().length,
      agentVersion: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/),
    })
    expect(facts.cpuUtilization).toBeGreaterThanOrEqual(0)
    expect(facts.cpuUtilization).toBeLessThanOrEqual(1)
    expect(facts.usedMemory).toBeLessThan(facts.totalMemory)
    expect(facts.localIpV4 === '' || addresses.includes(facts.localIpV4)).toBe(true)
    for (const mac of facts.macAddresses) {
      expect(mac).toMatch(/^[0-9A-F]{12}$/)
    }
  })

  test.runIf(process.platform === 'linux')('agree with /proc and df', async () => {
    const memTotal = Number(/MemTotal:\s+(\d+)/.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]) * 1024
    expect(facts.totalMemory).toBeCloseTo(memTotal / gib, 1)
    const df = execFileSync('df', ['--block-size=1', '--output=used,avail', '/'], { encoding: 'utf8' })
    const [used = 0, available = 0] = df.split('\n')[1]!.trim().split(/\s+/).map(Number)
    // Shares shown to people match those of df, which excludes blocks reserved for root.
    expect(Math.abs(facts.totalStorage - (used + available) / gib)).toBeLessThan(1)
    expect(Math.abs(facts.usedStorage - used / gib)).toBeLessThan(1)
    expect(Math.abs(facts.drives[0]!.freeSpace - available / gib)).toBeLessThan(1)
    expect(facts.drives[0]).toMatchObject({ rootDirectory: '/', driveType: 'Fixed', totalSize: facts.totalStorage })
    const mounts = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((mount) => mount.split(' ')[1])
    for (const { rootDirectory } of facts.drives.slice(1)) {
      expect(mounts).toContain(rootDirectory)
    }
  })

  test('measure the processor load between two calls', () => {
    const utilization = cpuMeter()
    const until = performance.now() + 300
    while (performance.now() < until) {}
    expect(utilization()).toBeGreaterThan(0.5 / cpus().length)
  })

  test('count as changed after a change of users or addresses, not of load', async () => {
    const busy = { ...facts, cpuUtilization: 1, usedMemory: 0, usedStorage: 0 }
    const fuller = { ...busy, drives: facts.drives.map((drive) => ({ ...drive, freeSpace: 0 })) }
    expect(meaningfulFacts(fuller)).toBe(meaningfulFacts(facts))
    expect(meaningfulFacts({ ...facts, currentUsers: ['eve'] })).not.toBe(meaningfulFacts(facts))
  })

  test.each([
    ['0.1.0', '0.1.0.0'],
    ['1.2.3-beta.1', '1.2.3.0'],
    ['1.2.3.4', '1.2.3.4'],
  ])('calls %s %s', (version, parts) => {
    expect(fourPart(version)).toBe(parts)
  })
})
