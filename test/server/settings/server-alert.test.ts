import { beforeAll, describe, expect, test } from 'vitest'
import { addMember } from '../../support/people.ts'
import { ownerForFile, serverForFile, type Member } from '../../support/server.ts'

let reader: Member

const server = serverForFile()
const owner = ownerForFile(server)
beforeAll(async () => {
  reader = await addMember(server, owner.tenantId, [])
})

const id = '00000000-0000-0000-0000-000000000001'
const alert = { message: 'Back at 9', severity: 1, isDismissable: true, isSticky: true, isEnabled: true } as const

test('the alert exists from the start, switched off', async () => {
  expect(await reader.serverAlert.get({})).toEqual({
    id,
    message: '',
    severity: 0,
    isDismissable: true,
    isSticky: false,
    isEnabled: false,
  })
})

test('the alert of an administrator is shown to all users, and survives a restart', async () => {
  expect(await owner.serverAlert.set({ body: alert })).toEqual({ id, ...alert })
  expect(await reader.serverAlert.get({})).toEqual({ id, ...alert })
  await server.restart()
  expect(await reader.serverAlert.get({})).toEqual({ id, ...alert })
})

test('an alert is replaced as a whole: missing members are reset', async () => {
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

describe('setting the alert', () => {
  test('is refused without the permission', async () => {
    await expect(reader.serverAlert.set({ body: alert })).rejects.toMatchObject({ status: 403 })
  })

  test.each([
    [{ ...alert, message: 'x'.repeat(501) }, 'message'],
    [{ ...alert, message: undefined }, 'message'],
    [{ ...alert, severity: 4 }, 'severity'],
    [{ ...alert, severity: 'loud' }, 'severity'],
    [{ ...alert, isEnabled: 'perhaps' }, 'isEnabled'],
  ])('is refused with an invalid member: %j', async (body, field) => {
    await expect(owner.serverAlert.set({ body: body as never })).rejects.toMatchObject({
      status: 400,
      problem: { errors: { [field]: [expect.any(String)] } },
    })
  })

  test('accepts 500 characters and the name of a severity', async () => {
    const message = 'x'.repeat(500)
    const body = { ...alert, message, severity: 'success' as never }
    expect(await owner.serverAlert.set({ body })).toMatchObject({ message, severity: 3 })
  })
})
