/** An answer of one person, or of nobody, opens no files of somebody who signs in later (T05). */
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Subject } from '@microsoft/signalr'
import { Consent } from '../../agent/capabilities/consent.ts'
import { StandingAnswers } from '../../agent/capabilities/standing-answers.ts'
import type { Person } from '../../agent/desktop-host/served-desktop.ts'
import type { ConsentPolicyBody } from '../../shared/api/appliance-consent.ts'
import { askConsentType } from '../../shared/dtos/consent.ts'
import { followFileType } from '../../shared/dtos/file-messages.ts'
import { successOf } from '../../shared/dtos/hub-result.ts'
import { collectingLog, manualClock as agentClock, temporaryFolder } from '../agent/support.ts'
import { enroll } from '../support/agent.ts'
import { manualClock } from '../support/clock.ts'
import { base64 } from '../support/file-agent.ts'
import { openToAll, ownerForFile, serverForFile, useTestServer, type Member } from '../support/server.ts'
import { within } from '../support/until.ts'

const server = serverForFile({ settings: openToAll })
// The first user, who administers the server, takes no part.
ownerForFile(server)

const askForFiles = (by: Member, files: ConsentPolicyBody['files']) =>
  by.applianceConsent.create({
    tenantId: by.tenantId,
    body: {
      name: 'Ask at the desk',
      customerId: null,
      tagId: null,
      exceptPermission: null,
      control: 'never',
      viewing: 'never',
      terminal: 'never',
      files,
      allowsSilence: false,
    },
  })

/** Device whose agent asks, and whose people allow everything. */
async function startDevice(owner: Member) {
  const agent = await enroll(owner)
  const questions: string[] = []
  let send = (_text: string) => {}
  const connection = await agent.connect(owner.url, {
    GetRootDrives: () => successOf({ drives: [] }),
    ReceiveDto(message) {
      const payload = JSON.parse(Buffer.from(message.payload, 'base64').toString()) as { streamId: string }
      if (message.dtoType === followFileType) {
        const items = new Subject<string>()
        connection.connection.send('SendFileContentStream', payload.streamId, items).catch(() => {})
        send = (text) => items.next(base64(`${JSON.stringify({ text })}\n`))
        send('first')
        return successOf({}) as never
      }
      if (message.dtoType === askConsentType) {
        questions.push(message.payload)
        return successOf(null) as never
      }
      return null
    },
  })
  onTestFinished(() => connection.connection.stop())
  await connection.SendConsentAnswers({ standing: [], alwaysAsk: [] })
  const signIn = (...currentUsers: string[]) =>
    connection.UpdateDeviceSigned(agent.signed(agent.report({ currentUsers })))
  return { id: agent.id, questions, signIn, connection, send: (text: string) => send(text) }
}

const drivesOf = (by: Member, deviceId: string) =>
  by.deviceFileSystem.rootDrives({ tenantId: by.tenantId, body: { deviceId } })

describe('the files of a device', () => {
  test('are asked for again when somebody signs in to a device where nobody was', async () => {
    const owner = await server.newcomer()
    const device = await startDevice(owner)
    await askForFiles(owner, 'signed-in')
    await device.signIn()
    await drivesOf(owner, device.id)
    const before = device.questions.length
    await device.signIn('anna')
    await drivesOf(owner, device.id)
    expect(device.questions.length).toBe(before + 1)
  })

  test('are asked for again when somebody else signs in than the person who answered', async () => {
    const owner = await server.newcomer()
    const device = await startDevice(owner)
    await askForFiles(owner, 'always')
    await device.signIn('anna')
    await drivesOf(owner, device.id)
    await device.signIn('bert')
    await drivesOf(owner, device.id)
    expect(device.questions).toHaveLength(2)
  })

  const follow = async (owner: Member, deviceId: string) => {
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const path = `/api/appliance/v1/devices/${deviceId}/files/follow?path=/a&lines=10`
    const response = await owner.fetch(path, { signal: stop.signal })
    expect(response.status).toBe(200)
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    const next = async () => (await reader.read()).value
    expect(await next()).toContain('first')
    // A response that is cut has ended too.
    const ended = () =>
      within(
        8_000,
        next().catch(() => undefined),
      )
    return { next, ended }
  }

  test('are followed no longer once the person has changed an answer', async () => {
    const owner = await server.newcomer()
    const device = await startDevice(owner)
    await askForFiles(owner, 'always')
    await device.signIn('anna')
    const followed = await follow(owner, device.id)
    await device.connection.SendConsentAnswers({ standing: [], alwaysAsk: ['anna'] })
    expect(await followed.ended()).toBeUndefined()
  })

  test('are followed for hours where nobody is asked, and no longer once a policy asks', async () => {
    const clock = manualClock(Date.now())
    const ownServer = await useTestServer({ clock })
    const owner = await ownServer.owner()
    const device = await startDevice(owner)
    await device.signIn('anna')
    const followed = await follow(owner, device.id)
    for (let hours = 0; hours < 3; hours++) {
      clock.advance(60 * 60_000)
      device.send(`after ${hours} hours`)
      expect(await followed.next()).toContain(`after ${hours} hours`)
    }
    await askForFiles(owner, 'always')
    clock.advance(2_000)
    expect(await followed.ended()).toBeUndefined()
  })
})

test('an agent asks a person who wants to be asked, although somebody else has let the visitor in to files', async () => {
  const clock = agentClock()
  const file = new StandingAnswers(join(temporaryFolder(), 'consent.json'))
  const personOf = (username: string, answer: 'once' | 'declined'): Person => ({
    username,
    isSignedIn: true,
    desktop: 'Console',
    askPower: () => Promise.reject(new Error('Not expected here.')),
    endPowerQuestion: () => Promise.resolve(),
    ask: ({ asksAlways }) => Promise.resolve({ answer, asksAlways, reason: '' }),
  })
  let person: Person | undefined = personOf('anna', 'once')
  const consent = new Consent({
    clock,
    log: collectingLog(),
    file,
    person: () => Promise.resolve(person),
    report: () => {},
  })
  file.setAlways('bert', true, clock.now())
  const question = {
    subject: 'files',
    rule: { mode: 'always', allowsSilence: false },
    grantFor: '',
    visitorId: 'ada',
    visitorName: 'Ada',
  }
  const payload = Buffer.from(JSON.stringify(question)).toString('base64')
  expect(await consent.receive({ dtoType: askConsentType, payload })).toMatchObject({ isSuccess: true })
  person = personOf('bert', 'declined')
  expect(await consent.enter('files')).toMatchObject({ refusal: 'The person at the device declined.' })
})
