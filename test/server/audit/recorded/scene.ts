import { randomUUID } from 'node:crypto'
import type { AuditKind } from '../../../../shared/audit-kinds.ts'
import { success, successOf } from '../../../../shared/dtos/hub-result.ts'
import { manualClock } from '../../../support/clock.ts'
import { connectFileAgent, pieces, type FileAgent } from '../../../support/file-agent.ts'
import { startGitHub } from '../../../support/github-server.ts'
import { providerSettings } from '../../../support/identity-provider.ts'
import { pageMember } from '../../../support/passkeys.ts'
import { createUser } from '../../../support/people.ts'
import { recordingAgent } from '../../../support/recording-agent.ts'
import { account, startTestServer, type Member } from '../../../support/server.ts'

export const { password } = account

/** Columns of a row that a test looks at. */
export interface Row {
  kind: string
  outcome: string
  actorKind: string
  actorName: string | null
  credentialKind: string | null
  address: string | null
  targetKind: string | null
  targetName: string | null
  deviceId: string | null
  details: string
}

/** Expected columns of a row; the rest is as for a success of the owner in a session on this machine. */
export type Expected = Partial<Omit<Row, 'kind' | 'details'>> & { details?: object }

/** Does something over the interface, and returns what its row says. */
export type Acts<S = Scene> = [kind: AuditKind, way: string, act: (scene: S) => Promise<Expected>][]

export type Scene = Awaited<ReturnType<typeof openScene>>

async function connectFiles(owner: Member, clock: ReturnType<typeof manualClock>) {
  const device: FileAgent = await connectFileAgent(
    owner,
    {
      UploadFileToViewer: ({ streamId }) => {
        device.send('SendFileContentStream', [streamId], pieces(Buffer.from('content')))
        return successOf({ fileSize: 7, fileDisplayName: 'report.txt' })
      },
      DownloadFileFromViewer: async (request) => {
        await device.fetch(request)
        return success
      },
      CreateDirectory: () => success,
      ReceiveDto: () =>
        successOf({
          facts: { kind: 'file', size: 0 },
          operation: { isEnded: true, files: 0, totalFiles: 0, bytes: 0, totalBytes: 0, problems: [null] },
        }),
      DeleteFile: () => success,
    },
    clock,
    { isShared: true },
  )
  return device
}

/** A server with an owner, a provider and two devices. */
export async function openScene() {
  const clock = manualClock()
  const gitHub = await startGitHub({ id: 4711, login: 'ada-l', email: 'ada@example.com' })
  const provider = providerSettings('B', gitHub.issuer, { Kind: 'GitHub' })
  const server = await startTestServer({
    settings: { ...provider, AppOptions__EnablePublicRegistration: 'true' },
    clock,
  })
  let owner = await server.owner()
  const agent = await recordingAgent(owner, { clock, isShared: true })
  const files = await connectFiles(owner, clock)
  return {
    clock,
    server,
    agent,
    files,
    get owner() {
      return owner
    },
    /** Lets proofs and throttles pass, and signs the owner in again. */
    async next() {
      clock.advance(11 * 60_000)
      owner = await server.signIn()
    },
    newMember: async () => pageMember(server, (await createUser(owner, { password })).email),
    async close() {
      await server.stop()
      await gitHub.stop()
    },
  }
}

export const target = (targetKind: string, targetName: string): Expected => ({ targetKind, targetName })
export const newName = (): string => `n-${randomUUID()}`
export const anonymous = { actorKind: 'anonymous', actorName: null, credentialKind: null } as const
export const by = ({ user }: Member): Expected => ({ actorName: user.email })
export const aboutSelf = (member: Member): Expected => ({
  ...by(member),
  targetKind: 'user',
  targetName: member.user.email,
})
