import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { fingerprintOf } from '../../../server/network/fingerprint.ts'
import { manualClock } from '../../support/clock.ts'
import { freePort } from '../../../tools/simulate/free-port.ts'
import { card } from '../../support/network.ts'
import { useTestServer } from '../../support/server.ts'

const report = (code: string) => ({ body: { code, address: 'https://192.0.2.10:5121', browser: 'Phone' } })

test('a device with the code is reported to the user who created the code, with its observed address', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { id, code } = await owner.applianceNetwork.askDevice({})
  expect(code).toMatch(/^[A-Z2-9]{10}$/)
  expect(await owner.applianceNetwork.visit({ params: { visitId: id } })).toEqual({ report: null })
  await server.visitor().applianceNetwork.reportVisit(report(code.toLowerCase()))
  expect((await owner.applianceNetwork.visit({ params: { visitId: id } })).report).toMatchObject({
    from: '127.0.0.1',
    address: 'https://192.0.2.10:5121',
    browser: 'Phone',
  })
})

test('a code is valid for one report and for ten minutes, and guesses are limited', async () => {
  const clock = manualClock()
  const server = await useTestServer({ clock })
  const owner = await server.owner()
  const visitor = server.visitor()
  const { code } = await owner.applianceNetwork.askDevice({})
  await visitor.applianceNetwork.reportVisit(report(code))
  await expect(visitor.applianceNetwork.reportVisit(report(code))).rejects.toMatchObject({ status: 404 })
  const late = await owner.applianceNetwork.askDevice({})
  clock.advance(10 * 60_000)
  await expect(visitor.applianceNetwork.reportVisit(report(late.code))).rejects.toMatchObject({ status: 404 })
  const visit = (await server.signIn()).applianceNetwork.visit({ params: { visitId: late.id } })
  await expect(visit).rejects.toMatchObject({ status: 404 })
  const statuses = new Set<number>()
  for (let attempt = 0; attempt < 21; attempt++) {
    const refusal = await visitor.applianceNetwork.reportVisit(report('AAAAAAAAAA')).catch((error: unknown) => error)
    statuses.add((refusal as { status: number }).status)
  }
  expect([...statuses]).toEqual([404, 429])
})

test('a server tests at each of its addresses whether it answers with its certificate', async () => {
  const server = await useTestServer({ machine: { readInterfaces: () => ({ lo: card('127.0.0.1', '127.0.0.2') }) } })
  const owner = await server.owner()
  const port = await freePort()
  await owner.applianceNetwork.set({ body: { isServed: true, port, names: ['nowhere.invalid'] } })
  const { items } = await owner.applianceNetwork.test({})
  const outcomes = new Map(items.map(({ address, outcome }) => [new URL(address).hostname, outcome]))
  expect(outcomes.get('127.0.0.1')).toBe('ours')
  expect(outcomes.get('127.0.0.2')).toBe('ours')
  expect(outcomes.get('nowhere.invalid')).toBe('silent')
})

test('the words of a fingerprint are the first 88 bits of the hash, 11 for each', () => {
  const digest = hash('sha256', 'a key', 'buffer')
  const bits = [...digest].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const { words, hex } = fingerprintOf(`sha256//${digest.toString('base64')}`)
  expect(words.map((word) => wordlist.indexOf(word).toString(2).padStart(11, '0')).join('')).toBe(bits.slice(0, 88))
  expect(hex).toBe(digest.toString('hex'))
})
