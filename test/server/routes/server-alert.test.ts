import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addMember } from '../../support/people.ts'
import { startTestServer, type Member, type TestServer } from '../../support/server.ts'

let server: TestServer
let owner: Member
let reader: Member

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.owner()
  reader = await addMember(server, owner.tenantId, [])
})
afterAll(() => server.stop())

const id = '00000000-0000-0000-0000-000000000001'
const alert = { message: 'Back at 9', severity: 1, isDismissable: true, isSticky: true, isEnabled: true } as const

test('there is one from the start, which nobody sees', async () => {
  expect(await reader.serverAlert.get({})).toEqual({
    id,
    message: '',
    severity: 0,
    isDismissable: true,
    isSticky: false,
    isEnabled: false,
  })
})

test('what an administrator says reaches everybody, and stays over a restart', async () => {
  expect(await owner.serverAlert.set({ body: alert })).toEqual({ id, ...alert })
  expect(await reader.serverAlert.get({})).toEqual({ id, ...alert })
  await server.restart()
  expect(await reader.serverAlert.get({})).toEqual({ id, ...alert })
})

test('what is left out is off: the whole alert is replaced', async () => {
  await owner.serverAlert.set({ body: alert })
  await owner.serverAlert.set({ body: { message: 'Done' } })
  expect(await reader.serverAlert.get({})).toEqual({
    id,
    message: 'Done',
    severity: 0,
    isDismissable: false,
    isSticky: false,
    isEnabled: false,
  })
})

describe('refused', () => {
  test('to those without the permission', async () => {
    await expect(reader.serverAlert.set({ body: alert })).rejects.toMatchObject({ status: 403 })
  })

  test.each([
    [{ ...alert, message: 'x'.repeat(501) }, 'message'],
    [{ ...alert, message: undefined }, 'message'],
    [{ ...alert, severity: 4 }, 'severity'],
    [{ ...alert, severity: 'loud' }, 'severity'],
    [{ ...alert, isEnabled: 'perhaps' }, 'isEnabled'],
  ])('%j', async (body, field) => {
    await expect(owner.serverAlert.set({ body: body as never })).rejects.toMatchObject({
      status: 400,
      problem: { errors: { [field]: [expect.any(String)] } },
    })
  })

  test('five hundred characters and the name of a severity are not', async () => {
    const message = 'x'.repeat(500)
    const body = { ...alert, message, severity: 'success' as never }
    expect(await owner.serverAlert.set({ body })).toMatchObject({ message, severity: 3 })
  })
})
