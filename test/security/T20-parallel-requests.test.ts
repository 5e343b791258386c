import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { Authenticator } from '../support/authenticator.ts'
import { connectViewer } from '../support/hub-client.ts'
import { pageMember } from '../support/passkeys.ts'
import { recordingAgent } from '../support/recording-agent.ts'
import { ownerForFile, serverForFile } from '../support/server.ts'

const server = serverForFile()
const owner = ownerForFile(server)

test('T20: a terminal has at most 10 links, although 30 are made at once', async () => {
  const agent = await recordingAgent(owner)
  const viewer = await connectViewer(owner)
  const params = { deviceId: agent.id, terminalId: randomUUID() }
  await viewer.CreateTerminalSession2(params)
  const body = { guestName: 'Grace', canType: true }
  await Promise.allSettled(Array.from({ length: 30 }, () => owner.applianceTerminalShares.create({ params, body })))
  expect((await owner.applianceTerminalShares.list({ params })).items.length).toBe(10)
})

test('T20: an account has at most 20 passkeys, although 30 additions were begun', async () => {
  const member = await pageMember(server)
  const begun = await Promise.all(Array.from({ length: 30 }, () => member.appliancePasskeys.additionOptions({})))
  for (const { ticket, options } of begun) {
    const credential = new Authenticator().create({ ticket, options }, { origin: member.url })
    await member.appliancePasskeys.add({ body: { ticket, name: 'Key', credential } }).catch(() => undefined)
  }
  expect((await member.appliancePasskeys.list({})).items.length).toBe(20)
})
