import { expect } from 'vitest'
import { account, signInTo, Visitor, type Member } from '../../../../support/server.ts'
import { newUserId } from './named.ts'
import { newName, type Prepare, type Writes } from './write.ts'

const password = 'Correct-Horse-8'

/** Creates a second signed-in user of the tenant. */
async function colleagueOf({ users, tenantId, url }: Member) {
  const email = `${newName()}@example.org`
  await users.create({ tenantId, body: { userName: email, password } })
  return { email, colleague: await signInTo(url, { email, password }) }
}

const isSignedIn = async (visitor: Visitor) => (await visitor.fetch('/api/auth/me')).status === 200

const newDeviceLink = async ({ logonTokens, devices, tenantId }: Member) => {
  const [device] = await devices.list({})
  const body = { tenantId, deviceId: device!.id, userCorrelationId: newName() }
  return (await logonTokens.createForExternalUser({ body })).deviceAccessUrl
}

const opens = async (visitor: Visitor, link: string) =>
  (await visitor.fetch(link, { redirect: 'manual' })).status === 303

/** Writes a link of either kind, which works after the restart. */
const linkWrite =
  (create: (owner: Member, deviceId: string) => Promise<{ deviceAccessUrl: string }>): Prepare =>
  async (owner) => {
    const [device] = await owner.devices.list({})
    let link = ''
    return {
      act: async () => (link = (await create(owner, device!.id)).deviceAccessUrl),
      expectStored: async () => expect(await opens(new Visitor(owner.url), link)).toBe(true),
    }
  }

/** Writes of users, their credentials, and their stored data. */
export const peopleWrites: Writes = {
  'users.create': async (owner) => {
    const { users, tenantId } = owner
    const userName = `${newName()}@example.org`
    return {
      act: () => users.create({ tenantId, body: { userName } }),
      expectStored: async () =>
        expect((await users.list({ tenantId })).items.map((user) => user.userName)).toContain(userName),
    }
  },
  'users.delete': async (owner) => {
    const { users, tenantId } = owner
    const userId = await newUserId(owner)
    return {
      act: () => users.delete({ tenantId, params: { userId } }),
      expectStored: async () =>
        expect((await users.list({ tenantId })).items.map(({ id }) => id)).not.toContain(userId),
    }
  },
  'users.resetPassword': async (owner) => {
    const { email, colleague } = await colleagueOf(owner)
    const params = { userId: colleague.user.id }
    return {
      act: () => owner.users.resetPassword({ tenantId: owner.tenantId, params }),
      expectStored: async () => {
        expect(await isSignedIn(colleague)).toBe(false)
        await expect(signInTo(owner.url, { email, password })).rejects.toThrow('was not signed in')
      },
    }
  },
  'invites.create': async ({ invites, tenantId }) => {
    const inviteeEmail = `${newName()}@example.org`
    return {
      act: () => invites.create({ tenantId, body: { inviteeEmail } }),
      expectStored: async () =>
        expect((await invites.list({ tenantId })).items.map((invite) => invite.inviteeEmail)).toContain(inviteeEmail),
    }
  },
  'invites.delete': async ({ invites, tenantId }) => {
    const { id: inviteId } = await invites.create({ tenantId, body: { inviteeEmail: `${newName()}@example.org` } })
    return {
      act: () => invites.delete({ tenantId, params: { inviteId } }),
      expectStored: async () =>
        expect((await invites.list({ tenantId })).items.map(({ id }) => id)).not.toContain(inviteId),
    }
  },
  'logonTokens.createForUser': linkWrite(({ logonTokens, tenantId, user }, deviceId) =>
    logonTokens.createForUser({ body: { tenantId, deviceId, userId: user.id } }),
  ),
  'logonTokens.createForExternalUser': linkWrite(({ logonTokens, tenantId }, deviceId) =>
    logonTokens.createForExternalUser({ body: { tenantId, deviceId, userCorrelationId: newName() } }),
  ),
  'an opened link': async (owner) => {
    const link = await newDeviceLink(owner)
    const visitor = new Visitor(owner.url)
    return {
      act: () => opens(visitor, link),
      expectStored: async () => {
        expect(await isSignedIn(visitor)).toBe(true)
        expect(await opens(new Visitor(owner.url), link)).toBe(false)
      },
    }
  },
  'a sign-in': async (owner) => {
    let member: Member
    return {
      act: async () => (member = await signInTo(owner.url)),
      expectStored: async () => expect(await isSignedIn(member)).toBe(true),
    }
  },
  'a sign-out': async (owner) => {
    const { colleague } = await colleagueOf(owner)
    const { cookie } = colleague
    return {
      act: () => colleague.auth.logout({}),
      expectStored: async () => {
        colleague.cookie = cookie
        expect(await isSignedIn(colleague)).toBe(false)
      },
    }
  },
  'a changed password': async (owner) => {
    const { email, colleague } = await colleagueOf(owner)
    const body = { currentPassword: password, newPassword: 'Newer-Horse-8' }
    return {
      act: () => colleague.auth.changePassword({ body }),
      expectStored: () => signInTo(owner.url, { email, password: body.newPassword }),
    }
  },
  'wrong passwords on their way to the lockout': async (owner) => {
    const { email } = await colleagueOf(owner)
    const guess = () => new Visitor(owner.url).applianceSession.signIn({ body: { email, password: 'Wrong-Horse-7' } })
    return {
      act: () => Promise.all([guess(), guess(), guess(), guess()]),
      expectStored: async () => expect(await guess()).toMatchObject({ isLockedOut: true, user: null }),
    }
  },
  'a registration': async (owner) => ({
    act: async () => owner.user,
    expectStored: async () => expect((await signInTo(owner.url, account)).user.id).toBe(owner.user.id),
  }),
  'userPreferences.set': async ({ userPreferences, tenantId }) => {
    const name = `own-${newName()}`
    return {
      act: () => userPreferences.set({ tenantId, body: { name, value: 'kept' } }),
      expectStored: async () =>
        expect(await userPreferences.get({ tenantId, params: { name } })).toMatchObject({ value: 'kept' }),
    }
  },
  'userPreferences.replaceAll': async (owner) => {
    const { colleague } = await colleagueOf(owner)
    const { userPreferences, tenantId } = colleague
    return {
      act: () => userPreferences.replaceAll({ tenantId, body: { manualQuality: 42 } }),
      expectStored: async () => expect(await userPreferences.getAll({ tenantId })).toMatchObject({ manualQuality: 42 }),
    }
  },
  'userStorage.set': async ({ userStorage, tenantId }) => {
    const key = newName()
    return {
      act: () => userStorage.set({ tenantId, body: { key, value: 'kept' } }),
      expectStored: async () =>
        expect(await userStorage.get({ tenantId, params: { key } })).toEqual({ key, value: 'kept' }),
    }
  },
  'userStorage.delete': async ({ userStorage, tenantId }) => {
    const key = newName()
    await userStorage.set({ tenantId, body: { key, value: 'x' } })
    return {
      act: () => userStorage.delete({ tenantId, params: { key } }),
      expectStored: async () => expect(await userStorage.get({ tenantId, params: { key } })).toBeUndefined(),
    }
  },
}
