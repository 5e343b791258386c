import { expect, test } from 'vitest'
import { addMember } from '../support/people.ts'
import { account, ownerForFile, serverForFile } from '../support/server.ts'

const server = serverForFile()
const owner = ownerForFile(server)

test('T09: a password that is changed while an administrator resets it does not replace the temporary one', async () => {
  const { tenantId } = owner
  const { auth, user } = await addMember(server, tenantId, ['device.read'])
  const next = 'Newer-Horse-8'
  // Two hashes of the change take longer than the one of the reset.
  const [{ temporaryPassword }] = await Promise.all([
    owner.users.resetPassword({ tenantId, params: { userId: user.id } }),
    auth.changePassword({ body: { currentPassword: account.password, newPassword: next } }).catch(() => {}),
  ])
  const changeTemporary = (currentPassword: string) =>
    server.visitor().auth.changePasswordWithCredentials({
      body: { email: user.email, currentPassword, newPassword: 'Newest-Horse-9' },
    })
  await expect(changeTemporary(next)).rejects.toMatchObject({ status: 401 })
  await changeTemporary(temporaryPassword)
})

test('T09: a person who is disabled while the password of another one is hashed adds nobody any more', async () => {
  const { tenantId } = owner
  const { user, users } = await addMember(server, tenantId, ['tenant.users.write'])
  const body = { userName: 'backdoor', email: 'backdoor@example.org', password: 'Back-Door-7', presetNames: [] }
  await Promise.all([
    users.create({ tenantId, body }).catch(() => {}),
    owner.appliancePeople.disable({ tenantId, params: { userId: user.id } }),
  ])
  const kinds = await server.rows<{ kind: string }>(
    `SELECT kind FROM audit_events WHERE actorId = '${user.id}' AND kind = 'people.user-created'
       OR targetId = '${user.id}' AND kind = 'change.user-disabled' ORDER BY id`,
  )
  expect(kinds.at(-1)).toEqual({ kind: 'change.user-disabled' })
})
