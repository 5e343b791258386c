import { addUser } from '../../../support/people.ts'
import { account } from '../../../support/server.ts'
import { callerOf, startSession } from '../../../support/session.ts'
import { target, type Acts, type Scene } from './scene.ts'

/** Session of a member, and the row of an act of the owner about it. */
async function foreignSession({ server, owner, agent }: Scene) {
  const member = await addUser(server, owner, ['Device Superuser'])
  const { ticket } = await startSession(await callerOf(member), agent)
  return { params: { sessionId: ticket.sessionId }, row: { ...target('user', member.user.email), deviceId: agent.id } }
}

/** Acts of people on sessions of others. */
export const actsOnSessions: Acts = [
  [
    'session.cut',
    'a session that another person ended',
    async (scene) => {
      const { row, params } = await foreignSession(scene)
      await scene.owner.applianceRemoteSessions.end({ params, body: { reason: 'Lunch.' } })
      const reason = `${account.email} ended the session: Lunch.`
      return { ...row, details: { ...params, reason } }
    },
  ],
  [
    'session.heard',
    'a session whose viewer hears the device',
    async ({ owner, agent }) => {
      const { ticket } = await startSession(await callerOf(owner), agent)
      const { sessionId } = ticket
      await agent.SendSessionHeard(sessionId)
      return { deviceId: agent.id, details: { sessionId } }
    },
  ],
  [
    'session.messaged',
    'a message to the owner of a session',
    async (scene) => {
      const { row, params } = await foreignSession(scene)
      await scene.owner.applianceRemoteSessions.message({ params, body: { text: 'Lunch?' } })
      return { ...row, details: params }
    },
  ],
]
