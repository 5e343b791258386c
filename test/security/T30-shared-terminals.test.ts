/** A link to a terminal shows this one terminal to one guest, as long as its maker may share it (T30, T43, T45). */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { beforeEach, describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { askConsentType } from '../../shared/dtos/consent.ts'
import type { DtoWrapper } from '../../shared/dtos/device-commands.ts'
import { failure, failureOf, success, successOf } from '../../shared/dtos/hub-result.ts'
import { terminalGuestType } from '../../shared/dtos/terminal-guest.ts'
import type { TerminalInputDto, TerminalOutputDto } from '../../shared/dtos/terminal.ts'
import type { z } from 'zod'
import { connectViewer, type Viewer } from '../support/hub-client.ts'
import { addUser } from '../support/people.ts'
import { recordingAgent, type RecordingAgent } from '../support/recording-agent.ts'
import { ownerForFile, serverForFile, Visitor, type Member } from '../support/server.ts'
import { until } from '../support/until.ts'

const forbidden = failure('Forbidden.')

const server = serverForFile()
const owner = ownerForFile(server)

let agent: RecordingAgent
beforeEach(async () => {
  agent = await recordingAgent(owner)
})

interface Room {
  mine: Viewer
  terminalId: string
  params: { deviceId: string; terminalId: string }
}

/** Opens a terminal of a member. */
async function openRoom(by: Member = owner): Promise<Room> {
  const mine = await connectViewer(by)
  const terminalId = randomUUID()
  const deviceId = agent.id
  expect(await mine.CreateTerminalSession2({ deviceId, terminalId })).toMatchObject({ isSuccess: true })
  return { mine, terminalId, params: { deviceId, terminalId } }
}

const share = ({ params }: Room, canType = false, by: Member = owner) =>
  by.applianceTerminalShares.create({ params, body: { guestName: 'Grace', canType } })

/** Opens a link in a browser, whose page redeems it. */
async function visit(url: string) {
  const visitor = new Visitor(server.url)
  expect((await visitor.openLink(url)).status).toBe(204)
  return visitor
}

const answerOf = (request: Promise<void>) =>
  request.then(
    () => success,
    ({ message }: Error) => failure(message),
  )
const connectionOf = ({ connection }: Viewer) => connection.connectionId!
const joinOn = (visitor: Visitor, guest: Viewer) =>
  answerOf(visitor.applianceTerminalShares.join({ body: { connectionId: connectionOf(guest) } }))
const type = ({ visitor, guest }: { visitor: Visitor; guest: Viewer }, input: string) =>
  answerOf(visitor.applianceTerminalShares.type({ body: { connectionId: connectionOf(guest), input } }))

/** A guest who sees a terminal. */
async function join(room: Room, canType = false, by: Member = owner) {
  const made = await share(room, canType, by)
  const visitor = await visit(made.url)
  const guest = await connectViewer(visitor)
  const joined = await joinOn(visitor, guest)
  return { ...made, visitor, guest, joined }
}

const print = (room: Room, output: string, part: Partial<TerminalOutputDto> = {}) =>
  agent.SendTerminalOutputToViewer(room.mine.connection.connectionId!, {
    terminalId: room.terminalId,
    output,
    outputKind: 0,
    timestamp: new Date().toISOString(),
    ...part,
  })
const seen = ({ outputs }: Viewer) => outputs.map(({ output }) => output).filter((output) => output !== '')
const typed = () =>
  agent.told.flatMap(([method, input]) =>
    method === 'ReceiveTerminalInput' ? [(input as TerminalInputDto).input] : [],
  )
const events = async (kind: string) => (await owner.applianceAuditLog.listAll({ query: { kind } })).items

describe('the guest of a link', () => {
  test('sees recent output without a second one for the owner, and types only while the owner lets it', async () => {
    const room = await openRoom()
    const there = await join(room)
    const { guest, share: link } = there
    await print(room, 'earlier ', { isReplay: true, isPast: true })
    await print(room, 'now')
    expect(seen(guest)).toEqual(['earlier ', 'now'])
    expect(seen(room.mine)).toEqual(['now'])

    expect(await type(there, 'rm')).toMatchObject({ isSuccess: false })
    const change = (canType: boolean) =>
      owner.applianceTerminalShares.change({ params: { ...room.params, shareId: link.id }, body: { canType } })
    await change(true)
    expect(await type(there, 'ls\r')).toEqual(success)
    await change(false)
    expect(await type(there, 'rm')).toMatchObject({ isSuccess: false })
    expect(typed()).toEqual(['', 'ls\r'])
    const { items } = await owner.applianceTerminalShares.list({ params: room.params })
    expect(items).toMatchObject([{ id: link.id, forName: 'Grace', canType: false, isHere: true }])

    await guest.connection.stop()
    const end = await until(async () =>
      (await events('session.ended')).find(({ actorName }) => actorName?.includes('Grace')),
    )
    expect(end).toMatchObject({ deviceId: agent.id, details: { session: 'terminal', bytesToDevice: 3 } })
    expect((await events('session.terminal-share-changed')).map(({ details }) => details?.guestMay)).toEqual([
      'watch',
      'type',
    ])
  })

  test('shares the recent output with whoever joins before it begins, and the owner sees none of it', async () => {
    const room = await openRoom()
    const [ada, ben] = await Promise.all([join(room), join(room)])
    // An agent sends the recent output as often as it is asked.
    for (const _ of typed()) {
      await print(room, 'earlier ', { isReplay: true, isPast: true })
    }
    await print(room, 'now')
    expect([ada, ben].map(({ guest }) => seen(guest))).toEqual([
      ['earlier ', 'now'],
      ['earlier ', 'now'],
    ])
    expect(seen(room.mine)).toEqual(['now'])
  })

  test('who joins while another guest gets the recent output leaves that guest all of it', async () => {
    const room = await openRoom()
    const ada = await join(room)
    await print(room, 'first ', { isReplay: true, isPast: true })
    const ben = await join(room)
    await print(room, 'first ', { isReplay: true, isPast: true })
    await print(room, 'second ', { isPast: true })
    await print(room, 'now')
    expect(seen(ada.guest)).toEqual(['first ', 'first ', 'second ', 'now'])
    expect(seen(ben.guest)).toEqual(['first ', 'second ', 'now'])
    expect(seen(room.mine)).toEqual(['now'])
  })

  test('sees the terminal in eight windows at most, each of which gets all output (T20)', async () => {
    const room = await openRoom()
    const { visitor, guest } = await join(room)
    const windows = await Promise.all(Array.from({ length: 8 }, () => connectViewer(visitor)))
    const answers = await Promise.all(windows.map((window) => joinOn(visitor, window)))
    const refused = answers.flatMap(({ isSuccess, reason }) => (isSuccess ? [] : [reason]))
    expect(refused).toEqual(['This link shows the terminal in 8 windows already. Close one first.'])
    expect(await joinOn(visitor, guest)).toEqual(success)
  })

  test('reaches nothing else of the device: no other terminal, no call for this one, no page', async () => {
    const room = await openRoom()
    const other = await openRoom()
    const { guest, visitor } = await join(room, true)
    const { deviceId } = room.params
    const told = agent.told.length
    for (const terminalId of [room.terminalId, other.terminalId, randomUUID()]) {
      const input = { terminalId, input: 'id', isRaw: true, isAttach: true }
      expect(await guest.CreateTerminalSession2({ deviceId, terminalId })).toEqual(forbidden)
      expect(await guest.SendTerminalInput2({ deviceId, input })).toEqual(forbidden)
      expect(await guest.CloseTerminalSession2({ deviceId, terminalId })).toEqual(forbidden)
    }
    expect(agent.told).toHaveLength(told)
    await print(other, 'secret')
    expect(seen(guest)).toEqual([])
    await expect(visitor.devices.get({ params: { deviceId } })).rejects.toMatchObject({ status: 404 })
    await expect(visitor.applianceTerminalShares.list({ params: room.params })).rejects.toMatchObject({ status: 404 })
    await expect(share(room, true, visitor as Member)).rejects.toMatchObject({ status: 404 })
    expect(await visitor.applianceTerminalShares.own({})).toMatchObject({ terminalId: room.terminalId, canType: true })
    // An account joins nothing, and a guest shows the terminal on no connection of others.
    expect(await joinOn(owner, room.mine)).toEqual(failure('Shared terminal not found.'))
    expect(await joinOn(visitor, room.mine)).toEqual(failure('Connection not found.'))
    expect(await type({ visitor: owner, guest }, 'id')).toEqual(failure('Connection not found.'))
  })

  test('is named to the person at the device, who is asked once, and to the list of visits there', async () => {
    const asked: Record<string, unknown>[] = []
    const guests: unknown[] = []
    let answer: unknown = successOf(null)
    agent.answers.ReceiveDto = ((message: z.output<typeof DtoWrapper>) => {
      const payload = JSON.parse(Buffer.from(message.payload, 'base64').toString()) as Record<string, unknown>
      if (message.dtoType === terminalGuestType) {
        guests.push([payload.guestName, payload.isHere])
      }
      return message.dtoType === askConsentType ? (asked.push(payload), answer) : null
    }) as never
    await agent.SendConsentAnswers({ standing: [], alwaysAsk: [] })
    const room = await openRoom()
    const made = await share(room)
    const visitor = await visit(made.url)
    const guest = await connectViewer(visitor)
    answer = failureOf('The person at the device declined.')
    expect(await joinOn(visitor, guest)).toMatchObject({ reason: 'The person at the device declined.' })
    answer = successOf(null)
    expect(await joinOn(visitor, guest)).toEqual(success)
    expect(await joinOn(visitor, guest)).toEqual(success)
    // The pause after a decline applies to the maker, who could make the next link (T05).
    const question = {
      visitorName: expect.stringMatching(/^Grace/),
      visitorId: made.share.id,
      visitorAccountId: owner.user.id,
    }
    expect(asked.slice(1)).toMatchObject([question, question])
    await guest.connection.stop()
    await until(() => guests.length === 2)
    expect(guests).toEqual([
      [expect.stringMatching(/^Grace/), true],
      [expect.stringMatching(/^Grace/), false],
    ])
  })

  test('who opens the terminal in several windows at once is asked about once', async () => {
    const room = await openRoom()
    const visitor = await visit((await share(room)).url)
    const { promise: decided, resolve: decide } = Promise.withResolvers<unknown>()
    let questions = 0
    agent.answers.ReceiveDto = ((message: z.output<typeof DtoWrapper>) =>
      message.dtoType === askConsentType ? (questions++, decided) : null) as never
    await agent.SendConsentAnswers({ standing: [], alwaysAsk: [] })
    const windows = await Promise.all([1, 2, 3].map(() => connectViewer(visitor)))
    const joins = windows.map((window) => joinOn(visitor, window))
    await until(() => questions > 0)
    // Answered after the joins, which the server has taken by then.
    await Promise.all(windows.map((guest) => type({ visitor, guest }, '')))
    decide(successOf(null))
    expect(await Promise.all(joins)).toEqual([success, success, success])
    expect(questions).toBe(1)
  })

  test('who reads slowly never slows the shell, and gets the recent output again', async () => {
    const room = await openRoom()
    const { url } = await share(room)
    const visitor = await visit(url)
    const negotiated = await visitor.fetch('/hubs/viewer/negotiate?negotiateVersion=1', { method: 'POST' })
    const { connectionId, connectionToken } = (await negotiated.json()) as Record<string, string>
    const address = `${server.url.replace('http', 'ws')}/hubs/viewer?id=${connectionToken}`
    const socket = new WebSocket(address, { headers: visitor.headers })
    socket.on('error', () => {})
    await once(socket, 'open')
    socket.send('{"protocol":"json","version":1}\x1e')
    await once(socket, 'message')
    const joined = visitor.applianceTerminalShares.join({ body: { connectionId: connectionId! } })
    await until(() => typed().length === 1)
    await joined
    socket.pause()
    const piece = 'x'.repeat(400_000)
    // Each waits for the answer of the server, as agents do: 8 MB, more than the buffers of the sockets hold.
    for (let sent = 0; sent < 20; sent++) {
      await print(room, piece)
    }
    expect(seen(room.mine)).toHaveLength(20)
    expect(typed()).toHaveLength(1)
    socket.resume()
    await until(() => typed().length === 2)
    socket.terminate()
  })
})

describe('the sharing ends', () => {
  test('with one call of the owner, with the terminal, and with the visit of the guest', async () => {
    const room = await openRoom()
    const first = await join(room)
    await owner.applianceShares.end({ params: { shareId: first.share.id } })
    await first.guest.closed
    const second = await join(room)
    const unopened = await share(room)
    await room.mine.CloseTerminalSession2(room.params)
    await second.guest.closed
    await expect(second.visitor.applianceTerminalShares.own({})).rejects.toMatchObject({ status: 401 })
    expect((await new Visitor(server.url).openLink(unopened.url)).status).toBe(401)
  })

  test('when its maker loses the right to make links, or is disabled', async () => {
    for (const lose of ['device.logon-token.create', 'disabled'] as const) {
      const member = await addUser(server, owner, ['Device Superuser'])
      const room = await openRoom(member)
      const { guest } = await join(room, true, member)
      if (lose === 'disabled') {
        await owner.appliancePeople.disable({ params: { userId: member.user.id } })
      } else {
        const body = {
          principalKind: 'User',
          principalId: member.user.id,
          permissionName: lose,
          effect: 'Deny',
        } as const
        await owner.permissionAssignments.create({ tenantId: owner.tenantId, body: { ...body, scopeKind: 'Tenant' } })
      }
      await guest.closed
      expect(typed().filter((input) => input !== '')).toEqual([])
    }
  })
})

test('of two pages of the owner, the one that typed last answers a query of a program', async () => {
  const room = await openRoom()
  const second = await connectViewer(owner)
  const { deviceId, terminalId } = room.params
  const send = (viewer: Viewer, input: string, part: Partial<TerminalInputDto> = {}) =>
    viewer.SendTerminalInput2({ deviceId, input: { terminalId, input, isRaw: true, ...part } })
  await send(second, '', { isAttach: true })
  await send(room.mine, 'vim\r')
  await send(second, '\x1b[1;1R', { isReport: true })
  await send(room.mine, '\x1b[1;1R', { isReport: true })
  expect(typed()).toEqual(['', 'vim\r', '\x1b[1;1R'])
})

test('a link opens no terminal of another owner who has chosen the same id', async () => {
  const room = await openRoom()
  const { url } = await share(room)
  const visitor = await visit(url)
  expect(await visitor.applianceTerminalShares.own({})).toMatchObject({ terminalId: room.terminalId })
  await server.whileStopped((database, models) =>
    database.write((transaction) =>
      models.Terminal.update({ owner: `User ${randomUUID()}` }, { where: { id: room.terminalId }, transaction }),
    ),
  )
  await expect(visitor.applianceTerminalShares.own({})).rejects.toMatchObject({ status: 404 })
})
